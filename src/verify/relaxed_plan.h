/* A relaxed plan for a goal: transitions that together would bring it about, if nothing were lost on the way (after
 * FF, [HN01]). By structure: a conjunction needs all its parts, of a disjunction the cheapest; a sum that is too large
 * needs a transition that lowers it, a disabled transition what it lacks, an enabled one that should not be so the
 * cheapest loss. */
#pragma once
#include "prop/formula.h"
#include "verify/relaxed.h"

typedef struct RelaxedLowering {
    uint32_t transition;
    uint64_t by;
} RelaxedLowering;

typedef VEC(RelaxedLowering) VecLowering;

typedef struct RelaxedPlan {
    const FormulaStore *formulas;
    FormulaId goal;
    const Relaxed *relaxed;
    const NetLts *plain;
    VecU32 below;          /* the nodes of the goal, children first */
    uint32_t *value;       /* by node: what it seems to cost */
    uint32_t *choice;      /* by node: the transition that a leaf asks for, NET_NONE: none */
    uint64_t *often;       /* by node: how often, where it lowers a sum */
    VecLowering *lowering; /* by node: who lowers the sum; the cheapest is chosen */
    bool *wanted;          /* by node; scratch */
    VecU32 steps;          /* the plan, cheap ones first */
    uint64_t *times;       /* per transition: how often it stands in the plan, 0 for all others */
} RelaxedPlan;

/* `plain`: a NetLts of width 64 of the net. */
RelaxedPlan *relaxed_plan_new(const Relaxed *relaxed, const FormulaStore *formulas, FormulaId goal,
                              const NetLts *plain);
void relaxed_plan_free(RelaxedPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RelaxedPlan, relaxed_plan_free)

/* After relaxed_look(): makes steps and times; what the goal seems to cost. 0: it holds. RELAXED_NEVER: there is no
 * plan, so no run leads from here to the goal: the first firing of a run that brings something about which costs that
 * much would lack something that costs as much. */
uint32_t relaxed_plan_make(RelaxedPlan *plan);
/* What that costs, in units of Budget. */
uint32_t relaxed_plan_units(const RelaxedPlan *plan);
