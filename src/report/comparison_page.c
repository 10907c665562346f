#include "report/comparison_page.h"

#include "base/visible.h"
#include "report/event_drawing.h"
#include "report/plot.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { BAR = 12, GROUP_GAP = 10, LABELS = 190, CHART = 760, VALUES = 110, AXIS = 24 };

static const char *net_name(const Comparison *c, const ComparisonRow *row)
{
    return ((const Net *)c->nets->pdata[row->net])->name;
}

static char *series_name(const ComparisonRow *row)
{
    return g_strdup_printf("%s / %s", row->relation, order_name(row->order));
}

/* Which (relation, order) of the first net's rows this is: the colour. */
static unsigned series_of(const Comparison *c, const ComparisonRow *row)
{
    for (unsigned i = 0; i < c->n; i++)
        if (strcmp(c->row[i].relation, row->relation) == 0 && c->row[i].order == row->order) return i % 8;
    return 0;
}

/* ---- bar charts ---- */

typedef struct Chart {
    const char *title, *format;
    double (*value)(const ComparisonRow *row);
    double low; /* where the axis starts */
} Chart;

static double events_of(const ComparisonRow *row)
{
    return (double)row->events;
}
static double seconds_of(const ComparisonRow *row)
{
    return row->seconds;
}

static double bar_x(const Chart *chart, double high, double value)
{
    double f = log10(MAX(value, chart->low) / chart->low) / log10(high / chart->low);
    return LABELS + f * CHART;
}

static void print_axis(const Chart *chart, double high, int height, GString *out)
{
    for (double v = chart->low; v <= high * 1.001; v *= 10) {
        double x = bar_x(chart, high, v);
        g_string_append_printf(out,
                               "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
                               "<text x=\"%.1f\" y=\"14\" text-anchor=\"middle\">%g</text>\n",
                               x, x, AXIS - 4, height, x, v);
    }
}

static void print_bar(const Comparison *c, const Chart *chart, const ComparisonRow *row, double high, int y,
                      GString *out)
{
    double value = chart->value(row), x = bar_x(chart, high, value);
    bool open = row->end != PREFIX_COMPLETE;
    g_autofree char *name = series_name(row), *text = g_strdup_printf(chart->format, value);
    g_string_append_printf(out, "<g class=\"%s\"><title>", open ? "open" : "bar");
    visible_markup(out, net_name(c, row));
    g_string_append(out, ", ");
    visible_markup(out, name);
    g_string_append_printf(out, ": %s%s%s%s%s</title>", open ? "at least " : "", text, open ? " (" : "",
                           comparison_mark(row), open ? ")" : "");
    g_string_append_printf(out, "<rect class=\"s%u\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
                           series_of(c, row), LABELS, y, MAX(x - LABELS, 1), BAR - 2);
    g_string_append_printf(out, "<text x=\"%.1f\" y=\"%d\">%s%s</text></g>\n", x + 4, y + BAR - 3, open ? "≥ " : "",
                           text);
}

static void print_chart(const Comparison *c, const Chart *chart, GString *out)
{
    double high = chart->low * 10;
    size_t nets = 0;
    for (size_t i = 0; i < c->n; i++)
        while (high < chart->value(&c->row[i])) high *= 10;
    for (size_t i = 0; i < c->n; i = comparison_next_net(c, i)) nets++;
    int height = AXIS + (int)c->n * BAR + (int)nets * GROUP_GAP, width = LABELS + CHART + VALUES, y = AXIS;
    g_string_append_printf(out,
                           "<h2>%s</h2>\n<svg class=\"plot bars\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
                           chart->title, width, height, width, height);
    print_axis(chart, high, height, out);
    for (size_t from = 0, to; from < c->n; from = to, y += GROUP_GAP) {
        to = comparison_next_net(c, from);
        g_string_append_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LABELS - 8,
                               y + (int)(to - from) * BAR / 2 + 4);
        visible_markup(out, net_name(c, &c->row[from]));
        g_string_append(out, "</text>\n");
        for (size_t i = from; i < to; i++, y += BAR) print_bar(c, chart, &c->row[i], high, y, out);
    }
    g_string_append(out, "</svg>\n");
}

