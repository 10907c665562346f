#include "symbolic/saturate.h"

#include "base/compare.h"

#include <assert.h>

/* A node of a level while it is made: its edges by value. Work on one level goes on only when that on all lower ones is
 * done, so one for each level is enough; together they hold everything that is still needed. */
typedef struct Frame {
    VecU32 child;   /* per value; EMPTY where there is no edge */
    VecU32 touched; /* values that have one */
    VecU32 waiting; /* values whose moves are to be made */
    VEC(bool) waits;
    Node open; /* what is being closed */
    DiagramEdges edges;
} Frame;

typedef struct Saturation {
    Diagram *diagram;
    Model *model;
    Frame *frames;
} Saturation;

enum { CLOSE = DIAGRAM_FREE }; /* of a node; what MODEL_OPERATION + tail makes of a node and itself is closed too */

/* ---- frames ---- */

/* Adds to the edge; true when that changed it. */
static bool frame_add(Saturation *s, Frame *f, uint32_t value, Node child)
{
    if (child == NODE_EMPTY) return false;
    while (f->child.len <= value) {
        vec_push(&f->child, NODE_EMPTY);
        vec_push(&f->waits, false);
    }
    Node old = f->child.data[value];
    if (old == NODE_EMPTY) vec_push(&f->touched, value);
    f->child.data[value] = diagram_union(s->diagram, old, child);
    return f->child.data[value] != old;
}

COMPARE_BY(compare_edges, DiagramEdge, value)

static bool is_sorted(const DiagramEdges *edges)
{
    for (size_t i = 1; i < edges->len; i++)
        if (edges->data[i - 1].value > edges->data[i].value) return false;
    return true;
}

static Node frame_node(Saturation *s, uint32_t level)
{
    Frame *f = &s->frames[level];
    vec_clear(&f->edges);
    for (size_t i = 0; i < f->touched.len; i++) {
        DiagramEdge edge = {f->touched.data[i], f->child.data[f->touched.data[i]]};
        vec_push(&f->edges, edge);
    }
    if (!is_sorted(&f->edges)) qsort(f->edges.data, f->edges.len, sizeof *f->edges.data, compare_edges);
    return diagram_node(s->diagram, level, f->edges.data, (uint32_t)f->edges.len);
}

static void frame_clear(Frame *f)
{
    for (size_t i = 0; i < f->touched.len; i++) f->child.data[f->touched.data[i]] = NODE_EMPTY;
    vec_clear(&f->touched);
    f->open = NODE_EMPTY;
}

static void collect(Saturation *s)
{
    for (uint32_t k = 0; k < s->model->n_levels; k++) {
        const Frame *f = &s->frames[k];
        diagram_mark(s->diagram, f->open);
        for (size_t i = 0; i < f->touched.len; i++) diagram_mark(s->diagram, f->child.data[f->touched.data[i]]);
    }
    diagram_collect(s->diagram);
}

/* ---- the search ---- */

static Node fire(Saturation *s, uint32_t tail, Node node);

static void wait_for(Frame *f, uint32_t value)
{
    if (f->waits.data[value]) return;
    f->waits.data[value] = true;
    vec_push(&f->waiting, value);
}

static bool is_over(const Saturation *s)
{
    return s->diagram->failed || s->model->fault;
}

/* Makes the moves of one value. */
static void move(Saturation *s, uint32_t level, uint32_t value)
{
    Frame *f = &s->frames[level];
    uint32_t n;
    model_moves(s->model, level, value, &n);
    for (uint32_t i = 0; i < n && !is_over(s); i++) {
        ModelMove m = model_moves(s->model, level, value, &n)[i];
        if (!m.idle && frame_add(s, f, m.to, fire(s, m.tail, f->child.data[value]))) wait_for(f, m.to);
    }
}

/* The node of the level's frame, closed under what begins there; the frame is empty then. */
static Node close_frame(Saturation *s, uint32_t level)
{
    Frame *f = &s->frames[level];
    Node open = frame_node(s, level), result;
    bool plain = s->model->levels[level].events.len == 0 || open == NODE_EMPTY;
    if (plain || diagram_recall(s->diagram, CLOSE, open, open, &result)) {
        frame_clear(f);
        return plain ? open : result;
    }
    f->open = open;
    for (size_t i = 0; i < f->touched.len; i++) wait_for(f, f->touched.data[i]);
    while (f->waiting.len && !is_over(s)) {
        uint32_t value = vec_pop(&f->waiting);
        f->waits.data[value] = false;
        move(s, level, value);
    }
    result = frame_node(s, level);
    frame_clear(f);
    if (!is_over(s)) {
        diagram_remember(s->diagram, CLOSE, open, open, result);
        diagram_remember(s->diagram, CLOSE, result, result, result);
    }
    return result;
}

/* What the tail makes of the node's markings, closed under everything at its levels. */
static Node fire(Saturation *s, uint32_t tail, Node node)
{
    Node result;
    if (tail == MODEL_END || node == NODE_EMPTY) return node;
    if (diagram_recall(s->diagram, MODEL_OPERATION + tail, node, node, &result)) return result;
    uint32_t level = diagram_level(s->diagram, node), n;
    const DiagramEdge *edges = diagram_edges(s->diagram, node, &n);
    if (is_over(s) || budget_charge(s->diagram->budget, 20 + 4 * n)) {
        s->diagram->failed = true;
        return NODE_EMPTY;
    }
    if (diagram_is_full(s->diagram)) collect(s);
    Frame *f = &s->frames[level];
    ModelTail t = s->model->tails.data[tail];
    bool here = s->model->functions.data[t.function].level == level;
    assert(f->touched.len == 0);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = here ? model_step(s->model, t.function, edges[i].value) : edges[i].value;
        if (to != MODEL_NONE) frame_add(s, f, to, fire(s, here ? t.next : tail, edges[i].child));
    }
    result = close_frame(s, level);
    if (!is_over(s)) diagram_remember(s->diagram, MODEL_OPERATION + tail, node, node, result);
    return result;
}

Node saturate(Diagram *diagram, Model *model)
{
    Saturation s = {diagram, model, g_new0(Frame, (size_t)model->n_levels + 1)};
    Node node = NODE_ONE;
    for (uint32_t k = 0; k < model->n_levels && !is_over(&s); k++) {
        frame_add(&s, &s.frames[k], model->levels[k].initial, node);
        node = close_frame(&s, k);
    }
    for (uint32_t k = 0; k < model->n_levels; k++) {
        Frame *f = &s.frames[k];
        vec_free(&f->child);
        vec_free(&f->touched);
        vec_free(&f->waiting);
        vec_free(&f->waits);
        vec_free(&f->edges);
    }
    g_free(s.frames);
    return is_over(&s) ? NODE_EMPTY : node;
}
