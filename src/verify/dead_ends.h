/* The dead markings that an exploration found, told apart: deadlocks, and ends that the net accepts (Net.final; a
 * program accepts markings in which no thread wants to go on). The same definition as that of `check --deadlock`. */
#pragma once
#include "explore/explore.h"
#include "lts/netlts.h"

typedef struct DeadEnds {
    const NetLts *lts;
    const ExploreDead **list; /* deadlocks first, then accepted ends, both in order of discovery */
    size_t n_deadlocks, n_final;
} DeadEnds;

/* Borrows both; an error when the net's final markings cannot be understood. */
bool dead_ends_init(DeadEnds *ends, const NetLts *lts, const ExploreDead *dead, size_t n, GError **error);
void dead_ends_clear(DeadEnds *ends);
