/* Searches of a portfolio for all its open goals at once: one walk, one exhaustive search, one equation, one set of
 * facts, one prefix, each on one reduction that keeps all goals; plans and a first diagram on the net as given.
 * schedule.def lists them. */
#pragma once
#include "verify/portfolio_goals.h"

enum {
    N_TOGETHER = 0
#define SMALL(engine, seconds)
#define TOGETHER(engine, net, fraction) +1
#define STEP(engine, safe, seconds, proof_part, proof_seconds)
#include "verify/schedule.def"
#undef SMALL
#undef TOGETHER
#undef STEP
};

void portfolio_together_run(Goals *goals, unsigned which);
/* The first of them by that engine, with this budget. */
void portfolio_together_small(Goals *goals, const char *engine, Budget *budget);
