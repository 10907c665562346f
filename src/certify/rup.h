/* A checker of clausal proofs: every lemma must follow by unit propagation from the clauses before it (RUP), and
 * the empty clause must follow at the end. Deletions are followed where they cannot hurt: dropping a clause only makes
 * later lemmas harder to justify, so any set of deletions is sound.
 *
 * Proofs are in binary DRAT as CaDiCaL writes it: 'a' or 'd', then literals as variable-length numbers 2v or 2v+1, then
 * 0. Lemmas that need the RAT rule are refused. */
#pragma once
#include "base/budget.h"
#include "certify/cnf.h"

/* True when the proof refutes the clauses. Otherwise *problem says why (owned by the caller). */
bool rup_check(const Cnf *cnf, const uint8_t *proof, size_t len, Budget *budget, char **problem);
