#include "verify/portfolio.h"

void engine_auto(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    /* Proofs are about the net as given, so what works on reduced nets cannot write them. */
    if (options->certificate) {
        engine_certified(query, options, budget, result);
        return;
    }
    PortfolioOptions portfolio = {.engine = *options};
    portfolio_run(query->net, query->formulas, &query->goal, 1, &portfolio, budget, result);
}
