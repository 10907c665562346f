/* Linear constraints over literals as clauses, exact for coefficients of any size that a net and a formula can make
 * (base/exact.h) and of polynomial size: few different partial sums become a decision diagram, which propagates best;
 * otherwise the sum is a binary number (sat/adder.h), made once for all bounds it is compared with. */
#pragma once
#include "base/exact.h"
#include "sat/sat.h"

typedef struct CountTerm {
    SatLit literal;
    Sum coefficient;
} CountTerm;

typedef struct Counter Counter;

/* Borrows the solver; `truth` is a literal that holds in it. */
Counter *count_new(Sat *sat, SatLit truth);
void count_free(Counter *counter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Counter, count_free)
/* Forgets the sums it has made, whose clauses may be incomplete: after sat_end() said so. */
void count_forget(Counter *counter);

/* A literal equivalent to: the sum of the coefficients of true literals is at most `bound`. Literals may repeat, in
 * both signs. Changes the terms. When the budget of sat_begin() is spent the literal means nothing. */
SatLit count_at_most(Counter *counter, CountTerm *terms, uint32_t n, Sum bound);
