/* Causality and conflict between any two stored events ([DPU18] sec. 5.1-5.2). The events of one clique of
 * dependent actions (lts/cliques.h) form a tree: ancestors are causes, everything else is in conflict.
 * Each event knows, for each clique, its tree node if it is in that clique, else that of the greatest
 * event of the clique below it:
 *   e < f   iff in a clique of e, the node of e is an ancestor of the node that f knows;
 *   e # f   iff in some clique the nodes that e and f know are not on one branch.
 * A node at depth d has pointers to its parent and to its ancestors s, s^2, ... above, one for each
 * trailing zero of d in base s, so that walks take a logarithmic number of steps; s = 1 has the parents
 * alone.
 *
 * Memory: four bytes per clique and event, and some twenty per event and clique of its action. Events
 * come after their causes and go before them, as the store demands; an id that is used again is no
 * problem. */
#pragma once
#include "lts/cliques.h"
#include "pes/events.h"

#define TREE_ROOT 0 /* what an event knows of a clique without events below it */

/* A step for those who have no opinion. */
enum { TREES_STEP = 4 };

typedef struct TreeNode {
    uint32_t event;
    uint32_t parent;
    uint32_t depth;
    uint32_t skips; /* first of tree_skips() pointers in the pool, nearest first */
} TreeNode;

typedef struct Trees {
    const Events *events;
    Cliques *cliques;
    uint32_t step;
    VecU32 known; /* rows of cliques->n nodes, by event */
    VEC(TreeNode) node;
    VecU32 free_nodes;
    VecU32 pool;
    VecU32 free_skips[33]; /* per number of pointers */
} Trees;

Trees *trees_new(const Events *events, const Indep *indep, uint32_t step);
void trees_free(Trees *trees);

/* A new event of the store. */
void trees_add(Trees *trees, uint32_t e);
/* Before the store forgets it. */
void trees_forget(Trees *trees, uint32_t e);

/* For tests, which ask for every pair. */
bool trees_below(const Trees *trees, uint32_t e, uint32_t f); /* e < f */
/* For tests, too. */
bool trees_conflict(const Trees *trees, uint32_t e, uint32_t f); /* e # f */

static inline const uint32_t *trees_known(const Trees *trees, uint32_t e)
{
    return vec_from(&trees->known, (size_t)e * trees->cliques->n);
}
/* The deepest node on the branch to n, n included, whose event has a position (is in the configuration). */
uint32_t trees_lowest_placed(const Trees *trees, uint32_t n);

size_t trees_bytes(const Trees *trees);
