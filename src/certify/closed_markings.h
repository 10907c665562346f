/* The check of a closed set of markings: the initial one is in, every firing leads to one that is in, none satisfies
 * the goal. By induction no reachable marking does. Uses the plain firing rule of net.h. For certificates of the kind
 * stubborn the firings of some set of stubborn_sets.h suffice at each marking. */
#pragma once
#include "certify/certificate.h"

bool closed_markings_check(const Net *net, const FormulaStore *store, FormulaId goal, const Certificate *certificate,
                           Budget *budget, char **problem);
