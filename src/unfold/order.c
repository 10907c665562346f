#include "unfold/order.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *help;
    bool total;
} orders[] = {
#define ORDER(constant, name, total, help) {name, help, total},
#include "unfold/orders.def"
#undef ORDER
};

bool order_parse(const char *name, Order *order)
{
    for (int i = 0; i < N_ORDERS; i++) {
        if (strcmp(orders[i].name, name) != 0) continue;
        *order = (Order)i;
        return true;
    }
    return false;
}

const char *order_name(Order order)
{
    return orders[order].name;
}

const char *order_help(Order order)
{
    return orders[order].help;
}

bool order_is_total(Order order)
{
    return orders[order].total;
}

static int by_transition(const void *x, const void *y)
{
    const OrderStep *a = x, *b = y;
    return (a->transition > b->transition) - (a->transition < b->transition);
}

static int by_depth(const void *x, const void *y)
{
    const OrderStep *a = x, *b = y;
    if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
    return by_transition(x, y);
}

static int compare_parikh(OrderStep *a, OrderStep *b, size_t len)
{
    qsort(a, len, sizeof *a, by_transition);
    qsort(b, len, sizeof *b, by_transition);
    for (size_t i = 0; i < len; i++)
        if (a[i].transition != b[i].transition) return a[i].transition < b[i].transition ? -1 : 1;
    return 0;
}

void order_sort_levels(OrderStep *steps, size_t len)
{
    qsort(steps, len, sizeof *steps, by_depth);
}

static size_t level_length(const OrderStep *steps, size_t len, uint32_t depth)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) n += steps[i].depth == depth;
    return n;
}

/* Sorted by depth and transition, the first difference lies in the first level that differs: when the
 * depths differ there, the configuration that is already deeper has a level that is a proper prefix. */
int order_compare_levels(Order order, const OrderStep *a, const OrderStep *b, size_t len)
{
    bool length_first = order == ORDER_MOLE;
    size_t i = 0;
    while (i < len && a[i].depth == b[i].depth && a[i].transition == b[i].transition) i++;
    if (i == len) return 0;
    if (length_first) {
        uint32_t depth = a[i].depth < b[i].depth ? a[i].depth : b[i].depth;
        size_t in_a = level_length(a, len, depth), in_b = level_length(b, len, depth);
        if (in_a != in_b) return in_a < in_b ? -1 : 1;
    }
    if (a[i].depth != b[i].depth) return a[i].depth > b[i].depth ? -1 : 1;
    return a[i].transition < b[i].transition ? -1 : 1;
}

int order_compare(Order order, OrderStep *a, size_t len_a, OrderStep *b, size_t len_b)
{
    if (len_a != len_b) return len_a < len_b ? -1 : 1;
    if (order == ORDER_MCMILLAN) return 0;
    int parikh = compare_parikh(a, b, len_a);
    if (parikh || order == ORDER_PARIKH) return parikh;
    order_sort_levels(a, len_a);
    order_sort_levels(b, len_a);
    return order_compare_levels(order, a, b, len_a);
}

/* Differences mostly have fewer than ten events. */
static void sort_small(OrderStep *steps, size_t n, int (*compare)(const void *, const void *))
{
    if (n > 24) {
        qsort(steps, n, sizeof *steps, compare);
        return;
    }
    bool depth_first = compare == by_depth;
#define KEY(s) (depth_first ? (uint64_t)(s).depth << 32 | (s).transition : (s).transition)
    for (size_t i = 1; i < n; i++) {
        OrderStep step = steps[i];
        uint64_t key = KEY(step);
        size_t j = i;
        for (; j > 0 && KEY(steps[j - 1]) > key; j--) steps[j] = steps[j - 1];
        steps[j] = step;
    }
#undef KEY
}

/* Common events cancel in every comparison of multisets: the first difference of the sorted differences
 * is where one configuration has more copies of an element, and that one is smaller, unless the other
 * level ends there. */
int order_compare_parts(Order order, OrderStep *a, OrderStep *b, size_t n, OrderAsk ask)
{
    if (order == ORDER_MCMILLAN) return 0;
    sort_small(a, n, by_transition);
    sort_small(b, n, by_transition);
    for (size_t i = 0; i < n; i++)
        if (a[i].transition != b[i].transition) return a[i].transition < b[i].transition ? -1 : 1;
    if (order == ORDER_PARIKH) return 0;
    sort_small(a, n, by_depth);
    sort_small(b, n, by_depth);
    size_t i = 0;
    while (i < n && a[i].depth == b[i].depth && a[i].transition == b[i].transition) i++;
    if (i == n) return 0;
    uint32_t depth = a[i].depth < b[i].depth ? a[i].depth : b[i].depth;
    if (order == ORDER_MOLE) {
        size_t in_a = level_length(a, n, depth), in_b = level_length(b, n, depth);
        if (in_a != in_b) return in_a < in_b ? -1 : 1;
    }
    if (a[i].depth == b[i].depth) return a[i].transition < b[i].transition ? -1 : 1;
    bool a_has_more = a[i].depth < b[i].depth;
    bool goes_on = ask.has_larger(ask.data, a_has_more, depth, a_has_more ? a[i].transition : b[i].transition);
    return a_has_more == goes_on ? -1 : 1;
}
