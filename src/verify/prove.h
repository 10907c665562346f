/* Writes certificates (certify/certificate.h) for what engines proved: that the query's goal is unreachable. Each is
 * checked before it is written; false and an error when that fails or the file cannot be written. */
#pragma once
#include "certify/certificate.h"
#include "certify/inductive.h"
#include "certify/linear.h"
#include "certify/pump.h"
#include "lts/explicit.h"
#include "unfold/prefix.h"
#include "verify/engine.h"

/* Puts a certificate that was checked where it should go: a file, or memory. */
bool prove_keep(const Certificate *certificate, const Net *net, const ProofFile *file, GError **error);

/* From a complete prefix with conditions or histories, under classic, read or loops, in the order erv. */
bool prove_by_prefix(const Query *query, const Prefix *prefix, const ProofFile *file, Budget *budget, GError **error);
/* From a completed search; stubborn: one that fired the enabled members of a set of certify/stubborn_sets.h everywhere,
 * as it must have done where it has symmetries. */
bool prove_by_markings(const Query *query, const Explicit *search, bool stubborn, const ProofFile *file, Budget *budget,
                       GError **error);
/* From an inductive set of clauses over the places of a safe net; takes it over. */
bool prove_by_clauses(const Query *query, Inductive *set, const ProofFile *file, Budget *budget, GError **error);
/* From groups, traps and sums of any net (certify/facts.h); takes them over. */
bool prove_by_facts(const Query *query, Inductive *set, Linear *sums, const ProofFile *file, Budget *budget,
                    GError **error);
/* The query's goal is constantly false. */
bool prove_by_nothing(const Query *query, const ProofFile *file, Budget *budget, GError **error);
/* From linear inequalities over any net; takes them over. */
bool prove_by_linear(const Query *query, Linear *linear, const ProofFile *file, Budget *budget, GError **error);
/* That a sum of places has no bound; takes the pump over. */
bool prove_by_pump(const Net *net, const VecU32 *places, Pump *pump, const ProofFile *file, Budget *budget,
                   GError **error);
