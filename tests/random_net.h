/* A random net of every kind, by number: safe or bounded, with or without read arcs, loops, weights, inhibitors. */
#pragma once
#include "net/gen.h"

static inline Net *random_net(uint64_t seed)
{
    Rng rng = {seed * 977 + 1};
    uint64_t bits = rng_next(&rng);
    GenRandom options = {
        .acyclic = (bits & 7) == 0,
        .reads = bits >> 3 & 1,
        .loops = bits >> 4 & 1,
        .sinks = bits >> 5 & 1,
        .inhibitors = (bits >> 6 & 3) == 0,
        .weight = bits >> 8 & 1 ? 3 : 1,
    };
    return bits >> 9 & 1 ? gen_random_safe(&rng, &options) : gen_random_bounded(&rng, &options);
}
