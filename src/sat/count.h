/* Linear constraints over literals as clauses. */
#pragma once
#include "sat/sat.h"

typedef struct CountTerm {
    SatLit literal;
    int64_t coefficient;
} CountTerm;

/* A literal equivalent to: the sum of the coefficients of true literals is at most `bound`. `truth` is a literal that
 * holds. A decision diagram, so its size is the number of different partial sums that leave the answer open. Sorts the
 * terms. The coefficients' absolute values sum up to less than 2^63. */
SatLit count_at_most(Sat *sat, SatLit truth, CountTerm *terms, uint32_t n, int64_t bound);
