#include "verify/portfolio.h"

void engine_auto(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    PortfolioOptions portfolio = {.engine = *options};
    portfolio_run(query->net, query->formulas, &query->goal, 1, &portfolio, budget, result);
}
