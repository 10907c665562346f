#include "report/event_drawing.h"

#include "base/bitset.h"
#include "base/compare.h"
#include "base/vec.h"
#include "base/visible.h"

#include <assert.h>
#include <stdlib.h>

enum { LETTER = 7, HEIGHT = 22, GAP = 12, BADGE = 14, ROW = 56, MARGIN = 10, LONGEST = 14, SWEEPS = 4 };

typedef struct Layout {
    const EventGraph *graph;
    uint32_t *order;     /* events by depth, then position */
    uint32_t *row_start; /* by depth, from 1 */
    double *x;
    double width, node, gap;
} Layout;

/* Sorting by mean position of causes; equal means keep the order of ids. */
typedef struct Seat {
    double at;
    uint32_t event;
} Seat;

COMPARE_BY_BOTH(compare_seats, Seat, at, event)

static void seat_row(Layout *l, uint32_t depth, const double *wish)
{
    uint32_t from = l->row_start[depth], n = l->row_start[depth + 1] - from;
    g_autofree Seat *seats = g_new(Seat, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) seats[i] = (Seat){wish[l->order[from + i]], l->order[from + i]};
    qsort(seats, n, sizeof *seats, compare_seats);
    double row_width = n * (l->node + l->gap) - l->gap, left = MARGIN + (l->width - row_width) / 2;
    for (uint32_t i = 0; i < n; i++) {
        l->order[from + i] = seats[i].event;
        l->x[seats[i].event] = left + i * (l->node + l->gap) + l->node / 2;
    }
}

/* Where each event of the row would like to be: below its causes, or above its effects. */
static void wish_row(const Layout *l, uint32_t depth, bool upwards, double *wish, double *sum, uint32_t *count)
{
    const EventGraph *g = l->graph;
    for (uint32_t e = 0; e < g->n; e++) sum[e] = 0, count[e] = 0;
    for (uint32_t e = 0; e < g->n; e++)
        for (uint32_t i = g->cause_start[e]; i < g->cause_start[e + 1]; i++) {
            uint32_t from = upwards ? e : g->cause[i], to = upwards ? g->cause[i] : e;
            if (g->depth[to] != depth) continue;
            sum[to] += l->x[from];
            count[to]++;
        }
    for (uint32_t i = l->row_start[depth]; i < l->row_start[depth + 1]; i++) {
        uint32_t e = l->order[i];
        wish[e] = count[e] ? sum[e] / count[e] : l->x[e];
    }
}

static void make_rows(Layout *l)
{
    const EventGraph *g = l->graph;
    l->row_start = g_new0(uint32_t, (size_t)g->max_depth + 3);
    l->order = g_new(uint32_t, (size_t)g->n + 1);
    l->x = g_new0(double, (size_t)g->n + 1);
    for (uint32_t e = 0; e < g->n; e++) l->row_start[g->depth[e] + 1]++;
    for (uint32_t d = 1; d <= g->max_depth + 1; d++) l->row_start[d] += l->row_start[d - 1];
    g_autofree uint32_t *fill = g_memdup2(l->row_start, ((size_t)g->max_depth + 2) * sizeof *fill);
    for (uint32_t e = 0; e < g->n; e++) l->order[fill[g->depth[e]]++] = e;
    l->width = MAX(g->max_width, 1) * (l->node + l->gap) - l->gap;
}

static void make_layout(Layout *l)
{
    const EventGraph *g = l->graph;
    make_rows(l);
    g_autofree double *wish = g_new0(double, (size_t)g->n + 1), *sum = g_new(double, (size_t)g->n + 1);
    g_autofree uint32_t *count = g_new(uint32_t, (size_t)g->n + 1);
    for (uint32_t d = 1; d <= g->max_depth; d++) seat_row(l, d, wish);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (uint32_t i = 1; i <= g->max_depth; i++) {
            uint32_t d = sweep % 2 ? g->max_depth + 1 - i : i;
            wish_row(l, d, sweep % 2, wish, sum, count);
            seat_row(l, d, wish);
        }
}

