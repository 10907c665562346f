/* A restarting random walk: looks for a dead marking or one that satisfies a goal. It finds, it never proves.
 *
 * Walks differ in length (half of the work goes into walks that begin again soon, half into ever longer ones) and in
 * how the next transition is chosen; the ways take turns, because no one of them is good on every net. */
#pragma once
#include "base/budget.h"
#include "base/rng.h"
#include "base/vec.h"
#include "lts/tracker.h"

typedef struct WalkGoal {
    /* Asked at every marking, or at dead ones only. NULL with only_dead: every dead marking will do. */
    bool (*holds)(void *data, const uint64_t *marking);
    /* How far a marking seems from the goal (0: not at all); steers some of the walks. May be NULL. */
    uint64_t (*distance)(void *data, const uint64_t *marking);
    void *data;
    bool only_dead;
    uint32_t units; /* what asking once costs, in units of Budget; 0: next to nothing */
    /* What is counted along the walks, and where those who are asked find it; both may be NULL. */
    const TrackerGroups *groups;
    const Tracker **here;
} WalkGoal;

typedef struct Walk {
    uint64_t steps, restarts;
    const char *way; /* how the last walk chose */
} Walk;

/* True when a goal was met; the path there is appended. */
bool walk_run(Walk *walk, const Net *net, const WalkGoal *goal, uint64_t seed, Budget *budget, VecU32 *path);
