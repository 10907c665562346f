/* Does it follow from sums that no transition changes (net/invariant.h) that no reachable marking meets a goal? What
 * the goal asks of single places narrows the bounds of their counts, the sums narrow those of their other members, and
 * the clauses of the goal of which one way out is left narrow more, until a sum or a clause cannot be met. Then each
 * place is tried with as little as it may have and with more: what fails leaves the other. The cost is bounded by the
 * size of the sums and the goal, and no solver is needed.
 *
 * Of the goal only what holds of one place at a time is looked at, and disjunctions of that: a conjunction of such
 * parts with others is refuted if those parts are. */
#pragma once
#include "base/budget.h"
#include "net/invariant.h"
#include "prop/formula.h"

/* True: no marking with these sums meets the goal. */
bool narrow_refutes(const Invariants *sums, const FormulaStore *formulas, FormulaId goal, Budget *budget);
