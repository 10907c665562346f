/* The atoms "sum of factor * unknown <= bound" of a linear certificate, each once and numbered in the order they come.
 * A sum whose first factor is negative is turned: -s <= b is, for integers, not s <= -b - 1. A literal is number + 1,
 * negative for "not". */
#pragma once
#include "certify/linear.h"

typedef struct Atoms Atoms;

Atoms *atoms_new(void);
void atoms_free(Atoms *atoms);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Atoms, atoms_free)

uint32_t atoms_count(const Atoms *atoms);
/* The number of an atom whose terms are sorted and begin with a positive factor; it is added when it is new. */
uint32_t atoms_number(Atoms *atoms, const LinearTerm *terms, size_t n, int64_t bound);
const LinearTerm *atoms_terms(const Atoms *atoms, uint32_t number, size_t *n);
int64_t atoms_bound(const Atoms *atoms, uint32_t number);

/* The literals of tests that a goal makes: a sum over places is at most a bound; a place has at least `weight` tokens
 * (1 to 2^63 - 1). */
int32_t atoms_at_most(Atoms *atoms, const FormulaTerm *terms, uint32_t n, int64_t bound);
int32_t atoms_tokens(Atoms *atoms, uint32_t place, uint64_t weight);
