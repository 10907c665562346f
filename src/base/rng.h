/* A small seeded generator (splitmix64): same seed, same sequence, on every machine. */
#pragma once
#include "base/hash.h"

typedef struct Rng {
    uint64_t state;
} Rng;

HASH_WRAPS static inline uint64_t rng_next(Rng *rng)
{
    return hash_mix(rng->state += UINT64_C(0x9e3779b97f4a7c15));
}
/* A number in 0 .. n-1; n > 0. The bias is below n / 2^64. */
static inline uint64_t rng_below(Rng *rng, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)rng_next(rng) * n) >> 64);
}
/* True once in `one_in` calls on average. */
static inline int rng_chance(Rng *rng, uint64_t one_in)
{
    return rng_below(rng, one_in) == 0;
}
