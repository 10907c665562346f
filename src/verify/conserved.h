/* Sums of tokens, with factors of either sign, that no firing changes: a basis of all of them, by elimination. A
 * marking m with m - m0 in the span of the effects keeps every one; any other breaks one of the basis.
 *
 * Exact; a row whose factors leave 64 bits, and what is left when the budget ends, is missing: then it is the basis of
 * fewer sums. */
#pragma once
#include "verify/effects.h"

typedef struct ConservedSum {
    VecTerm terms; /* sorted by place */
    int64_t value;
} ConservedSum;

typedef struct Conserved {
    VEC(ConservedSum) sums;
} Conserved;

/* Of a net with effects_fit(). */
Conserved *conserved_new(const Net *net, Budget *budget);
void conserved_free(Conserved *conserved);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Conserved, conserved_free)

/* The number of a sum whose places are all in `among` and that the marking with one token in each `marked` place
 * breaks; the number of sums when there is none. */
size_t conserved_broken(const Conserved *conserved, const bool *among, const bool *marked);
