#include "unfold/order.h"

#include <assert.h>
#include <glib.h>
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

/* The transitions of one level, sorted; returns their number. Levels of differences are short. */
static size_t sorted_level(const OrderStep *steps, size_t n, uint32_t depth, uint32_t *out)
{
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        if (steps[i].depth != depth) continue;
        size_t j = len++;
        for (; j > 0 && out[j - 1] > steps[i].transition; j--) out[j] = out[j - 1];
        out[j] = steps[i].transition;
    }
    return len;
}

static uint32_t next_depth(const OrderStep *a, const OrderStep *b, size_t n, uint32_t above)
{
    uint32_t depth = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        if (a[i].depth > above && a[i].depth < depth) depth = a[i].depth;
        if (b[i].depth > above && b[i].depth < depth) depth = b[i].depth;
    }
    return depth;
}

/* Common events cancel in every comparison of multisets: the first difference of two sorted differences
 * is where one level has more copies of a transition, and that one is smaller, unless the other level
 * ends there. */
static int compare_levels(const OrderWork *work, bool length_first, const OrderStep *a, const OrderStep *b, size_t n,
                          OrderAsk ask)
{
    uint32_t *in_a = work->level, *in_b = work->level + n;
    for (uint32_t depth = next_depth(a, b, n, 0); depth != UINT32_MAX; depth = next_depth(a, b, n, depth)) {
        size_t len_a = sorted_level(a, n, depth, in_a), len_b = sorted_level(b, n, depth, in_b), i = 0;
        if (length_first && len_a != len_b) return len_a < len_b ? -1 : 1;
        while (i < len_a && i < len_b && in_a[i] == in_b[i]) i++;
        if (i < len_a && i < len_b) return in_a[i] < in_b[i] ? -1 : 1;
        if (i == len_a && i == len_b) continue;
        bool a_has_more = i < len_a;
        bool goes_on = ask.has_larger(ask.data, a_has_more, depth, a_has_more ? in_a[i] : in_b[i]);
        return a_has_more == goes_on ? -1 : 1;
    }
    return 0;
}

/* The smallest transition that one of the two has more often decides. */
static int compare_balance(int32_t *balance, const OrderStep *a, const OrderStep *b, size_t n)
{
    uint32_t least = UINT32_MAX;
    int32_t more = 0;
    for (size_t i = 0; i < n; i++) {
        balance[a[i].transition]++;
        balance[b[i].transition]--;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t t = a[i].transition, u = b[i].transition;
        if (t < least && balance[t]) more = balance[least = t];
        if (u < least && balance[u]) more = balance[least = u];
    }
    for (size_t i = 0; i < n; i++) balance[a[i].transition] = balance[b[i].transition] = 0;
    assert((least == UINT32_MAX) == (more == 0));
    return more > 0 ? -1 : more < 0 ? 1 : 0;
}

OrderWork *order_work_new(uint32_t n_transitions)
{
    OrderWork *work = g_new0(OrderWork, 1);
    work->balance = g_new0(int32_t, (size_t)n_transitions + 1);
    return work;
}

void order_work_free(OrderWork *work)
{
    if (!work) return;
    g_free(work->balance);
    g_free(work->level);
    g_free(work);
}

int order_compare_parts(OrderWork *work, Order order, const OrderStep *a, const OrderStep *b, size_t n, OrderAsk ask)
{
    if (order == ORDER_MCMILLAN) return 0;
    int parikh = compare_balance(work->balance, a, b, n);
    if (parikh || order == ORDER_PARIKH) return parikh;
    if (work->level_cap < 2 * n) {
        work->level_cap = 4 * n;
        work->level = g_realloc_n(work->level, work->level_cap, sizeof *work->level);
    }
    return compare_levels(work, order == ORDER_MOLE, a, b, n, ask);
}
