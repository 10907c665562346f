#include "batch/answers.h"

#include "base/error.h"
#include "base/vec.h"

#include <string.h>

struct Expected {
    GHashTable *verdicts; /* instance \n examination \n id -> verdict */
    GHashTable *ids;      /* instance \n examination -> GPtrArray of ids */
};

static int compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

Expected *expected_read(const char *path, GError **error)
{
    g_autofree char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, error)) return NULL;
    g_autoptr(Expected) e = g_new0(Expected, 1);
    e->verdicts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    e->ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (int n = 0; lines[n]; n++) {
        g_auto(GStrv) cells = g_strsplit(g_strchomp(lines[n]), "\t", -1);
        if (!cells[0] || !*cells[0] || (n == 0 && strcmp(cells[0], "instance") == 0)) continue;
        if (g_strv_length(cells) < 4) {
            error_at(error, ERROR_INPUT, path, n + 1, 1,
                     "four columns are expected: instance, examination, id, verdict");
            return NULL;
        }
        char *job = g_strdup_printf("%s\n%s", cells[0], cells[1]);
        GPtrArray *ids = g_hash_table_lookup(e->ids, job);
        if (ids) {
            g_free(job);
        } else {
            ids = g_ptr_array_new_with_free_func(g_free);
            g_hash_table_insert(e->ids, job, ids);
        }
        g_ptr_array_add(ids, g_strdup(cells[2]));
        g_hash_table_insert(e->verdicts, g_strdup_printf("%s\n%s\n%s", cells[0], cells[1], cells[2]),
                            g_strdup(cells[3]));
    }
    GHashTableIter iterator;
    gpointer ids;
    g_hash_table_iter_init(&iterator, e->ids);
    while (g_hash_table_iter_next(&iterator, NULL, &ids)) g_ptr_array_sort(ids, compare_texts);
    return g_steal_pointer(&e);
}

const char *expected_find(const Expected *e, const char *instance, const char *examination, const char *id)
{
    if (!e) return NULL;
    g_autofree char *key = g_strdup_printf("%s\n%s\n%s", instance, examination, id);
    return g_hash_table_lookup(e->verdicts, key);
}

const GPtrArray *expected_ids(const Expected *e, const char *instance, const char *examination)
{
    if (!e) return NULL;
    g_autofree char *key = g_strdup_printf("%s\n%s", instance, examination);
    return g_hash_table_lookup(e->ids, key);
}

void expected_free(Expected *e)
{
    if (!e) return;
    if (e->verdicts) g_hash_table_unref(e->verdicts);
    if (e->ids) g_hash_table_unref(e->ids);
    g_free(e);
}

/* ---- one job ---- */

static Row *row_of(Rows *rows, size_t from, const Job *job, const char *id)
{
    for (size_t i = from; i < rows->len; i++)
        if (strcmp(rows->data[i].id, id) == 0) return &rows->data[i];
    Row row = {.instance = g_strdup(job->instance),
               .examination = g_strdup(job->examination),
               .id = g_strdup(id),
               .repeat = job->repeat};
    vec_push(rows, row);
    return &rows->data[rows->len - 1];
}

static void set(char **field, const char *value)
{
    g_free(*field);
    *field = g_strdup(value);
}

/* What a job says about itself as a whole. */
typedef struct Refusal {
    const char *word; /* NULL: none */
    char *reason;     /* owned; NULL */
} Refusal;

/* KEYWORD id and the rest of the line: no contest lines, but what a batch asks its jobs to tell. True when it was one.
 */
static bool take_note(const char *line, const Job *job, Rows *rows, size_t from, Refusal *refusal)
{
    static const char *const keywords[] = {"ENGINE ", "REASON ", "WITNESS ", "CERTIFICATE "};
    size_t kind = 0;
    while (kind < G_N_ELEMENTS(keywords) && !g_str_has_prefix(line, keywords[kind])) kind++;
    if (kind == G_N_ELEMENTS(keywords)) return false;
    const char *id = line + strlen(keywords[kind]), *rest = strchr(id, ' ');
    if (!rest) return false;
    g_autofree char *name = g_strndup(id, (gsize)(rest - id));
    rest++;
    if (kind == 1 && strcmp(name, job->examination) == 0) { /* of every query without a reason of its own */
        set(&refusal->reason, rest);
        return true;
    }
    Row *row = row_of(rows, from, job, name);
    set(kind == 0 ? &row->engine : kind == 1 ? &row->reason : kind == 2 ? &row->witness : &row->certificate, rest);
    return true;
}

