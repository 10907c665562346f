/* What groups, traps and sums prove about all reachable markings of any net: weighted, unsafe, with read and inhibitor
 * arcs.
 *
 *   group   its places hold exactly one token together, at first and, as no transition changes their sum, for ever;
 *   trap    one of its places has as many tokens as it is named there (once, most often): at first, and each transition
 *           that lowers one of its places leaves so many on one of them (it puts them there, or asks for more than it
 *           takes);
 *   sum     of places that are all in groups, each with a factor: it has a value at first, which no transition changes.
 *
 * They are checked here, arc by arc. What is written down as clauses says that some marking keeps all of them and
 * satisfies the goal; there is a variable per place that says whether it has a token. A test for more than one token,
 * and a sum, is known where all its places are in groups. Elsewhere such a test is a variable too, which implies that
 * the place has a token, and the same for the same test of the same place; a sum may come out either way. */
#pragma once
#include "certify/inductive.h"
#include "certify/linear.h"

/* The set: places p of which least[p] tokens are asked, where that is not 0. Whenever t fires, has one so many
 * afterwards? */
bool facts_leaves_token(const Net *net, uint32_t t, const uint64_t *least);

/* The traps are the set's clauses, the sums the atoms and their bounds. Fills an initialised Cnf. False: *problem says
 * what is wrong. */
bool facts_clauses(const Net *net, const Inductive *set, const Linear *sums, const FormulaStore *store, FormulaId goal,
                   Cnf *cnf, char **problem);
