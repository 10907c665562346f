#include "report/net_drawing.h"

#include "base/error.h"
#include "base/vec.h"
#include "base/visible.h"
#include "report/layered.h"

#include <assert.h>

enum { MOST_PIECES = 100000 };

/* "p", "p: 1" */
static char *place_label(const Net *net, uint32_t p)
{
    const char *label = net_place_label(net, p);
    return net->initial[p] ? g_strdup_printf("%s: %" G_GUINT64_FORMAT, label, net->initial[p]) : g_strdup(label);
}

/* ---- DOT ---- */

static void dot_node(GString *out, char kind, uint32_t i, const char *shape, const char *label)
{
    g_string_append_printf(out, "  %c%u [shape=%s, label=\"", kind, i, shape);
    visible_dot(out, label);
    g_string_append(out, "\"];\n");
}

static void dot_arcs(const Net *net, ArcKind kind, uint32_t t, GString *out)
{
    static const char *const styles[N_ARC_KINDS] = {"", "", "dir=none ", "arrowhead=odot "};
    NetRow row = net_places(net, kind, t);
    for (uint32_t i = 0; i < row.len; i++) {
        if (kind == ARC_POST)
            g_string_append_printf(out, "  t%u -> p%u", t, row.node[i]);
        else
            g_string_append_printf(out, "  p%u -> t%u", row.node[i], t);
        uint64_t weight = net_weight(row, i);
        g_string_append_printf(out, " [%s", styles[kind]);
        if (weight > 1) g_string_append_printf(out, "label=%" G_GUINT64_FORMAT, weight);
        g_string_append(out, "];\n");
    }
}

bool net_drawing_dot(const Net *net, GString *out)
{
    g_string_append(out, "digraph \"");
    visible_dot(out, net->name);
    g_string_append(out, "\" {\n  node [fontsize=10];\n");
    for (uint32_t p = 0; p < net->n_places; p++) {
        g_autofree char *label = place_label(net, p);
        dot_node(out, 'p', p, "ellipse", label);
    }
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        dot_node(out, 't', t, "box", net_transition_label(net, t));
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) dot_arcs(net, kind, t, out);
    }
    g_string_append(out, "}\n");
    return true;
}

/* ---- SVG ---- */

/* Rows of nodes, places before transitions: those of places are even, of transitions odd. */
typedef struct Rows {
    const Net *net;
    uint32_t *row; /* UINT32_MAX: not yet */
    VecU32 queue;
} Rows;

static void reach(Rows *r, uint32_t node, uint32_t row)
{
    if (r->row[node] != UINT32_MAX) return;
    r->row[node] = row;
    vec_push(&r->queue, node);
}

/* Breadth first from what was reached last. */
static void spread(Rows *r, size_t from)
{
    const Net *net = r->net;
    for (size_t k = from; k < r->queue.len; k++) {
        uint32_t node = r->queue.data[k], row = r->row[node] + 1;
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
            bool place = node < net->n_places;
            if (place == (kind == ARC_POST)) continue;
            NetRow next = place ? net_transitions(net, kind, node) : net_places(net, kind, node - net->n_places);
            for (uint32_t i = 0; i < next.len; i++) reach(r, place ? net->n_places + next.node[i] : next.node[i], row);
        }
    }
}

static uint32_t *make_rows(const Net *net)
{
    uint32_t n = net->n_places + net->n_transitions;
    assert(n >= net->n_places && n >= net->n_transitions); /* the sum fits */
    Rows r = {.net = net, .row = g_new(uint32_t, (size_t)n + 1)};
    for (uint32_t i = 0; i < n; i++) r.row[i] = UINT32_MAX;
    for (uint32_t p = 0; p < net->n_places; p++)
        if (net->initial[p]) reach(&r, p, 0);
    spread(&r, 0);
    /* What no token leads to: first what nothing else leads to either, then the rest. */
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < n; i++) {
            bool place = i < net->n_places;
            NetRow before = place ? net_transitions(net, ARC_POST, i) : net_places(net, ARC_PRE, i - net->n_places);
            size_t from = r.queue.len;
            if (pass == 0 && before.len) continue;
            reach(&r, i, place ? 0 : 1);
            spread(&r, from);
        }
    vec_free(&r.queue);
    return r.row;
}

static void add_arcs(Layered *drawing, const Net *net, ArcKind kind, uint32_t t)
{
    NetRow row = net_places(net, kind, t);
    LayeredEnd end = kind == ARC_READ ? LAYERED_LINE : kind == ARC_INHIBIT ? LAYERED_STOP : LAYERED_ARROW;
    for (uint32_t i = 0; i < row.len && layered_pieces(drawing) < MOST_PIECES; i++) {
        uint64_t weight = net_weight(row, i);
        g_autofree char *text = weight > 1 ? g_strdup_printf("%" G_GUINT64_FORMAT, weight) : NULL;
        uint32_t place = row.node[i], transition = net->n_places + t; /* numbers of nodes, as they were added */
        layered_arc(drawing, kind == ARC_POST ? transition : place, kind == ARC_POST ? place : transition, end, text);
    }
}

bool net_drawing_svg(const Net *net, GString *out, GError **error)
{
    g_autoptr(Layered) drawing = layered_new();
    bool small = (uint64_t)net->n_places + net->n_transitions <= NET_DRAWING_MOST;
    g_autofree uint32_t *row = small ? make_rows(net) : NULL;
    for (uint32_t p = 0; small && p < net->n_places; p++)
        layered_node(drawing, row[p], "c", place_label(net, p), g_strdup(net_place_id(net, p)));
    for (uint32_t t = 0; small && t < net->n_transitions; t++)
        layered_node(drawing, row[net->n_places + t], "e", g_strdup(net_transition_label(net, t)),
                     g_strdup(net_transition_id(net, t)));
    for (uint32_t t = 0; small && t < net->n_transitions; t++)
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) add_arcs(drawing, net, kind, t);
    if (small && layered_pieces(drawing) < MOST_PIECES) {
        layered_print(drawing, net->name, out);
        return true;
    }
    g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT, "a drawing of %u places and %u transitions cannot be read",
                net->n_places, net->n_transitions);
    return false;
}
