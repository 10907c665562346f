/* A set of states, numbered from 0 in order of arrival, with one 32-bit value each (the parent, say).
 * States of `words` 64-bit words lie in chunks that never move. The hash table holds the numbers only, in
 * 32 bits together with as many bits of the hash as are left; it is rebuilt from the states when it grows, so
 * that never two tables exist. Cost per state: its words, 4 bytes, and 5 to 9 bytes of table. */
#pragma once
#include "base/budget.h"
#include "base/hash.h"

#include <string.h>

#define STORE_NONE UINT32_MAX

typedef struct Store {
    uint32_t words, len;
    unsigned chunk_shift; /* log2 of the states per chunk */
    uint64_t **states;
    uint32_t **values;
    uint32_t n_chunks;
    uint32_t *table, slots, limit; /* limit: states until it grows */
    unsigned index_bits;
} Store;

void store_init(Store *store, uint32_t words);
void store_clear(Store *store);

static inline uint64_t *store_state(const Store *store, uint32_t i)
{
    uint32_t mask = ((uint32_t)1 << store->chunk_shift) - 1;
    return store->states[i >> store->chunk_shift] + (size_t)(i & mask) * store->words;
}
static inline uint32_t *store_value(const Store *store, uint32_t i)
{
    return &store->values[i >> store->chunk_shift][i & (((uint32_t)1 << store->chunk_shift) - 1)];
}
static inline uint64_t store_hash(const Store *store, const uint64_t *state)
{
    return hash_words(state, store->words);
}
static inline void store_prefetch(const Store *store, uint64_t hash)
{
    __builtin_prefetch(&store->table[(hash >> 32) * store->slots >> 32]);
}

/* The state's number; *fresh says whether it is new (its value is then 0). STORE_NONE when it is new and the
 * budget's memory (or 2^32 - 2 states) does not allow it; which ends the budget then. */
uint32_t store_add(Store *store, const uint64_t *state, uint64_t hash, bool *fresh, Budget *budget);
/* STORE_NONE when it is not there. */
uint32_t store_find(const Store *store, const uint64_t *state, uint64_t hash);
uint64_t store_bytes(const Store *store);
