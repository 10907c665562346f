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
} Commute;

/* a is enabled at the state, which is restored. COMMUTE_YES when firing does not fit the layout. */
Commute commute_after(const Lts *lts, uint64_t *state, uint32_t a, uint32_t b, uint64_t *scratch);
/* The first doubtful pair of the relation that does not commute at the state: *a fires there, *b is
 * disturbed by it (or both orders differ). scratch: 2 * state_words words. */
Commute commute_check(const Lts *lts, const Indep *indep, uint64_t *state, uint64_t *scratch, uint32_t *a, uint32_t *b);
