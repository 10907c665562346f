#include "symbolic/approach.h"

#include "symbolic/select.h"

#include <assert.h>

/* The transition was fired on all markings of the set, and some were new. */
typedef struct Step {
    Node before;
    uint32_t transition;
} Step;

typedef struct Approach {
    Reached *reached;
    Node goal, met; /* met: markings of the goal that were reached */
    VEC(Step) steps;
    uint32_t *values;
    uint64_t *marking;
} Approach;

static bool is_over(const Approach *a)
{
    return a->reached->diagram->failed || a->reached->model->fault;
}

static Node only(const Reached *r)
{
    Node node = NODE_ONE;
    for (uint32_t k = 0; k < r->model->n_levels; k++) {
        DiagramEdge edge = {r->model->levels[k].initial, node};
        node = diagram_node(r->diagram, k, &edge, 1);
    }
    return node;
}

/* Forwards until the goal is met. */
static void go(Approach *a)
{
    Diagram *d = a->reached->diagram;
    Node seen = only(a->reached);
    a->met = diagram_combine(d, DIAGRAM_INTERSECTION, seen, a->goal);
    while (a->met == NODE_EMPTY && !is_over(a))
        for (uint32_t t = 0; t < a->reached->model->net->n_transitions && a->met == NODE_EMPTY && !is_over(a); t++) {
            Node next = select_firing(d, a->reached->model, seen, t, true);
            Node wider = diagram_union(d, seen, next);
            Step step = {seen, t};
            if (budget_charge(d->budget, 20)) d->failed = true;
            if (wider == seen) continue;
            vec_push(&a->steps, step);
            seen = wider;
            a->met = diagram_combine(d, DIAGRAM_INTERSECTION, next, a->goal);
        }
}

/* Some marking of the set. */
static void pick(Approach *a, Node set)
{
    const Reached *r = a->reached;
    memcpy(a->marking, r->model->net->initial, r->model->net->n_places * sizeof *a->marking);
    for (uint32_t k = r->model->n_levels; k-- > 0;) {
        uint32_t n_edges;
        const DiagramEdge *edge = diagram_edges(r->diagram, set, &n_edges);
        const VecU32 *places = &r->model->levels[k].places;
        size_t n;
        const ModelTokens *tokens = model_tokens(r->model, k, edge->value, &n);
        for (size_t i = 0; i < places->len; i++) a->marking[places->data[i]] = 0;
        for (size_t i = 0; i < n; i++) a->marking[places->data[tokens[i].slot]] = tokens[i].count;
        set = edge->child;
    }
}

static bool is_in(const Approach *a, Node set)
{
    return model_locate(a->reached->model, a->marking, a->values) && diagram_has(a->reached->diagram, set, a->values);
}

/* The marking before t was fired. */
static void unfire(const Approach *a, uint32_t t)
{
    const Net *net = a->reached->model->net;
    NetRow post = net_places(net, ARC_POST, t), pre = net_places(net, ARC_PRE, t);
    for (uint32_t i = 0; i < post.len; i++) a->marking[post.node[i]] -= net_weight(post, i);
    for (uint32_t i = 0; i < pre.len; i++) a->marking[pre.node[i]] += net_weight(pre, i);
}

static void come_back(Approach *a, VecU32 *run)
{
    size_t from = run->len;
    for (size_t i = a->steps.len; i-- > 0;) {
        if (is_in(a, a->steps.data[i].before)) continue;
        unfire(a, a->steps.data[i].transition);
        assert(is_in(a, a->steps.data[i].before));
        vec_push(run, a->steps.data[i].transition);
    }
    for (size_t low = from, high = run->len; low + 1 < high; low++) {
        uint32_t last = run->data[--high];
        run->data[high] = run->data[low];
        run->data[low] = last;
    }
}

bool approach(Reached *reached, Node goal, VecU32 *run)
{
    Approach a = {.reached = reached, .goal = goal};
    g_autofree uint32_t *values = a.values = g_new(uint32_t, (size_t)reached->model->n_levels + 1);
    g_autofree uint64_t *marking = a.marking = g_new(uint64_t, (size_t)reached->model->net->n_places + 1);
    go(&a);
    bool met = !is_over(&a) && a.met != NODE_EMPTY;
    if (met) {
        pick(&a, a.met);
        come_back(&a, run);
    }
    vec_free(&a.steps);
    return met;
}
