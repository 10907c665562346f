/* Is every transition live: can it always fire again? The contest's Liveness, and `check --live` without a name. */
#pragma once
#include "verify/examination.h"

/* The rank theorem, survey, reductions that keep liveness, components of the graph of what they leave, deadlocks,
 * transitions that never fire: whatever decides first. */
Truth live_examine(Examination *examination, Budget *budget);

/* Only the first of these: true when it is live. */
bool live_by_structure(const Net *net, Budget *budget);

/* Only the third: TRUTH_UNKNOWN when the budget is spent (*reason, owned by the caller, says how far it
 * came). *markings: of the search. */
Truth live_by_components(const Net *net, const EngineOptions *options, Budget *budget, uint64_t *markings,
                         char **reason);
