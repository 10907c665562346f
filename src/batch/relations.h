/* How much each independence relation buys over a whole set of nets: `batch --compare-relations` unfolds every net
 * under each relation (ids events, conditions, cutoffs) and this module reads
 * the ratios off the rows. */
#pragma once
#include "batch/row.h"

/* A line per net with its events under each relation, then for each relation the number of nets it finished, and the
 * geometric mean of events relative to classic over the nets where both finished. */
void relations_print(const Rows *rows, GString *out);
