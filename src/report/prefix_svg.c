#include "report/prefix_svg.h"

#include "base/error.h"
#include "base/vec.h"
#include "base/visible.h"

#include <stdlib.h>
#include <string.h>

enum { ROW_HEIGHT = 56, NODE_HEIGHT = 24, GAP = 14, CHARACTER = 7, SWEEPS = 8 };

typedef enum { NODE_EVENT, NODE_CONDITION, NODE_BEND } NodeKind;

typedef struct Node {
    NodeKind kind;
    uint32_t id, row;
    char *label;
    double x, width, wish;
} Node;

/* From a node to one in the next row. The last piece of an arc has its arrow. */
typedef struct Piece {
    uint32_t from, to;
    bool arrow;
} Piece;

typedef struct Drawing {
    const PrefixPart *part;
    VEC(Node) nodes;
    VEC(Piece) pieces;
    uint32_t *event_node, *condition_node;
    uint32_t n_rows;
    VecU32 *rows;    /* nodes by row, in order */
    bool *companion; /* per event: of some shown cutoff */
} Drawing;

static uint32_t add_node(Drawing *d, NodeKind kind, uint32_t id, uint32_t row, char *label)
{
    Node node = {.kind = kind, .id = id, .row = row, .label = label};
    node.width = kind == NODE_BEND ? 4 : (double)g_utf8_strlen(label, -1) * CHARACTER + (kind == NODE_EVENT ? 12 : 18);
    vec_push(&d->nodes, node);
    d->n_rows = MAX(d->n_rows, row + 1);
    return (uint32_t)d->nodes.len - 1;
}

static char *event_label(const Prefix *prefix, uint32_t e)
{
    const char *name = net_transition_label(prefix->net, prefix->event_transition[e]);
    uint32_t companion = prefix->event_companion[e];
    if (companion == PREFIX_NONE) return g_strdup_printf("%s e%u", name, e);
    if (companion == PREFIX_BOTTOM) return g_strdup_printf("%s e%u = initial", name, e);
    return g_strdup_printf("%s e%u = e%u", name, e, companion);
}

static void add_nodes(Drawing *d)
{
    const Prefix *prefix = d->part->prefix;
    for (uint32_t c = 0; prefix->has_conditions && c < prefix->n_conditions; c++) {
        if (!d->part->condition[c]) continue;
        uint32_t e = prefix->condition_event[c], row = e == PREFIX_BOTTOM ? 0 : 2 * prefix->event_depth[e];
        const char *label = net_place_label(prefix->net, prefix->condition_place[c]);
        d->condition_node[c] = add_node(d, NODE_CONDITION, c, row, g_strdup(label));
    }
    for (uint32_t e = 0; e < prefix->n_events; e++) {
        if (!d->part->event[e]) continue;
        d->event_node[e] = add_node(d, NODE_EVENT, e, 2 * prefix->event_depth[e] - 1, event_label(prefix, e));
        if (prefix->event_companion[e] < prefix->n_events) d->companion[prefix->event_companion[e]] = true;
    }
}

static void add_arc(Drawing *d, uint32_t from, uint32_t to, bool arrow)
{
    uint32_t last = d->nodes.data[to].row, at = from;
    for (uint32_t row = d->nodes.data[from].row + 1; row < last; row++) {
        uint32_t bend = add_node(d, NODE_BEND, 0, row, NULL);
        vec_push(&d->pieces, ((Piece){at, bend, false}));
        at = bend;
    }
    vec_push(&d->pieces, ((Piece){at, to, arrow}));
}

typedef struct ArcTo {
    Drawing *drawing;
    uint32_t event;
} ArcTo;

static void add_cause(uint32_t cause, void *data)
{
    ArcTo *arc = data;
    Drawing *d = arc->drawing;
    if (d->part->event[cause]) add_arc(d, d->event_node[cause], d->event_node[arc->event], true);
}

static void add_arcs(Drawing *d)
{
    const Prefix *prefix = d->part->prefix;
    for (uint32_t e = 0; e < prefix->n_events; e++) {
        if (!d->part->event[e]) continue;
        if (!prefix->has_conditions) {
            ArcTo arc = {d, e};
            prefix_part_causes(prefix, e, add_cause, &arc);
            continue;
        }
        PrefixRow pre = prefix_pre(prefix, e), read = prefix_read(prefix, e);
        for (uint32_t i = 0; i < pre.len; i++) add_arc(d, d->condition_node[pre.id[i]], d->event_node[e], true);
        for (uint32_t i = 0; i < read.len; i++) add_arc(d, d->condition_node[read.id[i]], d->event_node[e], false);
        for (uint32_t c = prefix->post_start[e]; c < prefix->post_start[e + 1]; c++)
            add_arc(d, d->event_node[e], d->condition_node[c], true);
    }
}

