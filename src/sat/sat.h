/* One propositional solver: a thin interface over CaDiCaL's C functions, the only place that names
 * them. Variables are 1, 2, ...; a literal is a variable or its negative, as in DIMACS. Clauses stay
 * for ever, assumptions hold for the next sat_solve() only, so one Sat answers many questions about
 * the same formula. Nothing here is shared between Sats. */
#pragma once
#include "base/budget.h"

typedef struct Sat Sat;
typedef int SatLit;

typedef enum { SAT_UNKNOWN, SAT_YES, SAT_NO } SatAnswer;

Sat *sat_new(void);
void sat_free(Sat *sat);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Sat, sat_free)

/* A fresh variable. */
SatLit sat_variable(Sat *sat);
/* n fresh variables with consecutive numbers; returns the first (the next one to come when n is 0). */
SatLit sat_variables(Sat *sat, int n);

/* The disjunction of n literals; n = 0 is false for ever. */
void sat_clause(Sat *sat, const SatLit *literals, size_t n);
/* One clause given as its literals. */
#define sat_clause_of(sat, ...)                                                                                        \
    sat_clause(sat, (const SatLit[]){__VA_ARGS__}, sizeof((const SatLit[]){__VA_ARGS__}) / sizeof(SatLit))
/* A clause given literal by literal: sat_add(..., l) several times, then sat_add(..., 0). */
void sat_add(Sat *sat, SatLit literal);
/* At most one of the literals holds: pairwise for few, with a product of fresh variables for many. */
void sat_at_most_one(Sat *sat, const SatLit *literals, size_t n);

/* Between these two, clauses are made at the cost of the budget (outlives sat_end(); may be NULL): once it is spent
 * none is taken any more. sat_end() is false when clauses were left out so; what they were to define must not be relied
 * on. */
void sat_begin(Sat *sat, Budget *budget);
bool sat_end(Sat *sat);
/* Are clauses left out now? For loops that make more than one clause per step. */
bool sat_spent(const Sat *sat);

/* Assumed in the next sat_solve(), then forgotten. */
void sat_assume(Sat *sat, SatLit literal);
/* Solves under the assumptions. SAT_UNKNOWN when the budget (may be NULL) was spent; its reason says
 * why. The solver looks at the budget's clock, memory and flags itself, so a long run stops soon after its limit. */
SatAnswer sat_solve(Sat *sat, Budget *budget);
/* After SAT_YES: does the literal hold in the model? */
bool sat_value(Sat *sat, SatLit literal);
/* After SAT_NO: was this assumption needed for the refutation? */
bool sat_failed(Sat *sat, SatLit assumption);

/* For tests: how much was asked so far, */
uint64_t sat_solves(const Sat *sat);
/* For tests: and said. */
uint64_t sat_clauses(const Sat *sat);
int sat_variable_count(const Sat *sat);
