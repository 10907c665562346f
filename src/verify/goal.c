#include "verify/goal.h"

Goal goal_new(const Query *query)
{
    const FormulaStore *formulas = query->formulas;
    const FormulaNode *node = formula_node(formulas, query->goal);
    Goal goal = {formulas, query->goal, node->kind == FORMULA_DEADLOCK};
    for (uint32_t i = 0; node->kind == FORMULA_AND && i < node->len; i++)
        if (formula_node(formulas, formulas->items.data[node->from + i])->kind == FORMULA_DEADLOCK)
            goal.only_dead = true;
    return goal;
}

bool goal_holds(void *data, const NetLts *lts, const uint64_t *state)
{
    const Goal *goal = data;
    return formula_holds(goal->formulas, goal->id, lts, state);
}
