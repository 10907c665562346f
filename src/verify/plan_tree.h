/* Markings that were met, as a tree of firings from the initial one, and a tracker that stands on one of them and goes
 * to another by undoing and firing: a marking costs some bytes, however large the net is. */
#pragma once
#include "base/vec.h"
#include "lts/tracker.h"

typedef struct PlanNode {
    uint32_t parent, depth; /* the root, 0, has neither */
    uint32_t from, len;     /* slice of the firings that lead here from the parent */
} PlanNode;

typedef struct PlanTree {
    Tracker *here; /* borrowed; at the marking of `at` whenever a function here is called */
    uint32_t at;
    VEC(PlanNode) nodes;
    VecU32 firings, way;
} PlanTree;

/* Of the tracker's marking alone. */
void plan_tree_begin(PlanTree *tree, Tracker *here);
void plan_tree_clear(PlanTree *tree);
/* What comes of firing these at `at`; at most 2^32 - 1 nodes and firings: false when there is no room. */
bool plan_tree_add(PlanTree *tree, const uint32_t *firings, size_t n);
/* False: a count would be too large, and the tracker has left the tree. */
bool plan_tree_go(PlanTree *tree, uint32_t node);
/* Appends the firings from the root to `at`. */
void plan_tree_run(PlanTree *tree, VecU32 *run);
