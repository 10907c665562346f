#include "unfold/markings.h"

#include "base/bitset.h"

void markings_init(Markings *markings, uint32_t words)
{
    *markings = (Markings){.words = words, .table_mask = 255};
    markings->table = g_new0(uint32_t, markings->table_mask + 1);
}

void markings_clear(Markings *markings)
{
    vec_free(&markings->slots);
    vec_free(&markings->bits);
    g_free(markings->table);
}

static void grow(Markings *markings)
{
    markings->table_mask = markings->table_mask * 2 + 1;
    g_free(markings->table);
    markings->table = g_new0(uint32_t, (size_t)markings->table_mask + 1);
    for (uint32_t slot = 0; slot < markings->slots.len; slot++) {
        uint32_t i = (uint32_t)markings->slots.data[slot].hash & markings->table_mask;
        while (markings->table[i]) i = (i + 1) & markings->table_mask;
        markings->table[i] = slot + 1;
    }
}

uint32_t markings_put(Markings *markings, const uint64_t *marking, uint64_t hash)
{
    uint32_t i = (uint32_t)hash & markings->table_mask;
    for (; markings->table[i]; i = (i + 1) & markings->table_mask) {
        uint32_t slot = markings->table[i] - 1;
        if (markings->slots.data[slot].hash == hash &&
            bitset_equal(markings_get(markings, slot), marking, markings->words))
            return slot;
    }
    uint32_t slot = (uint32_t)markings->slots.len;
    assert(slot < UINT32_MAX - 1 && markings->bits.len == (size_t)slot * markings->words);
    vec_push(&markings->slots, ((Marking){.hash = hash, .event = UINT32_MAX}));
    vec_append(&markings->bits, marking, markings->words);
    markings->table[i] = slot + 1;
    if (slot >= markings->table_mask / 4 * 3) grow(markings);
    return slot;
}

uint32_t markings_reached(const Markings *markings)
{
    uint32_t n = 0;
    for (size_t slot = 0; slot < markings->slots.len; slot++) n += markings->slots.data[slot].event != UINT32_MAX;
    return n;
}
