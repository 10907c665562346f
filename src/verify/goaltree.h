/* A goal as a tree of and/or over literals of atoms (certify/atoms.h), without negation, so that some true literals are
 * enough for it. Children come before their parents; the root is last. */
#pragma once
#include "certify/atoms.h"
#include "sat/sat.h"
#include "verify/engine.h"

typedef struct GoalNode {
    bool both;       /* and, otherwise or */
    int32_t literal; /* not 0: a leaf */
    uint32_t from, len;
} GoalNode;

typedef struct GoalTree {
    VEC(GoalNode) nodes;
    VecU32 children;
    VecU32 counts; /* per atom: how often it is named */
    SatLit *sat;   /* per node */
    bool *chosen;  /* per node; scratch */
} GoalTree;

/* Adds the goal's atoms to `atoms`. Weights fit 63 bits. */
void goaltree_init(GoalTree *tree, const Query *query, Atoms *atoms);
void goaltree_clear(GoalTree *tree);

/* Gives the nodes variables, those of the leaves being atoms[number]. */
void goaltree_number(GoalTree *tree, Sat *sat, const SatLit *atoms);
/* Says in this or another solver that the goal holds. */
void goaltree_assert(const GoalTree *tree, Sat *sat);
/* After SAT_YES: appends literals that hold and are enough for the goal, as few as comes easily. */
void goaltree_justify(GoalTree *tree, Sat *sat, VecI32 *literals);
