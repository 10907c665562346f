/* Back sets: which enabled transitions a node of the conditional search (conditional.h) must try.
 *
 * A set T of transitions is closed at a marking m when
 *   - for each enabled t in T and each u outside, t and u are transitively uniformly independent at m
 *     ([CDPOR18] Def. 3): at every marking reached from m without t where u can fire, some proved constraint
 *     of the pair holds;
 *   - for each disabled t in T there is a place that keeps it from firing such that everything that could mend that
 *     place is in T; or t can never fire again.
 * With an enabled t in T, every run from m to a dead marking contains a member of T; the first one is enabled at m and
 * commutes with all before it, so the run that starts with it ends at the same marking. Hence trying the
 * enabled members of one closed set keeps every dead marking.
 *
 * Transitive uniformity is shown as in [CDPOR18] Def. 4, by counting instead of "nobody writes p": F(v) is a bound
 * on how often v can still fire (from the tokens that are there or can still be made), so p keeps m(p) less
 * the sum of F(v) lower(v,p) over the others. */
#pragma once
#include "base/vec.h"
#include "explore/constraint.h"
#include "explore/spins.h"

#define BACKSET_FOREVER UINT64_MAX

typedef struct Backset {
    const Net *net;
    const Constraints *constraints;
    const uint64_t *marking;
    const uint64_t *enabled;                   /* set of transitions */
    uint64_t *firings;                         /* F */
    unsigned __int128 *demand, *growth;        /* per place: the sum of F times lowering, times raising */
    uint32_t *endless_demand, *endless_growth; /* per place: transitions with F unbounded that lower, raise it */
    uint32_t *in_set, round;
    VecU32 open, best;
    const Spins *spins;      /* those that change nothing are no transitions; may be NULL */
    Budget *budget;          /* set by whoever has one: when it is spent, every enabled transition is chosen */
    uint64_t uniform, asked; /* pairs shown uniform though their constraint is not "always"; pairs asked about */
} Backset;

/* Borrows the constraints. */
void backset_init(Backset *back, const Constraints *constraints);
void backset_clear(Backset *back);

/* Bounds F for a marking; both arrays must stay in place. */
void backset_at(Backset *back, const uint64_t *marking, const uint64_t *enabled);
/* Is the enabled t transitively uniformly independent of u at the marking? */
bool backset_uniform(Backset *back, uint32_t t, uint32_t u);
/* set := the enabled members of a closed set; among those from each enabled transition the one with the fewest members
 * outside `sleep`. Something is enabled. */
void backset_choose(Backset *back, const uint64_t *sleep, uint64_t *set);
