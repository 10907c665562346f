#include "unfold/champions.h"

#include "base/bitset.h"
#include "base/hash.h"

#include <assert.h>

void champions_init(Champions *champions, uint32_t words)
{
    *champions = (Champions){.words = words, .table_mask = 255};
    champions->table = g_new0(uint32_t, champions->table_mask + 1);
}

void champions_clear(Champions *champions)
{
    vec_free(&champions->slots);
    vec_free(&champions->markings);
    g_free(champions->table);
}

uint32_t champions_find(const Champions *champions, const uint64_t *marking, uint64_t hash)
{
    for (uint32_t i = (uint32_t)hash & champions->table_mask; champions->table[i];
         i = (i + 1) & champions->table_mask) {
        uint32_t slot = champions->table[i] - 1;
        if (champions->slots.data[slot].hash == hash &&
            bitset_equal(champions_marking(champions, slot), marking, champions->words))
            return slot;
    }
    return CHAMPION_NO_SLOT;
}

static void insert(Champions *champions, uint32_t slot)
{
    uint32_t i = (uint32_t)champions->slots.data[slot].hash & champions->table_mask;
    while (champions->table[i]) i = (i + 1) & champions->table_mask;
    champions->table[i] = slot + 1;
}

static void grow(Champions *champions)
{
    champions->table_mask = champions->table_mask * 2 + 1;
    g_free(champions->table);
    champions->table = g_new0(uint32_t, (size_t)champions->table_mask + 1);
    for (uint32_t slot = 0; slot < champions->slots.len; slot++) insert(champions, slot);
}

uint32_t champions_add(Champions *champions, const uint64_t *marking, uint64_t hash, bool listed)
{
    assert(!listed || champions_find(champions, marking, hash) == CHAMPION_NO_SLOT);
    uint32_t slot = (uint32_t)champions->slots.len;
    vec_push(&champions->slots, ((ChampionSlot){.hash = hash}));
    vec_append(&champions->markings, marking, champions->words);
    if (!listed) return slot;
    if (slot >= champions->table_mask / 4 * 3)
        grow(champions);
    else
        insert(champions, slot);
    return slot;
}
