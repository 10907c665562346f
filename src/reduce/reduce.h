/* Structural reduction of a net for given goals: a smaller net, the goals re-expressed on it, and the way back
 * for witnesses. A goal is reachable in the reduced net iff it is in the original.
 *
 * The places the goals name (for fireable(t): the places t tests) stay observable; a goal that speaks of
 * deadlock keeps dead markings. All goals of one reduction share the smaller net, so few goals with few names
 * reduce best. */
#pragma once
#include "base/budget.h"
#include "prop/formula.h"
#include "reduce/rules.h"

typedef struct ReduceOptions {
    bool safe;        /* only rules that keep a safe net safe: in front of an unfolder */
    bool home;        /* also keeps from where a goal can be reached: see the header of rules.h */
    bool live;        /* instead: keeps whether every transition is live; there are no goals. See rules.h */
    uint32_t without; /* one bit per Rule to leave out */
    NetSteps *steps;  /* not NULL: what is done is added as steps of a certificate */
} ReduceOptions;

typedef struct Reduction {
    Net *net;               /* transitions are named by number, places keep their ids */
    FormulaStore *formulas; /* of that net */
    FormulaId *goals;
    size_t n_goals;
    bool never_fires; /* with `live`: some transition of the net cannot fire at all */
    uint32_t applied[N_RULES];
    uint32_t *transitions, *places; /* of the reduced net: ids in rnet, places of the original net */
    Rnet *rnet;
} Reduction;

/* NULL when nothing can be done: a goal speaks of `not deadlock` (with `home` also of `deadlock`), a count is too
 * large, or there is no memory for it. The budget ends the reducing, not its correctness. Keeps none of its arguments.
 */
Reduction *reduce_new(const Net *net, const FormulaStore *formulas, const FormulaId *goals, size_t n_goals,
                      const ReduceOptions *options, Budget *budget);
void reduce_free(Reduction *reduction);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Reduction, reduce_free)

/* Replaces a firing sequence of the reduced net by one of the original, which may be exponentially longer. False when
 * it would not fit into the memory or time that is left; it is then unusable. `dead`: it leads to a dead marking, and
 * so must the result. */
bool reduce_lift(const Reduction *reduction, bool dead, Budget *budget, VecU32 *sequence);

const char *reduce_rule_name(Rule rule);
