/* Facts about all runs of a net that the state equation does not know.
 *
 *   trap     a set of places that keeps a token once it has one;
 *   siphon   a set of places without tokens at first: a transition that needs a token of it (takes or reads one) can
 *            only fire after one that brings a token in from outside. */
#pragma once
#include "base/vec.h"
#include "prop/formula.h"

/* The largest trap among the places that are not `marked`, sorted. True when it has a token at first, and so always. */
bool run_facts_trap(const Net *net, const bool *marked, VecU32 *places);
/* Leaves places out of a trap with a token while what is left has within it one that has; a smaller trap says more. */
void run_facts_smaller_trap(const Net *net, VecU32 *places);
/* The places that stay empty when only transitions with fires[t] may fire, however often: a siphon within the net of
 * these. */
void run_facts_unfed(const Net *net, const bool *fires, bool *unfed);
/* Does t take or read a token of the set? */
bool run_facts_needs(const Net *net, uint32_t t, const bool *set);
/* Does it put one there? */
bool run_facts_feeds(const Net *net, uint32_t t, const bool *set);

/* What holds right after t fired: at each place it puts tokens on or reads, at least `low`; where it is inhibited, at
 * most `high`. */
typedef struct Left {
    uint32_t place;
    bool inhibited;
    uint64_t low, high;
} Left;

typedef VEC(Left) VecLeft;

void run_facts_left(const Net *net, uint32_t t, VecLeft *all);
/* The formula that certify/last_firing.h says in clauses, true at every reachable marking. False: its numbers are too
 * large.
 */
bool run_facts_last(FormulaStore *formulas, FormulaId *last);
