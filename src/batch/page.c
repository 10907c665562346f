#include "batch/page.h"

#include "base/vec.h"
#include "base/visible.h"
#include "batch/evidence.h"
#include "report/plot.h"

#include <stdlib.h>
#include <string.h>

/* Times below this are drawn at it: start-up noise is not worth an axis. */
#define SHORTEST 0.001

static const char style[] =
    "body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:84em;padding:0 1em;color:#222;background:#fff}"
    "table{border-collapse:collapse;margin:.6em 0 1.6em}th,td{padding:.15em .7em;text-align:right;border-bottom:1px "
    "solid #8883}"
    "th{font-weight:600}td:first-child,th:first-child{text-align:left}td.text,th.text{text-align:left}"
    ".wrong{color:#c62828;font-weight:600}.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,"
    "28rem),1fr));gap:1em}"
    "details{margin:.6em 0}summary{cursor:pointer;font-weight:600}.key span{margin-right:1.2em}"
    "svg.plot{width:100%;max-width:640px}table{display:block;max-width:100%;overflow-x:auto}td{white-space:nowrap}td."
    "why{white-space:normal;min-width:16em;max-width:40em}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181a1d}a{color:#8ab4f8}a:visited{color:#c58af9}."
    "wrong{color:#ff8a80}}";

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

static double shown(double seconds)
{
    return MAX(seconds, SHORTEST);
}

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_head(const PageFile *files, size_t n, GString *out)
{
    g_string_append_printf(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Mazurka batch report</title>\n"
        "<meta name=\"viewport\" content=\"width=device-width\"><style>%s%s</style></head><body>\n"
        "<h1>Mazurka batch report</h1>\n<p class=\"key\">",
        style, plot_css());
    for (size_t i = 0; i < n; i++) {
        g_string_append_printf(
            out, "<span><svg width=\"14\" height=\"9\"><rect class=\"s%zu\" width=\"14\" height=\"9\"/></svg> ", i % 8);
        g_autofree char *name = label(files, n, i);
        visible_markup(out, name);
        g_string_append(out, "</span>");
    }
    g_string_append(out, "</p>\n");
}

static void print_groups(const PageFile *file, Grouping grouping, const char *title, GString *out)
{
    size_t n;
    Group *groups = summary_groups(file->summary, grouping, &n);
    g_string_append_printf(out,
                           "<table><thead><tr><th>%s</th><th>queries</th><th>solved</th><th>%%</th><th>wrong</th>"
                           "<th>unknown</th><th>seconds</th><th>peak MB</th></tr></thead><tbody>\n",
                           title);
    for (size_t i = 0; i < n; i++) {
        const Group *g = &groups[i];
        g_string_append(out, "<tr><td>");
        visible_markup(out, g->name);
        g_string_append_printf(
            out, "</td><td>%u</td><td>%u</td><td>%.1f</td><td%s>%u</td><td>%u</td><td>%.1f</td><td>%.1f</td></tr>\n",
            g->queries, g->solved, 100.0 * g->solved / MAX(g->queries, 1), g->wrong ? " class=\"wrong\"" : "", g->wrong,
            g->unknown, g->wall, (double)g->peak_kib / 1024);
    }
    g_string_append(out, "</tbody></table>\n");
    summary_groups_free(groups, n);
}

/* ---- plots ---- */

static size_t solved_walls(const Summary *s, double *walls)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_queries; i++)
        if (s->queries[i].verdict && !s->queries[i].wrong) walls[n++] = shown(s->queries[i].wall);
    qsort(walls, n, sizeof *walls, compare_reals);
    return n;
}

static double slowest(const PageFile *files, size_t n)
{
    double most = 1;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < files[k].summary->n_queries; i++) most = MAX(most, files[k].summary->queries[i].wall);
    return most;
}

