#include "pes/trees.h"

#include <assert.h>

Trees *trees_new(const Events *events, const Indep *indep, uint32_t step)
{
    assert(step);
    Trees *t = g_new0(Trees, 1);
    t->events = events;
    t->cliques = cliques_new(indep);
    t->step = step;
    vec_push(&t->node, ((TreeNode){.event = EVENT_NONE}));
    return t;
}

void trees_free(Trees *t)
{
    if (!t) return;
    cliques_free(t->cliques);
    vec_free(&t->known);
    vec_free(&t->node);
    vec_free(&t->free_nodes);
    vec_free(&t->pool);
    for (size_t i = 0; i < G_N_ELEMENTS(t->free_skips); i++) vec_free(&t->free_skips[i]);
    g_free(t);
}

/* Trailing zeros of a depth in base s. */
static uint32_t n_skips(const Trees *t, uint32_t depth)
{
    uint32_t n = 0;
    if (t->step > 1)
        for (; depth && depth % t->step == 0; depth /= t->step) n++;
    return n;
}

/* The ancestor at a depth that is not larger than the node's. */
static uint32_t ancestor(const Trees *t, uint32_t n, uint32_t depth)
{
    for (const TreeNode *node = t->node.data; node[n].depth > depth;) {
        uint32_t next = node[n].parent;
        for (uint32_t k = n_skips(t, node[n].depth); k--;) {
            uint32_t far = t->pool.data[node[n].skips + k];
            if (node[far].depth < depth) continue;
            next = far;
            break;
        }
        assert(node[next].depth < node[n].depth && node[next].depth >= depth);
        n = next;
    }
    return n;
}

static bool on_one_branch(const Trees *t, uint32_t a, uint32_t b)
{
    if (t->node.data[a].depth > t->node.data[b].depth) {
        uint32_t other = a;
        a = b, b = other;
    }
    return ancestor(t, b, t->node.data[a].depth) == a;
}

static uint32_t take_skips(Trees *t, uint32_t n)
{
    assert(n < G_N_ELEMENTS(t->free_skips));
    if (t->free_skips[n].len) return vec_pop(&t->free_skips[n]);
    uint32_t at = (uint32_t)t->pool.len;
    vec_reserve(&t->pool, t->pool.len + n);
    t->pool.len += n;
    return at;
}

static uint32_t add_node(Trees *t, uint32_t e, uint32_t parent)
{
    TreeNode node = {.event = e, .parent = parent, .depth = t->node.data[parent].depth + 1};
    uint32_t n = n_skips(t, node.depth), distance = t->step;
    node.skips = n ? take_skips(t, n) : 0;
    assert(parent < t->node.len);
    for (uint32_t k = 0; k < n; k++, distance *= t->step)
        t->pool.data[node.skips + k] = ancestor(t, parent, node.depth - distance);
    if (t->free_nodes.len) {
        uint32_t at = vec_pop(&t->free_nodes);
        t->node.data[at] = node;
        return at;
    }
    vec_push(&t->node, node);
    return (uint32_t)t->node.len - 1;
}

void trees_add(Trees *t, uint32_t e)
{
    const Event *event = &t->events->event.data[e];
    const uint32_t m = t->cliques->n, *causes = events_causes(t->events, e);
    if (t->known.len < (size_t)(e + 1) * m) {
        vec_reserve(&t->known, (size_t)(e + 1) * m);
        t->known.len = (size_t)(e + 1) * m;
    }
    uint32_t *known = vec_from(&t->known, (size_t)e * m);
    if (event->n_causes)
        memcpy(known, trees_known(t, causes[0]), m * sizeof *known);
    else
        memset(known, 0, m * sizeof *known);
    for (uint32_t i = 1; i < event->n_causes; i++) {
        const uint32_t *other = trees_known(t, causes[i]);
        for (uint32_t k = 0; k < m; k++)
            if (other[k] != known[k] && t->node.data[other[k]].depth > t->node.data[known[k]].depth)
                known[k] = other[k];
    }
    for (uint32_t i = t->cliques->start[event->label]; i < t->cliques->start[event->label + 1]; i++) {
        uint32_t k = t->cliques->of[i];
        known[k] = add_node(t, e, known[k]);
    }
}

void trees_forget(Trees *t, uint32_t e)
{
    uint32_t label = t->events->event.data[e].label;
    for (uint32_t i = t->cliques->start[label]; i < t->cliques->start[label + 1]; i++) {
        uint32_t n = trees_known(t, e)[t->cliques->of[i]], skips = n_skips(t, t->node.data[n].depth);
        assert(t->node.data[n].event == e);
        if (skips) vec_push(&t->free_skips[skips], t->node.data[n].skips);
        t->node.data[n].event = EVENT_NONE;
        vec_push(&t->free_nodes, n);
    }
}

bool trees_below(const Trees *t, uint32_t e, uint32_t f)
{
    uint32_t k = t->cliques->of[t->cliques->start[t->events->event.data[e].label]];
    uint32_t mine = trees_known(t, e)[k], other = trees_known(t, f)[k], depth = t->node.data[mine].depth;
    return e != f && t->node.data[other].depth >= depth && ancestor(t, other, depth) == mine;
}

bool trees_conflict(const Trees *t, uint32_t e, uint32_t f)
{
    const uint32_t *mine = trees_known(t, e), *other = trees_known(t, f);
    for (uint32_t k = 0; k < t->cliques->n; k++)
        if (mine[k] && other[k] && mine[k] != other[k] && !on_one_branch(t, mine[k], other[k])) return true;
    return false;
}

static bool placed(const Trees *t, uint32_t n)
{
    return n == TREE_ROOT || t->events->event.data[t->node.data[n].event].position != EVENT_NONE;
}

uint32_t trees_lowest_placed(const Trees *t, uint32_t n)
{
    while (!placed(t, n)) {
        uint32_t next = t->node.data[n].parent;
        for (uint32_t k = n_skips(t, t->node.data[n].depth); k--;) {
            uint32_t far = t->pool.data[t->node.data[n].skips + k];
            if (placed(t, far)) continue;
            next = far;
            break;
        }
        n = next;
    }
    return n;
}

size_t trees_bytes(const Trees *t)
{
    return (t->known.len + t->pool.len) * sizeof(uint32_t) + t->node.len * sizeof *t->node.data;
}