/* ---- positions ---- */

/* Ties keep the order of ids: the result does not depend on the sort. */
static int by_wish(const void *x, const void *y, void *data)
{
    const Node *nodes = data, *a = &nodes[*(const uint32_t *)x], *b = &nodes[*(const uint32_t *)y];
    if (a->wish != b->wish) return a->wish < b->wish ? -1 : 1;
    return *(const uint32_t *)x < *(const uint32_t *)y ? -1 : 1;
}

static void pack_row(Drawing *d, const VecU32 *row)
{
    double end = 0;
    for (size_t i = 0; i < row->len; i++) {
        Node *node = &d->nodes.data[row->data[i]];
        double left = MAX(node->wish - node->width / 2, end);
        node->x = left + node->width / 2;
        end = left + node->width + GAP;
    }
    /* Packing only moves to the right; half of the mean shift goes back. */
    double shift = 0;
    for (size_t i = 0; i < row->len; i++) shift += d->nodes.data[row->data[i]].x - d->nodes.data[row->data[i]].wish;
    if (row->len) shift /= (double)row->len;
    double least = row->len ? d->nodes.data[row->data[0]].x - d->nodes.data[row->data[0]].width / 2 : 0;
    shift = MIN(shift, least);
    for (size_t i = 0; i < row->len; i++) d->nodes.data[row->data[i]].x -= shift;
}

/* Moves the nodes of a row towards the mean of their neighbours, given as sums. */
static void sweep_row(Drawing *d, uint32_t r, const double *sum, const uint32_t *count)
{
    VecU32 *row = &d->rows[r];
    for (size_t i = 0; i < row->len; i++) {
        uint32_t v = row->data[i];
        d->nodes.data[v].wish = count[v] ? sum[v] / count[v] : d->nodes.data[v].x;
    }
    if (row->len) g_qsort_with_data(row->data, (int)row->len, sizeof *row->data, by_wish, d->nodes.data);
    pack_row(d, row);
}

static void sweep(Drawing *d, bool down)
{
    g_autofree double *sum = g_new(double, d->nodes.len + 1);
    g_autofree uint32_t *count = g_new(uint32_t, d->nodes.len + 1);
    /* Pieces of one row are found by their upper node's row. */
    g_autofree uint32_t *start = g_new0(uint32_t, d->n_rows + 2), *order = g_new(uint32_t, d->pieces.len + 1);
    for (size_t i = 0; i < d->pieces.len; i++) start[d->nodes.data[d->pieces.data[i].from].row + 1]++;
    for (uint32_t r = 0; r < d->n_rows; r++) start[r + 1] += start[r];
    g_autofree uint32_t *next = g_memdup2(start, (d->n_rows + 2) * sizeof *start);
    for (size_t i = 0; i < d->pieces.len; i++) order[next[d->nodes.data[d->pieces.data[i].from].row]++] = (uint32_t)i;
    for (uint32_t k = 0; k < d->n_rows; k++) {
        uint32_t r = down ? k : d->n_rows - 1 - k, between = down ? r - 1 : r;
        for (size_t i = 0; i < d->rows[r].len; i++) sum[d->rows[r].data[i]] = count[d->rows[r].data[i]] = 0;
        if (!(down && r == 0))
            for (uint32_t i = start[between]; i < start[between + 1]; i++) {
                Piece piece = d->pieces.data[order[i]];
                uint32_t mine = down ? piece.to : piece.from, other = down ? piece.from : piece.to;
                sum[mine] += d->nodes.data[other].x;
                count[mine]++;
            }
        sweep_row(d, r, sum, count);
    }
}

static void place_nodes(Drawing *d)
{
    d->rows = g_new0(VecU32, d->n_rows + 1);
    for (uint32_t v = 0; v < d->nodes.len; v++) vec_push(&d->rows[d->nodes.data[v].row], v);
    for (uint32_t r = 0; r < d->n_rows; r++) {
        for (size_t i = 0; i < d->rows[r].len; i++) d->nodes.data[d->rows[r].data[i]].wish = 0;
        pack_row(d, &d->rows[r]);
    }
    for (int i = 0; i < SWEEPS; i++) sweep(d, i % 2 == 0);
}

/* ---- printing ---- */

static double y_of(const Node *node)
{
    return node->row * ROW_HEIGHT + ROW_HEIGHT / 2.0;
}

