#include "verify/equation.h"
#include "verify/farkas.h"
#include "verify/prove.h"

enum { MOST_SPLITS = 200 };

/* A proof that was asked for and cannot be written is no answer. */
static bool write_certificate(const Query *query, bool integers, const ProofFile *file, Budget *budget, Result *result)
{
    Linear linear = {0};
    g_autoptr(GError) error = NULL;
    SatAnswer answer = farkas_refute(query, integers ? MOST_SPLITS : 0, budget, &linear);
    bool written = answer == SAT_NO && prove_by_linear(query, &linear, file, budget, &error);
    if (!written) result->reason = g_strdup(error ? error->message : "the state equation's proof could not be written as inequalities");
    linear_clear(&linear);
    return written;
}

/* Rationals first: they prove most of what can be proved at a fraction of the cost. */
static SatAnswer ask(const Query *query, bool integers, const EngineOptions *options, Budget *budget, Result *result)
{
    g_autoptr(Equation) eq = equation_new(query->net, integers);
    SatAnswer answer = equation_solve(eq, query->formulas, query->goal, budget);
    if (answer == SAT_NO) {
        if (options->certificate && !write_certificate(query, integers, options->certificate, budget, result)) return SAT_UNKNOWN;
        result->answer = ANSWER_UNREACHABLE;
        result->reason = g_strdup_printf("the state equation over the %s has no solution (%u traps, %u siphons)",
                                         integers ? "integers" : "rationals", equation_traps(eq), equation_siphons(eq));
    }
    if (answer == SAT_YES && equation_realise(eq, query, options->seed, budget, &result->witness))
        result->answer = ANSWER_REACHABLE;
    return answer;
}

void engine_equation(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    result->engine = "equation";
    SatAnswer answer = ask(query, false, options, budget, result);
    if (result->answer == ANSWER_UNKNOWN && answer == SAT_YES) answer = ask(query, true, options, budget, result);
    if (result->answer != ANSWER_UNKNOWN) return;
    if (result->reason) return;
    if (budget->reason != BUDGET_OK)
        result_stopped(result, budget);
    else
        result->reason = g_strdup(answer == SAT_YES ? "the state equation has a solution" : "the solver gave up");
}
