/* The events and conditions of a merged process, each once. */
#pragma once
#include "unfold/merged/merged.h"

/* With the initial conditions, and without events; the net is ordinary. */
Merged *merged_store_new(const Net *net, Relation relation);
/* The condition of that place and depth, which is at most one more than there are. */
uint32_t merged_store_condition(Merged *merged, uint32_t place, uint32_t depth);
/* The event of a transition with these conditions, taken, read and made ones; a new one is no live one. */
uint32_t merged_store_event(Merged *merged, uint32_t transition, const uint32_t *row, uint32_t n);
