/* The check of a closed set of markings: the initial one is in, every firing leads to one that is in, none satisfies
 * the goal. By induction no reachable marking does. Uses the plain firing rule of net.h. For certificates of the kind
 * stubborn the firings of some set of stubborn_sets.h suffice at each marking; for those of the kind symmetric too, and
 * what they lead to, and the initial marking, may be in as what symmetries make of it (symmetries.h).
 *
 * With ranks: every firing leads to one that is in, the goal holds at those of rank 0, and from every other one some
 * firing leads to one of smaller rank. So every reachable marking is in the set, and from each the goal is reached in
 * finitely many firings: it can always be reached again (AG EF). */
#pragma once
#include "certify/certificate.h"

/* The store gets what symmetries make of the goal. */
bool closed_markings_check(const Net *net, FormulaStore *store, FormulaId goal, const Certificate *certificate,
                           Budget *budget, char **problem);

/* Negative, 0, positive, in the order of `states`. */
int closed_markings_compare(const uint64_t *a, const uint64_t *b, uint32_t words);
