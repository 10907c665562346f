/* Levels of a net's places as places of a net with weights of 1: level (p, k) is marked where p has at least k tokens,
 * for k = 1 and whatever arcs at p test for. Transition t of the net, with the same number here, tests the same and
 * takes from the levels that it may empty. Levels above what t needs that it may empty have a transition each beside
 * it, which takes from that one too. Each puts a token on the levels that are full after it for certain.
 *
 * This net does not do what the other does, but where some firing of t empties a level of a set there, a transition
 * here takes from the set. So a trap here is one of levels: one of them is always full, if one is at first
 * (certify/facts.h). */
#pragma once
#include "base/budget.h"
#include "prop/formula.h"

typedef struct LevelNet {
    Net *net;
    FormulaStore *formulas;
    VecU32 place, level; /* of the net's places: the place that they are levels of, and the count */
} LevelNet;

/* NULL: it has too many levels, or the budget ended. */
LevelNet *level_net_new(const Net *of, Budget *budget);
void level_net_free(LevelNet *levels);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LevelNet, level_net_free)

/* A goal about what is enabled, here; false when it counts tokens. */
bool level_net_goal(LevelNet *levels, const FormulaStore *formulas, FormulaId goal, FormulaId *here);
