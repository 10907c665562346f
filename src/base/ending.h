/* How a computation ended: one word for all that compute, from the innermost loop to what users read. */
#pragma once
#include <stdbool.h>

typedef enum {
    ENDING_COMPLETE, /* nothing was left to do; of a Budget: it has not ended anything */
    ENDING_GOAL,     /* what was looked for was found */
    /* A limit of the Budget: more of it might have led further. */
    ENDING_TIME,
    ENDING_MEMORY,
    ENDING_EVENTS,
    ENDING_STOPPED, /* Ctrl-C, SIGTERM, a caller that cancels, or a rival engine was first */
    /* A fact about the input: more time would not help. */
    ENDING_UNSAFE,    /* a place got a second token, and the engine needs safe nets */
    ENDING_UNBOUNDED, /* a run covers its own marking strictly: no finite state space */
    ENDING_ENDLESS,   /* without cutoffs: a run comes back to its own marking */
    ENDING_REFUTED,   /* the relation is wrong: two actions that it calls independent do not commute */
    ENDING_OVERFLOW,  /* a count does not fit: the layout (begin again with a wider one), or 64 bits */
} Ending;

static inline bool ending_is_limit(Ending ending)
{
    return ending >= ENDING_TIME && ending <= ENDING_STOPPED;
}

/* "time limit", "memory limit", "event limit", "stopped", "unsafe", "unbounded", ...; "" for the first two. */
const char *ending_text(Ending ending);