static void print_piece(const Drawing *d, Piece piece, GString *out)
{
    const Node *a = &d->nodes.data[piece.from], *b = &d->nodes.data[piece.to];
    double y1 = y_of(a) + (a->kind == NODE_BEND ? 0 : NODE_HEIGHT / 2.0);
    double y2 = y_of(b) - (b->kind == NODE_BEND ? 0 : NODE_HEIGHT / 2.0), middle = (y1 + y2) / 2;
    g_string_append_printf(out, "<path d=\"M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f\"%s/>\n", a->x, y1, a->x, middle,
                           b->x, middle, b->x, y2, piece.arrow ? " marker-end=\"url(#arrow)\"" : "");
}

static void print_node(const Drawing *d, const Node *node, GString *out)
{
    const Prefix *prefix = d->part->prefix;
    double y = y_of(node);
    if (node->kind == NODE_BEND) return;
    g_string_append(out, "<g>");
    if (node->kind == NODE_CONDITION) {
        g_string_append_printf(
            out, "<title>c%u</title><rect class=\"c\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%d\" rx=\"12\"/>",
            node->id, node->x - node->width / 2, y - NODE_HEIGHT / 2.0, node->width, NODE_HEIGHT);
    } else {
        const char *class = prefix_is_cutoff(prefix, node->id) ? "e cut" : d->companion[node->id] ? "e mate" : "e";
        g_string_append_printf(out, "<title>e%u, |[e%u]| = %u, depth %u</title>", node->id, node->id,
                               prefix->event_size[node->id], prefix->event_depth[node->id]);
        g_string_append_printf(out, "<rect class=\"%s%s\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%d\"/>", class,
                               node->id == d->part->around ? " middle" : "", node->x - node->width / 2,
                               y - NODE_HEIGHT / 2.0, node->width, NODE_HEIGHT);
    }
    g_string_append_printf(out, "<text x=\"%.0f\" y=\"%.0f\">", node->x, y + 4);
    visible_markup(out, node->label);
    g_string_append(out, "</text></g>\n");
}

static void print_all(const Drawing *d, GString *out)
{
    double width = 0;
    for (size_t v = 0; v < d->nodes.len; v++) width = MAX(width, d->nodes.data[v].x + d->nodes.data[v].width / 2);
    g_string_append_printf(
        out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-10 0 %.0f %u\" width=\"%.0f\" height=\"%u\">\n",
        width + 20, MAX(d->n_rows, 1) * ROW_HEIGHT, width + 20, MAX(d->n_rows, 1) * ROW_HEIGHT);
    g_string_append(out, "<title>");
    visible_markup(out, d->part->prefix->net->name);
    g_string_append(
        out,
        "</title>\n<style>text{font:11px sans-serif;text-anchor:middle}rect{fill:#fff;stroke:#333}"
        ".c{stroke:#36c}.cut{stroke-dasharray:4 3;stroke:#c33}.mate{fill:#ffe9b0}.middle{stroke-width:3}"
        "path{fill:none;stroke:#888}</style>\n"
        "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
        "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" style=\"fill:#888;stroke:none\"/></marker></defs>\n");
    for (size_t i = 0; i < d->pieces.len; i++) print_piece(d, d->pieces.data[i], out);
    for (size_t v = 0; v < d->nodes.len; v++) print_node(d, &d->nodes.data[v], out);
    g_string_append(out, "</svg>\n");
}

bool prefix_svg_print(const PrefixPart *part, GString *out, GError **error)
{
    if (part->n_events + (uint64_t)part->n_conditions > PREFIX_SVG_MOST) {
        g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT,
                    "a drawing of %u events and %u conditions cannot be read; use --around EVENT --radius N",
                    part->n_events, part->n_conditions);
        return false;
    }
    const Prefix *prefix = part->prefix;
    Drawing d = {.part = part};
    d.event_node = g_new0(uint32_t, prefix->n_events + 1);
    d.condition_node = g_new0(uint32_t, prefix->n_conditions + 1);
    d.companion = g_new0(bool, prefix->n_events + 1);
    add_nodes(&d);
    add_arcs(&d);
    place_nodes(&d);
    print_all(&d, out);
    for (size_t v = 0; v < d.nodes.len; v++) g_free(d.nodes.data[v].label);
    for (uint32_t r = 0; r < d.n_rows; r++) vec_free(&d.rows[r]);
    g_free(d.rows);
    vec_free(&d.nodes);
    vec_free(&d.pieces);
    g_free(d.event_node);
    g_free(d.condition_node);
    g_free(d.companion);
    return true;
}
