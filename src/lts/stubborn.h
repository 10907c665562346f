/* Stubborn sets of a net with weights, read and inhibitor arcs: at a marking, a set S of transitions such that
 * firing only the enabled ones of S loses nothing that matters.
 *
 *   D1  if t in S can fire after transitions outside S, it can fire before them with the same result. A disabled t in
 *       S brings, for one place that keeps it from firing, all that could mend that place; an enabled t brings all that
 *       it could disable.
 *   D2  (deadlocks) one enabled key transition in S cannot be disabled from outside: it also brings all that could
 *       disable it.
 *
 * With D1 and D2 every reachable dead marking stays reachable. With D1 and a set of seeds such that every way to a goal
 * fires one of them, the goal stays reachable (see verify/goal_seeds.h); no cycle condition is needed in either case.
 *
 * Places that nothing outside S can lower stay marked while only others fire. With exclusive groups, transitions that
 * need another place of such a place's group cannot fire then: they need not be in S (frozen, below).
 *
 * Whatever the transitions of S bring, they bring by place ("all that lower p"), so closing costs at most one pass over
 * the arcs. A Stubborn is scratch space for one search at a time. */
#pragma once
#include "base/vec.h"
#include "lts/exclusive_places.h"
#include "lts/netlts.h"

typedef struct StubbornRows {
    uint32_t *start, *item;
} StubbornRows;

enum { STUBBORN_NEEDERS, STUBBORN_INHIBITED, STUBBORN_RAISERS, STUBBORN_LOWERERS, STUBBORN_ROWS };

typedef struct Stubborn {
    const Net *net;
    StubbornRows of_place[STUBBORN_ROWS]; /* transitions that need, are inhibited by, raise, lower a place */
    StubbornRows raised, lowered;         /* places of a transition */
    const ExclusivePlaces *exclusive;     /* or NULL */
    /* the marking */
    const NetLts *lts;
    const uint64_t *state;
    uint32_t *enabled_at; /* = now: enabled at the marking */
    uint32_t now;
    /* the set being made */
    uint32_t *in_set, *done[STUBBORN_ROWS]; /* = round */
    uint32_t *frozen_at, *frozen;           /* per group: = round, and then its place that stays marked */
    uint32_t round;
    VecU32 open;
    uint32_t n_enabled, limit; /* enabled members; closing gives up at the limit */
    uint32_t *best;            /* scratch of stubborn_deadlock() */
    uint64_t effort;           /* rows and transitions looked at, over all sets */
    uint32_t *last_size;       /* per key: enabled members of the last set grown from it */
} Stubborn;

/* Borrows both; exclusive may be NULL. */
Stubborn *stubborn_new(const Net *net, const ExclusivePlaces *exclusive);
void stubborn_free(Stubborn *stubborn);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Stubborn, stubborn_free)

/* Goes to a marking; the enabled transitions are given. The state must stay in place. */
void stubborn_at(Stubborn *stubborn, const NetLts *lts, const uint64_t *state, const uint32_t *enabled, uint32_t n);

/* Starts an empty set that may have fewer than `limit` enabled members. */
void stubborn_start(Stubborn *stubborn, uint32_t limit);
void stubborn_add(Stubborn *stubborn, uint32_t t);
/* All that could disable the enabled t; one choice of what must happen before the disabled t can fire. */
void stubborn_add_disablers(Stubborn *stubborn, uint32_t t);
void stubborn_add_enablers(Stubborn *stubborn, uint32_t t);
/* Adds until D1 holds. False when there are too many enabled members. */
bool stubborn_close(Stubborn *stubborn);

static inline bool stubborn_has(const Stubborn *stubborn, uint32_t t)
{
    return stubborn->in_set[t] == stubborn->round;
}
static inline bool stubborn_enabled(const Stubborn *stubborn, uint32_t t)
{
    return stubborn->enabled_at[t] == stubborn->now;
}

/* Keeps of the n enabled transitions those of a small deadlock-preserving set (in some order); at least one if n > 0.
 * Returns how many. stubborn_at() came before with the same list. */
uint32_t stubborn_deadlock(Stubborn *stubborn, uint32_t *enabled, uint32_t n);
