#include "verify/engine.h"

/* The share of a walk when nobody limits the time, and at most this part of the limit otherwise. */
#define WALK_SECONDS 1.0
#define WALK_SHARE 0.1

static double walk_seconds(const Budget *budget)
{
    if (budget->deadline <= 0) return WALK_SECONDS;
    double left = (budget->deadline - budget_now()) * WALK_SHARE;
    return CLAMP(left, 0.001, WALK_SECONDS);
}

void engine_auto(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    if (query->goal == FORMULA_ID_FALSE) {
        result->engine = "auto";
        result->answer = ANSWER_UNREACHABLE;
        result->reason = g_strdup("the goal is constantly false");
        return;
    }
    Budget walk = budget_child(budget, walk_seconds(budget), NULL);
    engine_walk(query, options, &walk, result);
    if (result->answer == ANSWER_REACHABLE) return;
    result_clear(result);
    engine_explicit(query, options, budget, result);
}
