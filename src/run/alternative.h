/* Alternatives ([POET15] sec. 4, [DPU18]): where the search stands at a node of the path with configuration C and has
 * explored the events D from there, it goes on with known events J such that C and J together are a configuration and
 * every event of D is in conflict with one of J. So nothing explored is met again. A k-partial alternative asks this of
 * the k events of D that came last only: cheaper to find, but some executions end asleep. */
#pragma once
#include "run/unfolding.h"

#include <stdbool.h>

/* A cell behind C and what of J was added. */
typedef struct CellState {
    uint32_t stamp, writer, n_readers;
} CellState;

/* An event of J, and what it changed. */
typedef struct Added {
    uint32_t id, last;
    CellState before[2];
} Added;

/* An event of D, and which of its conflicts is to be tried next. */
typedef struct Level {
    uint32_t added, conflict;
    bool free, entered; /* free: what was added before avoids it already */
} Level;

typedef struct Alternative {
    uint32_t stamp, collection;
    OWN_VECTOR(CellState) cell;
    OWN_VECTOR(Added) added;
    OWN_VECTOR(Level) level;
    OWN_VECTOR(uint32_t) past;
    uint32_t *last; /* of each thread */
} Alternative;

/* For the node behind the trace's last event, whose explored operations are those asleep there, from run.sleep_at on.
 * True: the operations of J are in run.sequence, in an order in which they can happen. */
bool run_alternative_find(void);
