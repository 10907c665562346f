/* Which goals stay reachable for ever, decided on the graph of a complete search: exactly those that hold somewhere in
 * every component that cannot be left. For from a marking that cannot reach a goal one comes into such a component,
 * which does not have it either; and inside a component everything is reachable from everywhere. */
#pragma once
#include "lts/explicit.h"
#include "prop/formula.h"

typedef struct Bottoms {
    uint32_t *lost_at; /* per goal: the first found marking of a component that never has it; STORE_NONE: none */
    uint32_t n;        /* components that cannot be left */
} Bottoms;

/* `search` has ended with ENDING_COMPLETE on the formulas' net. False when the budget is spent. */
bool bottoms_find(const Explicit *search, const FormulaStore *formulas, const FormulaId *goals, size_t n,
                  Budget *budget, Bottoms *bottoms);
void bottoms_clear(Bottoms *bottoms);

/* For each transition: does a firing of it lie on a run to a marking that satisfies the goal? `on_run` has one flag per
 * transition, all false. False when the budget is spent. */
bool bottoms_on_runs(const Explicit *search, const FormulaStore *formulas, FormulaId goal, Budget *budget,
                     bool *on_run);
