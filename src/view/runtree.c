#include "view/runtree.h"

#include "lts/replay.h"
#include "verify/accepted_ends.h"

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

static void add(RunTree *tree, LeafKind kind, const uint32_t *run, size_t n)
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

/* From the root to the node. */
static void find_run(const RunTree *tree, uint32_t node, VecU32 *run)
{
    vec_clear(run);
    for (; node; node = tree->parent.data[node]) vec_push(run, tree->label.data[node]);
    for (size_t i = 0; i < run->len / 2; i++) {
        uint32_t label = run->data[i];
        run->data[i] = run->data[run->len - 1 - i];
        run->data[run->len - 1 - i] = label;
    }
}

void runtree_mark_deadlocks(RunTree *tree, const Net *net)
{
    AcceptedEnds ends;
    VecU32 run = {0};
    if (!accepted_ends_init(&ends, net, NULL)) return;
    for (uint32_t node = 0; node < tree->kind.len; node++) {
        if (tree->kind.data[node] != LEAF_MAXIMAL) continue;
        g_autofree uint64_t *marking = replay_start(net);
        find_run(tree, node, &run);
        if (replay_run(net, run.data, run.len, marking) == run.len && !accepted_ends_has(&ends, marking))
            tree->kind.data[node] = RUNTREE_DEADLOCK;
    }
    vec_free(&run);
    accepted_ends_clear(&ends);
}

void runtree_leaf(void *data, LeafKind kind, const Config *config)
{
    add(data, kind, config->label.data, config->n);
}

void runtree_start(void *data)
{
    runtree_restart(data);
}

void runtree_run(void *data, LeafKind kind, const uint32_t *run, uint32_t n)
{
    add(data, kind, run, n);
}
