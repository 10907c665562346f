/* What pairs of places that are never marked together prove about a safe net (net/concurrency.h): that it is safe, and
 * that a goal is unreachable. They and the groups of places that hold exactly one token are an inductive set of
 * clauses, so that a certificate of that kind says it; quick where engines that search for such clauses are not. */
#pragma once
#include "verify/engine.h"

/* Writes the certificate that options ask for, or says why not. */
void exclusion_prove(const Query *query, const EngineOptions *options, Budget *budget, Result *result);
