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
