/* Sets of growing numbers as lists of non-empty 64-bit words: members are added in increasing order.
 * `first` is the caller's; of a set that only sparse_add_counted() adds to it counts the members before the word, so
 * that a parallel array can be indexed by member. */
#pragma once
#include "base/bisect.h"

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
    uint32_t word = i / 64;
    if (set->len && set->at[set->len - 1].word == word) {
        assert(set->at[set->len - 1].mask < bit);
        set->at[set->len - 1].mask |= bit;
        return;
    }
    assert(!set->len || set->at[set->len - 1].word < word);
    if (set->len == set->cap) {
        set->cap = set->cap ? set->cap * 2 : 2;
        set->at = g_realloc_n(set->at, set->cap, sizeof *set->at);
    }
    set->at[set->len++] = (SparseWord){bit, word, 0};
}

static inline void sparse_add_counted(Sparse *set, uint32_t i)
{
    uint32_t before = set->len;
    sparse_add(set, i);
    if (set->len == before || !before) return;
    const SparseWord *last = &set->at[before - 1];
    set->at[before].first = last->first + (uint32_t)__builtin_popcountll(last->mask);
}

/* The index of the first word that is not below `word`. */
static inline uint32_t sparse_find(const Sparse *set, uint32_t word)
{
    uint32_t i;
    BISECT(i, 0, set->len, set->at[i].word < word);
    return i;
}

static inline bool sparse_has(const Sparse *set, uint32_t i)
{
    if (!set->len || set->at[set->len - 1].word < i / 64) return false;
    const SparseWord *at = &set->at[sparse_find(set, i / 64)];
    return at->word == i / 64 && at->mask >> (i % 64) & 1;
}
