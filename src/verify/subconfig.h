/* Is a goal true at the marking of some sub-configuration? The explored configurations are not the reachable markings
 * (mazurka-theory(7), trap 1); their sub-configurations are, and one configuration has too many of them to list. So it
 * is a SAT question: one variable per event, causes included, and every count is linear in them. Any bounded net. */
#pragma once
#include "pes/config.h"
#include "sat/sat.h"
#include "verify/engine.h"

/* After SAT_YES `run` leads to such a marking. SAT_UNKNOWN: the budget is spent. */
SatAnswer subconfig_reach(const Query *query, const Config *config, Budget *budget, VecU32 *run);
