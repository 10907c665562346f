#include "view/runtree.h"

#include <assert.h>

static uint32_t add_node(RunTree *tree, uint32_t parent, uint32_t label)
{
    uint32_t node = (uint32_t)tree->parent.len;
    vec_push(&tree->parent, parent);
    vec_push(&tree->label, label);
    vec_push(&tree->kind, RUNTREE_INNER);
    vec_push(&tree->first, UINT32_MAX);
    vec_push(&tree->next, parent == UINT32_MAX ? UINT32_MAX : tree->first.data[parent]);
    if (parent != UINT32_MAX) tree->first.data[parent] = node;
    return node;
}

void runtree_init(RunTree *tree, size_t most)
{
    *tree = (RunTree){.most = most};
    add_node(tree, UINT32_MAX, 0);
}

void runtree_clear(RunTree *tree)
{
    vec_free(&tree->parent);
    vec_free(&tree->label);
    vec_free(&tree->kind);
    vec_free(&tree->first);
    vec_free(&tree->next);
}

void runtree_restart(RunTree *tree)
{
    size_t most = tree->most;
    runtree_clear(tree);
    runtree_init(tree, most);
}

static uint32_t find_child(const RunTree *tree, uint32_t node, uint32_t label)
{
    uint32_t child = tree->first.data[node];
    while (child != UINT32_MAX && tree->label.data[child] != label) child = tree->next.data[child];
    return child;
}

void runtree_add(RunTree *tree, LeafKind kind, const uint32_t *run, size_t n)
{
    assert(kind < N_LEAF_KINDS);
    tree->leaves[kind]++;
    if (tree->parent.len + n > tree->most) {
        tree->left_out++;
        return;
    }
    uint32_t node = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t child = find_child(tree, node, run[i]);
        node = child != UINT32_MAX ? child : add_node(tree, node, run[i]);
    }
    tree->kind.data[node] = (uint8_t)kind;
}

void runtree_leaf(void *data, LeafKind kind, const Config *config)
{
    runtree_add(data, kind, config->label.data, config->n);
}

void runtree_start(void *data)
{
    runtree_restart(data);
}

void runtree_run(void *data, LeafKind kind, const uint32_t *run, uint32_t n)
{
    runtree_add(data, kind, run, n);
}
