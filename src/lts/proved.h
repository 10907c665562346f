/* The relation `proved`: `loops` less the pairs that place invariants or the state equation show never to interfere. t
 * and u interfere when at some marking where t is enabled, firing t makes u enabled or stops u being
 * enabled, or the other way round. Without such a reachable marking they commute at every reachable
 * one, which is what an independence relation must promise ([POET15] section 2).
 *
 * Such a pair may still touch: t can put a token that u needs, as long as it is never the last one
 * missing. So unlike in the structural relations, what enables an action may be independent of it. */
#pragma once
#include "lts/indep.h"

/* `effort` as in stateeq.h; pairs not decided in time stay dependent. PROVED_EFFORT is the usual one,
 * of the order of a second. */
#define PROVED_EFFORT UINT64_C(400000000)
Indep *proved_new(const Net *net, uint64_t effort);
