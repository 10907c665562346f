#include "verify/dead_ends.h"

#include "verify/question.h"

bool dead_ends_init(DeadEnds *ends, const NetLts *lts, const ExploreDead *dead, size_t n, GError **error)
{
    *ends = (DeadEnds){.lts = lts};
    g_autoptr(FormulaStore) formulas = formula_store_new(lts->net);
    FormulaId accepted;
    if (!question_accepted(formulas, NULL, &accepted, error)) return false;
    ends->list = g_new(const ExploreDead *, MAX(n, 1));
    for (size_t i = 0; i < n; i++)
        if (!formula_holds(formulas, accepted, lts, dead[i].state)) ends->list[ends->n_deadlocks++] = &dead[i];
    for (size_t i = 0; i < n; i++)
        if (formula_holds(formulas, accepted, lts, dead[i].state))
            ends->list[ends->n_deadlocks + ends->n_final++] = &dead[i];
    return true;
}

void dead_ends_clear(DeadEnds *ends)
{
    g_free(ends->list);
    *ends = (DeadEnds){0};
}
