#include "report/layered.h"

#include "base/vec.h"
#include "base/visible.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_HEIGHT = 56, NODE_HEIGHT = 24, GAP = 14, CHARACTER = 7, SWEEPS = 8 };

typedef struct Node {
    char class[24]; /* empty: a bend of an arc */
    uint32_t row;
    char *label, *title;
    double x, width, wish;
} Node;

/* From a node to one in the next row below. */
typedef struct Piece {
    uint32_t from, to;
    enum { HEAD_NONE, HEAD_DOWN, HEAD_UP } head;
    bool dotted;
    char *text;
} Piece;

struct Layered {
    VEC(Node) nodes;
    VEC(Piece) pieces;
    uint32_t n_rows;
    VecU32 *rows; /* nodes by row, in order */
};

Layered *layered_new(void)
{
    return g_new0(Layered, 1);
}

void layered_free(Layered *d)
{
    if (!d) return;
    for (size_t v = 0; v < d->nodes.len; v++) {
        g_free(d->nodes.data[v].label);
        g_free(d->nodes.data[v].title);
    }
    for (size_t i = 0; i < d->pieces.len; i++) g_free(d->pieces.data[i].text);
    for (uint32_t r = 0; d->rows && r < d->n_rows; r++) vec_free(&d->rows[r]);
    g_free(d->rows);
    vec_free(&d->nodes);
    vec_free(&d->pieces);
    g_free(d);
}

static bool is_bend(const Node *node)
{
    return !*node->class;
}

static bool is_round(const Node *node)
{
    return *node->class == 'c';
}

uint32_t layered_node(Layered *d, uint32_t row, const char *class, char *label, char *title)
{
    Node node = {.row = row, .label = label, .title = title};
    g_strlcpy(node.class, class, sizeof node.class);
    node.width = is_bend(&node) ? 4 : (double)g_utf8_strlen(label, -1) * CHARACTER + (is_round(&node) ? 18 : 12);
    vec_push(&d->nodes, node);
    d->n_rows = MAX(d->n_rows, row + 1);
    return (uint32_t)d->nodes.len - 1;
}

/* Its head, if it has one, is at the lower or at the upper end. */
static void add_arc(Layered *d, uint32_t upper, uint32_t lower, Piece like)
{
    uint32_t last = d->nodes.data[lower].row, at = upper;
    for (uint32_t row = d->nodes.data[upper].row + 1; row <= last; row++) {
        uint32_t next = row == last ? lower : layered_node(d, row, "", NULL, NULL);
        Piece piece = like;
        piece.from = at;
        piece.to = next;
        if (like.head == HEAD_DOWN ? row != last : at != upper) piece.head = HEAD_NONE;
        if (at != upper) piece.text = NULL;
        vec_push(&d->pieces, piece);
        at = next;
    }
}

void layered_arc(Layered *d, uint32_t from, uint32_t to, LayeredEnd end, const char *text)
{
    uint32_t a = d->nodes.data[from].row, b = d->nodes.data[to].row;
    assert(a != b);
    Piece like = {.dotted = end == LAYERED_STOP, .text = g_strdup(text)};
    if (end == LAYERED_ARROW) like.head = a < b ? HEAD_DOWN : HEAD_UP;
    add_arc(d, a < b ? from : to, a < b ? to : from, like);
}

size_t layered_pieces(const Layered *d)
{
    return d->pieces.len;
}

/* ---- positions ---- */

/* Ties keep the order of ids: the result does not depend on the sort. */
static int by_wish(const void *x, const void *y, void *data)
{
    const Node *nodes = data, *a = &nodes[*(const uint32_t *)x], *b = &nodes[*(const uint32_t *)y];
    if (a->wish != b->wish) return a->wish < b->wish ? -1 : 1;
    return *(const uint32_t *)x < *(const uint32_t *)y ? -1 : 1;
}

