/* The configurations of a merged process as models of clauses, for a process that grows: one solver that learns events
 * and conditions as they come. What is said of "all makers of a condition so far" ends in an open literal, which the
 * present generation closes and the next one may continue.
 *
 * That the chosen events can be put in an order is looked at in the model; a cycle is forbidden for ever and the
 * question asked again (cycles depend on the events in them alone). */
#pragma once
#include "unfold/merged/merged.h"

typedef struct Configs Configs;

/* Borrows the process and the budget. */
Configs *configs_new(Merged *merged, Budget *budget);
void configs_free(Configs *configs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Configs, configs_free)

/* A new generation: the events given since the last one take part, and configurations of up to `most` events can be
 * asked for. */
void configs_begin(Configs *configs, uint32_t most);
/* The event is live from the next generation on; it is no news any more. */
void configs_add(Configs *configs, uint32_t event);

/* A configuration with at most so many events (UINT32_MAX: any) that enables an event which is neither added nor ruled
 * out. Fills the run, its events in an order in which they fire, and the transition. */
SatAnswer configs_news(Configs *configs, uint32_t most, VecU32 *run, uint32_t *transition);
/* One with at most so many events and this marking, a bit set of places. */
SatAnswer configs_reach(Configs *configs, uint32_t most, const uint64_t *marking, VecU32 *run);
/* One of any size with a dead marking. */
SatAnswer configs_dead(Configs *configs, VecU32 *run);

/* Rules out configurations that begin with this one: all its events, and nobody else who reads what they take. */
void configs_forbid(Configs *configs, const VecU32 *events);
/* Rules out the transition as news with these conditions (as a row of events) after a configuration that begins so. */
void configs_forbid_news(Configs *configs, const VecU32 *events, uint32_t transition, const uint32_t *row);
