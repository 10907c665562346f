#include "batch/ledger.h"

#include "base/budget.h"
#include "base/error.h"
#include "base/output.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* After a power loss at most this much work is done again. */
#define SYNC_SECONDS 1.0

struct Ledger {
    char *path;
    int fd;
    off_t end;   /* after the last whole job */
    off_t start; /* where this batch began to append */
    GHashTable *done;
    double last_sync;
};

static char *job_key(const char *instance, const char *examination, uint32_t repeat)
{
    return g_strdup_printf("%s\n%s\n%u", instance, examination, repeat);
}

static bool same_job(const Row *a, const Row *b)
{
    return a->repeat == b->repeat && strcmp(a->instance, b->instance) == 0 &&
           strcmp(a->examination, b->examination) == 0;
}

/* What a power loss makes of the end of a file: half a row, or blocks that were never written. */
static bool may_be_damage(const char *line, size_t len, bool whole)
{
    return memchr(line, 0, len) || (!whole && row_may_begin(line, len));
}

static bool refuse(const Ledger *l, size_t line, GError **error)
{
    if (line == 1)
        error_at(error, ERROR_USAGE, l->path, 1, 1, "this is no result file of a batch; it is left as it is");
    else
        error_at(error, ERROR_INPUT, l->path, (int)MIN(line, G_MAXINT), 1,
                 "this is no result, or follows lines that are not whole results; the file was changed by something "
                 "else and is left as it is");
    return false;
}

/* Walks the lines, grouping each job's rows; l->end is then after the last complete group. Damage in the middle (which
 * only a foreign hand makes) is an error: cutting there would lose what follows. The first line shows whose file it is.
 */
static bool recover(Ledger *l, const char *text, size_t len, GError **error)
{
    Rows group = {0};
    size_t line = 0;
    bool torn = false, ours = true;
    for (const char *at = text, *end; ours && at < text + len; at = end + 1) {
        end = memchr(at, '\n', (size_t)(text + len - at));
        bool whole = end != NULL;
        if (!whole) end = text + len;
        line++;
        Row row;
        if (!whole || !row_parse(at, (size_t)(end - at), &row)) {
            torn = true;
            ours = may_be_damage(at, (size_t)(end - at), whole) && (line > 1 || row_may_begin(at, (size_t)(end - at)));
            continue;
        }
        ours = !torn && !(group.len && !same_job(&group.data[0], &row));
        vec_push(&group, row);
        if (!ours || group.len < row.rows) continue;
        g_hash_table_add(l->done, job_key(row.instance, row.examination, row.repeat));
        rows_clear(&group);
        l->end = end + 1 - text;
    }
    rows_free(&group);
    return ours || refuse(l, line, error);
}

static bool open_existing(Ledger *l, bool resume, GError **error)
{
    struct stat info;
    if (fstat(l->fd, &info) < 0 || !S_ISREG(info.st_mode)) {
        error_at(error, ERROR_USAGE, l->path, 0, 0, "results are read again at the end, so they need an ordinary file");
        return false;
    }
    if (info.st_size == 0) return true;
    if (!resume) {
        error_at(error, ERROR_USAGE, l->path, 0, 0, "exists already; --resume continues it, or choose another file");
        return false;
    }
    g_autofree char *text = NULL;
    gsize len;
    if (!g_file_get_contents(l->path, &text, &len, error) || !recover(l, text, len, error)) return false;
    if (ftruncate(l->fd, l->end) < 0) {
        error_at(error, ERROR_IO, l->path, 0, 0, "cannot be put in order: %s", g_strerror(errno));
        return false;
    }
    return true;
}

/* Jobs of a batch that was killed hold its lock until they have ended, which takes them a moment. */
static bool lock_file(int fd)
{
    enum { TRIES = 20, PAUSE = G_USEC_PER_SEC / 10 };
    for (int i = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; i++) {
        if (i == TRIES) return false;
        g_usleep(PAUSE);
    }
    return true;
}

Ledger *ledger_open(const char *path, bool resume, GError **error)
{
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) {
        error_at(error, ERROR_IO, path, 0, 0, "cannot be opened for writing: %s", g_strerror(errno));
        return NULL;
    }
    Ledger *l = g_new0(Ledger, 1);
    l->path = g_strdup(path);
    l->fd = fd;
    l->done = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (!lock_file(fd)) {
        error_at(error, ERROR_USAGE, path, 0, 0, "another batch is writing to this file");
        ledger_close(l);
        return NULL;
    }
    if (!open_existing(l, resume, error)) {
        ledger_close(l);
        return NULL;
    }
    l->start = l->end;
    return l;
}

bool ledger_has(const Ledger *l, const char *instance, const char *examination, uint32_t repeat)
{
    g_autofree char *key = job_key(instance, examination, repeat);
    return g_hash_table_contains(l->done, key);
}

bool ledger_rows(const Ledger *l, Rows *rows, size_t *n_earlier, GError **error)
{
    size_t len = (size_t)l->end, got = 0;
    g_autofree char *text = g_malloc(len + 1);
    while (got < len) {
        ssize_t n = pread(l->fd, text + got, len - got, (off_t)got);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            error_at(error, ERROR_IO, l->path, 0, 0, "cannot be read again: %s",
                     n ? g_strerror(errno) : "it became shorter");
            return false;
        }
        got += (size_t)n;
    }
    rows_parse(text, (size_t)l->start, rows);
    *n_earlier = rows->len;
    rows_parse(text + l->start, len - (size_t)l->start, rows);
    return true;
}

bool ledger_append(Ledger *l, Row *rows, size_t n, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) {
        rows[i].rows = (uint32_t)n;
        row_print(&rows[i], text);
    }
    if (!output_put(l->fd, text->str, text->len)) {
        int problem = errno;
        if (ftruncate(l->fd, l->end) < 0) problem = errno;
        error_at(error, ERROR_IO, l->path, 0, 0, "cannot be written: %s; what is there is whole, --resume continues it",
                 g_strerror(problem));
        return false;
    }
    l->end += (off_t)text->len;
    double now = budget_now();
    if (now - l->last_sync >= SYNC_SECONDS) {
        fdatasync(l->fd);
        l->last_sync = now;
    }
    return true;
}

void ledger_close(Ledger *l)
{
    if (!l) return;
    fdatasync(l->fd);
    close(l->fd); /* gives the lock back */
    g_hash_table_unref(l->done);
    g_free(l->path);
    g_free(l);
}
