#include "verify/portfolio.h"

static void run(const Query *query, const EngineOptions *options, bool certified, Budget *budget, Result *result)
{
    PortfolioOptions portfolio = {.engine = *options, .certified = certified};
    portfolio_run(query->net, query->formulas, &query->goal, 1, &portfolio, budget, result);
}

void engine_auto(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    run(query, options, options->certificate != NULL, budget, result);
}

void engine_certified(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    run(query, options, true, budget, result);
}

void engine_prove_again(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    Result proof = {0};
    engine_certified(query, options, budget, &proof);
    bool proved = proof.answer == ANSWER_UNREACHABLE;
    char *reason = proved ? g_strdup_printf("%s; certificate by %s", result->reason, proof.engine)
                          : g_strdup_printf("%s, but no other engine could write a certificate%s%s", result->reason,
                                            proof.reason ? ": " : "", proof.reason ? proof.reason : "");
    g_free(result->reason);
    result->reason = reason;
    if (!proved) result->answer = ANSWER_UNKNOWN;
    result_clear(&proof);
}
