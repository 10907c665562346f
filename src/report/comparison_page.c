#include "report/comparison_page.h"

#include "base/visible.h"
#include "report/event_drawing.h"
#include "report/html.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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

/* The part of the axis, from 0 to 100, that the value covers. */
static double bar_length(const Chart *chart, double high, double value)
{
    return 100 * log10(MAX(value, chart->low) / chart->low) / log10(high / chart->low);
}

/* A bar stretches with the page; its figure stands behind it. */
static void print_bar(const Comparison *c, const Chart *chart, const ComparisonRow *row, double high, GString *out)
{
    double value = chart->value(row);
    bool open = row->end != ENDING_COMPLETE;
    g_autofree char *name = series_name(row), *text = g_strdup_printf(chart->format, value);
    g_string_append_printf(out, "<div class=\"%s\" title=\"", open ? "open" : "bar");
    visible_markup(out, name);
    g_string_append_printf(out, ": %s%s%s%s%s\">", open ? "at least " : "", text, open ? " (" : "",
                           comparison_mark(row), open ? ")" : "");
    g_string_append_printf(out,
                           "<svg class=\"plot\" viewBox=\"0 0 100 1\" preserveAspectRatio=\"none\"><rect class=\"s%u\" "
                           "width=\"%.2f\" height=\"1\"/></svg><span>%s%s</span></div>\n",
                           series_of(c, row), MAX(bar_length(chart, high, value), 0.4), open ? "≥ " : "", text);
}

static void print_chart(const Comparison *c, const Chart *chart, GString *out)
{
    double high = chart->low * 10;
    for (size_t i = 0; i < c->n; i++)
        while (high < chart->value(&c->row[i])) high *= 10;
    g_string_append_printf(out, "<h2>%s</h2>\n<div class=\"bars\">\n", chart->title);
    for (size_t from = 0, to; from < c->n; from = to) {
        to = comparison_next_net(c, from);
        g_string_append(out, "<div class=\"of\"><b>");
        visible_markup(out, net_name(c, &c->row[from]));
        g_string_append(out, "</b><div>\n");
        for (size_t i = from; i < to; i++) print_bar(c, chart, &c->row[i], high, out);
        g_string_append(out, "</div></div>\n");
    }
    g_string_append(out, "</div>\n");
}

static void print_legend(const Comparison *c, GString *out)
{
    g_string_append(out, "<p class=\"key\">");
    for (size_t i = 0, end = c->n ? comparison_next_net(c, 0) : 0; i < end; i++) {
        g_autofree char *name = series_name(&c->row[i]);
        g_string_append_printf(out, "<span><i class=\"s%u\"></i>", series_of(c, &c->row[i]));
        visible_markup(out, name);
        g_string_append(out, "</span> ");
    }
    g_string_append(out, "<span>pale: stopped by a limit, the true value is larger</span></p>\n");
}

/* ---- table ---- */

static const char *const columns[] = {"net",        "relation", "order",      "independent", "events",
                                      "conditions", "cutoffs",  "depth",      "width",       "markings",
                                      "seconds",    "KiB",      "of classic", "stopped by"};

/* On a narrow screen a row becomes a card, whose lines have the names of the columns. */
static void open_cell(GString *out, size_t column, const char *kind)
{
    g_string_append_printf(out, "<td data-name=\"%s\" class=\"%s\">", columns[column], kind);
}

static void cell_number(GString *out, size_t column, int64_t value)
{
    open_cell(out, column, value < 0 ? "none" : "");
    if (value < 0)
        g_string_append(out, "–</td>");
    else
        g_string_append_printf(out, "%" G_GINT64_FORMAT "</td>", value);
}

