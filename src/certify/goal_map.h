/* Formulas with something else in the place of each comparison and question about transitions. */
#pragma once
#include "prop/formula.h"

/* What becomes of a leaf (no constant, no AND, no OR), in whatever store; false when that cannot be said. The node is a
 * copy, so that its own store may grow. */
typedef bool (*GoalMapLeaf)(void *data, FormulaNode leaf, FormulaId *mapped);

/* The goal, of `from`, in `to`, which may be the same. False when a leaf says so. Linear in the nodes. */
bool goal_map(const FormulaStore *from, FormulaId goal, FormulaStore *to, GoalMapLeaf leaf, void *data,
              FormulaId *mapped);
