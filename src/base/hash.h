/* Mixing functions for hash tables and fingerprints. HASH_WRAPS marks the functions where arithmetic modulo 2^64 is
 * meant: everywhere else a wrapped number is an error, and a build with overflow checks says so. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#define HASH_WRAPS __attribute__((no_sanitize("unsigned-integer-overflow")))
#else
#define HASH_WRAPS
#endif

/* A bijection of 64-bit words with good avalanche (the finaliser of splitmix64). */
HASH_WRAPS static inline uint64_t hash_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

HASH_WRAPS static inline uint64_t hash_words(const uint64_t *words, size_t n)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15) + n;
    for (size_t i = 0; i < n; i++) h = (h ^ words[i]) * UINT64_C(0xff51afd7ed558ccd), h ^= h >> 32;
    return hash_mix(h);
}
