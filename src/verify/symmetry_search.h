/* Finds symmetries (lts/symmetry.h) of a query's net that keep its goal too: automorphisms of the graph of net and
 * formula. Each was checked edge by edge. All together need not generate every one there is.
 *
 * A place is chosen, one symmetry looked for that takes it to each other place of its cell, the place is fixed, and so
 * on among those that remain. Where the fixed place tells none of the others apart, as with processes that are all
 * alike, one that exchanges neighbours is enough: such symmetries sort. Each is looked for on two partitions at once,
 * which go apart as little as possible, so that what need not move stays. */
#pragma once
#include "lts/symmetry.h"
#include "verify/engine.h"

/* NULL: none was found, within the budget or at all. */
Symmetry *symmetry_search(const Query *query, Budget *budget);
