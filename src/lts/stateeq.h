/* The state equation m = m0 + C x, x >= 0, m >= 0 of a net, asked whether it has a solution whose
 * marking lies in a box. No solution over the rationals proves that no reachable marking lies there;
 * every place invariant is a consequence of it. Decided by a dual simplex in integer arithmetic with
 * a common denominator (Edmonds), so an answer is never a matter of rounding; when a number passes 64
 * bits or the effort is used up, the answer is "do not know". */
#pragma once
#include "net/net.h"

#define STATEEQ_NO_BOUND UINT64_MAX

typedef struct StateEq StateEq;

/* Borrows the net. `effort` bounds the steps (table entries touched) of all questions together: a
 * count, not a time, so that answers do not depend on the machine. */
StateEq *stateeq_new(const Net *net, uint64_t effort);
void stateeq_free(StateEq *eq);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StateEq, stateeq_free)

/* True: no solution has low[p] <= m(p) <= high[p] at every place (high may be STATEEQ_NO_BOUND).
 * False: there may be one. */
bool stateeq_excludes(StateEq *eq, const uint64_t *low, const uint64_t *high);
