#include "run/tree.h"

static uint32_t new_node(Tree *tree, const Op *op)
{
    uint32_t n;
    if (tree->unused.length) {
        n = tree->unused.data[--tree->unused.length];
    } else {
        n = tree->node.length;
        own_push(&tree->node, (TreeNode){.first = TREE_NONE});
    }
    tree->node.data[n] = (TreeNode){*op, TREE_NONE, TREE_NONE, TREE_NONE};
    if (++tree->live > tree->most) tree->most = tree->live;
    return n;
}

uint32_t tree_append(Tree *tree, uint32_t node, const Op *op)
{
    uint32_t child = new_node(tree, op);
    TreeNode *parent = &tree->node.data[node];
    if (parent->last == TREE_NONE)
        parent->first = child;
    else
        tree->node.data[parent->last].next = child;
    parent->last = child;
    return child;
}

void tree_start(Tree *tree)
{
    tree->node.length = tree->unused.length = tree->live = 0;
    new_node(tree, &(Op){0});
}

bool tree_weak_initial(const Op *p, const Op *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (op_dependent(p, &v[i])) return op_same(p, &v[i]);
    return true;
}

/* rest := rest without its first step of p, which may be absent. */
static void remove_first(OpVector *rest, const Op *p)
{
    uint32_t i = 0;
    while (i < rest->length && rest->data[i].thread != p->thread) i++;
    if (i == rest->length) return;
    for (; i + 1 < rest->length; i++) rest->data[i] = rest->data[i + 1];
    rest->length--;
}

bool tree_insert(Tree *tree, uint32_t node, const Op *v, uint32_t n)
{
    OpVector *rest = &tree->rest;
    own_reserve(rest, n);
    for (uint32_t i = 0; i < n; i++) rest->data[i] = v[i];
    rest->length = n;
    for (uint32_t at = node;;) {
        uint32_t child = tree->node.data[at].first;
        if (at == node) child = tree->node.data[child].next;
        while (child != TREE_NONE && !tree_weak_initial(&tree->node.data[child].op, rest->data, rest->length))
            child = tree->node.data[child].next;
        if (child == TREE_NONE) {
            for (uint32_t i = 0; i < rest->length; i++) at = tree_append(tree, at, &rest->data[i]);
            return true;
        }
        remove_first(rest, &tree->node.data[child].op);
        at = child;
        if (tree->node.data[at].first == TREE_NONE || !rest->length) return false;
    }
}

void tree_drop_first(Tree *tree, uint32_t node)
{
    uint32_t child = tree->node.data[node].first;
    tree->node.data[node].first = tree->node.data[child].next;
    if (tree->node.data[node].first == TREE_NONE) tree->node.data[node].last = TREE_NONE;
    own_push(&tree->unused, child);
    tree->live--;
}
