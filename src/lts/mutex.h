/* Groups of places of which at most one is marked at any reachable marking, each proved: the heavy places of a place
 * invariant (any two weights together pass its token sum), and the units of a nested-unit net whose
 * token sum is at most 1 at first and raised by no transition. */
#pragma once
#include "base/budget.h"
#include "net/net.h"

typedef struct Mutex {
    uint32_t n_groups;
    uint32_t *start, *group; /* rows: the groups of a place, at most MUTEX_GROUPS */
} Mutex;

enum { MUTEX_GROUPS = 8 };

/* The effort is bounded; the same net gives the same groups unless the budget ends first. */
Mutex *mutex_new(const Net *net, Budget *budget);
void mutex_free(Mutex *mutex);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Mutex, mutex_free)
