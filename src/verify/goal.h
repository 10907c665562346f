/* A query's goal in the form that searches want: a predicate on packed states, and whether only dead markings
 * can satisfy it, which saves asking at all others. */
#pragma once
#include "verify/engine.h"

typedef struct Goal {
    const FormulaStore *formulas;
    FormulaId id;
    bool only_dead; /* `deadlock` or a conjunction with it */
} Goal;

Goal goal_new(const Query *query);
/* data: a Goal. */
bool goal_holds(void *data, const NetLts *lts, const uint64_t *state);
/* What asking a goal costs, in units of Budget. */
uint32_t goal_units(const FormulaStore *formulas, FormulaId goal);
/* A guess of how many tokens the state is away from the goal; 0 when it holds. data: a Goal. */
uint64_t goal_distance(void *data, const NetLts *lts, const uint64_t *state);
