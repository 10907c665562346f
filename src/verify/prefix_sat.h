/* Questions about a prefix, by SAT: is there a configuration without cutoffs whose marking satisfies a
 * formula? On a complete prefix that is reachability, both ways; on an unfinished one only "yes" counts.
 *
 * One variable per event: causes are in, at most one consumer per condition, and where read arcs are
 * (a reader comes before the consumer of what it read) no cycle of "comes before" among the chosen
 * events. A place is marked when one of its conditions is in the cut. An event of a read-aware prefix
 * takes part when one of its histories is no cutoff; what it adds beyond that is reachable too.
 *
 * The solver is kept, so many formulas about one prefix share what it learnt. */
#pragma once
#include "prop/formula.h"
#include "sat/sat.h"
#include "unfold/prefix.h"

typedef struct PrefixSat PrefixSat;

/* Borrows the prefix, which has conditions. Ordinary safe nets only. NULL when the budget is spent. */
PrefixSat *prefix_sat_new(const Prefix *prefix, Budget *budget);
void prefix_sat_free(PrefixSat *ps);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PrefixSat, prefix_sat_free)

/* After SAT_YES `run` holds a firing sequence to such a marking. The store's net is the prefix's. */
SatAnswer prefix_sat_reach(PrefixSat *ps, const FormulaStore *formulas, FormulaId goal, Budget *budget, VecU32 *run);
