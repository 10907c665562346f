/* The truth of a goal at a marking, by the definitions: exact sums, the plain firing rule of net.h. The engines
 * evaluate formulas by other code. */
#pragma once
#include "prop/formula.h"

/* `marking` has a count for each place of the store's net. */
bool holds_at(const FormulaStore *store, FormulaId id, const uint64_t *marking);
