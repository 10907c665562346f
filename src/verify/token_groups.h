/* Groups of places of a net that always hold exactly one token together: state machines, found by SAT
 * instead of from a basis of all place invariants, of which there may be exponentially many. A group has one token at
 * first, and each transition takes as many from it as it puts there.
 *
 * Places are chosen by the solver; whoever asks says what the group should be good for: to hold a place, or to have two
 * places that are marked by a marking of which one doubts that it is reachable. */
#pragma once
#include "base/vec.h"
#include "net/net.h"
#include "sat/sat.h"

typedef struct TokenGroups TokenGroups;

/* Borrows the net, whose weights are below 2^62. */
TokenGroups *token_groups_new(const Net *net, Budget *budget);
void token_groups_free(TokenGroups *groups);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TokenGroups, token_groups_free)

/* SAT_YES: a group with that place was appended to `places`, ended by NET_NONE. SAT_NO: there is none. */
SatAnswer token_groups_with(TokenGroups *groups, uint32_t place, Budget *budget, VecU32 *places);
/* The same for a group of which at least two places are marked: no reachable marking does that. */
SatAnswer token_groups_broken(TokenGroups *groups, const bool *marked, Budget *budget, VecU32 *places);
