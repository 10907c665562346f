/* Parts of a set of markings: those where a transition is enabled, what they become by it, those of a formula. All
 * reachable values of the model are known, so nothing here makes the model grow by more than one firing. */
#pragma once
#include "prop/formula.h"
#include "symbolic/diagram.h"
#include "symbolic/model.h"

/* What the transition makes of the set's markings, or (not `fired`) those of them where it is enabled. */
Node select_firing(Diagram *diagram, Model *model, Node set, uint32_t transition, bool fired);

/* The markings of the set at which the formula holds. Nothing when diagram->failed or model->fault is set. */
Node select_formula(Diagram *diagram, Model *model, Node set, const FormulaStore *formulas, FormulaId formula);
