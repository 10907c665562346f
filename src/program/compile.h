/* Concurrent program -> 1-safe net (the encoding of mazurka-program(5)):
 *
 * - a thread's resting state is a place, one of which is marked while the thread runs;
 * - a cell's value is a place; a step that reads it has a read arc, one that writes it consumes the
 *   old value's place and produces the new one's, also when both are the same;
 * - of mutexes, thread ends and the like only the values that some step asks for get places.
 *
 * Transition labels read "producer[1]: line 12: buf = buf + 1 [buf: 3 -> 4]", notes "FILE:12:5". The
 * net's `final` accepts markings where every thread has ended, was joined, was never created, or stopped with an error:
 * a deadlock is a marking without a step in which some thread wants to go on. */
#pragma once
#include "program/race.h"

#include "net/net.h"

typedef enum {
    PLACE_VALUE, /* of a variable */
    PLACE_MUTEX,
    PLACE_STATE, /* a thread at rest */
    PLACE_ERROR, /* a thread stopped by a fault */
    PLACE_ENDED,
    PLACE_OTHER, /* idle, waiting, woken */
} PlaceKind;

/* A net, and for a program what its places mean. */
typedef struct Compiled {
    Net *net;
    bool is_program;
    uint8_t *place_kind;    /* PlaceKind of each place */
    char *errors;           /* expression: some assertion failed or other fault occurred; NULL: none is possible */
    char *races;            /* expression: two threads are before conflicting accesses; NULL: no such pair */
    GHashTable *race_sites; /* place id -> RaceSite: what the thread there is about to do */
} Compiled;

/* Places where a thread stops after a fault have ids that begin so. */
#define COMPILE_ERROR_PREFIX "error_"

/* defines: NULL or a NULL-terminated list of NAME=VALUE for the program's parameters. At most max_work steps are
 * computed (SPACE_MAX_WORK), within the budget (NULL: none), at whose end the error is ERROR_SPENT. */
Compiled *compile_limited(const char *text, size_t len, const char *file, char **defines, size_t max_work,
                          Budget *budget, GError **error);
/* For tests: the same with the usual limit and no budget. */
Compiled *compile_program(const char *text, size_t len, const char *file, char **defines, GError **error);
void compile_free(Compiled *compiled);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Compiled, compile_free)
