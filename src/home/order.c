#include "home/order.h"

#include "base/compare.h"

#include <stdlib.h>

typedef struct Place {
    uint32_t place, component, far, met;
} Place;

typedef struct Ordering {
    const Net *net;
    Place *places;
    VecU32 finished; /* places, in the order in which a search from the marked ones left them */
} Ordering;

/* ---- what can lead back ---- */

/* The next place after (or before) p; *at counts consumers in its high and places in its low half. */
static bool next_place(const Net *net, uint32_t p, bool forward, uint64_t *at, uint32_t *next)
{
    NetRow through = net_transitions(net, forward ? ARC_PRE : ARC_POST, p);
    while (*at >> 32 < through.len) {
        NetRow row = net_places(net, forward ? ARC_POST : ARC_PRE, through.node[*at >> 32]);
        uint32_t i = (uint32_t)*at;
        if (i < row.len) {
            *next = row.node[i];
            ++*at;
            return true;
        }
        *at = ((*at >> 32) + 1) << 32;
    }
    return false;
}

static void search_from(Ordering *o, uint32_t start, bool *seen)
{
    VecU32 stack = {0};
    VecU64 at = {0};
    if (seen[start]) return;
    seen[start] = true;
    vec_push(&stack, start);
    vec_push(&at, 0);
    while (stack.len) {
        uint32_t next;
        if (!next_place(o->net, vec_last(&stack), true, &vec_last(&at), &next)) {
            vec_push(&o->finished, vec_pop(&stack));
            at.len--;
        } else if (!seen[next]) {
            seen[next] = true;
            vec_push(&stack, next);
            vec_push(&at, 0);
        }
    }
    vec_free(&stack);
    vec_free(&at);
}

/* Everything that leads to the place and is in no component yet is in its own. */
static void flood_back(Ordering *o, uint32_t start, uint32_t component)
{
    VecU32 open = {0};
    o->places[start].component = component;
    vec_push(&open, start);
    while (open.len) {
        uint32_t p = vec_pop(&open), before;
        uint64_t at = 0;
        while (next_place(o->net, p, false, &at, &before)) {
            if (o->places[before].component != NET_NONE) continue;
            o->places[before].component = component;
            vec_push(&open, before);
        }
    }
    vec_free(&open);
}

static void find_components(Ordering *o)
{
    uint32_t n = o->net->n_places, components = 0;
    g_autofree bool *seen = g_new0(bool, (size_t)n + 1);
    for (int marked = 1; marked >= 0; marked--)
        for (uint32_t p = 0; p < n; p++)
            if (!marked || o->net->initial[p]) search_from(o, p, seen);
    for (size_t i = o->finished.len; i-- > 0;) {
        Place *place = &o->places[o->finished.data[i]];
        place->met = (uint32_t)(o->finished.len - i);
        if (place->component == NET_NONE) flood_back(o, place->place, components++);
    }
}

/* ---- how far from the goal ---- */

static void name_places(const Net *net, const FormulaStore *formulas, const FormulaNode *node, bool *named)
{
    static const ArcKind needed[] = {ARC_PRE, ARC_READ};
    for (uint32_t i = 0; node->kind == FORMULA_AT_MOST && i < node->len; i++) {
        FormulaTerm term = formulas->terms.data[node->from + i];
        if (term.coefficient < 0) named[term.place] = true;
    }
    for (uint32_t i = 0; node->kind == FORMULA_FIREABLE && i < node->len; i++)
        for (size_t k = 0; k < G_N_ELEMENTS(needed); k++) {
            NetRow row = net_places(net, needed[k], formulas->items.data[node->from + i]);
            for (uint32_t j = 0; j < row.len; j++) named[row.node[j]] = true;
        }
}

static void push_near(Ordering *o, uint32_t p, uint32_t far, VecU32 *queue)
{
    if (o->places[p].far != NET_NONE) return;
    o->places[p].far = far;
    vec_push(queue, p);
}

/* The inputs of a transition all of whose outputs are known; the farthest of them was the last. */
static void reach_back(Ordering *o, uint32_t t, uint32_t far, VecU32 *queue)
{
    NetRow row = net_places(o->net, ARC_PRE, t);
    for (uint32_t i = 0; i < row.len; i++) push_near(o, row.node[i], far, queue);
}

/* Outputs that matter: that something takes from. */
static uint32_t count_outputs(const Net *net, uint32_t t)
{
    NetRow row = net_places(net, ARC_POST, t);
    uint32_t n = 0;
    for (uint32_t i = 0; i < row.len; i++) n += net_transitions(net, ARC_PRE, row.node[i]).len > 0;
    return n;
}

static void find_distances(Ordering *o, const FormulaStore *formulas, FormulaId goal)
{
    const Net *net = o->net;
    g_autofree bool *named = g_new0(bool, (size_t)net->n_places + 1);
    g_autofree uint32_t *open = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    VecU32 below = {0}, queue = {0};
    formula_below(formulas, goal, &below);
    for (size_t i = 0; i < below.len; i++) name_places(net, formulas, formula_node(formulas, below.data[i]), named);
    for (uint32_t p = 0; p < net->n_places; p++)
        if (named[p]) push_near(o, p, 0, &queue);
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (!(open[t] = count_outputs(net, t))) reach_back(o, t, 1, &queue);
    for (size_t i = 0; i < queue.len; i++) {
        uint32_t p = queue.data[i];
        NetRow row = net_transitions(net, ARC_POST, p);
        if (!net_transitions(net, ARC_PRE, p).len) continue;
        for (uint32_t k = 0; k < row.len; k++)
            if (--open[row.node[k]] == 0) reach_back(o, row.node[k], o->places[p].far + 1, &queue);
    }
    vec_free(&below);
    vec_free(&queue);
}

static int compare_places(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    COMPARE(x->component, y->component);
    COMPARE(y->far, x->far);
    return (x->met > y->met) - (x->met < y->met);
}

void home_order_places(const Net *net, const FormulaStore *formulas, FormulaId goal, VecU32 *order)
{
    g_autofree Place *places = g_new0(Place, (size_t)net->n_places + 1);
    Ordering o = {.net = net, .places = places};
    for (uint32_t p = 0; p < net->n_places; p++) places[p] = (Place){p, NET_NONE, NET_NONE, 0};
    find_components(&o);
    find_distances(&o, formulas, goal);
    qsort(places, net->n_places, sizeof *places, compare_places);
    for (uint32_t i = 0; i < net->n_places; i++)
        if (places[i].far != NET_NONE) vec_push(order, places[i].place);
    vec_free(&o.finished);
}
