/* The unfolding when all actions depend on each other: the computation tree. A history is a run, an event has one
 * cause, and nothing has to be searched for: the same events as unfold/parametric/parametric.h finds, in the same
 * order, at the cost of firing each enabled action once. */
#pragma once
#include "unfold/parametric/parametric.h"

/* Are all pairs dependent? */
bool parametric_tree_applies(const Indep *indep);
/* As parametric_new(). */
Parametric *parametric_tree_new(const Lts *lts, ScheduleRules rules, Budget *budget);
