#include "verify/effects.h"
#include "verify/equation.h"
#include "verify/run_facts.h"
#include "verify/farkas.h"
#include "verify/narrow.h"
#include "verify/prove.h"

enum { MOST_SPLITS = 200 };
/* Of computing sums that no transition changes: as many coefficients for each arc. */
enum { SUMS_WORK = 256 };
/* Of the time left for cases of whole counts, between the rationals and the integers. */
#define CASES_SHARE (1.0 / 3)
#define CASES_SECONDS 10.0

/* Proves by cases, and writes the certificate if one is wanted: a proof that was asked for and cannot be written is no
 * answer. last: by what the last firing leaves behind, too. */
static SatAnswer prove(const Query *query, uint32_t splits, bool last, const EngineOptions *options, Budget *budget,
                       Result *result)
{
    Linear linear = {.last = last};
    g_autoptr(GError) error = NULL;
    Query both = *query;
    if (last) {
        FormulaId left;
        if (!run_facts_last(query->formulas, &left)) return SAT_UNKNOWN;
        both.goal = formula_and(query->formulas, (FormulaId[]){query->goal, left}, 2);
    }
    SatAnswer answer = farkas_refute(&both, splits, budget, options->certificate ? &linear : NULL);
    bool proved = answer == SAT_NO &&
                  (!options->certificate || prove_by_linear(query, &linear, options->certificate, budget, &error));
    if (error) result->reason = g_strdup(error->message);
    if (proved) result->answer = ANSWER_UNREACHABLE;
    linear_clear(&linear);
    return proved ? SAT_NO : answer == SAT_NO ? SAT_UNKNOWN : answer;
}

static SatAnswer ask(const Query *query, bool integers, const EngineOptions *options, Budget *budget, Result *result)
{
    g_autoptr(Equation) eq = equation_new(query->net, integers);
    if (integers) equation_use_last(eq);
    SatAnswer answer = equation_solve(eq, query->formulas, query->goal, budget);
    if (answer == SAT_NO) {
        if (!options->certificate)
            result->answer = ANSWER_UNREACHABLE;
        else
            answer = prove(query, integers ? MOST_SPLITS : 0, equation_used_last(eq), options, budget, result);
        if (result->answer == ANSWER_UNREACHABLE)
            result->reason =
                g_strdup_printf("the state equation over the %s has no solution (%u traps, %u siphons)",
                                integers ? "integers" : "rationals", equation_traps(eq), equation_siphons(eq));
        else if (!result->reason && !budget_ended(budget))
            result->reason = g_strdup("the state equation has no solution, but the proof could not be written down");
    }
    if (answer == SAT_YES && equation_realise(eq, query, options->seed, budget, &result->witness))
        result->answer = ANSWER_REACHABLE;
    return answer;
}

static void try_cases(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    Budget share = budget_part(budget, CASES_SHARE, CASES_SECONDS, NULL);
    if (prove(query, MOST_SPLITS, false, options, &share, result) != SAT_NO)
        g_clear_pointer(&result->reason, g_free);
    else
        result->reason = g_strdup("the state equation has no solution in any case of whole counts");
}

/* Without firings: what sums of tokens alone forbid, at a cost that grows with the net. Where the rows of the whole
 * equation fill up, a solver's does not. */
static bool refuted_by_sums(const Query *query, Budget *budget, Result *result)
{
    uint64_t arcs = (uint64_t)net_arc_count(query->net, ARC_PRE) + net_arc_count(query->net, ARC_POST);
    g_autoptr(Invariants) sums = invariant_compute(query->net, SUMS_WORK * (arcs + 1), budget);
    if (budget_ended(budget) || !narrow_refutes(sums, query->formulas, query->goal, budget)) return false;
    result->answer = ANSWER_UNREACHABLE;
    result->reason = g_strdup_printf("the state equation has no solution: %u conserved sums contradict it", sums->n);
    return true;
}

/* Rationals first: they prove most of what can be proved at a fraction of the cost. */
void engine_equation(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    if (!effects_fit(query->net)) {
        result->reason = g_strdup("this engine wants weights and initial counts below 2^62");
        return;
    }
    if (!options->certificate && refuted_by_sums(query, budget, result)) return;
    SatAnswer answer = ask(query, false, options, budget, result);
    if (result->answer == ANSWER_UNKNOWN && answer == SAT_YES) try_cases(query, options, budget, result);
    if (result->answer == ANSWER_UNKNOWN && answer == SAT_YES) answer = ask(query, true, options, budget, result);
    if (result->answer != ANSWER_UNKNOWN || result->reason) return;
    if (budget_ended(budget))
        result_stopped(result, budget);
    else
        result->reason = g_strdup(answer == SAT_YES ? "the state equation has a solution" : "the solver gave up");
}
