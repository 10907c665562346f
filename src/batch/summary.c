#include "batch/summary.h"

#include "base/compare.h"
#include "base/vec.h"
#include "base/visible.h"
#include "verify/evidence.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_UNSOLVED = 20, LONGEST_NAME = 60 };

static int compare_rows(const void *a, const void *b)
{
    const Row *x = *(const Row *const *)a, *y = *(const Row *const *)b;
    int order = strcmp(x->instance, y->instance);
    if (!order) order = strcmp(x->examination, y->examination);
    if (!order) order = strcmp(x->id, y->id);
    return order ? order : (x->repeat > y->repeat) - (x->repeat < y->repeat);
}

static bool same_query(const Row *a, const Row *b)
{
    return strcmp(a->id, b->id) == 0 && strcmp(a->examination, b->examination) == 0 &&
           strcmp(a->instance, b->instance) == 0;
}

static QueryTotal total_of(const Row *const *rows, size_t n)
{
    QueryTotal q = {
        .row = rows[0], .verdict = rows[0]->verdict, .repeats = (uint32_t)n, .job_rows = MAX(rows[0]->rows, 1)};
    g_autofree double *walls = g_new(double, n);
    for (size_t i = 0; i < n; i++) {
        walls[i] = rows[i]->wall;
        q.peak_kib = MAX(q.peak_kib, rows[i]->peak_kib);
        q.wrong |= rows[i]->has_agrees && !rows[i]->agrees;
        if (!rows[i]->verdict) q.reason = rows[i]->reason ? rows[i]->reason : "unanswered";
        if (rows[i]->verdict && q.verdict && strcmp(rows[i]->verdict, q.verdict) != 0) q.unstable = true;
    }
    if (q.reason) q.verdict = NULL;
    if (q.unstable) q.verdict = NULL, q.reason = "repetitions disagree";
    qsort(walls, n, sizeof *walls, compare_real);
    q.wall = walls[n / 2];
    q.fastest = walls[0];
    q.slowest = walls[n - 1];
    return q;
}

Summary *summary_new(const Rows *rows)
{
    g_autofree const Row **sorted = g_new(const Row *, rows->len + 1);
    for (size_t i = 0; i < rows->len; i++) sorted[i] = &rows->data[i];
    if (rows->len) qsort(sorted, rows->len, sizeof *sorted, compare_rows);
    Summary *s = g_new0(Summary, 1);
    s->queries = g_new(QueryTotal, rows->len + 1);
    for (size_t from = 0, to; from < rows->len; from = to) {
        for (to = from + 1; to < rows->len && same_query(sorted[from], sorted[to]);) to++;
        s->queries[s->n_queries++] = total_of(sorted + from, to - from);
    }
    return s;
}

void summary_free(Summary *s)
{
    if (!s) return;
    g_free(s->queries);
    g_free(s);
}

char *summary_family(const char *instance)
{
    const char *dash = strchr(instance, '-');
    return dash ? g_strndup(instance, (gsize)(dash - instance)) : g_strdup(instance);
}

char *summary_reason_head(const char *reason)
{
    size_t n = strcspn(reason, ";(:");
    /* "net/model.pnml:3:4: message": each has a place of its own */
    bool is_file = false;
    for (size_t i = 0; i < n; i++) is_file |= reason[i] == '/' || reason[i] == '.';
    if (reason[n] == ':' && is_file) return g_strdup("cannot be read");
    while (n && reason[n - 1] == ' ') n--;
    return g_strndup(reason, n);
}

static char *group_name(const QueryTotal *q, Grouping grouping)
{
    switch (grouping) {
    case GROUP_TOTAL: return g_strdup("all");
    case GROUP_EXAMINATION: return g_strdup(q->row->examination);
    case GROUP_FAMILY: return summary_family(q->row->instance);
    case GROUP_REASON: return summary_reason_head(q->reason ? q->reason : "unanswered");
    case GROUP_ENGINE: break;
    }
    if (!q->verdict) return g_strdup("(unanswered)");
    return g_strdup(q->row->engine ? q->row->engine : q->row->technique ? q->row->technique : "(not said)");
}

static int compare_groups(const void *a, const void *b)
{
    return strcmp(((const SummaryGroup *)a)->name, ((const SummaryGroup *)b)->name);
}

SummaryGroup *summary_groups(const Summary *s, Grouping grouping, size_t *n)
{
    VEC(SummaryGroup) groups = {0};
    g_autoptr(GHashTable) index = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (size_t i = 0; i < s->n_queries; i++) {
        const QueryTotal *q = &s->queries[i];
        if (grouping == GROUP_REASON && (q->verdict || q->wrong)) continue;
        g_autofree char *name = group_name(q, grouping);
        gsize at = GPOINTER_TO_SIZE(g_hash_table_lookup(index, name));
        if (!at) {
            vec_push(&groups, ((SummaryGroup){.name = g_strdup(name)}));
            at = groups.len;
            g_hash_table_insert(index, g_steal_pointer(&name), GSIZE_TO_POINTER(at));
        }
        SummaryGroup *g = &groups.data[at - 1];
        g->queries++;
        g->solved += q->verdict && !q->wrong;
        g->wrong += q->wrong;
        g->unknown += !q->verdict && !q->wrong;
        g->wall += q->wall / q->job_rows;
        g->peak_kib = MAX(g->peak_kib, q->peak_kib);
        if (q->repeats > 1 && q->fastest > 0.01) g->spread = MAX(g->spread, q->slowest / q->fastest);
    }
    if (groups.len) qsort(groups.data, groups.len, sizeof(SummaryGroup), compare_groups);
    *n = groups.len;
    return (SummaryGroup *)groups.data;
}

