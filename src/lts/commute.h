/* Whether two actions commute at a state ([POET15] section 2, both directions): firing one neither enables
 * nor disables the other, and when both are enabled both orders end in the same state. */
#pragma once
#include "lts/indep.h"
#include "lts/lts.h"

typedef enum {
    COMMUTE_YES,
    COMMUTE_DISABLES, /* b is enabled, but not after a */
    COMMUTE_ENABLES,  /* b is not enabled, but is after a */
    COMMUTE_DIFFERS,  /* both orders run and end in different states */
    COMMUTE_UNKNOWN,  /* a firing does not fit the layout of states: nothing is known before a wider one is tried */
} Commute;

/* a is enabled at the state, which is restored. Only what was shown is COMMUTE_YES; whether b disturbs a is asked with
 * the roles exchanged. */
Commute commute_after(const Lts *lts, uint64_t *state, uint32_t a, uint32_t b, uint64_t *scratch);
/* The first doubtful pair of the relation that does not commute at the state: *a fires there, *b is
 * disturbed by it (or both orders differ). COMMUTE_UNKNOWN when there is none but one that could not be told.
 * scratch: 2 * state_words words. */
Commute commute_check(const Lts *lts, const Indep *indep, uint64_t *state, uint64_t *scratch, uint32_t *a, uint32_t *b);
