/* Random nets of every kind: safe or bounded, with or without read arcs, loops, weights, inhibitors. */
#pragma once
#include "net/gen.h"

/* One in `inhibited` may have inhibitor arcs. */
static inline GenRandom random_kind(Rng *rng, uint32_t inhibited, uint32_t most_weight)
{
    GenRandom kind = {.weight = 1 + (uint32_t)rng_below(rng, most_weight)};
    kind.acyclic = rng_chance(rng, 4);
    kind.reads = rng_chance(rng, 2);
    kind.loops = rng_chance(rng, 3);
    kind.inhibitors = rng_chance(rng, inhibited);
    kind.sinks = rng_chance(rng, 2);
    return kind;
}

/* By number. */
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
