#include "base/sketch.h"

#include <math.h>

void sketch_add(Sketch *s, uint64_t hash)
{
    uint32_t class = (uint32_t)(hash >> (64 - SKETCH_BITS));
    uint64_t rest = hash << SKETCH_BITS | (uint64_t)1 << (SKETCH_BITS - 1);
    uint8_t rank = (uint8_t)(__builtin_clzll(rest) + 1);
    if (rank > s->rank[class]) s->rank[class] = rank;
}

uint64_t sketch_estimate(const Sketch *s)
{
    const double n = SKETCH_SIZE, bias = 0.7213 / (1 + 1.079 / n);
    double sum = 0, empty = 0;
    for (int i = 0; i < SKETCH_SIZE; i++) {
        sum += ldexp(1, -s->rank[i]);
        empty += s->rank[i] == 0;
    }
    double estimate = bias * n * n / sum;
    if (estimate <= 2.5 * n && empty > 0) estimate = n * log(n / empty); /* few: count the empty classes */
    return (uint64_t)llround(estimate);
}
