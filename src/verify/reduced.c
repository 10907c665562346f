#include "verify/reduced.h"

#include "verify/prove.h"

#define LIFT_SHARE 0.2 /* of the time left, for making a run of the net from one of a reduced net */
#define LIFT_SECONDS 20

bool reduced_settled(const Query *query, const EngineOptions *options, const ProofFile *proof, Budget *budget,
                     Result *result)
{
    if (query->goal > FORMULA_ID_TRUE) return false;
    g_autoptr(GError) error = NULL;
    result->engine = "reduce";
    if (query->goal == FORMULA_ID_TRUE) {
        result->answer = ANSWER_REACHABLE;
    } else if (!proof || prove_by_nothing(query, proof, budget, &error)) {
        result->answer = ANSWER_UNREACHABLE;
        result->reason = g_strdup("the goal is constantly false on the reduced net");
    } else {
        engine_say(options, "reduce: %s", error->message);
    }
    return result->answer != ANSWER_UNKNOWN;
}

/* Only dead markings satisfy it, as far as the lifting needs to know: completing a run to a dead end changes nothing
 * the goal names. */
bool reduced_lift(const Reduction *reduction, const Budget *budget, Result *result)
{
    if (!reduction || result->answer != ANSWER_REACHABLE) return true;
    Budget part = budget_part(budget, LIFT_SHARE, LIFT_SECONDS, NULL);
    return reduce_lift(reduction, true, &part, &result->witness);
}
