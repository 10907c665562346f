/* What is done around an engine that works on a smaller net (reduce/reduce.h): the portfolio does it for all of them,
 * engine unfold for itself when it is asked alone. */
#pragma once
#include "reduce/reduce.h"
#include "verify/engine.h"

/* Reducing is linear in practice; the rest of a limit belongs to the engines. */
#define REDUCED_MAKE_SHARE 0.1
#define REDUCED_MAKE_SECONDS 20.0

/* The smaller net's goal may say it all: then true, with the answer and, where one is wanted (or NULL), its proof,
 * without which it is no answer. */
bool reduced_settled(const Query *query, const EngineOptions *options, const ProofFile *proof, Budget *budget,
                     Result *result);
/* Makes the witness, if there is one, a run of the net that was reduced (NULL: it was not). False when that takes too
 * long; it is unusable then. */
bool reduced_lift(const Reduction *reduction, const Budget *budget, Result *result);
