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

/* A place that is in no group may have more than one token: what the goal says of such counts is not known. */
static bool counts_beyond_groups(const PlaceFacts *facts, const FormulaStore *store, FormulaId goal)
{
    VecU32 below = {0};
    bool beyond = false;
    formula_below(store, goal, &below);
    for (size_t i = 0; i < below.len && !beyond; i++) {
        const FormulaNode *node = formula_node(store, below.data[i]);
        for (uint32_t k = 0; k < node->len && node->kind == FORMULA_AT_MOST; k++)
            beyond |= !facts->grouped[store->terms.data[node->from + k].place];
    }
    vec_free(&below);
    return beyond;
}

static bool tests_one_token(const Net *net)
{
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        const uint64_t *weight = net->of_transition[kind].weight;
        for (uint32_t i = 0; kind != ARC_POST && weight && i < net_arc_count(net, kind); i++)
            if (weight[i] != 1) return false;
    }
    return net->n_places && net->n_transitions;
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
    if (!tests_one_token(query->net)) {
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
    bool beyond = counts_beyond_groups(&facts, query->formulas, query->goal);
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
