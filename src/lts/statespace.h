/* What a complete search knows beyond its counts: bounds of places, which transitions ever fire, and the strongly
 * connected components of the reachability graph (Tarjan, without recursion), hence liveness, termination,
 * reversibility. Successors are computed again when needed; memory is 12 bytes per marking and the stack. */
#pragma once
#include "lts/explicit.h"

typedef struct StateSpace {
    uint64_t *least, *most; /* per place, over all reachable markings: equal means stable */
    bool *fireable;         /* per transition: enabled somewhere (quasi-live) */
    bool *live;             /* per transition: can become enabled again from everywhere, which is: enabled somewhere in
                               every component that cannot be left */
    uint32_t n_components, n_bottoms; /* the latter cannot be left */
    bool terminating;                 /* no infinite run */
} StateSpace;

/* `search` has ended with ENDING_COMPLETE. NULL when the budget is spent. */
StateSpace *statespace_new(const Explicit *search, Budget *budget);
void statespace_free(StateSpace *space);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StateSpace, statespace_free)
