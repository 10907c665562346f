/* The markings (states) that an unfolding has met, each once, and which configuration is kept for each: its champion,
 * the smallest local configuration with that marking, first as a candidate (a possible extension that waits for its
 * turn), later as an event. Every other candidate with the marking is a cutoff unless the order does not separate it
 * from the champion. The schedule (unfold/schedule.h) decides; this only remembers.
 *
 * Champions are told apart by numbers that are never reused; a candidate remembers the number of the champion it was or
 * tied with, and is a cutoff iff its marking has another one when its turn comes.
 *
 * Markings are kept flat, word by word, or shared: by what distinguishes them from others (unfold/bittree.h), for nets
 * with so many places that a marking is much longer than a change. */
#pragma once
#include "unfold/bittree.h"

#include <assert.h>
#include <stdbool.h>

typedef struct Marking {
    uint64_t hash;
    uint32_t number; /* of the champion; 0: there is none yet */
    uint32_t size;   /* |[e]| of the champion */
    uint32_t where;  /* the champion's offset among the candidates of its size */
    uint32_t event;  /* the first event kept for the marking, UINT32_MAX as long as its champion waits */
} Marking;

typedef struct Markings {
    uint32_t words; /* per marking */
    uint32_t numbers;
    VEC(Marking) slots;
    VecU64 bits; /* flat: all markings, one after the other */
    bool shared;
    VecU32 roots; /* shared: of each marking */
    BitTree tree;
    uint64_t *unpacked;
    uint32_t *table; /* slot + 1, open addressing */
    uint32_t table_mask;
} Markings;

void markings_init(Markings *markings, uint32_t words, bool shared);
void markings_clear(Markings *markings);

/* The slot of a marking; a new one has no champion. `marking` is not one of the stored ones. */
uint32_t markings_put(Markings *markings, const uint64_t *marking, uint64_t hash);
/* Flat: room to write a marking down, and its slot then. */
static inline uint64_t *markings_draft(Markings *markings)
{
    assert(!markings->shared && markings->bits.len == markings->slots.len * markings->words);
    vec_reserve_long(&markings->bits, markings->bits.len + markings->words);
    return markings->bits.data + markings->bits.len;
}
uint32_t markings_put_draft(Markings *markings, uint64_t hash);
/* Shared: the slot of the marking that differs from another slot's by the delta, which is emptied. */
uint32_t markings_put_changed(Markings *markings, uint32_t from, BitDelta *delta, uint64_t hash);

/* Into `unpacked`, all words. */
const uint64_t *markings_unpack(const Markings *markings, uint32_t slot);

/* All words of a marking; of a shared one good until the next call. */
static inline const uint64_t *markings_get(const Markings *markings, uint32_t slot)
{
    assert(slot < markings->slots.len);
    if (markings->shared) return markings_unpack(markings, slot);
    return vec_from(&markings->bits, (size_t)slot * markings->words);
}

static inline bool markings_has(const Markings *markings, uint32_t slot, uint32_t place)
{
    uint64_t word = markings->shared ? bittree_word(&markings->tree, markings->roots.data[slot], place / 64)
                                     : markings_get(markings, slot)[place / 64];
    return word >> place % 64 & 1;
}

/* Different markings that an event, or the beginning, stands for. */
uint32_t markings_reached(const Markings *markings);
