/* Solves clauses once and keeps the solver's proof when they are contradictory. CaDiCaL's C interface has no proof
 * output, so this is the one file of C++: a few lines over its own interface. */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
#include "base/budget.h"
#include "sat/sat.h"

/* literals: clauses ended by 0, `len` numbers in all. After SAT_NO *proof holds *proof_len bytes of binary DRAT, owned
 * by the caller (g_free). SAT_UNKNOWN: the budget is spent, or no temporary file could be made. */
SatAnswer sat_proof(const int32_t *literals, size_t len, Budget *budget, uint8_t **proof, size_t *proof_len);

#ifdef __cplusplus
}
#endif
