/* Sets of growing numbers as lists of non-empty 64-bit words: members are added in increasing order.
 * `first` counts the members before the word, so that a parallel array can be indexed by member. */
#pragma once
#include <assert.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct SparseWord {
    uint64_t mask;
    uint32_t word, first;
} SparseWord;

typedef struct Sparse {
    SparseWord *at;
    uint32_t len, cap;
} Sparse;

static inline void sparse_add(Sparse *set, uint32_t i)
{
    uint64_t bit = (uint64_t)1 << (i % 64);
    uint32_t word = i / 64, first = 0;
    if (set->len) {
        SparseWord *last = &set->at[set->len - 1];
        assert(last->word < word || (last->word == word && last->mask < bit));
        if (last->word == word) {
            last->mask |= bit;
            return;
        }
        first = last->first + (uint32_t)__builtin_popcountll(last->mask);
    }
    if (set->len == set->cap) {
        set->cap = set->cap ? set->cap * 2 : 2;
        set->at = g_realloc_n(set->at, set->cap, sizeof *set->at);
    }
    set->at[set->len++] = (SparseWord){bit, word, first};
}

/* The index of the first word that is not below `word`. */
static inline uint32_t sparse_find(const Sparse *set, uint32_t word)
{
    uint32_t low = 0, high = set->len;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (set->at[middle].word < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline bool sparse_has(const Sparse *set, uint32_t i)
{
    if (!set->len || set->at[set->len - 1].word < i / 64) return false;
    const SparseWord *at = &set->at[sparse_find(set, i / 64)];
    return at->word == i / 64 && at->mask >> (i % 64) & 1;
}
