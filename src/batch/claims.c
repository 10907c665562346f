#include "batch/claims.h"

#include "base/compare.h"
#include "base/error.h"
#include "base/input.h"
#include "base/output.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_SECONDS 0.2
#define LOOK_SECONDS_PER_JOB 1e-5

typedef enum { JOB_OPEN, JOB_CLAIMED, JOB_MINE, JOB_DONE } JobState;

struct Claims {
    char *folder;
    int directory;
    char own[64]; /* the worker's file: claims are links to it */
    int own_fd;
    ino_t own_inode;
    double lease, last_renewed, last_look;
    uint8_t *state; /* by job, a JobState; what others do is as of the last look */
    size_t n, done, cursor;
    uint32_t files; /* names of this worker's other files so far */
};

typedef struct Name {
    char text[64];
} Name;

static Name name_of(size_t job, const char *ending)
{
    Name name;
    g_snprintf(name.text, sizeof name.text, "%zu.%s", job, ending);
    return name;
}

static bool fail(const Claims *c, const char *file, const char *what, GError **error)
{
    g_autofree char *path = g_build_filename(c->folder, file, NULL);
    int number = errno;
    error_at(error, ERROR_IO, path, 0, 0, "%s: %s", what, g_strerror(number));
    return false;
}

/* ---- files ---- */

