#include "explore/wakeup.h"

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
    vec_free(&tree->walk);
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

bool wakeup_insert(Wakeup *tree, uint32_t node, bool busy, const uint32_t *v, size_t n)
{
    assert(n && (!busy || tree->node.data[node].first != WAKEUP_NONE));
    vec_clear(&tree->rest);
    vec_append(&tree->rest, v, n);
    for (uint32_t at = node;;) {
        uint32_t child = tree->node.data[at].first;
        if (at == node && busy) {
            assert(!wakeup_weak_initial(tree->indep, tree->node.data[child].label, v, n));
            child = tree->node.data[child].next;
        }
        while (child != WAKEUP_NONE &&
               !wakeup_weak_initial(tree->indep, tree->node.data[child].label, tree->rest.data, tree->rest.len))
            child = tree->node.data[child].next;
        if (child == WAKEUP_NONE) {
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
