/* The unfolding of any Lts under any independence relation ([POET15] Def. 3), cut off in an adequate order.
 * An event is a pair <a,H>: an action and a history, that is a configuration H whose maximal events
 * are all dependent on a and whose state enables a. Nothing is known of the system but Lts and Indep,
 * so there are no conditions; an event names its immediate causes.
 *
 * Finding the histories of an action is NP-hard in general. The search here (unfold/parametric/extend.h) is
 * exact; it and everything else stop when the budget is spent. */
#pragma once
#include "lts/commute.h"
#include "lts/indep.h"
#include "lts/lts.h"
#include "unfold/schedule.h"

/* Causes have smaller ids than effects; sizes never decrease with the id. */
typedef struct Parametric {
    uint32_t n_events, n_cutoffs;
    uint32_t *action, *size, *depth;
    uint32_t *companion;           /* an event, PREFIX_NONE or PREFIX_BOTTOM */
    uint32_t *cause_start, *cause; /* the maximal events of the history */
    uint64_t n_states;             /* different states of local configurations, the empty one included */
    uint64_t n_nodes;              /* configurations the search looked at */

    Ending end;          /* never ENDING_UNSAFE */
    uint32_t goal_event; /* of ENDING_GOAL */
    /* Of ENDING_OVERFLOW: the last action does not fit. Of ENDING_UNBOUNDED: leads to a state that covers the one after
     * its first pump_from actions. Of ENDING_ENDLESS: repeats that state. Of ENDING_REFUTED: leads to the pair. */
    uint32_t *run, run_len, pump_from;
    uint32_t first, second; /* of ENDING_REFUTED: do not commute after run, where first is enabled */
    Commute violation;
} Parametric;

/* A goal gets the state of [e]. */
Parametric *parametric_new(const Lts *lts, const Indep *indep, ScheduleRules rules, Budget *budget);
void parametric_free(Parametric *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Parametric, parametric_free)