static void print_row(const Comparison *c, const ComparisonRow *row, bool first, GString *out)
{
    const char *mark = comparison_mark(row);
    g_string_append_printf(out, "<tr class=\"%s%s\"><td class=\"name\">", first ? "first" : "",
                           *mark ? " stopped" : "");
    visible_markup(out, net_name(c, row));
    g_string_append(out, "</td>");
    open_cell(out, 1, "name");
    g_string_append_printf(out, "<span><i class=\"s%u\"></i>", series_of(c, row));
    visible_markup(out, row->relation);
    g_string_append(out, "</span></td>");
    open_cell(out, 2, "name");
    g_string_append_printf(out, "%s</td>", order_name(row->order));
    cell_number(out, 3, (int64_t)row->independent_pairs);
    open_cell(out, 4, "");
    g_string_append_printf(out, "%s%" G_GUINT64_FORMAT "</td>", row->end == ENDING_COMPLETE ? "" : "≥ ", row->events);
    cell_number(out, 5, row->conditions);
    cell_number(out, 6, (int64_t)row->n_cutoffs);
    cell_number(out, 7, row->depth);
    cell_number(out, 8, row->width);
    cell_number(out, 9, row->markings);
    open_cell(out, 10, "");
    g_string_append_printf(out, "%.3f</td>", row->seconds);
    cell_number(out, 11, row->memory_kib);
    open_cell(out, 12, row->ratio > 0 ? "" : "none");
    if (row->ratio > 0)
        g_string_append_printf(out, "%.3g</td>", row->ratio);
    else
        g_string_append(out, "–</td>");
    open_cell(out, 13, "name bad");
    visible_markup(out, mark);
    g_string_append(out, "</td></tr>\n");
}

