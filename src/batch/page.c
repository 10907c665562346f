#include "batch/page.h"

#include "base/json.h"
#include "base/visible.h"
#include "report/html.h"
#include "verify/evidence.h"

#include <string.h>

/* "auto.jsonl" of runs/auto.jsonl, "a.jsonl + 2" of shards a.jsonl+b.jsonl+c.jsonl; the whole when two would look
 * alike. */
static char *short_name(const char *name)
{
    g_auto(GStrv) parts = g_strsplit(name, "+", -1);
    g_autofree char *base = g_path_get_basename(*parts ? *parts : name);
    guint n = g_strv_length(parts);
    return n > 1 ? g_strdup_printf("%s + %u", base, n - 1) : g_steal_pointer(&base);
}

static char *label(const PageFile *files, size_t n, size_t i)
{
    g_autofree char *mine = short_name(files[i].name);
    for (size_t k = 0; k < n; k++) {
        g_autofree char *other = short_name(files[k].name);
        if (k != i && strcmp(mine, other) == 0) return g_strdup(files[i].name);
    }
    return g_steal_pointer(&mine);
}

/* ---- JSON ---- */

/* A file that the rows name from the working folder, as a link from the page's folder. */
static void add_link(GString *out, const char *folder, const char *file)
{
    g_autofree char *path = file ? evidence_relative(folder, file) : NULL;
    g_autofree char *uri = path ? g_uri_escape_string(path, "/", TRUE) : NULL;
    json_string(out, NULL, uri);
}

/* Under which conditions the rows were made, each once. */
static void add_settings(GString *out, const Summary *summary)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    g_string_append(out, ",\"settings\":[");
    for (size_t i = 0; i < summary->n_queries; i++) {
        char *setting = summary->queries[i].row->setting;
        if (setting && g_hash_table_add(seen, setting)) json_string(out, NULL, setting);
    }
    g_string_append_c(out, ']');
}

static void add_files(GString *out, const PageFile *files, size_t n)
{
    g_string_append(out, ",\n\"files\":[");
    for (size_t i = 0; i < n; i++) {
        g_autofree char *name = label(files, n, i);
        json_separate(out);
        g_string_append_c(out, '{');
        json_string(out, "name", name);
        json_string(out, "path", files[i].name);
        add_settings(out, files[i].summary);
        g_string_append_c(out, '}');
    }
    g_string_append_c(out, ']');
}

/* [verdict or null, seconds, KiB, reason, engine, wrong, run, proof] */
static void add_cell(GString *out, const QueryTotal *q, const char *folder)
{
    json_separate(out);
    g_string_append_c(out, '[');
    json_string(out, NULL, q->wrong ? q->row->verdict : q->verdict);
    json_rounded(out, NULL, q->wall);
    g_string_append_printf(out, ",%" G_GUINT64_FORMAT, q->peak_kib);
    json_string(out, NULL, q->reason);
    json_string(out, NULL, q->row->engine);
    g_string_append(out, q->wrong ? ",true" : ",false");
    add_link(out, folder, q->row->witness);
    add_link(out, folder, q->row->certificate);
    g_string_append_c(out, ']');
}

static int compare_queries(const QueryTotal *a, const QueryTotal *b)
{
    int order = strcmp(a->row->instance, b->row->instance);
    if (!order) order = strcmp(a->row->examination, b->row->examination);
    return order ? order : strcmp(a->row->id, b->row->id);
}

/* The query that comes first among those that the files have not yet told; NULL behind the last. */
static const QueryTotal *first_of(const PageFile *files, size_t n, const size_t *at)
{
    const QueryTotal *first = NULL;
    for (size_t i = 0; i < n; i++) {
        if (at[i] == files[i].summary->n_queries) continue;
        const QueryTotal *q = &files[i].summary->queries[at[i]];
        if (!first || compare_queries(q, first) < 0) first = q;
    }
    return first;
}

/* One entry per query, with a cell for each file: null where a file does not have it. */
static void add_queries(GString *out, const PageFile *files, size_t n, const char *folder)
{
    g_autofree size_t *at = g_new0(size_t, n + 1);
    g_string_append(out, ",\n\"queries\":[");
    for (const QueryTotal *q; (q = first_of(files, n, at));) {
        g_autofree char *family = summary_family(q->row->instance);
        const char *expected = NULL;
        json_separate(out);
        g_string_append(out, "\n[");
        json_string(out, NULL, q->row->instance);
        json_string(out, NULL, q->row->examination);
        json_string(out, NULL, q->row->id);
        json_string(out, NULL, family);
        g_string_append(out, ",[");
        for (size_t i = 0; i < n; i++) {
            const QueryTotal *own = at[i] < files[i].summary->n_queries ? &files[i].summary->queries[at[i]] : NULL;
            if (!own || compare_queries(own, q) != 0) {
                json_string(out, NULL, NULL);
                continue;
            }
            if (own->row->expected) expected = own->row->expected;
            add_cell(out, own, folder);
            at[i]++;
        }
        g_string_append_c(out, ']');
        json_string(out, NULL, expected);
        g_string_append_c(out, ']');
    }
    g_string_append_c(out, ']');
}

void page_print(const PageFile *files, size_t n, const char *folder, GString *out)
{
    g_autoptr(GString) data = g_string_new("{");
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *date = g_date_time_format(now, "%Y-%m-%d %H:%M");
    json_string(data, "version", PACKAGE_VERSION);
    json_string(data, "date", date);
    add_files(data, files, n);
    add_queries(data, files, n, folder);
    g_string_append_c(data, '}');
    html_page(out, HTML_REPORT, "Mazurka batch report",
              "<h1>Batch report</h1>\n<noscript>This page needs its own script to show its tables.</noscript>\n",
              data->str);
}
