/* Which places share a level of the decision diagram, and which level is above which. Places of one unit (a NUPN unit,
 * or a place invariant with one token) share one: a level then has one value per place, where single places would need
 * as many levels. The order keeps the levels that a transition touches near each other, and low: it is found by
 * moving each to the centre of what it meets (FORCE: Aloul, Markov, Sakallah 2003), from several starting points. */
#pragma once
#include "base/budget.h"
#include "base/vec.h"
#include "net/net.h"

typedef enum { LEVELS_SINGLE, LEVELS_UNITS, N_LEVELS_GROUPINGS } LevelsGrouping;
typedef enum { LEVELS_FORCE, LEVELS_FILE, LEVELS_SEARCH, N_LEVELS_ORDERS } LevelsOrder;

typedef struct Levels {
    uint32_t n;
    uint32_t *of_place; /* NET_NONE: no firing changes its count */
} Levels;

/* NULL: the budget ended. */
Levels *levels_new(const Net *net, LevelsGrouping grouping, LevelsOrder order, Budget *budget);
void levels_free(Levels *levels);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Levels, levels_free)
