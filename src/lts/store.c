#include "lts/store.h"

#include <assert.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 1 << 10, CHUNK_BYTES = 1 << 20 };

static unsigned bits_for(uint32_t n)
{
    return n ? 32 - (unsigned)__builtin_clz(n) : 0;
}

static void make_table(Store *store, uint32_t slots)
{
    store->slots = slots;
    store->limit = (uint32_t)((uint64_t)slots * 4 / 5);
    store->index_bits = bits_for(store->limit + 1);
    store->table = g_new0(uint32_t, slots);
}

void store_init(Store *store, uint32_t words)
{
    assert(words);
    *store = (Store){.words = words};
    size_t bytes = (size_t)words * sizeof(uint64_t);
    while (store->chunk_shift < 20 && bytes << (store->chunk_shift + 1) <= CHUNK_BYTES) store->chunk_shift++;
    make_table(store, FIRST_SLOTS);
}

void store_clear(Store *store)
{
    for (uint32_t i = 0; i < store->n_chunks; i++) {
        free(store->states[i]);
        free(store->values[i]);
    }
    g_free(store->states);
    g_free(store->values);
    g_free(store->table);
    *store = (Store){0};
}

static uint32_t entry_of(const Store *store, uint32_t index, uint64_t hash)
{
    if (store->index_bits >= 32) return index + 1;
    return (uint32_t)hash << store->index_bits | (index + 1);
}

/* The slot of the state, or the empty one where it belongs. */
static uint32_t slot_of(const Store *store, const uint64_t *state, uint64_t hash)
{
    uint32_t index_mask = store->index_bits >= 32 ? UINT32_MAX : ((uint32_t)1 << store->index_bits) - 1;
    uint32_t tag = entry_of(store, 0, hash) & ~index_mask;
    uint32_t slot = (uint32_t)((hash >> 32) * store->slots >> 32);
    for (;;) {
        uint32_t entry = store->table[slot];
        if (!entry) return slot;
        if ((entry & ~index_mask) == tag) {
            const uint64_t *other = store_state(store, (entry & index_mask) - 1);
            uint64_t difference = 0;
            for (uint32_t i = 0; i < store->words; i++) difference |= other[i] ^ state[i];
            if (!difference) return slot;
        }
        if (++slot == store->slots) slot = 0;
    }
}

static void reinsert(Store *store)
{
    for (uint32_t i = 0; i < store->len; i++) {
        uint64_t hash = store_hash(store, store_state(store, i));
        uint32_t slot = (uint32_t)((hash >> 32) * store->slots >> 32);
        while (store->table[slot])
            if (++slot == store->slots) slot = 0;
        store->table[slot] = entry_of(store, i, hash);
    }
}

static bool grow(Store *store, Budget *budget)
{
    uint64_t slots = (uint64_t)store->slots + (store->slots < 1 << 16 ? store->slots : store->slots / 2);
    if (slots > UINT32_MAX) slots = UINT32_MAX;
    if (slots * 4 / 5 <= store->limit || !budget_allows(budget, (slots - store->slots) * sizeof *store->table)) {
        budget_exhaust(budget, ENDING_MEMORY);
        return false;
    }
    g_free(store->table);
    make_table(store, (uint32_t)slots);
    reinsert(store);
    return true;
}

static bool add_chunk(Store *store, Budget *budget)
{
    size_t n = (size_t)1 << store->chunk_shift, bytes = n * store->words * sizeof(uint64_t);
    if (!budget_allows(budget, bytes + n * sizeof(uint32_t) + 1)) return false;
    if (!store->n_chunks || (store->n_chunks & (store->n_chunks - 1)) == 0) {
        uint32_t cap = store->n_chunks ? store->n_chunks * 2 : 1;
        store->states = g_renew(uint64_t *, store->states, cap);
        store->values = g_renew(uint32_t *, store->values, cap);
    }
    uint64_t *states = malloc(bytes);
    uint32_t *values = malloc(n * sizeof *values);
    if (!states || !values) {
        free(states);
        free(values);
        budget_exhaust(budget, ENDING_MEMORY);
        return false;
    }
    store->states[store->n_chunks] = states;
    store->values[store->n_chunks++] = values;
    return true;
}

uint32_t store_add(Store *store, const uint64_t *state, uint64_t hash, bool *fresh, Budget *budget)
{
    uint32_t slot = slot_of(store, state, hash);
    *fresh = false;
    if (store->table[slot])
        return (store->index_bits >= 32 ? store->table[slot]
                                        : store->table[slot] & (((uint32_t)1 << store->index_bits) - 1)) -
               1;
    if (store->len >= store->limit) {
        if (!grow(store, budget)) return STORE_NONE;
        slot = slot_of(store, state, hash);
    }
    if (store->len == (uint64_t)store->n_chunks << store->chunk_shift && !add_chunk(store, budget)) return STORE_NONE;
    uint32_t index = store->len++;
    memcpy(store_state(store, index), state, store->words * sizeof *state);
    *store_value(store, index) = 0;
    store->table[slot] = entry_of(store, index, hash);
    *fresh = true;
    return index;
}

uint32_t store_find(const Store *store, const uint64_t *state, uint64_t hash)
{
    uint32_t entry = store->table[slot_of(store, state, hash)];
    if (!entry) return STORE_NONE;
    return (store->index_bits >= 32 ? entry : entry & (((uint32_t)1 << store->index_bits) - 1)) - 1;
}

uint64_t store_bytes(const Store *store)
{
    uint64_t chunk = ((uint64_t)store->words * 8 + 4) << store->chunk_shift;
    return store->n_chunks * chunk + (uint64_t)store->slots * 4;
}
