/* The queries of a contest run that a portfolio answers together: reachability of several goals, bounds of several
 * sums. */
#pragma once
#include "batch/contest_tell.h"
#include "prop/property.h"

void contest_ask_deadlock(Contest *contest);
void contest_ask_formulas(Contest *contest, const PropertySet *set);
void contest_ask_bounds(Contest *contest, const PropertySet *set);
