/* Data races: a reachable state in which two threads may next access the same variable, at least
 * one of them to write it, neither inside an atomic block, an await or an assertion, and the variable
 * is not declared atomic. Plain accesses never block, so being there is being able to. A thread at a choice may do
 * what each of its branches begins with. */
#pragma once
#include "program/space.h"

/* A plain access that a thread may do next. */
typedef struct RaceSite RaceSite;
struct RaceSite {
    uint32_t cell;
    bool writes;
    char *text;     /* "reader[1]: line 12: reads x: y = x" */
    RaceSite *next; /* another one of the same state */
};

/* An expression over place ids that holds exactly where two such threads are at rest, NULL when no
 * pair of states conflicts. What a thread at each place may do next is added to `sites` (id -> RaceSite,
 * from program_race_sites_new()). state_place: per thread and state the place's index. */
char *program_race_expression(const Space *space, uint32_t *const *state_place, const char *const *place_ids,
                              GHashTable *sites);
GHashTable *program_race_sites_new(void);
