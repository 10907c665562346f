/* Data races: a reachable state in which two threads are about to access the same variable, at least
 * one of them to write it, neither inside an atomic block, an await or an assertion, and the variable
 * is not declared atomic. Plain accesses never block, so being there is being able to. */
#pragma once
#include "program/space.h"

/* A plain access that a thread is about to do. */
typedef struct RaceSite {
    uint32_t cell;
    bool writes;
    char *text; /* "reader[1]: line 12: reads x: y = x" */
} RaceSite;

/* An expression over place ids that holds exactly where two such threads are at rest, NULL when no
 * pair of states conflicts. What each place is about to do is added to `sites` (id -> RaceSite,
 * from race_sites_new()). state_place: per thread and state the place's index. */
char *race_expression(const Space *space, uint32_t *const *state_place, const char *const *place_ids,
                      GHashTable *sites);
GHashTable *race_sites_new(void);
