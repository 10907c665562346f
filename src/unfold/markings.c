#include "unfold/markings.h"

void markings_init(Markings *markings, uint32_t words, bool shared)
{
    *markings = (Markings){.words = words, .table_mask = 255, .shared = shared};
    if (shared) {
        bittree_init(&markings->tree, words);
        markings->unpacked = g_new(uint64_t, (size_t)words + 1);
    }
    markings->table = g_new0(uint32_t, markings->table_mask + 1);
}

void markings_clear(Markings *markings)
{
    vec_free(&markings->slots);
    vec_free(&markings->bits);
    vec_free(&markings->roots);
    if (markings->shared) bittree_clear(&markings->tree);
    g_free(markings->unpacked);
    g_free(markings->table);
}

static void grow(Markings *markings)
{
    markings->table_mask = markings->table_mask * 4 + 3;
    g_free(markings->table);
    markings->table = g_new0(uint32_t, (size_t)markings->table_mask + 1);
    for (uint32_t slot = 0; slot < markings->slots.len; slot++) {
        uint32_t i = (uint32_t)markings->slots.data[slot].hash & markings->table_mask;
        while (markings->table[i]) i = (i + 1) & markings->table_mask;
        markings->table[i] = slot + 1;
    }
}

static uint32_t add_slot(Markings *markings, uint32_t *place, uint64_t hash)
{
    uint32_t slot = (uint32_t)markings->slots.len;
    assert(slot < UINT32_MAX - 1);
    vec_push_long(&markings->slots, ((Marking){.hash = hash, .event = UINT32_MAX}));
    *place = slot + 1;
    if (slot >= markings->table_mask / 4 * 3) grow(markings);
    return slot;
}

static uint32_t put_root(Markings *markings, uint32_t root, uint64_t hash)
{
    uint32_t i = (uint32_t)hash & markings->table_mask;
    for (; markings->table[i]; i = (i + 1) & markings->table_mask)
        if (markings->roots.data[markings->table[i] - 1] == root) return markings->table[i] - 1;
    vec_push(&markings->roots, root);
    return add_slot(markings, &markings->table[i], hash);
}

uint32_t markings_put_draft(Markings *markings, uint64_t hash)
{
    const uint64_t *draft = markings->bits.data + markings->bits.len;
    const uint32_t words = markings->words;
    uint32_t i = (uint32_t)hash & markings->table_mask;
    for (; markings->table[i]; i = (i + 1) & markings->table_mask) {
        uint32_t slot = markings->table[i] - 1, same = 0;
        if (markings->slots.data[slot].hash != hash) continue;
        const uint64_t *known = markings->bits.data + (size_t)slot * words;
        while (same < words && known[same] == draft[same]) same++;
        if (same == words) return slot;
    }
    markings->bits.len += words;
    return add_slot(markings, &markings->table[i], hash);
}

uint32_t markings_put(Markings *markings, const uint64_t *marking, uint64_t hash)
{
    if (markings->shared) return put_root(markings, bittree_put(&markings->tree, marking), hash);
    memcpy(markings_draft(markings), marking, markings->words * sizeof *marking);
    return markings_put_draft(markings, hash);
}

uint32_t markings_put_changed(Markings *markings, uint32_t from, BitDelta *delta, uint64_t hash)
{
    assert(markings->shared && from < markings->roots.len);
    return put_root(markings, bittree_apply(&markings->tree, markings->roots.data[from], delta), hash);
}

const uint64_t *markings_unpack(const Markings *markings, uint32_t slot)
{
    assert(markings->shared && slot < markings->roots.len);
    bittree_get(&markings->tree, markings->roots.data[slot], markings->unpacked);
    return markings->unpacked;
}

uint32_t markings_reached(const Markings *markings)
{
    uint32_t n = 0;
    for (size_t slot = 0; slot < markings->slots.len; slot++) n += markings->slots.data[slot].event != UINT32_MAX;
    return n;
}
