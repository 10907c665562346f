/* An order of places in which tokens on their way to a goal go from earlier places to later ones, as well as the arcs
 * alone can tell: a guess, from which ranks are made (downhill.h). Three things decide, one after the other: the place
 * comes first where no way leads back to the other; the one that is farther from the goal; the one that is met first.
 * How far: a place that the goal names is near, and any other as far as one firing from the farthest place that the
 * best of its consumers fills. */
#pragma once
#include "prop/formula.h"

/* Appends the places from which the goal can be approached, each once. */
void home_order_places(const Net *net, const FormulaStore *formulas, FormulaId goal, VecU32 *order);
