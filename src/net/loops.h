/* Read arcs as loops, for formats that have none: the same markings are reached by the same firings. What is lost is
 * that readers of one place do not disturb each other, which the read-aware relations see. */
#pragma once
#include "net/net.h"

/* A copy without read arcs: t takes what it must see and puts back what it does not consume. NULL, with an error, when
 * a weight would pass 2^64 - 1. Notes, units and final markings are not copied. */
Net *loops_for_reads(const Net *net, GError **error);