static void pack_row(Layered *d, const VecU32 *row)
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
static void sweep_row(Layered *d, uint32_t r, const double *sum, const uint32_t *count)
{
    VecU32 *row = &d->rows[r];
    for (size_t i = 0; i < row->len; i++) {
        uint32_t v = row->data[i];
        d->nodes.data[v].wish = count[v] ? sum[v] / count[v] : d->nodes.data[v].x;
    }
    if (row->len) g_qsort_with_data(row->data, (int)row->len, sizeof *row->data, by_wish, d->nodes.data);
    pack_row(d, row);
}

static void sweep(Layered *d, bool down)
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

static void place_nodes(Layered *d)
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

static void print_piece(const Layered *d, const Piece *piece, GString *out)
{
    const Node *a = &d->nodes.data[piece->from], *b = &d->nodes.data[piece->to];
    double y1 = y_of(a) + (is_bend(a) ? 0 : NODE_HEIGHT / 2.0);
    double y2 = y_of(b) - (is_bend(b) ? 0 : NODE_HEIGHT / 2.0), middle = (y1 + y2) / 2;
    double x1 = a->x, x2 = b->x;
    if (piece->head == HEAD_UP) { /* drawn the other way round */
        x1 = b->x, x2 = a->x;
        double y = y1;
        y1 = y2, y2 = y;
    }
    g_string_append_printf(out, "<path d=\"M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f\"%s%s/>\n", x1, y1, x1, middle, x2,
                           middle, x2, y2, piece->head ? " marker-end=\"url(#arrow)\"" : "",
                           piece->dotted ? " stroke-dasharray=\"2 3\"" : "");
    if (!piece->text) return;
    g_string_append_printf(out, "<text x=\"%.0f\" y=\"%.0f\">", (a->x + b->x) / 2 + 8, middle + 4);
    visible_markup(out, piece->text);
    g_string_append(out, "</text>\n");
}

static void print_node(const Node *node, GString *out)
{
    double y = y_of(node);
    if (is_bend(node)) return;
    g_string_append(out, "<g><title>");
    visible_markup(out, node->title);
    g_string_append_printf(out, "</title><rect class=\"%s\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%d\"%s/>",
                           node->class, node->x - node->width / 2, y - NODE_HEIGHT / 2.0, node->width, NODE_HEIGHT,
                           is_round(node) ? " rx=\"12\"" : "");
    g_string_append_printf(out, "<text x=\"%.0f\" y=\"%.0f\">", node->x, y + 4);
    visible_markup(out, node->label);
    g_string_append(out, "</text></g>\n");
}

void layered_print(Layered *d, const char *title, GString *out)
{
    double width = 0;
    place_nodes(d);
    for (size_t v = 0; v < d->nodes.len; v++) width = MAX(width, d->nodes.data[v].x + d->nodes.data[v].width / 2);
    g_string_append_printf(
        out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-10 0 %.0f %u\" width=\"%.0f\" height=\"%u\">\n",
        width + 20, MAX(d->n_rows, 1) * ROW_HEIGHT, width + 20, MAX(d->n_rows, 1) * ROW_HEIGHT);
    g_string_append(out, "<title>");
    visible_markup(out, title);
    g_string_append(
        out,
        "</title>\n<style>text{font:11px sans-serif;text-anchor:middle}rect{fill:#fff;stroke:#333}"
        ".c{stroke:#36c}.cut{stroke-dasharray:4 3;stroke:#c33}.mate{fill:#ffe9b0}.middle{stroke-width:3}"
        "path{fill:none;stroke:#888}</style>\n"
        "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
        "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" style=\"fill:#888;stroke:none\"/></marker></defs>\n");
    for (size_t i = 0; i < d->pieces.len; i++) print_piece(d, &d->pieces.data[i], out);
    for (size_t v = 0; v < d->nodes.len; v++) print_node(&d->nodes.data[v], out);
    g_string_append(out, "</svg>\n");
}
