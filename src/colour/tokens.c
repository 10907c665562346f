#include "colour/tokens.h"

#include "base/hash.h"

#include <assert.h>

enum { FIRST_SIZE = 16 };

void tokens_init(Tokens *t, const Sorts *sorts, uint32_t sort)
{
    *t = (Tokens){.sorts = sorts, .sort = sort, .n_leaves = sort_at(sorts, sort)->n_leaves, .mask = FIRST_SIZE - 1};
    t->table = g_new0(uint32_t, FIRST_SIZE);
}

void tokens_clear(Tokens *t)
{
    vec_free(&t->colours);
    vec_free(&t->leaves);
    g_free(t->table);
    for (size_t i = 0; i < t->indices.len; i++) {
        g_free(t->indices.data[i].keys);
        g_free(t->indices.data[i].first);
        vec_free(&t->indices.data[i].next);
    }
    vec_free(&t->indices);
}

static uint32_t slot_of(const Tokens *t, uint64_t colour)
{
    uint32_t slot = (uint32_t)hash_mix(colour) & t->mask;
    while (t->table[slot] && t->colours.data[t->table[slot] - 1] != colour) slot = (slot + 1) & t->mask;
    return slot;
}

static void grow(Tokens *t)
{
    g_free(t->table);
    t->mask = 2 * t->mask + 1;
    t->table = g_new0(uint32_t, (size_t)t->mask + 1);
    for (uint32_t i = 0; i < t->colours.len; i++) t->table[slot_of(t, t->colours.data[i])] = i + 1;
}

uint32_t tokens_find(const Tokens *t, uint64_t colour)
{
    return t->table[slot_of(t, colour)] - 1;
}

uint32_t tokens_add(Tokens *t, uint64_t colour)
{
    uint32_t slot = slot_of(t, colour);
    if (t->table[slot]) return t->table[slot] - 1;
    vec_push(&t->colours, colour);
    vec_reserve(&t->leaves, t->leaves.len + t->n_leaves);
    sort_split(t->sorts, t->sort, colour, vec_from(&t->leaves, t->leaves.len));
    t->leaves.len += t->n_leaves;
    t->table[slot] = (uint32_t)t->colours.len;
    if (t->colours.len * 3 / 2 > t->mask) grow(t);
    return (uint32_t)t->colours.len - 1;
}

/* ---- indices ---- */

uint32_t tokens_index(Tokens *t, uint64_t leaves)
{
    assert(!t->known);
    for (uint32_t i = 0; i < t->indices.len; i++)
        if (t->indices.data[i].leaves == leaves) return i;
    TokenIndex index = {.leaves = leaves, .mask = FIRST_SIZE - 1};
    index.keys = g_new(uint64_t, FIRST_SIZE);
    index.first = g_new0(uint32_t, FIRST_SIZE);
    vec_push(&t->indices, index);
    return (uint32_t)t->indices.len - 1;
}

static uint32_t key_slot(const TokenIndex *index, uint64_t key)
{
    uint32_t slot = (uint32_t)hash_mix(key) & index->mask;
    while (index->first[slot] && index->keys[slot] != key) slot = (slot + 1) & index->mask;
    return slot;
}

static void grow_index(TokenIndex *index)
{
    uint64_t *keys = index->keys;
    uint32_t *first = index->first, size = index->mask + 1;
    index->mask = 2 * index->mask + 1;
    index->keys = g_new(uint64_t, (size_t)index->mask + 1);
    index->first = g_new0(uint32_t, (size_t)index->mask + 1);
    for (uint32_t i = 0; i < size; i++) {
        if (!first[i]) continue;
        uint32_t slot = key_slot(index, keys[i]);
        index->keys[slot] = keys[i];
        index->first[slot] = first[i];
    }
    g_free(keys);
    g_free(first);
}

static void enter(Tokens *t, TokenIndex *index, uint32_t token)
{
    const uint32_t *leaves = tokens_leaves(t, token);
    uint64_t key = 0;
    for (uint32_t i = 0; i < t->n_leaves; i++)
        if (index->leaves >> i & 1) key = key * sort_leaf_size(t->sorts, t->sort, i) + leaves[i];
    uint32_t slot = key_slot(index, key);
    vec_push(&index->next, index->first[slot]);
    if (!index->first[slot]) index->n_keys++;
    index->keys[slot] = key;
    index->first[slot] = token + 1;
    if (index->n_keys * UINT64_C(3) / 2 > index->mask) grow_index(index);
}

uint32_t tokens_learn(Tokens *t)
{
    if (t->known == t->colours.len) return TOKEN_NONE;
    for (size_t i = 0; i < t->indices.len; i++) enter(t, &t->indices.data[i], t->known);
    return t->known++;
}

uint32_t tokens_first(const Tokens *t, uint32_t index, uint64_t key)
{
    const TokenIndex *x = &t->indices.data[index];
    return x->first[key_slot(x, key)] - 1;
}
