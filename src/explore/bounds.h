/* Which events an explorer leaves out, as if the unfolding did not have them, with all that they cause: those beyond a
 * bound, and turns of loops that only wait (spins.h). And what the end of a run is called then. */
#pragma once
#include "explore/spins.h"
#include "lts/netlts.h"

typedef enum { LEAF_MAXIMAL, LEAF_CUTOFF, LEAF_BLOCKED, LEAF_BOUND, LEAF_WAITING, LEAF_STUCK, N_LEAF_KINDS } LeafKind;

/* 0 and NULL: no such bound. */
typedef struct Bounds {
    uint32_t causes;    /* events with so many causes or more */
    uint32_t times;     /* those of an action that fired so often in their past */
    const Spins *spins; /* turns */
} Bounds;

/* Is the event <label, H>, where H has so many events, left out? *cut becomes true when it is beyond a bound: then not
 * everything is explored, though the run may end elsewhere. */
bool bounds_decide(const Bounds *bounds, const Config *config, uint32_t label, const uint64_t *history, uint32_t causes,
                   bool *cut);
static inline bool bounds_leave_out(const Bounds *b, const Config *config, uint32_t label, const uint64_t *history,
                                    uint32_t causes, bool *cut)
{
    return (b->causes || b->times || b->spins) && bounds_decide(b, config, label, history, causes, cut);
}
/* How does the run end of which no event is left to add? net may be NULL without spins. */
LeafKind bounds_leaf(const Bounds *bounds, const Config *config, const NetLts *net);
