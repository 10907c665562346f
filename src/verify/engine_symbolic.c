/* All reachable markings as a decision diagram, and of them those that satisfy the goal. */
#include "verify/engine.h"

#include "symbolic/approach.h"
#include "symbolic/select.h"

static void say_unreachable(const EngineOptions *options, Result *result)
{
    if (options->certificate) { /* a diagram is no certificate that mazurka-verify reads */
        result->reason = g_strdup("no such marking, but diagrams write no certificates");
        return;
    }
    result->answer = ANSWER_UNREACHABLE;
    result->reason = g_strdup("the diagram of all reachable markings has none");
}

static void ask(Reached *reached, const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    Node goal = select_formula(reached->diagram, reached->model, reached->markings, query->formulas, query->goal);
    bool over = reached->diagram->failed || reached->model->fault;
    if (!over && goal == NODE_EMPTY) {
        say_unreachable(options, result);
    } else if (!over && approach(reached, goal, &result->witness)) {
        result->answer = ANSWER_REACHABLE;
    } else {
        const char *fault = reached->model->fault;
        result->reason = g_strdup(fault ? fault : budget_text(budget));
    }
}

void engine_symbolic(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    /* If the first order does not suit the net, another one may. */
    static const LevelsOrder orders[] = {LEVELS_FORCE, LEVELS_FILE};
    for (size_t i = 0; i < G_N_ELEMENTS(orders) && result->answer == ANSWER_UNKNOWN && !budget_look(budget); i++) {
        bool last = i + 1 == G_N_ELEMENTS(orders);
        Budget part = budget_part(budget, last ? 1 : 0.6, 0, NULL);
        const char *reason;
        g_autoptr(Reached) reached = reached_new(query->net, LEVELS_UNITS, orders[i], &part, &reason);
        g_clear_pointer(&result->reason, g_free);
        if (reached)
            ask(reached, query, options, &part, result);
        else
            result->reason = g_strdup(reason);
        if (reached && result->answer == ANSWER_UNKNOWN && !budget_ended(&part)) return;
    }
    if (result->answer == ANSWER_UNKNOWN && !result->reason) result_stopped(result, budget);
}
