#include "verify/engine.h"

void engine_auto(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    engine_explicit(query, options, budget, result);
}
