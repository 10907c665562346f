#include "explore/explore_internal.h"

#include <assert.h>

/* |C| at which a repeated marking is looked for first; then at each doubling. */
enum { FIRST_LOOK = 128 };

static bool stopped(const Explorer *x)
{
    return x->end != ENDING_COMPLETE || budget_ended(x->budget);
}

static void look_for_repetition(Explorer *x)
{
    if (x->cutoff || x->options.depth || x->options.unroll || x->config.n < MAX(x->next_look, FIRST_LOOK)) return;
    x->next_look = 2 * x->config.n;
    if (explore_repeats(x)) x->end = ENDING_ENDLESS;
}

/* The left child of n, or NODE_NONE when n is a leaf or the search has to stop. */
static uint32_t step_left(Explorer *x, uint32_t n)
{
    if (explore_out_of_budget(x)) return NODE_NONE;
    look_for_repetition(x);
    return x->end == ENDING_COMPLETE ? explore_descend(x, n) : NODE_NONE;
}

/* With C and D of node p in place: p's right child, when there is an alternative. On success p's event
 * stays asleep. Mostly nothing conflicts with that event, nor with older ones in D. */
static uint32_t step_right(Explorer *x, uint32_t p)
{
    assert(explore_node(x, p)->size == x->config.n);
    if (!explore_node(x, p)->rivals.len && !bitset_any(x->asleep, x->label_words)) return NODE_NONE;
    explore_sleep(x, p);
    uint32_t len = 0, *add = alternative_find(x, p, &len);
    if (!add) {
        explore_wake(x, p);
        return NODE_NONE;
    }
    uint32_t right = explore_new_node(x, p, true);
    explore_node(x, right)->add = add;
    explore_node(x, right)->add_len = len;
    assert(len && explore_node(x, right)->size == x->config.n);
    return right;
}

/* ---- depth first: the tree is one path ---- */

/* From a finished node upwards to the next right child; NODE_NONE at the end. */
static uint32_t backtrack(Explorer *x, uint32_t n)
{
    for (;;) {
        uint32_t p = explore_node(x, n)->parent;
        bool was_right = explore_node(x, n)->is_right;
        explore_free_node(x, n);
        if (p == NODE_NONE) return NODE_NONE;
        if (was_right) {
            explore_wake(x, p);
        } else {
            explore_pop(x);
            uint32_t right = step_right(x, p);
            if (right != NODE_NONE) return right;
        }
        if (stopped(x)) return NODE_NONE;
        n = p;
    }
}

static void depth_first(Explorer *x)
{
    uint32_t n = explore_new_node(x, NODE_NONE, false);
    while (n != NODE_NONE && !stopped(x)) {
        uint32_t left = step_left(x, n);
        if (stopped(x)) break;
        n = left != NODE_NONE ? left : backtrack(x, n);
    }
}

/* ---- any order: the open part of the tree is kept ([SPOE20] App. G) ---- */

typedef struct Open {
    Explorer *x;
    VEC(struct Waiting {
        uint64_t key;
        uint32_t node;
    })
    heap;
    uint32_t current; /* the node whose C and D are in place */
    uint32_t sweep;   /* what a depth-first search would have reached */
    uint64_t arrivals;
    VecU32 down;
} Open;

/* Smallest key first. Arrival breaks ties, so the order is reproducible. */
static uint64_t key_of(Open *o, uint32_t n)
{
    Explorer *x = o->x;
    uint64_t arrival = o->arrivals++ & UINT32_MAX;
    switch (x->options.search) {
    case SEARCH_RANDOM: return rng_next(&x->rng);
    case SEARCH_SIZE: return (uint64_t)explore_node(x, n)->size << 32 | arrival;
    default: return arrival;
    }
}

static void enqueue(Open *o, uint32_t n)
{
    struct Waiting item = {key_of(o, n), n};
    assert(!explore_node(o->x, n)->waiting);
    explore_node(o->x, n)->waiting = true;
    vec_push(&o->heap, item);
    size_t i = o->heap.len - 1;
    for (; i && o->heap.data[(i - 1) / 2].key > item.key; i = (i - 1) / 2) o->heap.data[i] = o->heap.data[(i - 1) / 2];
    o->heap.data[i] = item;
}

static uint32_t dequeue(Open *o)
{
    assert(o->heap.len);
    uint32_t n = o->heap.data[0].node;
    struct Waiting item = vec_pop(&o->heap);
    size_t i = 0, len = o->heap.len;
    for (size_t child; len && (child = 2 * i + 1) < len; i = child) {
        if (child + 1 < len && o->heap.data[child + 1].key < o->heap.data[child].key) child++;
        if (o->heap.data[child].key >= item.key) break;
        o->heap.data[i] = o->heap.data[child];
    }
    if (len) o->heap.data[i] = item;
    assert(explore_node(o->x, n)->waiting);
    explore_node(o->x, n)->waiting = false;
    return n;
}

