#include "explore/wakeup.h"

#include "base/bitset.h"

#include <assert.h>

/* Trees up to this size are checked whole at every insertion. */
enum { CHECKED = 64 };

static uint32_t new_node(Wakeup *tree, uint32_t label)
{
    uint32_t n;
    if (tree->free_nodes.len) {
        n = vec_pop(&tree->free_nodes);
    } else {
        n = (uint32_t)tree->node.len;
        vec_push(&tree->node, ((WakeupNode){0}));
    }
    tree->node.data[n] = (WakeupNode){label, WAKEUP_NONE, WAKEUP_NONE, WAKEUP_NONE};
    if (++tree->live > tree->most) tree->most = tree->live;
    return n;
}

static uint32_t append_child(Wakeup *tree, uint32_t node, uint32_t label)
{
    assert(node < tree->node.len && label != WAKEUP_NONE);
    uint32_t child = new_node(tree, label);
    WakeupNode *parent = &tree->node.data[node];
    if (parent->last == WAKEUP_NONE)
        parent->first = child;
    else
        tree->node.data[parent->last].next = child;
    parent->last = child;
    return child;
}

void wakeup_init(Wakeup *tree, const Indep *indep)
{
    *tree = (Wakeup){.indep = indep};
    new_node(tree, WAKEUP_NONE);
}

void wakeup_clear(Wakeup *tree)
{
    vec_free(&tree->node);
    vec_free(&tree->free_nodes);
    vec_free(&tree->rest);
    vec_free(&tree->passed);
    vec_free(&tree->needed);
}

bool wakeup_weak_initial(const Indep *indep, uint32_t p, const uint32_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (indep_dependent(indep, p, v[i])) return v[i] == p;
    return true;
}

/* rest := rest without its first p, which may be absent. */
static void remove_first(VecU32 *rest, uint32_t p)
{
    size_t i = 0;
    while (i < rest->len && rest->data[i] != p) i++;
    if (i == rest->len) return;
    memmove(rest->data + i, rest->data + i + 1, (rest->len - i - 1) * sizeof *rest->data);
    rest->len--;
}

/* Marks the first action of rest that depends on p. */
static void mark_first(const Wakeup *tree, bool *needed, uint32_t p)
{
    size_t i = 0;
    while (i < tree->rest.len && !indep_dependent(tree->indep, p, tree->rest.data[i])) i++;
    if (i < tree->rest.len) needed[i] = true;
}

/* Leaves of rest its last action, what wakes each of those who were passed or sleep, and the causes of all that. One
 * whom nothing in rest wakes is awake already, by a label on the way down. */
static void shorten(Wakeup *tree, const uint64_t *sleep)
{
    VecU32 *rest = &tree->rest;
    vec_reserve(&tree->needed, rest->len);
    bool *needed = tree->needed.data;
    memset(needed, 0, rest->len * sizeof *needed);
    needed[rest->len - 1] = true;
    for (size_t k = 0; k < tree->passed.len; k++) mark_first(tree, needed, tree->passed.data[k]);
    for (BITSET_EACH(p, sleep, bitset_words(tree->indep->n))) mark_first(tree, needed, (uint32_t)p);
    for (size_t i = rest->len; i--;)
        for (size_t j = 0; needed[i] && j < i; j++)
            needed[j] |= indep_dependent(tree->indep, rest->data[j], rest->data[i]);
    size_t kept = 0;
    for (size_t i = 0; i < rest->len; i++)
        if (needed[i]) rest->data[kept++] = rest->data[i];
    rest->len = kept;
}

bool wakeup_insert(Wakeup *tree, uint32_t node, bool busy, const uint32_t *v, size_t n, const uint64_t *sleep)
{
    assert(n && (!busy || tree->node.data[node].first != WAKEUP_NONE));
    vec_clear(&tree->rest);
    vec_append(&tree->rest, v, n);
    vec_clear(&tree->passed);
    for (uint32_t at = node;;) {
        uint32_t child = tree->node.data[at].first;
        if (at == node && busy) {
            assert(!wakeup_weak_initial(tree->indep, tree->node.data[child].label, v, n));
            vec_push(&tree->passed, tree->node.data[child].label);
            child = tree->node.data[child].next;
        }
        for (; child != WAKEUP_NONE; child = tree->node.data[child].next) {
            uint32_t label = tree->node.data[child].label;
            if (wakeup_weak_initial(tree->indep, label, tree->rest.data, tree->rest.len)) break;
            vec_push(&tree->passed, label);
        }
        if (child == WAKEUP_NONE) {
            if (sleep) shorten(tree, sleep);
            for (size_t i = 0; i < tree->rest.len; i++) at = append_child(tree, at, tree->rest.data[i]);
            break;
        }
        remove_first(&tree->rest, tree->node.data[child].label);
        at = child;
        if (tree->node.data[at].first == WAKEUP_NONE || !tree->rest.len) {
            tree->covered++;
            return false;
        }
    }
    tree->inserted++;
    assert(tree->live > CHECKED || wakeup_check(tree, node));
    return true;
}

uint32_t wakeup_grow(Wakeup *tree, uint32_t node, uint32_t label)
{
    assert(tree->node.data[node].first == WAKEUP_NONE);
    return append_child(tree, node, label);
}

void wakeup_drop_first(Wakeup *tree, uint32_t node)
{
    uint32_t child = tree->node.data[node].first;
    assert(child != WAKEUP_NONE && tree->node.data[child].first == WAKEUP_NONE);
    tree->node.data[node].first = tree->node.data[child].next;
    if (tree->node.data[node].first == WAKEUP_NONE) tree->node.data[node].last = WAKEUP_NONE;
    vec_push(&tree->free_nodes, child);
    tree->live--;
}

void wakeup_cut(Wakeup *tree, uint32_t node)
{
    while (tree->node.data[node].first != WAKEUP_NONE) {
        uint32_t above = node, child = tree->node.data[node].first;
        for (; tree->node.data[child].first != WAKEUP_NONE; child = tree->node.data[child].first) above = child;
        wakeup_drop_first(tree, above);
    }
}

/* path[0..n) are the tree nodes from below `node` to a leaf. */
static bool leaf_in_order(const Wakeup *tree, uint32_t node, const VecU32 *path)
{
    VecU32 labels = {0};
    for (size_t i = 0; i < path->len; i++) vec_push(&labels, tree->node.data[path->data[i]].label);
    bool ok = true;
    for (size_t i = 0; i < path->len && ok; i++) {
        uint32_t above = i ? path->data[i - 1] : node;
        for (uint32_t q = tree->node.data[above].first; q != path->data[i] && ok; q = tree->node.data[q].next)
            ok = !wakeup_weak_initial(tree->indep, tree->node.data[q].label, labels.data + i, labels.len - i);
    }
    vec_free(&labels);
    return ok;
}

bool wakeup_check(const Wakeup *tree, uint32_t node)
{
    VecU32 path = {0};
    bool ok = true;
    uint32_t at = tree->node.data[node].first;
    while (ok && at != WAKEUP_NONE) {
        for (uint32_t q = tree->node.data[at].next; q != WAKEUP_NONE && ok; q = tree->node.data[q].next)
            ok = tree->node.data[q].label != tree->node.data[at].label;
        vec_push(&path, at);
        if (tree->node.data[at].first != WAKEUP_NONE) {
            at = tree->node.data[at].first;
            continue;
        }
        ok = ok && leaf_in_order(tree, node, &path);
        for (at = WAKEUP_NONE; path.len && at == WAKEUP_NONE;) at = tree->node.data[vec_pop(&path)].next;
    }
    vec_free(&path);
    return ok;
}
