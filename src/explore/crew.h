/* Threads that share one reverse search (reverse.h). Each has a run and a backlog of its own and takes the newest of
 * it; who has nothing left takes the oldest of another one, which usually tells the largest subtree. They share nothing
 * else, so that the hot path has two uncontended locks per configuration.
 *
 * What is visited does not depend on how many there are; the figures that say how (nodes, tries) do. Dead markings are
 * reported with their least runs, in their order, for the same reason. */
#pragma once
#include "explore/reverse.h"

/* Visits what the runs of `todo` tell, and everything below. Afterwards todo has what was not visited: with
 * outcome->end == ENDING_COMPLETE nothing, or as many runs as options->split asked for; otherwise what a limit left,
 * so that the search can be continued; after any other end it means nothing. */
void crew_explore(Outcome *outcome, DporStats *stats, const Lts *lts, const NetLts *net, const Indep *indep,
                  const DporOptions *options, Backlog *todo, Budget *budget);
