/* Sums of weighted literals as binary numbers: full adders over the literals of each bit, lowest bit first, so at most
 * as many adders as the weights have bits in all (Een and Sorensson, Translating Pseudo-Boolean Constraints into SAT,
 * 2006, section 5.2). */
#pragma once
#include "base/vec.h"
#include "sat/count.h"

/* Bit i of the sum is literal i, 0 where it is never set. */
typedef VEC(SatLit) AdderBits;

/* Coefficients are positive. Unfinished when the budget of sat_begin() is spent. */
void adder_sum(Sat *sat, const CountTerm *terms, uint32_t n, AdderBits *bits);
/* A literal equivalent to: the number is at most `bound`, which is not negative. `truth` is a literal that holds. */
SatLit adder_at_most(Sat *sat, SatLit truth, const AdderBits *bits, Sum bound);
