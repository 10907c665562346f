/* Safe nets in propositional logic: one variable per place and instant, one per transition and step. Only nets whose
 * weights are all 1 and that start with at most one token per place; a firing that would put a second token on
 * a place is left out of the step relation and has its own predicate, so that safeness is proved along, not assumed.
 *
 * Implications go one way (literal implies formula): formulas may be assumed or asserted, not negated. */
#pragma once
#include "prop/formula.h"
#include "sat/sat.h"

typedef struct SafeSat {
    const Net *net;
    Sat *sat;
    const FormulaStore *formulas;
} SafeSat;

/* Can the net be treated so at all? */
bool safe_sat_fits(const Net *net);

/* Variables first, first + 1, ... for the places at one instant. */
SatLit safe_sat_instant(SafeSat *s);
/* Every place invariant of sum 1 as a constraint on the instant. `groups`: lists of places, exactly one of each marked.
 */
void safe_sat_exactly_one(SafeSat *s, SatLit places, const uint32_t *group, size_t n);

/* A literal that implies the goal at the instant; 0 when the goal is too large to encode. */
SatLit safe_sat_goal(SafeSat *s, SatLit places, FormulaId goal);
/* A literal that implies: some enabled transition would put a second token on a place. */
SatLit safe_sat_unsafe(SafeSat *s, SatLit places);

/* Step between two instants; the result is the first of the transitions' variables. One: at most one fires. Otherwise
 * any set that can fire in every order, the empty one included. */
SatLit safe_sat_step(SafeSat *s, SatLit before, SatLit after, bool one);

/* Lists of places of which exactly one is marked in every reachable marking: place invariants with weights and sum 1.
 * Groups are separated by NET_NONE. */
void safe_sat_groups(const Net *net, Budget *budget, VecU32 *groups);