static void print_table(const Comparison *c, GString *out)
{
    g_string_append(out, "<h2>Figures</h2>\n<div class=\"wide\"><table class=\"cards dense\">\n<thead><tr>");
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        g_string_append_printf(out, "<th%s>%s</th>", i == 1 || i == 2 ? " class=\"name\"" : "", columns[i]);
    g_string_append(out, "</tr></thead>\n<tbody>\n");
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

/* Event by event. */
static bool same_graph(const EventGraph *a, const EventGraph *b)
{
    size_t n = a->n * sizeof(uint32_t);
    return a->n == b->n && memcmp(a->transition, b->transition, n) == 0 &&
           memcmp(a->cutoff, b->cutoff, a->n * sizeof(bool)) == 0 &&
           memcmp(a->cause_start, b->cause_start, n + sizeof(uint32_t)) == 0 &&
           memcmp(a->cause, b->cause, a->cause_start[a->n] * sizeof(uint32_t)) == 0;
}

/* Is the drawing the same as one before it in the net's rows from..to - 1? */
static bool is_repeated(const Comparison *c, size_t from, size_t i)
{
    for (size_t k = from; k < i; k++)
        if (c->row[k].graph && same_graph(c->row[k].graph, c->row[i].graph)) return true;
    return false;
}

/* "read / erv = loops / erv": all rows that have this drawing. */
static char *names_of_drawing(const Comparison *c, size_t i, size_t to)
{
    GString *names = g_string_new(NULL);
    for (size_t k = i; k < to; k++) {
        if (!c->row[k].graph || !same_graph(c->row[k].graph, c->row[i].graph)) continue;
        g_autofree char *name = series_name(&c->row[k]);
        g_string_append_printf(names, "%s%s", names->len ? " = " : "", name);
    }
    return g_string_free(names, FALSE);
}

typedef struct Yardstick {
    const ComparisonRow *row;
    const Indep *indep;
    GHashTable *names;  /* of the yardstick's own events */
    GHashTable *counts; /* in the largest prefix */
} Yardstick;

/* What is to be said of a box: one event, or all histories of one occurrence. */
typedef struct Box {
    uint32_t events, copies, cutoffs, behind; /* behind: what the yardstick has not */
    uint32_t elsewhere;                       /* how often the largest prefix has it */
} Box;

/* Returns the number of copies. */
static uint32_t fill_boxes(const ComparisonRow *row, char **names, const Yardstick *y, Box *box)
{
    const EventGraph *g = row->graph;
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    uint32_t copies = 0;
    for (uint32_t e = 0; e < g->n; e++) {
        Box *b = &box[row->box_of ? row->box_of[e] : e];
        bool copy = !g_hash_table_add(seen, names[e]);
        copies += copy;
        b->events++;
        b->copies += copy;
        b->cutoffs += g->cutoff[e];
        b->behind += !g_hash_table_contains(y->names, names[e]);
        b->elsewhere += GPOINTER_TO_UINT(g_hash_table_lookup(y->counts, names[e]));
    }
    return copies;
}

static char *box_note(const EventGraph *drawn, uint32_t b, const Box *box)
{
    GString *note = g_string_new(NULL);
    g_string_append_printf(note, "event %u, depth %u", b, drawn->depth[b]);
    if (box->events == 1) {
        g_string_append_printf(note, "%s%s%s", box->cutoffs ? ", cutoff" : "", box->copies ? ", a copy" : "",
                               box->behind ? ", behind a cutoff of the other" : "");
        return g_string_free(note, FALSE);
    }
    g_string_append_printf(note, ", %u histories", box->events);
    if (box->cutoffs) g_string_append_printf(note, ", %u of them cutoffs", box->cutoffs);
    if (box->copies) g_string_append_printf(note, ", %u of them copies", box->copies);
    return g_string_free(note, FALSE);
}

static void print_drawing(const Comparison *c, const ComparisonRow *row, const char *title, const Yardstick *y,
                          GString *out)
{
    const EventGraph *g = row->graph, *drawn = row->boxes ? row->boxes : g;
    const Net *net = c->nets->pdata[row->net];
    g_auto(GStrv) names = eventgraph_names(g, y->indep), notes = g_new0(char *, (size_t)drawn->n + 1);
    g_autofree Box *box = g_new0(Box, (size_t)drawn->n + 1);
    uint32_t copies = fill_boxes(row, names, y, box);
    g_autofree bool *copy = g_new0(bool, (size_t)drawn->n + 1);
    g_autofree uint32_t *times = g_new0(uint32_t, (size_t)drawn->n + 1);
    for (uint32_t b = 0; b < drawn->n; b++) {
        copy[b] = box[b].copies == box[b].events;
        times[b] = copies ? 0 : box[b].elsewhere;
        notes[b] = box_note(drawn, b, &box[b]);
    }
    g_string_append(out, "<figure><figcaption><b>");
    visible_markup(out, title);
    g_string_append_printf(out, "</b>: %u event%s", g->n, g->n == 1 ? "" : "s");
    if (drawn->n < g->n) g_string_append_printf(out, " in %u boxes", drawn->n);
    if (g->n_cutoffs) g_string_append_printf(out, ", %u cutoff%s", g->n_cutoffs, g->n_cutoffs == 1 ? "" : "s");
    if (copies) g_string_append_printf(out, ", %u cop%s", copies, copies == 1 ? "y" : "ies");
    g_string_append(out, "</figcaption>\n<div class=\"scrolls\">");
    EventDrawing drawing = {drawn, net, copy, notes, times};
    event_drawing_print(&drawing, out);
    g_string_append(out, "</div></figure>\n");
}

static void print_too_large(const ComparisonRow *row, GString *out)
{
    g_autofree char *title = series_name(row);
    g_string_append(out, "<figure><figcaption><b>");
    visible_markup(out, title);
    g_string_append_printf(out, "</b>: %s%" G_GUINT64_FORMAT " events, not drawn</figcaption></figure>\n",
                           row->end == ENDING_COMPLETE ? "" : "≥ ", row->events);
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
    for (size_t i = from; i < to; i++) {
        g_autofree char *title = c->row[i].graph ? names_of_drawing(c, i, to) : NULL;
        if (!c->row[i].graph)
            print_too_large(&c->row[i], out);
        else if (!is_repeated(c, from, i))
            print_drawing(c, &c->row[i], title, &y, out);
    }
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
        "they are the same event as another one of their prefix. Relations that give the same prefix are drawn once. "
        "Where events have histories (one for each set of readers that can have come before), one box stands for all "
        "of them. ×3 beside a box of that relation says "
        "that the largest prefix drawn has it three times.</p>\n");
    for (size_t from = 0, to; from < c->n; from = to) {
        to = comparison_next_net(c, from);
        print_drawings_of_net(c, from, to, out);
    }
}

void comparison_page_print(const Comparison *c, const char *limits, GString *out)
{
    static const Chart charts[] = {{"Events (logarithmic)", "%.0f", events_of, 1},
                                   {"Seconds (logarithmic)", "%.3f", seconds_of, 0.001}};
    g_autoptr(GString) body = g_string_new("<h1>Unfoldings under different independence relations</h1>\n");
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *date = g_date_time_format(now, "%Y-%m-%d %H:%M");
    g_string_append_printf(body, "<p class=\"soft small\">mazurka " PACKAGE_VERSION " compare, %s; ", date);
    visible_markup(body, limits);
    g_string_append(body, "</p>\n");
    if (c->n && !c->row[0].cutoffs) g_string_append(body, "<p>Without cutoffs: whole unfoldings.</p>\n");
    print_legend(c, body);
    print_chart(c, &charts[0], body);
    print_table(c, body);
    double longest = 0;
    for (size_t i = 0; i < c->n; i++) longest = MAX(longest, c->row[i].seconds);
    /* Bars of nothing but noise would mislead. */
    if (longest >= 0.02) print_chart(c, &charts[1], body);
    print_drawings(c, body);
    html_page(out, HTML_REPORT, "mazurka compare", body->str, NULL);
}
