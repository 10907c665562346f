#include "base/natural.h"

#include <glib.h>
#include <string.h>

bool natural_add(uint64_t *sum, const uint64_t *other, size_t width)
{
    bool carry = false;
    for (size_t i = 0; i < width; i++) {
        bool first = __builtin_add_overflow(sum[i], other[i], &sum[i]);
        bool second = __builtin_add_overflow(sum[i], (uint64_t)carry, &sum[i]);
        carry = first || second;
    }
    return !carry;
}

/* sum[from..] += a * digit */
static bool add_row(uint64_t *sum, const uint64_t *a, uint64_t digit, size_t from, size_t width)
{
    uint64_t carry = 0;
    for (size_t i = 0; i + from < width; i++) {
        /* (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1 */
        unsigned __int128 value = (unsigned __int128)a[i] * digit + sum[i + from] + carry;
        sum[i + from] = (uint64_t)value;
        carry = (uint64_t)(value >> 64);
    }
    for (size_t i = width - from; i < width; i++)
        if (a[i]) return false;
    return carry == 0;
}

bool natural_add_product(uint64_t *sum, const uint64_t *a, const uint64_t *b, size_t width)
{
    for (size_t i = 0; i < width; i++)
        if (b[i] && !add_row(sum, a, b[i], i, width)) return false;
    return true;
}

/* number /= divisor; returns the rest. */
static uint64_t divide(uint64_t *number, uint64_t divisor, size_t width)
{
    unsigned __int128 rest = 0;
    for (size_t i = width; i-- > 0;) {
        rest = rest << 64 | number[i];
        number[i] = (uint64_t)(rest / divisor);
        rest %= divisor;
    }
    return (uint64_t)rest;
}

char *natural_text(const uint64_t *number, size_t width)
{
    g_autofree uint64_t *left = g_new(uint64_t, width + 1);
    memcpy(left, number, width * sizeof *left);
    while (width && !left[width - 1]) width--;
    /* 64 bits have at most 20 decimal digits. */
    size_t size = 20 * width + 2, at = size - 1;
    g_autofree char *text = g_malloc(size);
    text[at] = 0;
    do {
        text[--at] = (char)('0' + (int)divide(left, 10, width));
        while (width && !left[width - 1]) width--;
    } while (width);
    return g_strdup(text + at);
}
