/* The unfolding of any Lts under any independence relation ([POET15] Def. 3), cut off in an adequate order.
 * An event is a pair <a,H>: an action and a history, that is a configuration H whose maximal events
 * are all dependent on a and whose state enables a. Nothing is known of the system but Lts and Indep,
 * so there are no conditions; an event names its immediate causes.
 *
 * Finding the histories of an action is NP-hard in general. The search here (unfold/param/extend.h) is
 * exact; it and everything else stop when the budget is spent. */
#pragma once
#include "base/budget.h"
#include "lts/commute.h"
#include "lts/indep.h"
#include "lts/lts.h"
#include "unfold/order.h"

#define PARAMETRIC_NONE UINT32_MAX         /* companion: not a cutoff */
#define PARAMETRIC_BOTTOM (UINT32_MAX - 1) /* companion: the empty configuration */

typedef enum {
    PARAMETRIC_COMPLETE,
    PARAMETRIC_LIMIT,     /* the budget was spent */
    PARAMETRIC_GOAL,      /* the caller's goal stopped it; the last event is the one */
    PARAMETRIC_OVERFLOW,  /* a state does not fit the Lts's layout; run: the last action does not fit */
    PARAMETRIC_UNBOUNDED, /* run leads to a state that covers the one after its first `pump_from` actions */
    PARAMETRIC_INFINITE,  /* without cutoffs and limits: run repeats the state after `pump_from` actions */
    PARAMETRIC_REFUTED,   /* the relation is wrong: after run, `first` and `second` do not commute */
} ParametricEnd;

typedef struct ParametricOptions {
    Order order;
    bool cutoffs;
    /* Called per event when it is added: its id, action and the state of [e]. True stops. Or NULL. */
    bool (*goal)(uint32_t event, uint32_t action, const uint64_t *state, void *data);
    void *goal_data;
} ParametricOptions;

/* Causes have smaller ids than effects; sizes never decrease with the id. */
typedef struct Parametric {
    uint32_t n_events, n_cutoffs;
    uint32_t *action, *companion, *size, *depth;
    uint32_t *cause_start, *cause; /* the maximal events of the history */
    uint64_t n_states;             /* different states of local configurations, the empty one included */
    uint64_t n_nodes;              /* configurations the search looked at */

    ParametricEnd end;
    BudgetReason reason; /* of PARAMETRIC_LIMIT */
    uint32_t *run, run_len, pump_from;
    uint32_t first, second; /* of PARAMETRIC_REFUTED: first is enabled after run */
    Commute violation;
} Parametric;

Parametric *parametric_new(const Lts *lts, const Indep *indep, const ParametricOptions *options, Budget *budget);
void parametric_free(Parametric *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Parametric, parametric_free)