/* A new file of this worker; the name begins with a dot, so that nobody takes it for results. */
static int make_own(Claims *c, char *name, size_t size)
{
    for (int tries = 0; tries < 100; tries++) {
        g_snprintf(name, size, ".%s-%d-%u-%08x", "worker", (int)getpid(), c->files++, g_random_int());
        int fd = openat(c->directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

/* Puts a file there unless there is one. NFS may do what was asked and yet say that it failed. */
static bool put(const Claims *c, const char *from, const char *to)
{
    if (linkat(c->directory, from, c->directory, to, 0) == 0) return true;
    int number = errno;
    struct stat a, b;
    if (fstatat(c->directory, from, &a, 0) == 0 && fstatat(c->directory, to, &b, 0) == 0 && a.st_ino == b.st_ino)
        return true;
    errno = number;
    return false;
}

/* A file that is there whole, or as somebody else made it before (*first is false). */
static bool put_text(Claims *c, const char *to, const char *text, size_t len, bool *first, GError **error)
{
    char name[64];
    int fd = make_own(c, name, sizeof name);
    if (fd < 0) return fail(c, to, "cannot be made", error);
    bool written = output_put(fd, text, len) && fsync(fd) == 0;
    int number = errno;
    close(fd);
    *first = written && put(c, name, to);
    bool ok = written && (*first || errno == EEXIST);
    if (written) number = errno;
    unlinkat(c->directory, name, 0);
    errno = number;
    return ok || fail(c, to, "cannot be written", error);
}

/* The text of a file that link() can have put there: no pipe, and no link to elsewhere. */
static char *read_own(const char *path, size_t *len, Budget *budget, GError **error)
{
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISREG(info.st_mode)) return input_read_file(path, INPUT_LARGE, budget, len, error);
    error_at(error, ERROR_INPUT, path, 0, 0, "is not an ordinary file, as all files of a batch are");
    return NULL;
}

/* ---- the folder ---- */

static bool agree(Claims *c, const char *what, GError **error)
{
    bool first;
    if (!put_text(c, "batch", what, strlen(what), &first, error)) return false;
    if (first) return true;
    g_autofree char *path = g_build_filename(c->folder, "batch", NULL);
    size_t len;
    g_autofree char *there = read_own(path, &len, NULL, error);
    if (!there) return false;
    if (len == strlen(what) && memcmp(there, what, len) == 0) return true;
    error_at(error, ERROR_USAGE, path, 0, 0,
             "this folder belongs to another batch (other nets, examinations, limits or options)");
    return false;
}

Claims *claims_open(const char *folder, const char *what, size_t n, double lease, GError **error)
{
    g_autoptr(Claims) c = g_new0(Claims, 1);
    c->folder = g_strdup(folder);
    c->directory = c->own_fd = -1;
    c->lease = lease;
    c->n = n;
    c->cursor = n; /* the first look comes first */
    c->state = g_new0(uint8_t, n + 1);
    if (g_mkdir_with_parents(folder, 0777) < 0 ||
        (c->directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
        fail(c, "", "cannot be used", error);
        return NULL;
    }
    struct stat info;
    c->own_fd = make_own(c, c->own, sizeof c->own);
    if (c->own_fd < 0 || fstat(c->own_fd, &info) < 0) {
        fail(c, "", "nothing can be written there", error);
        return NULL;
    }
    c->own_inode = info.st_ino;
    if (!agree(c, what, error)) return NULL;
    return g_steal_pointer(&c);
}

static double age(const struct stat *file, const struct stat *now)
{
    return difftime(now->st_mtim.tv_sec, file->st_mtim.tv_sec) +
           1e-9 * (double)(now->st_mtim.tv_nsec - file->st_mtim.tv_nsec);
}

/* A time further ahead than a lease is no worker's either. */
static bool is_fresh(const Claims *c, const struct stat *file, const struct stat *now)
{
    return fabs(age(file, now)) <= c->lease;
}

/* What dead workers left. */
static void clean(const Claims *c)
{
    g_autoptr(GDir) folder = g_dir_open(c->folder, 0, NULL);
    struct stat file, now;
    if (!folder || futimens(c->own_fd, NULL) < 0 || fstat(c->own_fd, &now) < 0) return;
    const char *name;
    while ((name = g_dir_read_name(folder)) != NULL)
        if (g_str_has_prefix(name, ".worker-") && fstatat(c->directory, name, &file, 0) == 0 &&
            age(&file, &now) > c->lease)
            unlinkat(c->directory, name, 0);
}

void claims_close(Claims *c)
{
    if (!c) return;
    for (size_t i = 0; i < c->n && c->own_fd >= 0; i++)
        if (c->state[i] == JOB_MINE) claims_release(c, i);
    if (c->own_fd >= 0) {
        if (c->done == c->n) clean(c);
        unlinkat(c->directory, c->own, 0);
        close(c->own_fd);
    }
    if (c->directory >= 0) close(c->directory);
    g_free(c->state);
    g_free(c->folder);
    g_free(c);
}

size_t claims_done(const Claims *c)
{
    return c->done;
}

void claims_renew(Claims *c)
{
    double now = budget_now();
    if (now - c->last_renewed < c->lease / 4) return;
    c->last_renewed = now;
    futimens(c->own_fd, NULL);
}

/* ---- jobs ---- */

/* Only this worker's own claim. */
static void drop_claim(const Claims *c, size_t job)
{
    struct stat info;
    Name name = name_of(job, "claim");
    if (fstatat(c->directory, name.text, &info, 0) == 0 && info.st_ino == c->own_inode)
        unlinkat(c->directory, name.text, 0);
}

void claims_release(Claims *c, size_t job)
{
    drop_claim(c, job);
    c->state[job] = JOB_OPEN;
    c->cursor = MIN(c->cursor, job);
}

static void set_done(Claims *c, size_t job)
{
    if (c->state[job] != JOB_DONE) c->done++;
    c->state[job] = JOB_DONE;
}

bool claims_finish(Claims *c, size_t job, const char *rows, size_t len, GError **error)
{
    bool first;
    if (!put_text(c, name_of(job, "rows").text, rows, len, &first, error)) return false;
    drop_claim(c, job);
    set_done(c, job);
    return true;
}

/* The claim is ours; is there still something to do? */
static bool begin(Claims *c, size_t job)
{
    c->state[job] = JOB_MINE;
    if (faccessat(c->directory, name_of(job, "rows").text, F_OK, 0) < 0) return true;
    drop_claim(c, job);
    set_done(c, job);
    return false;
}

static bool take(Claims *c, size_t job)
{
    if (put(c, c->own, name_of(job, "claim").text)) return begin(c, job);
    c->state[job] = JOB_CLAIMED;
    return false;
}

/* Takes over a claim whose worker did not renew it. The claim is moved away first: of several who try, one gets it.
 * What was moved away by mistake, because another one had been faster, is put back. */
static bool take_over(Claims *c, size_t job)
{
    Name claim = name_of(job, "claim");
    struct stat theirs, now;
    if (fstat(c->own_fd, &now) < 0 || fstatat(c->directory, claim.text, &theirs, 0) < 0) return false;
    if (theirs.st_ino == c->own_inode || is_fresh(c, &theirs, &now)) return false;
    char away[64];
    int fd = make_own(c, away, sizeof away); /* for its name */
    if (fd < 0) return false;
    close(fd);
    bool moved = renameat(c->directory, claim.text, c->directory, away) == 0;
    bool alive = moved && fstatat(c->directory, away, &theirs, 0) == 0 && is_fresh(c, &theirs, &now);
    if (alive) put(c, away, claim.text);
    unlinkat(c->directory, away, 0);
    return moved && !alive && take(c, job);
}

/* What others did since the last look. */
static void look(Claims *c)
{
    g_autoptr(GDir) folder = g_dir_open(c->folder, 0, NULL);
    if (!folder) return;
    for (size_t i = 0; i < c->n; i++)
        if (c->state[i] == JOB_CLAIMED) c->state[i] = JOB_OPEN;
    const char *name;
    while ((name = g_dir_read_name(folder)) != NULL) {
        char *end;
        if (!g_ascii_isdigit(*name)) continue;
        guint64 job = g_ascii_strtoull(name, &end, 10);
        if (job >= c->n) continue;
        if (strcmp(end, ".rows") == 0)
            set_done(c, job);
        else if (strcmp(end, ".claim") == 0 && c->state[job] == JOB_OPEN)
            c->state[job] = JOB_CLAIMED;
    }
    c->cursor = 0;
}

static bool take_open(Claims *c, size_t *job)
{
    for (; c->cursor < c->n; c->cursor++)
        if (c->state[c->cursor] == JOB_OPEN && take(c, c->cursor)) {
            *job = c->cursor++;
            return true;
        }
    return false;
}

static bool take_dead(Claims *c, size_t *job)
{
    futimens(c->own_fd, NULL); /* the file system's clock */
    for (size_t i = 0; i < c->n; i++)
        if (c->state[i] == JOB_CLAIMED && take_over(c, i)) {
            *job = i;
            return true;
        }
    return false;
}

NextJob claims_next(Claims *c, size_t *job)
{
    if (take_open(c, job)) return NEXT_JOB;
    double now = budget_now();
    if (c->last_look && now - c->last_look < LOOK_SECONDS + LOOK_SECONDS_PER_JOB * (double)c->n)
        return c->done == c->n ? NEXT_NONE : NEXT_LATER;
    c->last_look = now;
    look(c);
    if (c->done == c->n) return NEXT_NONE;
    return take_open(c, job) || take_dead(c, job) ? NEXT_JOB : NEXT_LATER;
}

/* ---- results ---- */

bool claims_rows(const char *path, GString *rows, Budget *budget, GError **error)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, error);
    if (!folder) return false;
    VecU64 jobs = {0};
    const char *name;
    while ((name = g_dir_read_name(folder)) != NULL) {
        char *end;
        guint64 job = g_ascii_strtoull(name, &end, 10);
        if (g_ascii_isdigit(*name) && strcmp(end, ".rows") == 0) vec_push(&jobs, job);
    }
    if (jobs.len) qsort(jobs.data, jobs.len, sizeof *jobs.data, compare_u64);
    bool ok = true;
    for (size_t i = 0; i < jobs.len && ok; i++) {
        g_autofree char *file = g_build_filename(path, name_of(jobs.data[i], "rows").text, NULL);
        size_t len;
        g_autofree char *text = read_own(file, &len, budget, error);
        ok = text != NULL;
        if (ok && len && (!g_str_has_prefix(text, "{\"instance\":") || text[len - 1] != '\n')) {
            error_at(error, ERROR_INPUT, file, 0, 0, "these are no results of a batch");
            ok = false;
        }
        if (ok) g_string_append_len(rows, text, (gssize)len);
    }
    vec_free(&jobs);
    return ok;
}
