/* The state equation of a net together with inequalities that can be taken in or left out, one by one: what the search
 * for a linear certificate asks, over the rationals and exact.
 *
 * An inequality is "sum of factor * unknown <= bound"; unknown p < PLACES is the tokens of place p, PLACES + c the
 * firings of class c (effects.h). Inequalities are numbered in the order they come and serve several systems. */
#pragma once
#include "certify/linear.h"
#include "verify/effects.h"

typedef struct Inequalities {
    const Net *net;
    Effects effects;
    LinearLists rows;
    VEC(int64_t) bounds;
} Inequalities;

void inequalities_init(Inequalities *all, const Net *net);
void inequalities_clear(Inequalities *all);
/* The last row of `rows` was ended by linear_end(): gives it its bound and number. */
uint32_t inequalities_add(Inequalities *all, int64_t bound);

typedef struct System {
    const Inequalities *all;
    Smt *smt;
    Smt *dual;               /* for inequalities_multipliers_find(); made when it is needed */
    SmtTerm *fired, *tokens; /* per class, per place */
    SmtTerm *bounds;         /* propositions "unknown >= 0" when tracked; otherwise NULL, and they always hold */
    VecU32 taken;            /* per inequality: its proposition + 1, or 0 */
} System;

/* tracked: that unknowns are at least 0 also has to be taken in, so that a contradiction tells which of these it needs.
 */
System *inequalities_system_new(const Inequalities *all, bool tracked);
void inequalities_system_free(System *system);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(System, inequalities_system_free)

/* The proposition that stands for the inequality. */
SmtTerm inequalities_system_take(System *system, uint32_t inequality);

/* Factors that show a contradiction (Farkas): inequalities times theirs, equations of places times theirs, and unknowns
 * >= 0. */
typedef struct Multipliers {
    VEC(LinearTerm) inequalities; /* factors > 0 */
    VEC(LinearTerm) equations;    /* places */
} Multipliers;

void inequalities_multipliers_clear(Multipliers *multipliers);
/* For inequalities that are contradictory together with the state equation; `system` is a tracked one. False: they are
 * not, or the budget is spent, or the numbers are too large. */
bool inequalities_multipliers_find(System *system, const uint32_t *inequalities, size_t n, Budget *budget,
                                   Multipliers *multipliers);
