#include "unfold/markings.h"

#include "base/bitset.h"
#include "base/hash.h"

#include <assert.h>

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

uint32_t markings_find(const Markings *markings, const uint64_t *marking, uint64_t hash)
{
    for (uint32_t i = (uint32_t)hash & markings->table_mask; markings->table[i]; i = (i + 1) & markings->table_mask) {
        uint32_t slot = markings->table[i] - 1;
        if (markings->slots.data[slot].hash == hash &&
            bitset_equal(markings_get(markings, slot), marking, markings->words))
            return slot;
    }
    return MARKINGS_NONE;
}

static void insert(Markings *markings, uint32_t slot)
{
    uint32_t i = (uint32_t)markings->slots.data[slot].hash & markings->table_mask;
    while (markings->table[i]) i = (i + 1) & markings->table_mask;
    markings->table[i] = slot + 1;
}

static void grow(Markings *markings)
{
    markings->table_mask = markings->table_mask * 2 + 1;
    g_free(markings->table);
    markings->table = g_new0(uint32_t, (size_t)markings->table_mask + 1);
    for (uint32_t slot = 0; slot < markings->slots.len; slot++) insert(markings, slot);
}

uint32_t markings_add(Markings *markings, const uint64_t *marking, uint64_t hash, bool listed)
{
    assert(!listed || markings_find(markings, marking, hash) == MARKINGS_NONE);
    uint32_t slot = (uint32_t)markings->slots.len;
    vec_push(&markings->slots, ((Marking){.hash = hash}));
    vec_append(&markings->bits, marking, markings->words);
    if (!listed) return slot;
    if (slot >= markings->table_mask / 4 * 3)
        grow(markings);
    else
        insert(markings, slot);
    return slot;
}