void summary_groups_free(SummaryGroup *groups, size_t n)
{
    for (size_t i = 0; i < n; i++) g_free(groups[i].name);
    g_free(groups);
}

static void print_table(const Summary *s, Grouping grouping, const char *title, GString *out)
{
    size_t n;
    SummaryGroup *groups = summary_groups(s, grouping, &n);
    bool repeated = false;
    int width = 28;
    for (size_t i = 0; i < n; i++) {
        g_autofree char *shown = visible_text(groups[i].name);
        repeated |= groups[i].spread > 0;
        width = MAX(width, (int)MIN(visible_columns(shown), LONGEST_NAME));
    }
    visible_format(out, "%-*s %8s %8s %6s %8s %10s %9s%s\n", width, title, "queries", "solved", "wrong", "unknown",
                   "seconds", "peak MB", repeated ? "   spread" : "");
    for (size_t i = 0; i < n; i++) {
        visible_format(out, "%-*s %8u %8u %6u %8u %10.2f %9.1f", width, groups[i].name, groups[i].queries,
                       groups[i].solved, groups[i].wrong, groups[i].unknown, groups[i].wall,
                       (double)groups[i].peak_kib / 1024);
        if (repeated) visible_format(out, "   x%.2f", MAX(groups[i].spread, 1));
        g_string_append_c(out, '\n');
    }
    summary_groups_free(groups, n);
}

static void print_unsolved(const Summary *s, GString *out)
{
    size_t n;
    SummaryGroup *groups = summary_groups(s, GROUP_REASON, &n);
    for (size_t i = 0; i < n; i++)
        visible_format(out, "%s%s %u", i ? ", " : "unknown because of: ", groups[i].name, groups[i].queries);
    if (n) g_string_append_c(out, '\n');
    summary_groups_free(groups, n);
    size_t shown = 0, unsolved = 0;
    for (size_t i = 0; i < s->n_queries; i++) {
        const QueryTotal *q = &s->queries[i];
        if (q->verdict || q->wrong) continue;
        unsolved++;
        if (shown == SHOWN_UNSOLVED) continue;
        shown++;
        visible_format(out, "UNSOLVED: %s %s %s: %s\n", q->row->instance, q->row->examination, q->row->id,
                       q->reason ? q->reason : "unanswered");
    }
    if (unsolved > shown) visible_format(out, "... and %zu more; batch-report --csv lists them\n", unsolved - shown);
}

void summary_print(const Summary *s, GString *out)
{
    print_table(s, GROUP_EXAMINATION, "examination", out);
    g_string_append_c(out, '\n');
    print_table(s, GROUP_FAMILY, "family", out);
    g_string_append_c(out, '\n');
    print_table(s, GROUP_ENGINE, "engine", out);
    g_string_append_c(out, '\n');
    print_table(s, GROUP_TOTAL, "total", out);
    print_unsolved(s, out);
    for (size_t i = 0; i < s->n_queries; i++) {
        const QueryTotal *q = &s->queries[i];
        if (q->wrong)
            visible_format(out, "WRONG: %s %s %s: answered %s, expected %s\n", q->row->instance, q->row->examination,
                           q->row->id, q->row->verdict ? q->row->verdict : "nothing", q->row->expected);
    }
}

/* A spreadsheet takes a cell that begins so for a formula and runs it, unless it is a number. Some fold the full-width
 * forms of the signs into them. */
static bool is_formula(const char *text)
{
    char *end;
    gunichar first = g_utf8_get_char_validated(text, -1);
    if (first >= 0xff01 && first <= 0xff5e) first -= 0xfee0;
    if (!first || first > 0x7f || !strchr("=+-@\t\r\n", (int)first)) return false;
    g_ascii_strtod(text, &end);
    return *end || end == text;
}

/* An apostrophe before the text is how spreadsheets are told that it is text. */
static void put_cell(GString *out, const char *text, char end)
{
    const char *mark = text && is_formula(text) ? "'" : "";
    if (text && strpbrk(text, ",\"\n\r")) {
        g_string_append_printf(out, "\"%s", mark);
        for (; *text; text++) {
            if (*text == '"') g_string_append_c(out, '"');
            g_string_append_c(out, *text);
        }
        g_string_append_c(out, '"');
    } else if (text) {
        g_string_append_printf(out, "%s%s", mark, text);
    }
    g_string_append_c(out, end);
}

static void put_file(GString *out, const char *folder, const char *file, char end)
{
    g_autofree char *path = file ? evidence_relative(folder, file) : NULL;
    put_cell(out, path, end);
}

void summary_csv(const Summary *s, const char *folder, GString *out)
{
    g_string_append(out, "instance,examination,id,verdict,expected,wrong,reason,engine,technique,wall,fastest,slowest,"
                         "peak_kib,repeats,witness,certificate\n");
    for (size_t i = 0; i < s->n_queries; i++) {
        const QueryTotal *q = &s->queries[i];
        put_cell(out, q->row->instance, ',');
        put_cell(out, q->row->examination, ',');
        put_cell(out, q->row->id, ',');
        put_cell(out, q->verdict, ',');
        put_cell(out, q->row->expected, ',');
        put_cell(out, q->wrong ? "yes" : "no", ',');
        put_cell(out, q->reason, ',');
        put_cell(out, q->row->engine, ',');
        put_cell(out, q->row->technique, ',');
        g_string_append_printf(out, "%.4f,%.4f,%.4f,%" G_GUINT64_FORMAT ",%u,", q->wall, q->fastest, q->slowest,
                               q->peak_kib, q->repeats);
        put_file(out, folder, q->row->witness, ',');
        put_file(out, folder, q->row->certificate, '\n');
    }
}
