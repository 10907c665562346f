/* Safe nets in propositional logic: one variable per place and instant, one per transition and step. Only nets whose
 * weights are all 1 and that start with at most one token per place; a firing that would put a second token on
 * a place is left out of the step relation and has its own predicate, so that safeness is proved along, not assumed.
 *
 * Implications go one way (literal implies formula): formulas may be assumed or asserted, not negated. */
#pragma once
#include "prop/formula.h"
#include "sat/count.h"

typedef struct SafeSat {
    const Net *net;
    const FormulaStore *formulas;
    Sat *sat;         /* owned */
    Counter *counter; /* owned */
} SafeSat;

/* Borrows the net and the formulas. */
void safe_sat_init(SafeSat *s, const Net *net, const FormulaStore *formulas);
void safe_sat_clear(SafeSat *s);

/* Can the net be treated so at all? */
bool safe_sat_fits(const Net *net);

/* Variables first, first + 1, ... for the places at one instant. */
SatLit safe_sat_instant(SafeSat *s);
/* Every place invariant of sum 1 as a constraint on the instant. `groups`: lists of places, exactly one of each marked.
 */
void safe_sat_exactly_one(SafeSat *s, SatLit places, const uint32_t *group, size_t n);

/* A literal that implies the goal at the instant. */
SatLit safe_sat_goal(SafeSat *s, SatLit places, FormulaId goal);
/* A literal that implies: some enabled transition would put a second token on a place. */
SatLit safe_sat_unsafe(SafeSat *s, SatLit places);

/* Step between two instants in which at most one transition fires; the result is the first of their variables. */
SatLit safe_sat_step(SafeSat *s, SatLit before, SatLit after);

/* Lists of places of which exactly one is marked in every reachable marking: place invariants with weights and sum 1.
 * Groups are separated by NET_NONE. */
void safe_sat_groups(const Net *net, Budget *budget, VecU32 *groups);
