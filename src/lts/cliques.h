/* A clique cover of a dependence relation: sets of actions that depend on each other pairwise, such that
 * every dependent pair, and every action, is inside one of them. In an unfolding the events labelled by
 * one clique form a tree under causality: two of them are ordered or in conflict ([DPU18] sec. 5.1, where
 * the cliques are the threads and the locks of a program). Greedy in the order of the actions, so the
 * same relation always gives the same cover. */
#pragma once
#include "lts/indep.h"

typedef struct Cliques {
    uint32_t n;           /* of cliques */
    uint32_t *start, *of; /* by action: the cliques that hold it, increasing */
} Cliques;

Cliques *cliques_new(const Indep *indep);
void cliques_free(Cliques *cliques);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Cliques, cliques_free)
