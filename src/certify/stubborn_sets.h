/* Which firings from a marking suffice to reach a goal that is false there: a stubborn set T of transitions, from the
 * definitions. A run from m to a marking where the goal holds must fire a transition of the set W, which T contains:
 *
 *   - of a sum that is too large: every transition that lowers it;
 *   - of a false conjunction: W of one false part (a choice); of a false disjunction: of all parts;
 *   - where one of some transitions should be enabled: for each of them, of one place that lacks tokens (has too many),
 *     every transition that raises (lowers) it;
 *   - where none of them should be enabled, or the marking should be dead: of one that is enabled (a choice), for each
 *     place it needs every transition that lowers it, and for each at which it has a limit (an inhibitor arc) every one
 *     that raises it;
 *
 * and T is closed: with a transition that is not enabled at m, T contains, of one place that lacks tokens (has too
 * many), every one that raises (lowers) it; with an enabled one, every one that needs a place which it lowers, or has a
 * limit at one which it raises.
 *
 * Let a run u1 ... un lead from m to the goal. It fires a member of T; let ui be the first. It is enabled at m, since
 * those before it do not raise what it lacks. Those before it need nothing that ui lowers and have no limit where it
 * raises, so ui u1 ... ui-1 ui+1 ... un is a run too, to the same marking. Hence a set of markings that contains the
 * initial one and, with each m, what the enabled members of some such T lead to, contains a marking where the goal
 * holds if one is reachable, by induction on the length of the run. */
#pragma once
#include "certify/wide.h"
#include "prop/formula.h"

typedef struct StubbornSets {
    const Net *net;
    const FormulaStore *formulas;
    FormulaId goal;
    VecU32 *raises, *lowers, *needs, *limits; /* per place */
    bool *in;                                 /* per transition: in the set */
    VecU32 members;                           /* the same */
    int64_t *coefficient;                     /* per place; all 0 between uses */
    unsigned choice, choices;                 /* the one to take; how many there are */
    const uint64_t *marking;
} StubbornSets;

/* Borrows all. */
StubbornSets *stubborn_sets_new(const Net *net, const FormulaStore *formulas, FormulaId goal);
void stubborn_sets_free(StubbornSets *n);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StubbornSets, stubborn_sets_free)

/* Computes a set for plain counts at which the goal is false; n->choices then says how many choices there are, at
 * least 1. */
void stubborn_sets_at(StubbornSets *n, const uint64_t *marking, unsigned choice);
static inline bool stubborn_sets_has(const StubbornSets *n, uint32_t t)
{
    return n->in[t];
}
