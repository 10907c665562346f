/* A search that follows relaxed plans (verify/relaxed_plan.h): it makes a plan for the goal, fires of it what can be
 * fired, and plans again from there. Where that leads no nearer, what was fired in vain gets dearer, so that other
 * plans come up; then some random steps are taken, and at last it begins again. In turn with that it looks at markings
 * best first: those that plans lead to from the marking where the goal seemed nearest. It finds, it never proves. */
#pragma once
#include "verify/engine.h"
#include "verify/relaxed_plan.h"

typedef struct Planner {
    Tracker *here, *start;
    Relaxed *relaxed;
    NetLts *plain;
    uint64_t plans, firings; /* so far */
    bool hopeless;           /* the last goal has no plan at all: looking longer is no use */
} Planner;

/* Borrows the net; serves many goals of it. */
Planner *planner_new(const Net *net);
void planner_free(Planner *planner);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Planner, planner_free)

/* About what one plan takes. */
double planner_seconds(const Planner *planner);
/* True when a marking of the goal was met; the run there is appended. The query's net is the planner's. */
bool planner_run(Planner *planner, const Query *query, uint64_t seed, Budget *budget, VecU32 *run);
