/* Clauses and the definitions they are made from: truth of a state formula at a marking, given literals for its
 * tests. Everything here is deterministic, so the program that makes a proof and the one that checks it see the same
 * clauses. What is written is of polynomial size; sums are exact whatever their numbers (sums.c).
 *
 * A Cnf that becomes too large, or whose budget is spent, takes no more clauses and says so: then it means nothing. */
#pragma once
#include "base/budget.h"
#include "base/vec.h"
#include "prop/formula.h"

typedef VEC(int32_t) VecI32;

typedef struct Cnf {
    int32_t n_variables;
    VecI32 literals; /* clauses one after the other, each ended by 0 */
    size_t n_clauses;
    int32_t truth; /* a literal that holds */
    Budget *budget;
    const char *stopped; /* why nothing is added any more, or NULL */
} Cnf;

/* Starts with one variable that is true. Borrows the budget. */
void cnf_init(Cnf *cnf, Budget *budget);
void cnf_clear(Cnf *cnf);
int32_t cnf_variable(Cnf *cnf);
void cnf_clause(Cnf *cnf, const int32_t *literals, size_t n);
#define cnf_clause_of(cnf, ...)                                                                                        \
    cnf_clause(cnf, (const int32_t[]){__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t))
/* A literal equivalent to the disjunction (conjunction). */
int32_t cnf_or(Cnf *cnf, const int32_t *literals, size_t n);
int32_t cnf_and(Cnf *cnf, const int32_t *literals, size_t n);
/* At most one of them holds; of linear size. */
void cnf_at_most_one(Cnf *cnf, const int32_t *literals, size_t n);

/* What a test of a marking is in the clauses: where formulas meet the way markings are encoded. */
typedef struct CnfTests {
    /* A literal for: the place has at least `weight` tokens. */
    int32_t (*tokens)(Cnf *cnf, uint32_t place, uint64_t weight, void *data);
    /* A literal for: the sum is at most the bound. */
    int32_t (*at_most)(Cnf *cnf, const FormulaTerm *terms, uint32_t n, int64_t bound, void *data);
    void *data;
} CnfTests;

/* Markings with at most one token per place: places[p] says whether p is marked. Borrows them. */
CnfTests cnf_safe_tests(int32_t *places);
/* A literal for: the sum of coefficient * [places[place] holds] is at most the bound. */
int32_t cnf_safe_at_most(Cnf *cnf, const FormulaTerm *terms, uint32_t n, int64_t bound, const int32_t *places);

/* Equivalent to: transition t is enabled. */
int32_t cnf_enabled(Cnf *cnf, const Net *net, uint32_t t, const CnfTests *tests);
/* Equivalent to the formula. */
int32_t cnf_formula(Cnf *cnf, const FormulaStore *store, FormulaId id, const CnfTests *tests);