static void print_legend(const Comparison *c, GString *out)
{
    g_string_append(out, "<p class=\"legend\">");
    for (size_t i = 0, end = c->n ? comparison_next_net(c, 0) : 0; i < end; i++) {
        g_autofree char *name = series_name(&c->row[i]);
        g_string_append_printf(
            out, "<span><svg width=\"14\" height=\"12\"><rect class=\"s%u\" width=\"14\" height=\"12\"/></svg> ",
            series_of(c, &c->row[i]));
        visible_markup(out, name);
        g_string_append(out, "</span> ");
    }
    g_string_append(out, "<span>pale: stopped by a limit, the true value is larger</span></p>\n");
}

/* ---- table ---- */

static void cell_number(GString *out, int64_t value)
{
    if (value < 0)
        g_string_append(out, "<td class=\"none\">–</td>");
    else
        g_string_append_printf(out, "<td>%" G_GINT64_FORMAT "</td>", value);
}

static void print_row(const Comparison *c, const ComparisonRow *row, bool first, GString *out)
{
    const char *mark = comparison_mark(row);
    g_string_append_printf(out, "<tr class=\"%s%s\"><th>", first ? "first" : "", *mark ? " stopped" : "");
    if (first) visible_markup(out, net_name(c, row));
    g_string_append_printf(out, "</th><td class=\"name\"><i class=\"s%u\"></i>", series_of(c, row));
    visible_markup(out, row->relation);
    g_string_append_printf(out, "</td><td class=\"name\">%s</td>", order_name(row->order));
    cell_number(out, (int64_t)row->independent_pairs);
    g_string_append_printf(out, "<td>%s%" G_GUINT64_FORMAT "</td>", row->end == PREFIX_COMPLETE ? "" : "≥ ",
                           row->events);
    cell_number(out, row->conditions);
    cell_number(out, (int64_t)row->n_cutoffs);
    cell_number(out, row->depth);
    cell_number(out, row->width);
    cell_number(out, row->markings);
    g_string_append_printf(out, "<td>%.3f</td>", row->seconds);
    cell_number(out, row->memory_kib);
    if (row->ratio > 0)
        g_string_append_printf(out, "<td>%.3g</td>", row->ratio);
    else
        g_string_append(out, "<td class=\"none\">–</td>");
    g_string_append(out, "<td class=\"name\">");
    visible_markup(out, mark);
    g_string_append(out, "</td></tr>\n");
}

