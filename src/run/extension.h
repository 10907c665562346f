/* Events that extend the current execution otherwise, computed from it without running anything: for a race of e and f
 * the operation of f after the part of its past that does not depend on e. A lock that was taken second is so taken
 * first. They are in conflict with e, and are entered in run.unfolding. */
#pragma once
#include "run/reversal.h"

/* The last event of the trace, which was just added, gets its number. */
void run_extension_of_last(void);
/* The event, or for a signal the events, that the race stands for. */
void run_extension_of_race(const Reversal *race);
