#include "verify/engine.h"

/* A violation is its own evidence, so a short walk comes first; then the engines that can write a proof. */
#define WALK_SECONDS 0.5

void engine_certified(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    static const char *const engines[] = {"walk", "unfold", "pdr", "explicit"};
    for (size_t i = 0; i < G_N_ELEMENTS(engines); i++) {
        double left = budget->deadline > 0 ? budget->deadline - budget_now() : 0;
        Budget share = budget_child(budget, i == 0 ? WALK_SECONDS : i == 1 ? left / 3 : i == 2 ? left / 2 : 0, NULL);
        result_clear(result);
        engine_run(engine_find(engines[i]), query, options, &share, result);
        if (result->answer != ANSWER_UNKNOWN || budget_look(budget)) return;
    }
}