/* FORMULA id verdict TECHNIQUES ...; STATE_SPACE what count TECHNIQUES ... */
static void take_line(const char *line, const Job *job, Rows *rows, size_t from, Refusal *refusal)
{
    if (take_note(line, job, rows, from, refusal)) return;
    g_auto(GStrv) words = g_strsplit_set(line, " \t\r", -1);
    guint n = g_strv_length(words);
    if (n == 0) return;
    if (strcmp(words[0], "DO_NOT_COMPETE") == 0) refusal->word = "not supported";
    if (strcmp(words[0], "CANNOT_COMPUTE") == 0) refusal->word = "cannot compute";
    if (n >= 2 && strcmp(words[0], "FORMULA_NAME") == 0) row_of(rows, from, job, words[1]);
    bool formula = strcmp(words[0], "FORMULA") == 0;
    if (n < 3 || !(formula || strcmp(words[0], "STATE_SPACE") == 0)) return;
    Row *row = row_of(rows, from, job, words[1]);
    if (strcmp(words[2], "CANNOT_COMPUTE") == 0) {
        set(&row->reason, "cannot compute");
        return;
    }
    set(&row->verdict, words[2]);
    set(&row->reason, NULL);
    if (n > 4 && strcmp(words[3], "TECHNIQUES") == 0) {
        g_free(row->technique);
        row->technique = g_strjoinv(" ", words + 4);
    }
}

static const char *reason_of(const Outcome *outcome, const Refusal *refusal, char *space, size_t size)
{
    if (outcome->ending == ENDING_CRASH) {
        g_snprintf(space, (gulong)size, "crash (signal %d)", outcome->status);
        return space;
    }
    if (outcome->ending == ENDING_TIME) return "time limit (killed)";
    if (outcome->ending == ENDING_MEMORY) return "memory limit (killed)";
    if (refusal->reason) return refusal->reason;
    if (refusal->word) return refusal->word;
    if (outcome->status != 0) {
        g_snprintf(space, (gulong)size, "exit status %d", outcome->status);
        return space;
    }
    return "unanswered";
}

static bool same_verdict(const char *a, const char *b)
{
    if (strcmp(a, b) == 0) return true;
    return (strcmp(a, "inf") == 0 && strcmp(b, "+inf") == 0) || (strcmp(a, "+inf") == 0 && strcmp(b, "inf") == 0);
}

void answers_rows(const Job *job, const Outcome *outcome, const Expected *expected, Rows *rows)
{
    size_t from = rows->len;
    Refusal refusal = {0};
    const char *end = outcome->output + outcome->output_len;
    for (const char *at = outcome->output, *stop; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) break; /* a line cut by death is no answer */
        g_autofree char *line = g_strndup(at, (gsize)(stop - at));
        take_line(line, job, rows, from, &refusal);
    }
    const GPtrArray *ids = expected_ids(expected, job->instance, job->examination);
    for (guint i = 0; ids && i < ids->len; i++) row_of(rows, from, job, ids->pdata[i]);
    if (rows->len == from) row_of(rows, from, job, job->examination);
    char space[64];
    const char *reason = reason_of(outcome, &refusal, space, sizeof space);
    for (size_t i = from; i < rows->len; i++) {
        Row *row = &rows->data[i];
        row->wall = outcome->wall;
        row->cpu = outcome->cpu;
        row->peak_kib = outcome->peak_kib;
        if (!row->verdict && !row->reason) row->reason = g_strdup(reason);
        if (row->verdict) set(&row->reason, NULL);
        const char *right = expected_find(expected, row->instance, row->examination, row->id);
        row->expected = g_strdup(right);
        row->has_agrees = right && row->verdict;
        row->agrees = row->has_agrees && same_verdict(right, row->verdict);
    }
    g_free(refusal.reason);
}
