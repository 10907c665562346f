/* What the searches of dpor.h and conditional.h find, in the terms of explore.h: leaves of each kind,
 * distinct dead markings with a run to each, and whether the system ends at all. They have no cutoffs,
 * so a run that comes back to one of its own states ends them (ENDING_ENDLESS). */
#pragma once
#include "explore/explore.h"
#include "lts/store.h"

typedef struct Outcome {
    const Lts *lts;
    Budget *budget;
    Ending end;
    ExploreStats stats;
    uint64_t elsewhere; /* leaves that other threads found, as far as known */
    bool bounded;       /* runs have a bound, so that one without end is no reason to stop */
    bool least_runs; /* each dead marking with the shortest run, among those the first by labels, not the first found */
    Store dead_store;
    VEC(ExploreDead) dead; /* in order of discovery */
    VecU64 states, hashes; /* of the current run, by length */
    VecU32 chain;          /* by length: 1 + the last shorter length whose hash falls into the same bucket, or 0 */
    uint32_t *bucket;      /* 1 + the last length with such a hash, or 0 */
    uint32_t bucket_mask;
} Outcome;

/* Borrows both. */
void outcome_init(Outcome *outcome, const Lts *lts, Budget *budget);
void outcome_clear(Outcome *outcome);

/* False, and nothing counted, when there is no memory for its dead marking: the budget is spent then. */
bool outcome_leaf(Outcome *outcome, LeafKind kind, const uint64_t *state, const uint32_t *run, uint32_t n);
/* A dead marking that somebody met; false as outcome_leaf(). */
bool outcome_note_dead(Outcome *outcome, const uint64_t *state, const uint32_t *run, uint32_t n);
/* Adds what another one of the same system found; both have least_runs. */
void outcome_add(Outcome *outcome, const Outcome *other);
/* Dead markings in the order of their runs. */
void outcome_sort(Outcome *outcome);
/* The current run has n firings and leads to the state. False, ENDING_ENDLESS, when one of its
 * prefixes leads there too; and ENDING_UNBOUNDED when a long run covers one of its own states strictly. Runs are
 * entered in the order of a depth-first search. */
bool outcome_enter(Outcome *outcome, uint32_t n, const uint64_t *state);
/* The next firing does not fit the layout: ENDING_UNBOUNDED when the last state covers an earlier one
 * strictly, otherwise ENDING_OVERFLOW. */
void outcome_overflow(Outcome *outcome);
/* Must the search end? */
bool outcome_stopped(const Outcome *outcome);
/* After the search: the limit that ended it, if one did. */
Ending outcome_end(Outcome *outcome);
/* Why it did not finish, or NULL when it did. */
const char *outcome_reason(const Outcome *outcome);