/* Solved queries against the time each took, sorted: further right and lower is better. */
static void print_cactus(const PageFile *files, size_t n, GString *out)
{
    size_t most = 1;
    for (size_t k = 0; k < n; k++) most = MAX(most, files[k].summary->n_queries);
    Plot plot = plot_begin(out, (PlotAxis){"queries solved", 0, (double)most, false},
                           (PlotAxis){"seconds each", SHORTEST, slowest(files, n) * 1.2, true}, "Cactus plot");
    g_autofree double *walls = g_new(double, most + 1), *counts = g_new(double, most + 1);
    for (size_t k = 0; k < n; k++) {
        size_t solved = solved_walls(files[k].summary, walls);
        for (size_t i = 0; i < solved; i++) counts[i] = (double)i + 1;
        plot_steps(&plot, counts, walls, solved, (unsigned)k);
    }
    plot_end(&plot);
}

static int compare_queries(const QueryTotal *a, const QueryTotal *b)
{
    int order = strcmp(a->row->instance, b->row->instance);
    if (!order) order = strcmp(a->row->examination, b->row->examination);
    return order ? order : strcmp(a->row->id, b->row->id);
}

/* Each query that both files have, by its two times; unanswered ones lie on the far border. */
static void print_scatter(const PageFile *both, GString *out)
{
    g_autofree char *across = label(both, 2, 0), *up = label(both, 2, 1);
    double limit = slowest(both, 2) * 1.5;
    PlotAxis x = {across, SHORTEST, limit, true}, y = {up, SHORTEST, limit, true};
    Plot plot = plot_begin(out, x, y, "Seconds, file against file");
    plot_diagonal(&plot);
    const Summary *s = both[0].summary, *t = both[1].summary;
    for (size_t i = 0, k = 0; i < s->n_queries && k < t->n_queries;) {
        const QueryTotal *p = &s->queries[i], *q = &t->queries[k];
        int order = compare_queries(p, q);
        if (order < 0) i++;
        if (order > 0) k++;
        if (order) continue;
        i++, k++;
        if (!p->verdict && !q->verdict) continue;
        g_autofree char *tip = g_strdup_printf("%s %s %s: %.3f s, %.3f s", p->row->instance, p->row->examination,
                                               p->row->id, p->wall, q->wall);
        bool differ = p->verdict && q->verdict && strcmp(p->verdict, q->verdict) != 0;
        plot_point(&plot, p->verdict ? shown(p->wall) : limit, q->verdict ? shown(q->wall) : limit,
                   differ || p->wrong || q->wrong ? 1 : 0, tip);
    }
    plot_end(&plot);
}

/* ---- lists ---- */

static void print_queries(const PageFile *file, bool wrong, GString *out)
{
    size_t n = 0;
    for (size_t i = 0; i < file->summary->n_queries; i++) {
        const QueryTotal *q = &file->summary->queries[i];
        n += wrong ? q->wrong : !q->verdict && !q->wrong;
    }
    if (n == 0) return;
    g_string_append_printf(
        out,
        "<details%s><summary>%s: %zu</summary><table><thead><tr><th>instance</th><th class=\"text\">examination</th>"
        "<th class=\"text\">id</th><th>expected</th><th class=\"text\">%s</th><th>seconds</th></tr></thead><tbody>\n",
        wrong ? " open" : "", wrong ? "Wrong" : "Unsolved", n, wrong ? "answered" : "why");
    for (size_t i = 0; i < file->summary->n_queries; i++) {
        const QueryTotal *q = &file->summary->queries[i];
        if (!(wrong ? q->wrong : !q->verdict && !q->wrong)) continue;
        g_string_append(out, "<tr><td>");
        visible_markup(out, q->row->instance);
        g_string_append(out, "</td><td class=\"text\">");
        visible_markup(out, q->row->examination);
        g_string_append(out, "</td><td class=\"text\">");
        visible_markup(out, q->row->id);
        g_string_append(out, "</td><td>");
        visible_markup(out, q->row->expected ? q->row->expected : "");
        g_string_append(out, wrong ? "</td><td class=\"text wrong\">" : "</td><td class=\"text why\">");
        visible_markup(out, wrong ? (q->row->verdict ? q->row->verdict : "") : q->reason ? q->reason : "");
        g_string_append_printf(out, "</td><td>%.2f</td></tr>\n", q->wall);
    }
    g_string_append(out, "</tbody></table></details>\n");
}

