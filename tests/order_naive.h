/* The adequate orders by definition (unfold/order.h), on whole configurations: the twin of the comparison of
 * differences. Every configuration becomes one word over numbers, and words are compared letter by letter. */
#pragma once
#include "unfold/order.h"

#include <stdlib.h>

static inline int naive_order_by_number(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* The transitions of one depth (0: of all), sorted. */
static inline GArray *naive_order_level(const OrderStep *steps, size_t n, uint32_t depth)
{
    GArray *level = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (size_t i = 0; i < n; i++)
        if (!depth || steps[i].depth == depth) g_array_append_val(level, steps[i].transition);
    g_array_sort(level, naive_order_by_number);
    return level;
}

static inline int naive_order_words(const GArray *a, const GArray *b)
{
    for (guint i = 0; i < MIN(a->len, b->len); i++) {
        uint32_t x = g_array_index(a, uint32_t, i), y = g_array_index(b, uint32_t, i);
        if (x != y) return x < y ? -1 : 1;
    }
    return (a->len > b->len) - (a->len < b->len);
}

static inline int naive_order(Order order, const OrderStep *a, size_t len_a, const OrderStep *b, size_t len_b)
{
    if (len_a != len_b) return len_a < len_b ? -1 : 1;
    uint32_t deepest = 0;
    for (size_t i = 0; i < len_a; i++) deepest = MAX(deepest, MAX(a[i].depth, b[i].depth));
    uint32_t levels = order == ORDER_MCMILLAN ? 0 : order == ORDER_PARIKH ? 1 : deepest + 1;
    int result = 0;
    for (uint32_t depth = 0; depth < levels && !result; depth++) {
        g_autoptr(GArray) one = naive_order_level(a, len_a, depth), two = naive_order_level(b, len_b, depth);
        if (order == ORDER_MOLE) result = (one->len > two->len) - (one->len < two->len);
        if (!result) result = naive_order_words(one, two);
    }
    return result;
}
