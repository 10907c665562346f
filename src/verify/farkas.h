/* Looks for a linear certificate (certify/linear.h): what the state equation with traps and siphons proves, written
 * down so that it can be checked without a solver.
 *
 * CaDiCaL proposes which tests of the goal hold, Z3 says which of these the state equation contradicts, and that
 * becomes a clause; a solution that breaks a trap or siphon fact teaches that fact, one with fractions splits cases
 * there. When the clauses are contradictory the multipliers of those that are needed are found (inequalities.h). */
#pragma once
#include "certify/linear.h"
#include "sat/sat.h"
#include "verify/engine.h"

/* SAT_NO: no reachable marking satisfies the goal, and *linear (zeroed before; NULL: not wanted) has all but the
 * clausal proof. SAT_YES: the inequalities have a solution. SAT_UNKNOWN: the budget is spent, or numbers are too large.
 * Splits: how many cases fractions may make. */
SatAnswer farkas_refute(const Query *query, uint32_t splits, Budget *budget, Linear *linear);