/* Arcs that follow from others are left out: a cause below another cause of the same event. */
static void print_arcs(const Layout *l, GString *out)
{
    const EventGraph *g = l->graph;
    size_t words = bitset_words(g->n) + 1;
    g_autofree uint64_t *past = g_new0(uint64_t, words * ((size_t)g->n + 1)), *below = g_new(uint64_t, words);
    for (uint32_t e = 0; e < g->n; e++) {
        memset(below, 0, words * sizeof *below);
        for (uint32_t i = g->cause_start[e]; i < g->cause_start[e + 1]; i++)
            bitset_or(below, past + g->cause[i] * words, words);
        bitset_or(past + e * words, below, words);
        for (uint32_t i = g->cause_start[e]; i < g->cause_start[e + 1]; i++) {
            uint32_t f = g->cause[i];
            bitset_set(past + e * words, f);
            if (bitset_get(below, f)) continue;
            double y1 = MARGIN + (g->depth[f] - 1) * ROW + HEIGHT, y2 = MARGIN + (g->depth[e] - 1) * ROW;
            g_string_append_printf(out, "<path class=\"arc\" d=\"M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f\"/>\n",
                                   l->x[f], y1, l->x[f], y1 + 14, l->x[e], y2 - 14, l->x[e], y2);
        }
    }
}

static void print_label(GString *out, const char *label)
{
    if (g_utf8_validate(label, -1, NULL) && g_utf8_strlen(label, -1) > LONGEST) {
        g_autofree char *start = g_utf8_substring(label, 0, LONGEST - 1);
        visible_markup(out, start);
        g_string_append(out, "…");
    } else {
        visible_markup(out, label);
    }
}

static void print_event(const EventDrawing *d, const Layout *l, uint32_t e, GString *out)
{
    const EventGraph *g = d->graph;
    double y = MARGIN + (g->depth[e] - 1) * ROW;
    g_string_append(out, "<g><title>");
    visible_markup(out, net_transition_id(d->net, g->transition[e]));
    if (d->tooltip) {
        g_string_append(out, ": ");
        visible_markup(out, d->tooltip[e]);
    }
    g_string_append_printf(
        out, "</title><rect class=\"e%s%s\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%d\" rx=\"4\"/>",
        g->cutoff[e] ? " cut" : "", d->highlight && d->highlight[e] ? " hi" : "", l->x[e] - l->node / 2, y, l->node,
        HEIGHT);
    g_string_append_printf(out, "<text x=\"%.0f\" y=\"%.0f\">", l->x[e], y + 15);
    print_label(out, net_transition_label(d->net, g->transition[e]));
    g_string_append(out, "</text>");
    if (d->times && d->times[e] > 1)
        g_string_append_printf(out, "<text class=\"times\" x=\"%.0f\" y=\"%.0f\">×%u</text>", l->x[e] + l->node / 2 + 2,
                               y + 10, d->times[e]);
    g_string_append(out, "</g>\n");
}

static double node_width(const EventDrawing *d)
{
    glong longest = 2;
    for (uint32_t e = 0; e < d->graph->n; e++) {
        const char *label = net_transition_label(d->net, d->graph->transition[e]);
        glong len = g_utf8_validate(label, -1, NULL) ? g_utf8_strlen(label, -1) : LONGEST;
        longest = MAX(longest, MIN(len, LONGEST));
    }
    return (double)(longest * LETTER + 12);
}

void event_drawing_print(const EventDrawing *d, GString *out)
{
    Layout l = {.graph = d->graph, .node = node_width(d), .gap = GAP};
    for (uint32_t e = 0; e < d->graph->n && d->times; e++) {
        int digits = 1;
        for (uint32_t rest = d->times[e]; rest >= 10; rest /= 10) digits++;
        int half = BADGE * (digits + 1) / 2;
        if (d->times[e] > 1) l.gap = MAX(l.gap, GAP + half);
    }
    make_layout(&l);
    double width = l.width + 2 * MARGIN + 16, height = 2 * MARGIN + (MAX(d->graph->max_depth, 1) - 1) * ROW + HEIGHT;
    g_string_append_printf(out, "<svg class=\"events\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n",
                           width, height, width, height);
    print_arcs(&l, out);
    for (uint32_t e = 0; e < d->graph->n; e++) print_event(d, &l, e, out);
    g_string_append(out, "</svg>\n");
    g_free(l.row_start);
    g_free(l.order);
    g_free(l.x);
}