static void print_table(const Comparison *c, GString *out)
{
    g_string_append(out,
                    "<h2>Figures</h2>\n<div "
                    "class=\"wide\"><table>\n<thead><tr><th>net</th><th>relation</th><th>order</th><th>independent</th>"
                    "<th>events</th><th>conditions</th><th>cutoffs</th><th>depth</th><th>width</th><th>markings</th>"
                    "<th>seconds</th><th>KiB</th><th>of classic</th><th>stopped by</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < c->n; i++) print_row(c, &c->row[i], i == 0 || c->row[i].net != c->row[i - 1].net, out);
    g_string_append(out, "</tbody></table></div>\n");
}

/* ---- drawings ---- */

/* The relation with the most independent pairs among the drawn rows of one net. */
static const ComparisonRow *coarsest(const Comparison *c, size_t from, size_t to, const Indep **indep)
{
    const ComparisonRow *best = NULL;
    const Indep *current = NULL;
    for (size_t i = from; i < to; i++) {
        if (c->row[i].indep) current = c->row[i].indep;
        assert(current);
        if (c->row[i].graph && (!best || indep_count(current) > indep_count(*indep)))
            best = &c->row[i], *indep = current;
    }
    return best;
}

static uint32_t largest_graph(const Comparison *c, size_t from, size_t to)
{
    uint32_t most = 0;
    for (size_t i = from; i < to; i++)
        if (c->row[i].graph) most = MAX(most, c->row[i].graph->n);
    return most;
}

/* How many events have each name; the table borrows the names. */
static GHashTable *count_names(char **names, uint32_t n)
{
    GHashTable *counts = g_hash_table_new(g_str_hash, g_str_equal);
    for (uint32_t e = 0; e < n; e++) {
        gpointer old = g_hash_table_lookup(counts, names[e]);
        g_hash_table_replace(counts, names[e], GUINT_TO_POINTER(GPOINTER_TO_UINT(old) + 1));
    }
    return counts;
}

typedef struct Yardstick {
    const ComparisonRow *row;
    const Indep *indep;
    GHashTable *names;  /* of the yardstick's own events */
    GHashTable *counts; /* in the largest prefix */
} Yardstick;

static void print_drawing(const Comparison *c, const ComparisonRow *row, const Yardstick *y, GString *out)
{
    const EventGraph *g = row->graph;
    const Net *net = c->nets->pdata[row->net];
    g_auto(GStrv) names = eventgraph_names(g, y->indep), notes = g_new0(char *, (size_t)g->n + 1);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    g_autofree bool *copy = g_new0(bool, (size_t)g->n + 1);
    g_autofree uint32_t *times = g_new0(uint32_t, (size_t)g->n + 1);
    uint32_t copies = 0;
    for (uint32_t e = 0; e < g->n; e++) {
        copy[e] = !g_hash_table_add(seen, names[e]);
        copies += copy[e];
        notes[e] = g_strdup_printf("event %u, depth %u%s%s%s", e, g->depth[e], g->cutoff[e] ? ", cutoff" : "",
                                   copy[e] ? ", a copy" : "",
                                   g_hash_table_contains(y->names, names[e]) ? "" : ", behind a cutoff of the other");
    }
    for (uint32_t e = 0; e < g->n && !copies; e++)
        times[e] = GPOINTER_TO_UINT(g_hash_table_lookup(y->counts, names[e]));
    g_autofree char *title = series_name(row);
    g_string_append(out, "<figure><figcaption><b>");
    visible_markup(out, title);
    g_string_append_printf(out, "</b>: %u events", g->n);
    if (g->n_cutoffs) g_string_append_printf(out, ", %u cutoffs", g->n_cutoffs);
    if (copies) g_string_append_printf(out, ", %u copies", copies);
    g_string_append(out, "</figcaption>\n");
    EventDrawing drawing = {g, net, copy, notes, times};
    event_drawing_print(&drawing, out);
    g_string_append(out, "</figure>\n");
}

static void print_too_large(const ComparisonRow *row, GString *out)
{
    g_autofree char *title = series_name(row);
    g_string_append(out, "<figure><figcaption><b>");
    visible_markup(out, title);
    g_string_append_printf(out, "</b>: %s%" G_GUINT64_FORMAT " events, not drawn</figcaption></figure>\n",
                           row->end == PREFIX_COMPLETE ? "" : "≥ ", row->events);
}

static void print_drawings_of_net(const Comparison *c, size_t from, size_t to, GString *out)
{
    Yardstick y = {0};
    y.row = coarsest(c, from, to, &y.indep);
    if (!y.row) return;
    uint32_t most = largest_graph(c, from, to);
    const ComparisonRow *largest = y.row;
    for (size_t i = from; i < to; i++)
        if (c->row[i].graph && c->row[i].graph->n == most) {
            largest = &c->row[i];
            break;
        }
    g_auto(GStrv) own = eventgraph_names(y.row->graph, y.indep), theirs = eventgraph_names(largest->graph, y.indep);
    g_autoptr(GHashTable) names = count_names(own, y.row->graph->n), counts = count_names(theirs, most);
    y.names = names;
    y.counts = counts;
    g_string_append(out, "<details open><summary>");
    visible_markup(out, net_name(c, &c->row[from]));
    g_string_append(out, "</summary>\n<div class=\"side\">\n");
    for (size_t i = from; i < to; i++)
        if (c->row[i].graph)
            print_drawing(c, &c->row[i], &y, out);
        else
            print_too_large(&c->row[i], out);
    g_string_append(out, "</div></details>\n");
}

static void print_drawings(const Comparison *c, GString *out)
{
    bool any = false;
    for (size_t i = 0; i < c->n; i++) any |= c->row[i].graph != NULL;
    if (!any) return;
    g_string_append(
        out,
        "<h2>Prefixes of small nets</h2>\n<p>Boxes are events, dashed ones cutoffs; time runs downwards. "
        "<span class=\"swatch\">Highlighted</span> events are copies: under the coarsest relation shown for the net "
        "they are the same event as another one of their prefix. ×3 beside an event of that relation says "
        "that the largest prefix has it three times.</p>\n");
    for (size_t from = 0, to; from < c->n; from = to) {
        to = comparison_next_net(c, from);
        print_drawings_of_net(c, from, to, out);
    }
}

static const char style[] =
    "body{font:14px/1.45 sans-serif;margin:2em auto;max-width:1120px;padding:0 1em;color:#1d2530;background:#fcfcfd}"
    "h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}table{border-collapse:collapse;font-variant-numeric:tabular-"
    "nums}"
    ".wide{overflow-x:auto}td,th{padding:.2em .7em;text-align:right;font-weight:normal;white-space:nowrap}"
    "thead th{border-bottom:2px solid #aab;font-weight:bold}th:first-child,thead th:nth-child(2),thead "
    "th:nth-child(3),.name{text-align:left}"
    "tr.first td,tr.first th{border-top:1px solid #ccd}tr.stopped td{color:#a33}.none{color:#99a}"
    "td i{display:inline-block;width:.7em;height:.7em;margin-right:.5em;border-radius:2px}"
    "td i.s0{background:#3b7dd8}td i.s1{background:#d8603b}td i.s2{background:#3ba55d}td i.s3{background:#a259c4}"
    "td i.s4{background:#c49a2c}td i.s5{background:#2ca6a4}td i.s6{background:#c4467f}td i.s7{background:#7a7f87}"
    ".legend span{margin-right:1.2em}.bars rect{stroke:none}.bars .open rect{fill-opacity:.35}.bars "
    "text{font-size:11px}"
    ".side{display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start}figure{margin:.5em 0;border:1px solid #dde;"
    "border-radius:6px;padding:.5em;background:#fff;max-width:100%;overflow-x:auto}summary{font-weight:bold;cursor:"
    "pointer;"
    "margin-top:1em}.swatch{background:#ffd9b0;border:1px solid #c2570c;border-radius:4px;padding:0 .3em}";

void comparison_page_print(const Comparison *c, GString *out)
{
    static const Chart charts[] = {{"Events (logarithmic)", "%.0f", events_of, 1},
                                   {"Seconds (logarithmic)", "%.3f", seconds_of, 0.001}};
    g_string_append_printf(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width\"><title>mazurka compare</title>\n"
        "<style>%s\n%s\n%s</style></head><body>\n<h1>Unfoldings under different independence relations</h1>\n",
        plot_css(), event_drawing_css(), style);
    if (c->n && !c->row[0].cutoffs) g_string_append(out, "<p>Without cutoffs: whole unfoldings.</p>\n");
    print_legend(c, out);
    print_chart(c, &charts[0], out);
    print_table(c, out);
    double longest = 0;
    for (size_t i = 0; i < c->n; i++) longest = MAX(longest, c->row[i].seconds);
    /* Bars of nothing but noise would mislead. */
    if (longest >= 0.02) print_chart(c, &charts[1], out);
    print_drawings(c, out);
    g_string_append(out, "</body></html>\n");
}
