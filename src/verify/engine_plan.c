#include "verify/engine.h"
#include "verify/goal.h"
#include "verify/planner.h"

#include <math.h>

/* Without a time limit of the user's: it would never end by itself. */
#define DEFAULT_SECONDS 10

void engine_plan(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    Budget patience = budget_child(budget, DEFAULT_SECONDS, NULL),
           *limit = isinf(budget_left(budget)) ? &patience : budget;
    g_autoptr(Planner) planner = planner_new(query->net);
    if (planner_run(planner, query, options->seed, limit, &result->witness)) {
        result->answer = ANSWER_REACHABLE;
        return;
    }
    if (planner->hopeless) {
        result->reason = g_strdup("no plan leads there");
        return;
    }
    result_stopped(result, limit);
    g_free(result->reason);
    result->reason = g_strdup_printf("%s; not met by %" G_GUINT64_FORMAT " plans, %" G_GUINT64_FORMAT " firings",
                                     budget_text(limit), planner->plans, planner->firings);
}
