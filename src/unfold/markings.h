/* Which configuration is kept for each marking. A slot holds a marking met so far and its champion:
 * the smallest local configuration with that marking, first as a candidate (a possible extension
 * waiting for its turn), later as an event. Every other candidate with the marking is a cutoff unless
 * the order does not separate it from the champion.
 *
 * Champions are told apart by numbers that are never reused; a candidate remembers the number of the
 * champion it was (or tied with), and is a cutoff iff the slot has another one when its turn comes. */
#pragma once
#include "base/vec.h"

#include <stdbool.h>

#define MARKINGS_NONE UINT32_MAX

typedef struct Marking {
    uint64_t hash;
    uint32_t number;
    uint32_t size;  /* |[e]| of the champion */
    uint32_t where; /* a waiting candidate's offset in its size class, then the event */
} Marking;

typedef struct Markings {
    uint32_t words; /* per marking */
    uint32_t numbers;
    VEC(Marking) slots;
    VecU64 bits;     /* all markings, one after the other */
    uint32_t *table; /* slot + 1, open addressing */
    uint32_t table_mask;
} Markings;

void markings_init(Markings *markings, uint32_t words);
void markings_clear(Markings *markings);

/* The slot of a marking, MARKINGS_NONE when it is new. */
uint32_t markings_find(const Markings *markings, const uint64_t *marking, uint64_t hash);
/* A slot for a new marking, without champion. `listed` is false when it shall not be found again. */
uint32_t markings_add(Markings *markings, const uint64_t *marking, uint64_t hash, bool listed);

static inline const uint64_t *markings_get(const Markings *markings, uint32_t slot)
{
    return markings->bits.data + (size_t)slot * markings->words;
}
