/* Wakeup trees ([ODPOR14] sec. 6): for each node of the current path, the sequences that must still be run
 * from it. One tree for the whole path: the children of a tree node are what the search does from
 * there, in order, and descending into the first child hands its subtree on. A leaf stands for "run
 * this, then go on freely".
 *
 * A sequence v of actions is executable after the node; p is a weak initial of v when v, perhaps
 * extended, can start with p: the first action of v that depends on p is p itself, or none does.
 *
 * Invariants, asserted by wakeup_check() at every insertion of small trees:
 *   - siblings have different labels;
 *   - order: when a path to a leaf goes past an elder sibling q of one of its nodes, q is not a weak
 *     initial of the rest of the path from there. So what the elder branch covers is never run
 *     again, and q, which sleeps by then, is awake before the leaf is reached.
 * Insertion of v goes down the eldest branch whose label is a weak initial of what is left of v, and
 * ends at a leaf (v is covered), when nothing is left (v is covered), or where no branch fits: there
 * the rest of v becomes the youngest branch.
 *
 * Not all of it ([ODPOR14] adds the whole): its last action, for each action asleep at the node of insertion and each
 * elder sibling passed on the way the first action of the rest that depends on it, and what comes before one of these
 * and has a part in it. That is enough for the order and for nobody to sleep at a leaf. dpor.h says why it is enough
 * for completeness; whether v is covered is still asked of all of v. What is left out is found again, freely, below the
 * leaf: many sequences that differ only there become one, and a tree has some hundred nodes where it had several for
 * each trace to come. */
#pragma once
#include "lts/indep.h"
#include "base/vec.h"

#define WAKEUP_NONE UINT32_MAX

typedef struct WakeupNode {
    uint32_t label;
    uint32_t first, last; /* children, eldest first */
    uint32_t next;        /* sibling */
} WakeupNode;

typedef struct Wakeup {
    const Indep *indep;
    VEC(WakeupNode) node; /* 0 is the root */
    VecU32 free_nodes;
    VecU32 rest;   /* scratch of insertion */
    VecU32 passed; /* labels of elder siblings on the way down */
    VEC(bool) needed;
    uint32_t live, most;
    uint64_t inserted, covered;
} Wakeup;

/* Borrows the relation. The tree has a root only. */
void wakeup_init(Wakeup *tree, const Indep *indep);
void wakeup_clear(Wakeup *tree);

/* Is p a weak initial of v[0..n)? */
bool wakeup_weak_initial(const Indep *indep, uint32_t p, const uint32_t *v, size_t n);

/* Inserts v below a node. The eldest child is being explored when `busy`: v must not have it as a weak
 * initial. `sleep` is the set of actions asleep at the node, none of which is a weak initial of v; NULL adds the whole
 * rest. Returns false when v was covered already. */
bool wakeup_insert(Wakeup *tree, uint32_t node, bool busy, const uint32_t *v, size_t n, const uint64_t *sleep);
/* A new only child of a leaf. */
uint32_t wakeup_grow(Wakeup *tree, uint32_t node, uint32_t label);
/* Removes the eldest child, which must have become a leaf. */
void wakeup_drop_first(Wakeup *tree, uint32_t node);
/* Removes all that is below the node. */
void wakeup_cut(Wakeup *tree, uint32_t node);
/* Do the invariants hold below the node? At a busy node the eldest child is part of the path. Cost: the
 * sum over all leaves of depth times width; without recursion. */
bool wakeup_check(const Wakeup *tree, uint32_t node);
