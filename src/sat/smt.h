/* Linear arithmetic with boolean structure, solved by Z3 in a process of its own (smt_process.h). Arithmetic is exact.
 * Variables are rational or integer (chosen once) and, unless asked for otherwise, at least 0.
 *
 * Terms are handles; sums and formulas made inside smt_push() are gone after the matching smt_pop(). An Smt
 * belongs to one thread. Making terms costs next to nothing and asserting them neither: all is sent with the next
 * question. One that exceeds its budget is interrupted; when Z3 does not hear, its process is killed, and every further
 * answer of this Smt is SAT_UNKNOWN. */
#pragma once
#include "base/budget.h"
#include "sat/sat.h"

typedef struct Smt Smt;
typedef uint32_t SmtTerm;

Smt *smt_new(bool integers);
void smt_free(Smt *smt);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Smt, smt_free)

SmtTerm smt_variable(Smt *smt);
/* One that may be negative. */
SmtTerm smt_signed_variable(Smt *smt);
/* constant + sum of coefficients[i] * variables[i]. */
SmtTerm smt_sum(Smt *smt, const SmtTerm *variables, const int64_t *coefficients, size_t n, int64_t constant);

SmtTerm smt_at_most(Smt *smt, SmtTerm sum, int64_t bound);
SmtTerm smt_at_least(Smt *smt, SmtTerm sum, int64_t bound);
SmtTerm smt_and(Smt *smt, const SmtTerm *formulas, size_t n);
SmtTerm smt_or(Smt *smt, const SmtTerm *formulas, size_t n);

void smt_push(Smt *smt);
void smt_pop(Smt *smt);
void smt_assert(Smt *smt, SmtTerm formula);
SatAnswer smt_solve(Smt *smt, Budget *budget);

/* A new proposition that, when assumed, makes the formula hold. */
SmtTerm smt_guard(Smt *smt, SmtTerm formula);
/* Solves with these propositions true; they are forgotten afterwards. */
SatAnswer smt_solve_assuming(Smt *smt, const SmtTerm *propositions, size_t n, Budget *budget);
/* After SAT_NO of smt_solve_assuming(): is the proposition one of those that are contradictory together? */
bool smt_failed(const Smt *smt, SmtTerm proposition);

/* After SAT_YES: the value of a variable or sum as a fraction; false when it does not fit 64 bits. */
bool smt_value(Smt *smt, SmtTerm sum, int64_t *numerator, int64_t *denominator);
