/* Checks steps (steps.h: that header is the manual) one after the other and makes the net and the goal they lead to. */
#pragma once
#include "base/budget.h"
#include "certify/steps.h"
#include "prop/formula.h"

typedef struct Applied {
    Net *net;
    FormulaStore *formulas; /* of that net */
    FormulaId goal;
} Applied;

void apply_clear(Applied *applied);

/* False: *problem says which step is refused and why. The goal is one of `formulas`, a store of `net`. */
bool apply_steps(const Net *net, const FormulaStore *formulas, FormulaId goal, const NetSteps *steps, Budget *budget,
                 Applied *applied, char **problem);
