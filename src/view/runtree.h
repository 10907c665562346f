/* The executions of an explorer as a tree: runs that begin alike share their beginning. Leaves are told in the order of
 * the search, so the first child of a node is where the search went first and the others are what reversals of races
 * (wakeup sequences, alternatives) added. It serves every explorer that tells its leaves. */
#pragma once
#include "base/vec.h"
#include "explore/explore.h"

/* Kinds of nodes besides those of leaves: inside, and ends of complete executions where something is wrong. */
enum { RUNTREE_INNER = N_LEAF_KINDS, RUNTREE_DEADLOCK, RUNTREE_FAILURE };

typedef struct RunTree {
    VecU32 parent, label;          /* of each node; the root is node 0 and has no label */
    VEC(uint8_t) kind;             /* a LeafKind, or one of the above */
    VecU32 first, next;            /* children: the last added one, and the one before */
    uint64_t leaves[N_LEAF_KINDS]; /* all, drawn or not */
    uint64_t left_out;             /* leaves that are not in the tree */
    size_t most;                   /* nodes */
} RunTree;

void runtree_init(RunTree *tree, size_t most);
void runtree_clear(RunTree *tree);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RunTree, runtree_clear)
/* Forgets everything: an explorer starts again. */
void runtree_restart(RunTree *tree);
/* Marks the complete executions of a net that end in a deadlock (verify/accepted_ends.h says which ends are none). */
void runtree_mark_deadlocks(RunTree *tree, const Net *net);
/* For ExploreOptions, DporOptions and ConditionalOptions; data is the tree. */
void runtree_start(void *data);
void runtree_leaf(void *data, LeafKind kind, const Config *config);
void runtree_run(void *data, LeafKind kind, const uint32_t *run, uint32_t n);