static void print_link(const char *folder, const char *file, const char *text, GString *out)
{
    g_string_append(out, "<td class=\"text\">");
    if (file) {
        g_autofree char *path = evidence_relative(folder, file), *uri = g_uri_escape_string(path, "/", TRUE);
        g_string_append_printf(out, "<a href=\"%s\">%s</a>", uri, text);
    }
    g_string_append(out, "</td>");
}

static void print_evidence(const PageFile *file, const char *folder, GString *out)
{
    size_t runs = 0, proofs = 0;
    for (size_t i = 0; i < file->summary->n_queries; i++) {
        runs += file->summary->queries[i].row->witness != NULL;
        proofs += file->summary->queries[i].row->certificate != NULL;
    }
    if (!runs && !proofs) return;
    g_string_append_printf(
        out,
        "<details><summary>Evidence: %zu firing sequences, %zu certificates</summary><p>Check one by <code>mazurka "
        "replay NET FILE</code> or <code>mazurka-verify NET FILE</code>.</p><table class=\"evidence\"><thead><tr>"
        "<th>instance</th><th class=\"text\">examination</th><th class=\"text\">id</th><th class=\"text\">verdict</th>"
        "<th class=\"text\">run</th><th class=\"text\">proof</th></tr></thead><tbody>\n",
        runs, proofs);
    for (size_t i = 0; i < file->summary->n_queries; i++) {
        const Row *row = file->summary->queries[i].row;
        if (!row->witness && !row->certificate) continue;
        const char *const cells[] = {row->instance, row->examination, row->id, row->verdict ? row->verdict : ""};
        g_string_append(out, "<tr>");
        for (size_t k = 0; k < G_N_ELEMENTS(cells); k++) {
            g_string_append(out, "<td class=\"text\">");
            visible_markup(out, cells[k]);
            g_string_append(out, "</td>");
        }
        print_link(folder, row->witness, "firing sequence", out);
        print_link(folder, row->certificate, "certificate", out);
        g_string_append(out, "</tr>\n");
    }
    g_string_append(out, "</tbody></table></details>\n");
}

static void print_reasons(const PageFile *file, GString *out)
{
    size_t n;
    Group *groups = summary_groups(file->summary, GROUP_REASON, &n);
    if (n) g_string_append(out, "<table><thead><tr><th>unsolved because of</th><th>queries</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < n; i++) {
        g_string_append(out, "<tr><td>");
        visible_markup(out, groups[i].name);
        g_string_append_printf(out, "</td><td>%u</td></tr>\n", groups[i].queries);
    }
    if (n) g_string_append(out, "</tbody></table>\n");
    summary_groups_free(groups, n);
}

void page_print(const PageFile *files, size_t n, const char *folder, GString *out)
{
    print_head(files, n, out);
    g_string_append(out, "<div class=\"plots\">\n");
    print_cactus(files, n, out);
    if (n == 2) print_scatter(files, out);
    g_string_append(out, "</div>\n");
    for (size_t i = 0; i < n; i++) {
        g_autofree char *name = label(files, n, i);
        g_string_append(out, "<h2 title=\"");
        visible_markup(out, files[i].name);
        g_string_append(out, "\">");
        visible_markup(out, name);
        g_string_append(out, "</h2>\n");
        print_groups(&files[i], GROUP_TOTAL, "total", out);
        print_groups(&files[i], GROUP_EXAMINATION, "examination", out);
        print_queries(&files[i], true, out);
        print_reasons(&files[i], out);
        print_queries(&files[i], false, out);
        print_evidence(&files[i], folder, out);
        g_string_append(out, "<details><summary>By family</summary>\n");
        print_groups(&files[i], GROUP_FAMILY, "family", out);
        g_string_append(out, "</details>\n<details><summary>By engine</summary>\n");
        print_groups(&files[i], GROUP_ENGINE, "engine", out);
        g_string_append(out, "</details>\n");
    }
    g_string_append(out, "</body></html>\n");
}
