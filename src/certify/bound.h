/* The claim of a certificate about an upper bound: what the largest value of a sum of places is over all reachable
 * markings, or that there is none ("inf"). It takes the place of a goal, on the line
 *
 *   bound VALUE PLACE ...      or      bound inf PLACE ...
 *
 * with the numbers of the places, a place that counts twice twice. A value is shown by two things together: a run to a
 * marking that has it, on the next line ("run TRANSITION ..."), and the rest of the certificate, a proof that no
 * reachable marking satisfies "sum >= VALUE + 1". That there is none is shown by a pump (pump.h), and by nothing else.
 */
#pragma once
#include "base/vec.h"
#include "prop/formula.h"

/* So that a goal about one more still fits. */
#define BOUND_MOST ((uint64_t)INT64_MAX - 1)

typedef struct BoundClaim {
    bool claimed; /* otherwise all else is empty */
    bool infinite;
    uint64_t value; /* up to BOUND_MOST; 0 when infinite */
    VecU32 places;  /* sorted */
    VecU32 run;     /* to a marking that has the value; empty when infinite */
} BoundClaim;

/* Places in any order; finite up to BOUND_MOST. */
BoundClaim bound_claim(const VecU32 *places, bool infinite, uint64_t value, const VecU32 *run);
void bound_clear(BoundClaim *bound);
bool bound_same_sum(const BoundClaim *a, const BoundClaim *b);

/* Is it "inf", or a number up to BOUND_MOST? */
bool bound_parse_value(const char *text, bool *infinite, uint64_t *value);
/* What stands behind "bound"; false: it is none of a net with so many places. */
bool bound_parse(BoundClaim *bound, const char *text, uint32_t n_places);
void bound_put(const BoundClaim *bound, GString *out);

/* Numbers below `limit`, one blank before each, appended to the list and back. */
bool bound_parse_list(const char *text, uint32_t limit, VecU32 *list);
void bound_put_list(const uint32_t *list, size_t n, GString *out);

/* The goal of the proof: the sum is larger than the value, which is finite. */
bool bound_goal(const BoundClaim *bound, FormulaStore *store, FormulaId *goal, GError **error);
/* The marking that a run leads to from the initial one; when it cannot be fired, *problem, and the caller owns the
 * marking all the same. */
uint64_t *bound_fire(const Net *net, const VecU32 *run, char **problem);
/* Does the run lead from the initial marking to one where the sum has the value or more? Otherwise *problem. */
bool bound_reached(const BoundClaim *bound, const Net *net, char **problem);
/* "p0 + p1": in the expression language. */
char *bound_sum_text(const BoundClaim *bound, const Net *net);
