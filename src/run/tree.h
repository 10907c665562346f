/* Wakeup trees ([ODPOR14] sec. 6) over operations of threads: the sequences that must still be run, for the nodes of
 * the current path. One tree for the whole path; the children of a tree node are what the search does from there, in
 * order, and a leaf stands for "run this, then go on freely".
 *
 * An operation p is a weak initial of a sequence v when v, perhaps extended, can start with p: the first operation of v
 * that depends on p is p itself, or none does. Kept true: an elder sibling on the way to a leaf is no weak initial of
 * the rest of that way. So what an elder branch covers is not run again, and no run ends asleep. */
#pragma once
#include "run/op.h"
#include "run/own.h"

#define TREE_NONE UINT32_MAX

typedef struct TreeNode {
    Op op;
    uint32_t first, last, next; /* children, eldest first; sibling */
} TreeNode;

typedef OWN_VECTOR(Op) OpVector;

typedef struct Tree {
    OWN_VECTOR(TreeNode) node; /* 0 is the root */
    OWN_VECTOR(uint32_t) unused;
    OpVector rest; /* scratch of insertion */
    uint32_t live, most;
} Tree;

void tree_start(Tree *tree);
bool tree_weak_initial(const Op *p, const Op *v, uint32_t n);
/* v after the child that is explored now, unless the tree has it already. */
bool tree_insert(Tree *tree, uint32_t node, const Op *v, uint32_t n);
uint32_t tree_append(Tree *tree, uint32_t node, const Op *op);
/* The eldest child, which is a leaf, is done. */
void tree_drop_first(Tree *tree, uint32_t node);
