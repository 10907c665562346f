/* For a formula that is false at a marking, transitions one of which every way to a marking where it is true must
 * fire: the seeds of reachability-preserving stubborn sets. By structure: a false conjunction needs one false part (a
 * choice), a false disjunction all parts; a sum that is too large needs a transition that lowers it; a disabled
 * transition one that mends a place it lacks; an enabled one that should be disabled, one that disables it. */
#pragma once
#include "lts/stubborn.h"
#include "prop/formula.h"

typedef struct GoalSeeds {
    const FormulaStore *formulas;
    VecU32 *lowering; /* per formula: transitions that lower its sum, filled on demand */
    bool *known;
    size_t n;
} GoalSeeds;

/* For the formulas in the store now. */
GoalSeeds *goal_seeds_new(const FormulaStore *formulas);
void goal_seeds_free(GoalSeeds *seeds);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GoalSeeds, goal_seeds_free)

/* Adds the seeds for `id`, false at the marking where the stubborn set is. `choice` varies which part of a conjunction
 * is taken; returns false when this choice is the same as an earlier one (all parts have been tried). */
bool goal_seeds_add(GoalSeeds *seeds, FormulaId id, Stubborn *stubborn, uint32_t choice);
