/* Natural numbers of any size, as arrays of `width` 64-bit digits, the lowest first. Every number of a computation has
 * the same width; an operation whose result does not fit says so, and the caller begins again with more digits. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* sum += other. False: it does not fit, and *sum means nothing. */
bool natural_add(uint64_t *sum, const uint64_t *other, size_t width);
/* sum += a * b; sum is neither of them. False as above. */
bool natural_add_product(uint64_t *sum, const uint64_t *a, const uint64_t *b, size_t width);
/* In decimal digits; owned by the caller. */
char *natural_text(const uint64_t *number, size_t width);
