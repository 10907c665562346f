/* Complete breadth-first search of the reachable markings. Markings are numbered in order of discovery, 0 is
 * the initial one; each remembers its parent, so paths are shortest in number of firings.
 *
 * Counters start as narrow as the initial marking allows; when one overflows, the markings found so far are repacked
 * at twice the width and the search goes on. At each doubling (with a goal, which may still be met: from 255 tokens on)
 * the path there is searched for a proof that the net is unbounded, which ends the search; so does a count above 2^64
 * - 1. */
#pragma once
#include "base/vec.h"
#include "lts/stepper.h"
#include "lts/store.h"
#include "lts/symmetry.h"
#include "lts/unbounded.h"

/* What to look for; without `holds` nothing. With only_dead it is asked of dead markings only. */
typedef struct ExplicitGoal {
    bool (*holds)(void *data, const NetLts *lts, const uint64_t *state);
    void *data;
    bool only_dead;
    /* Partial-order reduction: keeps some of the n enabled transitions, in front, and returns how many. May be NULL. */
    uint32_t (*reduce)(void *data, const NetLts *lts, const uint64_t *state, uint32_t *enabled, uint32_t n);
    void *reduce_data;
    /* How far a marking seems from the goal: the nearest are expanded first, the newest of equals. May be NULL. */
    uint64_t (*distance)(void *data, const NetLts *lts, const uint64_t *state);
    uint32_t units; /* what asking about a marking costs, in units of Budget */
} ExplicitGoal;

typedef struct ExplicitOpen {
    uint32_t distance, marking;
} ExplicitOpen;

typedef struct Explicit {
    const Net *net;
    Stepper *stepper;
    Store store;       /* values: parents */
    uint32_t expanded; /* markings whose firings have been counted */
    const char *label; /* for the progress line: "explicit" unless changed */
    double started;
    Symmetry *symmetry;     /* set before the run, or NULL: markings stand for all those that it takes to them */
    bool depth_first;       /* set before the run: newest markings first; paths are then not shortest */
    VEC(ExplicitOpen) open; /* to expand: a stack, or with a distance a heap; breadth first needs neither */
    uint32_t found;
    Unbounded unbounded;
    uint64_t firings, deadlocks;
    uint64_t max_in_place;
    Total max_in_marking;
    uint32_t *scratch_enabled; /* of explicit_successors(); so one thread at a time */
    uint64_t *scratch_state;
} Explicit;

/* Borrows the net. */
Explicit *explicit_new(const Net *net);
void explicit_free(Explicit *search);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Explicit, explicit_free)

/* Runs (or goes on) until done; the budget's events are markings. COMPLETE: every reachable marking was visited, none
 * satisfies the goal. GOAL: `found` satisfies it. OVERFLOW: a count passes 2^64 - 1. UNBOUNDED: there are infinitely
 * many markings: `unbounded` proves it on the path to `found`. Or a limit. */
Ending explicit_run(Explicit *search, const ExplicitGoal *goal, Budget *budget);

/* Appends the transitions of a shortest path to marking i; with symmetries, of a run of the net to one that it stands
 * for. */
void explicit_path(const Explicit *search, uint32_t i, VecU32 *path);
/* Appends the numbers of the successors of marking i, one per enabled transition, which goes to transitions when
 * that is not NULL. Only after ENDING_COMPLETE, without symmetries. */
void explicit_successors(const Explicit *search, uint32_t i, VecU32 *successors, VecU32 *transitions);
