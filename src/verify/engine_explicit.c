#include "verify/engine.h"
#include "verify/goal.h"
#include "verify/prove.h"

#include "lts/explicit.h"

/* A proof that was asked for and cannot be written is no answer. */
static bool write_certificate(const Query *query, const Explicit *search, const ProofFile *file, Budget *budget,
                              Result *result)
{
    GError *error = NULL;
    if (!file || prove_by_markings(query, search, false, file, budget, &error)) return true;
    result->reason = g_strdup(error->message);
    g_error_free(error);
    return false;
}

void engine_explicit(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    g_autoptr(Explicit) search = explicit_new(query->net);
    Goal goal = goal_new(query);
    bool hopeless = query->goal == FORMULA_ID_FALSE; /* then only the figures matter */
    ExplicitGoal wanted = {.holds = hopeless ? NULL : goal_holds,
                           .data = &goal,
                           .only_dead = goal.only_dead,
                           .units = goal.only_dead ? 0 : goal_units(query->formulas, query->goal)};
    Ending end = explicit_run(search, &wanted, budget);
    result->markings = search->store.len;
    result->firings = search->firings;
    result->max_tokens_in_place = search->max_in_place;
    result->max_tokens_in_marking = search->max_in_marking;
    if (end != ENDING_COMPLETE) {
        result_searched(result, search, end);
    } else if (write_certificate(query, search, options->certificate, budget, result)) {
        result->answer = ANSWER_UNREACHABLE;
        result->reason = g_strdup("all reachable markings visited");
    }
}
