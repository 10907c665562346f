/* The parametric prefix of a net: safe, bounded, weighted, with read and inhibitor arcs, under any
 * relation. Starts with counters as narrow as the initial marking allows and begins again with wider
 * ones when a count does not fit. An unbounded net ends with a run that proves it, or with the budget. */
#pragma once
#include "unfold/unfold.h"

/* Never ends with ENDING_UNSAFE. The goal is called only as long as the net shows itself safe. */
Prefix *parametric_net_unfold(const Net *net, const UnfoldOptions *options, Budget *budget, GError **error);
