/* How many different things were met, in 16 KiB however many there are ([HLL07]): each thing is given by a hash of 64
 * bits; the standard error of the estimate is 1.04 / sqrt(2^14), below 1 %. */
#pragma once
#include <stdint.h>

enum { SKETCH_BITS = 14, SKETCH_SIZE = 1 << SKETCH_BITS };

typedef struct Sketch {
    uint8_t rank[SKETCH_SIZE]; /* the most leading zeros, plus 1, among the things of this class; all 0 at first */
} Sketch;

void sketch_add(Sketch *sketch, uint64_t hash);
uint64_t sketch_estimate(const Sketch *sketch);
