/* Groups of places of which at most one is marked at any reachable marking, each proved: the heavy places of a place
 * invariant (any two weights together pass its token sum), and the units of a nested-unit net whose
 * token sum is at most 1 at first and raised by no transition. */
#pragma once
#include "base/budget.h"
#include "net/net.h"

typedef struct ExclusivePlaces {
    uint32_t n_groups;
    uint32_t *start, *group; /* rows: the groups of a place, at most EXCLUSIVE_GROUPS */
} ExclusivePlaces;

enum { EXCLUSIVE_GROUPS = 8 };

/* The effort is bounded; the same net gives the same groups unless the budget ends first. */
ExclusivePlaces *exclusive_places_new(const Net *net, Budget *budget);
void exclusive_places_free(ExclusivePlaces *exclusive);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ExclusivePlaces, exclusive_places_free)
