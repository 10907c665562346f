#include "verify/engine.h"
#include "verify/goal.h"

#include "lts/walk.h"

#include <math.h>

/* Without a time limit of the user's: a walk would never end by itself. */
#define DEFAULT_SECONDS 10

typedef struct PlainGoal {
    Goal goal;
    NetLts *plain;
} PlainGoal;

static bool holds(void *data, const uint64_t *marking)
{
    PlainGoal *g = data;
    return goal_holds(&g->goal, g->plain, marking);
}

static uint64_t distance(void *data, const uint64_t *marking)
{
    PlainGoal *g = data;
    return goal_distance(&g->goal, g->plain, marking);
}

void engine_walk(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    PlainGoal goal = {goal_new(query), netlts_new(query->net, 64)};
    bool any_dead = formula_node(query->formulas, query->goal)->kind == FORMULA_DEADLOCK;
    WalkGoal wanted = {any_dead ? NULL : holds, goal.goal.only_dead ? NULL : distance, &goal, goal.goal.only_dead,
                       goal.goal.only_dead ? 0 : goal_units(query->formulas, query->goal)};
    /* Spending the budget itself tells the caller that more time might help. */
    Budget patience = budget_child(budget, DEFAULT_SECONDS, NULL),
           *limit = isinf(budget_left(budget)) ? &patience : budget;
    Walk walk;
    result->engine = "walk";
    if (walk_run(&walk, query->net, &wanted, options->seed, limit, &result->witness)) {
        result->answer = ANSWER_REACHABLE;
    } else {
        result_stopped(result, limit);
        g_free(result->reason);
        result->reason = g_strdup_printf("%s; not met in %" G_GUINT64_FORMAT " steps of %" G_GUINT64_FORMAT " walks",
                                         budget_reason_text(limit->reason), walk.steps, walk.restarts);
    }
    netlts_free(goal.plain);
}
