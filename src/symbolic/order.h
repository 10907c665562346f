/* The order of levels: see levels.h. */
#pragma once
#include "symbolic/levels.h"

/* The level of each of n groups of places; NULL: the budget ended. group_of: of each place, NET_NONE: of none. */
uint32_t *symbolic_order_groups(const Net *net, const uint32_t *group_of, uint32_t n, LevelsOrder order,
                                Budget *budget);
