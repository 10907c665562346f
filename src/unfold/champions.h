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

#define CHAMPION_NO_SLOT UINT32_MAX

typedef struct ChampionSlot {
    uint64_t hash;
    uint32_t number;
    uint32_t size;  /* |[e]| of the champion */
    uint32_t where; /* a waiting candidate's offset in its size class, then the event */
} ChampionSlot;

typedef struct Champions {
    uint32_t words; /* per marking */
    uint32_t numbers;
    VEC(ChampionSlot) slots;
    VecU64 markings;
    uint32_t *table; /* slot + 1, open addressing */
    uint32_t table_mask;
} Champions;

void champions_init(Champions *champions, uint32_t words);
void champions_clear(Champions *champions);

/* The slot of a marking, CHAMPION_NO_SLOT when it is new. */
uint32_t champions_find(const Champions *champions, const uint64_t *marking, uint64_t hash);
/* A slot for a new marking, without champion. `listed` is false when it shall not be found again. */
uint32_t champions_add(Champions *champions, const uint64_t *marking, uint64_t hash, bool listed);

static inline const uint64_t *champions_marking(const Champions *champions, uint32_t slot)
{
    return champions->markings.data + (size_t)slot * champions->words;
}
