/* What traps, groups of places with one token and sums that no firing changes prove about a net: one question to SAT
 * per fact that is missing, none about steps, so that nets with very many transitions are proved in seconds where
 * enough is known of them. */
#include "verify/engine.h"
#include "verify/place_facts.h"
#include "verify/prove.h"

static void write_certificate(const Query *query, const PlaceFacts *facts, const ProofFile *file, Budget *budget,
                              Result *result)
{
    Inductive set = {0};
    Linear sums = {0};
    g_autoptr(GError) error = NULL;
    place_facts_write(facts, &set, &sums);
    if (prove_by_facts(query, &set, &sums, file, budget, &error)) return;
    result->answer = ANSWER_UNKNOWN;
    g_free(result->reason);
    result->reason = g_strdup(error->message);
}

static size_t count_lists(const VecU32 *lists)
{
    size_t n = 0;
    for (size_t i = 0; i < lists->len; i++) n += lists->data[i] == NET_NONE;
    return n;
}

static void give_up(Result *result, Budget *budget, const char *why)
{
    if (budget_look(budget))
        result_stopped(result, budget);
    else
        result->reason = g_strdup(why);
}

void engine_traps(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    if (!place_facts_tell(query->net)) {
        result->reason = g_strdup("for nets whose transitions test for one token only");
        return;
    }
    if (!effects_fit(query->net)) {
        result->reason = g_strdup("this engine wants weights and initial counts below 2^62");
        return;
    }
    SafeSat safe;
    PlaceFacts facts;
    safe_sat_init(&safe, query->net, query->formulas);
    sat_begin(safe.sat, budget);
    place_facts_init(&facts, &safe, safe_sat_instant(&safe), budget);
    bool beyond = place_facts_beyond(&facts, query->formulas, query->goal);
    SatLit bad = safe_sat_goal(&safe, facts.places, query->goal);
    SatAnswer answer = sat_end(safe.sat) && !beyond ? place_facts_ask(&facts, bad, budget) : SAT_UNKNOWN;
    if (beyond) {
        give_up(result, budget, "the goal counts tokens of places that may have more than one");
    } else if (answer == SAT_NO) {
        result->answer = ANSWER_UNREACHABLE;
        result->reason = g_strdup_printf("%zu traps, %zu groups of places with one token and %zu sums exclude it",
                                         count_lists(&facts.traps), count_lists(&facts.groups), facts.sums.len);
        if (options->certificate) write_certificate(query, &facts, options->certificate, budget, result);
    } else {
        give_up(result, budget, "a marking breaks no trap, no group of places with one token and no sum");
    }
    place_facts_clear(&facts);
    safe_sat_clear(&safe);
}
