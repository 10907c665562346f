/* The greatest common divisor; that of 0 and n is n. */
#pragma once
#include <stdint.h>

static inline uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
