/* Which enabled action a search goes on with. Any choice is right; it decides how much has to be remembered, since a
 * race is kept, with what reverses it, at the node whose event it reverses, until that event's subtree is done.
 *
 * First come actions that nothing can disable: they have no races. Then the action whose latest cause was added last,
 * so that a thread of control is followed as far as it goes; what it races with is then mostly enabled beside it. Among
 * equals (threads that just began) the one that depends on most others: its races are found above those of the others.
 * On programs with mutexes that keeps some hundred events where the least action first keeps one per trace
 * (bench/explore).
 *
 * Cutoffs want small configurations early instead: then the least action comes. So it does with k-partial alternatives,
 * which are there to be compared with the published ones: in the order above they hardly ever block. */
#pragma once
#include "lts/netlts.h"
#include "pes/config.h"

typedef struct Choice {
    uint64_t *undisturbed; /* set of actions: nothing can ever disable them */
    bool least;
} Choice;

/* net is the same as lts, or NULL when it is not a net. */
void choice_init(Choice *choice, const Lts *lts, const NetLts *net, bool least);
void choice_clear(Choice *choice);
/* Of the actions enabled at C but not in `without`; EVENT_NONE when there is none. */
uint32_t choice_next(const Choice *choice, const Config *config, const uint64_t *enabled, const uint64_t *without);
