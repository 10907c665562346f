/* What traps, groups of places with one token and sums that no firing changes prove about a net: one question to SAT
 * per fact that is missing, none about steps, so that nets with very many transitions are proved in seconds where
 * enough is known of them. */
#include "verify/engine.h"
#include "verify/level_net.h"
#include "verify/place_facts.h"
#include "verify/prove.h"
#include "verify/run_facts.h"

/* Takes set and sums over; nothing where no file is wanted. */
static void write_certificate(const Query *query, Inductive *set, Linear *sums, const ProofFile *file, Budget *budget,
                              Result *result)
{
    g_autoptr(GError) error = NULL;
    if (!file) inductive_clear(set);
    if (!file || prove_by_facts(query, set, sums, file, budget, &error)) return;
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

/* ---- levels ---- */

static void say_trap(SafeSat *safe, SatLit places, const VecU32 *trap)
{
    for (size_t i = 0; i < trap->len; i++) sat_add(safe->sat, places + (SatLit)trap->data[i]);
    sat_add(safe->sat, 0);
}

/* Places with more have the lower levels too: as the checker has it, those above the first imply the first. */
static void say_order(SafeSat *safe, SatLit places, const LevelNet *levels)
{
    SatLit first = places;
    for (size_t l = 0; l < levels->place.len; l++) {
        SatLit own = places + (SatLit)l;
        if (levels->level.data[l] == 1)
            first = own;
        else
            sat_clause_of(safe->sat, -own, first);
    }
}

/* SAT_NO: the traps found exclude it. */
static SatAnswer ask_levels(SafeSat *safe, SatLit places, SatLit bad, VecU32 *traps, Budget *budget)
{
    const Net *net = safe->net;
    g_autofree bool *marked = g_new(bool, net->n_places + 1);
    VecU32 trap = {0};
    SatAnswer answer;
    for (;;) {
        sat_assume(safe->sat, bad);
        answer = sat_solve(safe->sat, budget);
        for (uint32_t p = 0; p < net->n_places && answer == SAT_YES; p++)
            marked[p] = sat_value(safe->sat, places + (SatLit)p);
        if (answer != SAT_YES || budget_look(budget) || !run_facts_trap(net, marked, &trap)) break;
        run_facts_smaller_trap(net, &trap);
        say_trap(safe, places, &trap);
        vec_append(traps, trap.data, trap.len);
        vec_push(traps, NET_NONE);
    }
    vec_free(&trap);
    return answer;
}

/* A place as often as its level says. */
static void name_levels(const LevelNet *levels, const VecU32 *traps, VecI32 *lists)
{
    for (size_t i = 0; i < traps->len; i++) {
        uint32_t l = traps->data[i];
        if (l == NET_NONE) vec_push(lists, 0);
        for (uint32_t k = 0; l != NET_NONE && k < levels->level.data[l]; k++)
            vec_push(lists, (int32_t)levels->place.data[l] + 1);
    }
}

static void by_levels(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    g_autoptr(LevelNet) levels = level_net_new(query->net, budget);
    FormulaId goal;
    if (!levels || !level_net_goal(levels, query->formulas, query->goal, &goal)) {
        give_up(result, budget,
                levels ? "where transitions test for more than one token the goal may not count"
                       : "for nets whose transitions test for few numbers of tokens, at most 64");
        return;
    }
    SafeSat safe;
    VecU32 traps = {0};
    safe_sat_init(&safe, levels->net, levels->formulas);
    sat_begin(safe.sat, budget);
    SatLit places = safe_sat_instant(&safe), bad = safe_sat_goal(&safe, places, goal);
    say_order(&safe, places, levels);
    SatAnswer answer = sat_end(safe.sat) ? ask_levels(&safe, places, bad, &traps, budget) : SAT_UNKNOWN;
    if (answer == SAT_NO) {
        Inductive set = {0};
        Linear sums = {0};
        name_levels(levels, &traps, &set.clauses);
        result->answer = ANSWER_UNREACHABLE;
        result->reason = g_strdup_printf("%zu traps of counts of tokens exclude it", count_lists(&traps));
        write_certificate(query, &set, &sums, options->certificate, budget, result);
    } else {
        give_up(result, budget, "a marking breaks no trap of counts of tokens");
    }
    vec_free(&traps);
    safe_sat_clear(&safe);
}

void engine_traps(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    if (!place_facts_tell(query->net)) {
        by_levels(query, options, budget, result);
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
        Inductive set = {0};
        Linear sums = {0};
        if (options->certificate) place_facts_write(&facts, &set, &sums);
        write_certificate(query, &set, &sums, options->certificate, budget, result);
    } else {
        give_up(result, budget, "a marking breaks no trap, no group of places with one token and no sum");
    }
    place_facts_clear(&facts);
    safe_sat_clear(&safe);
}
