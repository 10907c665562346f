#include "verify/plan_tree.h"

void plan_tree_begin(PlanTree *tree, Tracker *here)
{
    tree->here = here;
    tree->at = 0;
    vec_clear(&tree->nodes);
    vec_clear(&tree->firings);
    vec_push(&tree->nodes, ((PlanNode){NET_NONE, 0, 0, 0}));
}

void plan_tree_clear(PlanTree *tree)
{
    vec_free(&tree->nodes);
    vec_free(&tree->firings);
    vec_free(&tree->way);
}

bool plan_tree_add(PlanTree *tree, const uint32_t *firings, size_t n)
{
    if (n >= NET_NONE - tree->firings.len || tree->nodes.len >= NET_NONE - 1) return false;
    uint32_t depth = tree->nodes.data[tree->at].depth + 1, from = (uint32_t)tree->firings.len;
    vec_append(&tree->firings, firings, n);
    vec_push(&tree->nodes, ((PlanNode){tree->at, depth, from, (uint32_t)n}));
    return true;
}

static void go_up(PlanTree *tree)
{
    const PlanNode *node = &tree->nodes.data[tree->at];
    for (uint32_t i = node->len; i-- > 0;) tracker_unfire(tree->here, tree->firings.data[node->from + i]);
    tree->at = node->parent;
}

static bool go_down(PlanTree *tree, uint32_t child)
{
    const PlanNode *node = &tree->nodes.data[child];
    for (uint32_t i = 0; i < node->len; i++)
        if (!tracker_fire(tree->here, tree->firings.data[node->from + i])) return false;
    tree->at = child;
    return true;
}

bool plan_tree_go(PlanTree *tree, uint32_t to)
{
    const PlanNode *nodes = tree->nodes.data;
    vec_clear(&tree->way);
    while (to != tree->at) {
        if (nodes[to].depth >= nodes[tree->at].depth) {
            vec_push(&tree->way, to);
            to = nodes[to].parent;
        } else {
            go_up(tree);
        }
    }
    while (tree->way.len)
        if (!go_down(tree, vec_pop(&tree->way))) return false;
    return true;
}

void plan_tree_run(PlanTree *tree, VecU32 *run)
{
    vec_clear(&tree->way);
    for (uint32_t node = tree->at; node; node = tree->nodes.data[node].parent) vec_push(&tree->way, node);
    while (tree->way.len) {
        const PlanNode *node = &tree->nodes.data[vec_pop(&tree->way)];
        vec_append(run, tree->firings.data + node->from, node->len);
    }
}
