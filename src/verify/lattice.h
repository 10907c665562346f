/* Does the state equation have a solution in whole numbers, negative ones included? Where it has none although it has
 * one in fractions, some sum of firings with whole factors would have to be a fraction: each firing changes something
 * by a multiple of what it would have to change (tokens in pairs, say). The sum is found by bringing the effects into
 * triangular form by whole column operations (Hermite). */
#pragma once
#include "base/budget.h"
#include "verify/effects.h"

/* `tokens`: per place, at least 0, of a solution in fractions. True: no solution in whole numbers has these, and the
 * sum of form[class] * firings, per class, lies between *below and *below + 1 in all solutions that have the same
 * tokens in some places; these are chosen among those with few tokens, which tests are likely to fix. False: there is
 * one in whole numbers, or the net is too large, or the numbers are, or the budget is spent. */
bool lattice_between(const Net *net, const Effects *effects, const int64_t *tokens, Budget *budget, int64_t *form,
                     int64_t *below);
