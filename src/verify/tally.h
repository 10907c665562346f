/* Goals that are asked again and again along one run. Places that stand in the same sums with the same coefficients are
 * one group, and so are transitions that the same parts of the goals name; a Tracker counts the groups as it goes. So
 * asking costs what a formula says, not what it names: the sum over all colours of a place is one number. */
#pragma once
#include "lts/tracker.h"
#include "prop/formula.h"

typedef struct TallyPart {
    uint32_t group;
    int64_t coefficient; /* of sums */
} TallyPart;

typedef struct Tally {
    const FormulaStore *formulas;
    TrackerGroups groups;
    VEC(TallyPart) parts;
    uint32_t *from, *len; /* of each node of the goals that is a sum or names transitions: slice of the parts */
    const Tracker *here;  /* set by whoever walks */
} Tally;

/* NULL: it would not pay, or numbers are too large for it. */
Tally *tally_new(const FormulaStore *formulas, const FormulaId *goals, size_t n);
void tally_free(Tally *tally);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Tally, tally_free)

/* As goal_holds(), goal_distance() and goal_units(), at tally->here. */
bool tally_holds(const Tally *tally, FormulaId goal);
uint64_t tally_distance(const Tally *tally, FormulaId goal);
uint32_t tally_units(const Tally *tally, FormulaId goal);
