/* Bit sets as bare arrays of 64-bit words; the caller knows the number of words. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline size_t bitset_words(size_t n_bits)
{
    return (n_bits + 63) / 64;
}
static inline bool bitset_get(const uint64_t *set, size_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}
static inline void bitset_set(uint64_t *set, size_t i)
{
    set[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline void bitset_clear(uint64_t *set, size_t i)
{
    set[i / 64] &= ~((uint64_t)1 << (i % 64));
}
static inline bool bitset_meets(const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (a[i] & b[i]) return true;
    return false;
}
static inline void bitset_or(uint64_t *to, const uint64_t *from, size_t words)
{
    for (size_t i = 0; i < words; i++) to[i] |= from[i];
}
static inline bool bitset_equal(const uint64_t *a, const uint64_t *b, size_t words)
{
    return memcmp(a, b, words * sizeof *a) == 0;
}
/* The members of one word, inline: without a processor's own instruction the builtin is a call. */
static inline uint32_t bitset_count_word(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}
static inline size_t bitset_count(const uint64_t *set, size_t words)
{
    size_t n = 0;
    for (size_t i = 0; i < words; i++)
        if (set[i]) n += (size_t)__builtin_popcountll(set[i]); /* sets are sparse, and counting is a call */
    return n;
}
static inline bool bitset_any(const uint64_t *set, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (set[i]) return true;
    return false;
}
/* The least member that is not in `without`, or UINT32_MAX. */
static inline uint32_t bitset_least_outside(const uint64_t *set, const uint64_t *without, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (set[i] & ~without[i]) return (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(set[i] & ~without[i]);
    return UINT32_MAX;
}
/* The i-th of several sets in one array. */
static inline uint64_t *bitset_row(uint64_t *rows, size_t i, size_t words)
{
    return rows + i * words;
}
/* The greatest member, or UINT32_MAX. */
static inline uint32_t bitset_highest(const uint64_t *set, size_t words)
{
    for (size_t w = words; w--;)
        if (set[w]) return (uint32_t)(w * 64 + 63) - (uint32_t)__builtin_clzll(set[w]);
    return UINT32_MAX;
}

/* The least member among `*rest`, the unvisited part of word `*word`, and the words after it. */
static inline __attribute__((always_inline)) bool bitset_least(const uint64_t *set, size_t words, size_t *word,
                                                               uint64_t *rest, size_t *member)
{
    while (!*rest) {
        if (++*word >= words) return false;
        *rest = set[*word];
    }
    *member = *word * 64 + (size_t)__builtin_ctzll(*rest);
    return true;
}

/* for (BITSET_EACH(i, set, words)) visits the members in increasing order. The set is read word by
 * word: clearing the current bit inside the loop is fine. */
#define BITSET_EACH(i, set, words)                                                                                     \
    size_t w_##i = 0, i = 0, b_##i = (words) ? (set)[0] : 0;                                                           \
    bitset_least(set, words, &w_##i, &b_##i, &i);                                                                      \
    b_##i &= b_##i - 1