static void step_up(Open *o)
{
    const Node *node = explore_node(o->x, o->current);
    if (node->is_right)
        explore_wake(o->x, node->parent);
    else
        explore_pop(o->x);
    o->current = node->parent;
}

/* Puts C and D of node n in place: up to the common ancestor, then down. */
static void go_to(Open *o, uint32_t n)
{
    Explorer *x = o->x;
    vec_clear(&o->down);
    while (explore_node(x, n)->depth > explore_node(x, o->current)->depth) {
        vec_push(&o->down, n);
        n = explore_node(x, n)->parent;
    }
    while (explore_node(x, o->current)->depth > explore_node(x, n)->depth) step_up(o);
    while (n != o->current) {
        vec_push(&o->down, n);
        n = explore_node(x, n)->parent;
        step_up(o);
    }
    while (o->down.len && !stopped(x)) {
        uint32_t child = vec_pop(&o->down), p = explore_node(x, child)->parent;
        assert(p == o->current);
        if (explore_node(x, child)->is_right)
            explore_sleep(x, p);
        else if (!explore_push(x, explore_node(x, p)->event, p))
            return;
        o->current = child;
    }
    assert(stopped(x) || explore_node(x, o->current)->size == x->config.n);
}

/* Gives p, whose C and D are in place, a right child if there is an alternative. */
static void branch(Open *o, uint32_t p)
{
    assert(explore_node(o->x, p)->right == NODE_NONE);
    uint32_t right = step_right(o->x, p);
    if (right == NODE_NONE) return;
    explore_wake(o->x, p);
    explore_node(o->x, p)->right = right;
    enqueue(o, right);
}

/* From node n down to a leaf, then right children for the nodes passed, as far as they can be seen
 * already. */
static void expand(Open *o, uint32_t n)
{
    Explorer *x = o->x;
    go_to(o, n);
    for (uint32_t left; !stopped(x) && (left = step_left(x, o->current)) != NODE_NONE; o->current = left)
        explore_node(x, o->current)->left = left;
    while (!stopped(x) && o->current != n) {
        step_up(o);
        branch(o, o->current);
    }
}

/* Removes node n, which is finished, and returns its parent, whose C and D are then in place. */
static uint32_t finish(Open *o, uint32_t n)
{
    Explorer *x = o->x;
    Node *node = explore_node(x, n);
    uint32_t p = node->parent;
    assert(!node->waiting && node->left == NODE_NONE && node->right == NODE_NONE);
    if (p != NODE_NONE) {
        go_to(o, p);
        if (node->is_right)
            explore_node(x, p)->right = NODE_NONE;
        else
            explore_node(x, p)->left = NODE_NONE;
    }
    explore_free_node(x, n);
    return p;
}

/* Follows a depth-first search over what is already explored. Only here "no right child" is final:
 * everything to the left has been seen. Ends at a node that waits to be expanded. */
static void sweep(Open *o)
{
    Explorer *x = o->x;
    uint32_t n = o->sweep;
    while (n != NODE_NONE && !stopped(x)) {
        if (explore_node(x, n)->waiting) break;
        if (explore_node(x, n)->left != NODE_NONE) {
            n = explore_node(x, n)->left;
            continue;
        }
        for (bool climbing = true; climbing && n != NODE_NONE && !stopped(x);) {
            bool was_right = explore_node(x, n)->is_right;
            n = finish(o, n);
            if (n == NODE_NONE || was_right) continue;
            if (explore_node(x, n)->right == NODE_NONE) branch(o, n);
            if (explore_node(x, n)->right == NODE_NONE) continue;
            n = explore_node(x, n)->right;
            climbing = false;
        }
    }
    o->sweep = n;
}

static void any_order(Explorer *x)
{
    Open o = {.x = x};
    o.current = o.sweep = explore_new_node(x, NODE_NONE, false);
    enqueue(&o, o.current);
    while (o.heap.len && !stopped(x)) {
        expand(&o, dequeue(&o));
        if (!stopped(x)) sweep(&o);
    }
    assert(stopped(x) || o.sweep == NODE_NONE);
    vec_free(&o.heap);
    vec_free(&o.down);
}

void search_run(Explorer *x)
{
    if (x->options.search == SEARCH_DFS)
        depth_first(x);
    else
        any_order(x);
}
