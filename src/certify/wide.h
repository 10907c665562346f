/* Sums that are exact: 192 bits, so that no number of steps a machine can take leaves them, each step adding less than
 * 2^128. This is a copy of what base/exact.h offers, on purpose: the checker is believed, the engines are not, and a
 * mistake in the arithmetic of the engines must not be one in the arithmetic that checks them. Nothing in this folder
 * uses base/exact.h. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

/* low + 2^128 * high. */
typedef struct Wide {
    Uint128 low;
    int64_t high;
} Wide;

static inline void wide_add(Wide *sum, Int128 value)
{
    Uint128 before = sum->low;
    sum->low = before + (Uint128)value;
    sum->high += (value < 0 ? -1 : 0) + (sum->low < before ? 1 : 0);
}
static inline Wide wide_of(Int128 value)
{
    Wide sum = {0, 0};
    wide_add(&sum, value);
    return sum;
}
/* factor * value, where value lies between -2^64 and 2^64, exclusively: 127 bits. */
static inline void wide_add_product(Wide *sum, int64_t factor, Int128 value)
{
    wide_add(sum, (Int128)factor * value);
}
/* -1, 0, 1. */
static inline int wide_sign(Wide sum)
{
    return sum.high < 0 ? -1 : sum.high > 0 || sum.low > 0 ? 1 : 0;
}
static inline bool wide_at_most(Wide a, Wide b)
{
    return a.high != b.high ? a.high < b.high : a.low <= b.low;
}
/* False: it does not fit. */
static inline bool wide_fits(Wide sum, int64_t *value)
{
    Int128 low = (Int128)sum.low;
    if (sum.high != (low < 0 ? -1 : 0) || low < INT64_MIN || low > INT64_MAX) return false;
    *value = (int64_t)low;
    return true;
}
