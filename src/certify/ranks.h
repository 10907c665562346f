/* The check of a ranked set of markings: the initial one is in, every firing leads to one that is in, the goal holds at
 * those of rank 0, and from every other one some firing leads to one of smaller rank. So every reachable marking is in
 * the set, and from each the goal is reached in finitely many firings: it can always be reached again (AG EF). Uses the
 * plain firing rule of net.h. */
#pragma once
#include "certify/certificate.h"

bool ranks_check(const Net *net, const FormulaStore *store, FormulaId goal, const Certificate *certificate,
                 Budget *budget, char **problem);
