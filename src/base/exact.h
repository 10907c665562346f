/* Arithmetic that is never wrong: what could leave 64 bits is a Sum, which is exact, or checked, which says so.
 *
 * A Sum holds 192 bits. Each step adds at most 2^128 to its size, so no number of steps that a machine can take leaves
 * it: a sum of factors (64 bits, signed) times tokens (64 bits) over all places of a net is exact whatever the file
 * says. exact_add_product() costs one 64-bit multiplication while numbers are small; a Sum is for sums over a net or a
 * formula, checked_add() and checked_multiply() for what must stay one 64-bit number, a weight or a count. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* low + 2^128 * high. */
typedef struct Sum {
    unsigned __int128 low;
    int64_t high;
} Sum;

static inline Sum exact_of(__int128 value)
{
    return (Sum){(unsigned __int128)value, value < 0 ? -1 : 0};
}
static inline void exact_add(Sum *sum, __int128 value)
{
    int carry = __builtin_add_overflow(sum->low, (unsigned __int128)value, &sum->low);
    sum->high += carry - (value < 0);
}
/* factor * count; the product of 63 and 64 bits has 127. */
static inline void exact_add_product(Sum *sum, int64_t factor, uint64_t count)
{
    exact_add(sum, (__int128)factor * (__int128)count);
}
static inline void exact_add_sum(Sum *sum, Sum other)
{
    int carry = __builtin_add_overflow(sum->low, other.low, &sum->low);
    sum->high += other.high + carry;
}
static inline Sum exact_minus(Sum sum)
{
    unsigned __int128 low;
    int carry = __builtin_add_overflow(~sum.low, 1, &low);
    return (Sum){low, -1 - sum.high + carry};
}
/* Negative, 0, positive: a is less than, equal to, greater than b. */
static inline int exact_compare(Sum a, Sum b)
{
    if (a.high != b.high) return a.high < b.high ? -1 : 1;
    return a.low == b.low ? 0 : a.low < b.low ? -1 : 1;
}
static inline int exact_sign(Sum sum)
{
    return sum.high < 0 ? -1 : sum.high > 0 || sum.low > 0 ? 1 : 0;
}
/* False: it does not fit; *value is not written. */
static inline bool exact_signed(Sum sum, int64_t *value)
{
    __int128 low = (__int128)sum.low;
    if (sum.high != (low < 0 ? -1 : 0) || low < INT64_MIN || low > INT64_MAX) return false;
    *value = (int64_t)low;
    return true;
}
static inline bool exact_unsigned(Sum sum, uint64_t *value)
{
    if (sum.high != 0 || sum.low > UINT64_MAX) return false;
    *value = (uint64_t)sum.low;
    return true;
}

/* *result = a + b, a - b, a * b in the type of *result, any integer type; false: it does not fit, and *result means
 * nothing. */
#define checked_add(a, b, result) (!__builtin_add_overflow(a, b, result))
#define checked_subtract(a, b, result) (!__builtin_sub_overflow(a, b, result))
#define checked_multiply(a, b, result) (!__builtin_mul_overflow(a, b, result))

/* A sum of counts of tokens: no net has enough places to leave it. */
typedef unsigned __int128 Total;

enum { TOTAL_DIGITS = 40 };
/* In decimal digits; returns where they begin in `text`, which has TOTAL_DIGITS characters. */
static inline char *exact_text(Total total, char *text)
{
    char *at = text + (TOTAL_DIGITS - 1);
    *at = 0;
    do *--at = (char)('0' + (int)(total % 10));
    while (total /= 10);
    return at;
}

/* For figures that are only shown or compared with a limit: stays at UINT64_MAX. */
static inline uint64_t exact_capped_add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}
