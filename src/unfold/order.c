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
