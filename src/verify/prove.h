/* Writes certificates (certify/certificate.h) for what engines proved: that the query's goal is unreachable. Each is
 * checked before it is written; false and an error when that fails or the file cannot be written. */
#pragma once
#include "certify/inductive.h"
#include "certify/linear.h"
#include "lts/explicit.h"
#include "unfold/prefix.h"
#include "verify/engine.h"

/* From a complete prefix with conditions or histories, under classic, read or loops, in the order erv. */
bool prove_by_prefix(const Query *query, const Prefix *prefix, const ProofFile *file, Budget *budget, GError **error);
/* From a completed search; stubborn: one that fired the enabled members of a set of certify/stubborn_sets.h everywhere.
 */
bool prove_by_markings(const Query *query, const Explicit *search, bool stubborn, const ProofFile *file, Budget *budget,
                       GError **error);
/* From an inductive set of clauses over the places of a safe net; takes it over. */
bool prove_by_clauses(const Query *query, Inductive *set, const ProofFile *file, Budget *budget, GError **error);
/* The query's goal is constantly false. */
bool prove_by_nothing(const Query *query, const ProofFile *file, Budget *budget, GError **error);
/* From linear inequalities over any net; takes them over. */
bool prove_by_linear(const Query *query, Linear *linear, const ProofFile *file, Budget *budget, GError **error);
