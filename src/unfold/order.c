#include "unfold/order.h"

#include "base/compare.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bool total;
} orders[] = {
#define ORDER(constant, name, total, help) {name, total},
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
    assert(order < N_ORDERS);
    return orders[order].name;
}

char *order_names(void)
{
    GString *names = g_string_new(NULL);
    for (int i = 0; i < N_ORDERS; i++) g_string_append_printf(names, "%s%s", i ? ", " : "", orders[i].name);
    return g_string_free(names, FALSE);
}

bool order_is_total(Order order)
{
    assert(order < N_ORDERS);
    return orders[order].total;
}

struct OrderWork {
    uint32_t n_transitions;
    int32_t balance[];
};

OrderWork *order_work_new(uint32_t n_transitions)
{
    OrderWork *work = g_malloc0(sizeof *work + ((size_t)n_transitions + 1) * sizeof *work->balance);
    work->n_transitions = n_transitions;
    return work;
}

void order_work_free(OrderWork *work)
{
    g_free(work);
}

/* Common events cancel in every comparison of multisets: the smallest transition that one of the two has more often is
 * where the sorted multisets differ first. Positive when a has it more often, 0 when there is none. */
static inline int32_t find_difference(int32_t *balance, const OrderStep *a, size_t len_a, const OrderStep *b,
                                      size_t len_b, uint32_t *least)
{
    int32_t more = 0;
    *least = UINT32_MAX;
    for (size_t i = 0; i < len_a; i++) balance[a[i].transition]++;
    for (size_t i = 0; i < len_b; i++) balance[b[i].transition]--;
    for (size_t i = 0; i < len_a; i++)
        if (a[i].transition < *least && balance[a[i].transition]) more = balance[ *least = a[i].transition];
    for (size_t i = 0; i < len_b; i++)
        if (b[i].transition < *least && balance[b[i].transition]) more = balance[ *least = b[i].transition];
    for (size_t i = 0; i < len_a; i++) balance[a[i].transition] = 0;
    for (size_t i = 0; i < len_b; i++) balance[b[i].transition] = 0;
    assert((*least == UINT32_MAX) == (more == 0));
    return more;
}

/* Brings the steps of one depth to the front; returns their number. */
static size_t bring_level(OrderStep *steps, size_t n, uint32_t depth)
{
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        if (steps[i].depth != depth) continue;
        OrderStep step = steps[i];
        steps[i] = steps[len];
        steps[len++] = step;
    }
    return len;
}

static bool has_larger(const OrderStep *steps, size_t n, uint32_t transition)
{
    for (size_t i = 0; i < n; i++)
        if (steps[i].transition > transition) return true;
    return false;
}

/* The level that has a transition more often is the smaller one, unless the other ends before it: a proper prefix is
 * smaller. */
static int compare_level(int32_t *balance, bool length_first, OrderStep *a, OrderStep *b, size_t n, uint32_t depth,
                         OrderAsk ask)
{
    size_t len_a = bring_level(a, n, depth), len_b = bring_level(b, n, depth);
    if (length_first && len_a != len_b) return len_a < len_b ? -1 : 1;
    uint32_t least;
    int32_t more = find_difference(balance, a, len_a, b, len_b, &least);
    if (!more) return 0;
    bool a_has_more = more > 0;
    bool goes_on = (a_has_more ? has_larger(b, len_b, least) : has_larger(a, len_a, least)) ||
                   (ask.has_larger && ask.has_larger(ask.data, a_has_more, depth, least));
    return a_has_more == goes_on ? -1 : 1;
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

COMPARE_BY_BOTH(by_level, OrderStep, depth, transition)

/* The first depth at which the levels differ, UINT32_MAX when none does. */
static uint32_t first_unequal(OrderStep *a, OrderStep *b, size_t n)
{
    qsort(a, n, sizeof *a, by_level);
    qsort(b, n, sizeof *b, by_level);
    for (size_t i = 0; i < n; i++)
        if (by_level(&a[i], &b[i]) != 0) return MIN(a[i].depth, b[i].depth);
    return UINT32_MAX;
}

/* As a rule the first levels tell. */
enum { LEVELS_TRIED = 4 };

static int compare_levels(int32_t *balance, bool length_first, OrderStep *a, OrderStep *b, size_t n, OrderAsk ask)
{
    uint32_t depth = 0;
    for (int i = 0; i <= LEVELS_TRIED; i++) {
        depth = i < LEVELS_TRIED ? next_depth(a, b, n, depth) : first_unequal(a, b, n);
        if (depth == UINT32_MAX) return 0;
        assert(depth > 0);
        int order = compare_level(balance, length_first, a, b, n, depth, ask);
        if (order) return order;
    }
    assert(!"levels that are not equal do not differ");
    return 0;
}

int order_compare(OrderWork *work, Order order, OrderStep *a, OrderStep *b, size_t n, OrderAsk ask)
{
    assert(order < N_ORDERS && n > 0);
    if (order == ORDER_MCMILLAN) return 0;
    uint32_t least;
    int32_t more = find_difference(work->balance, a, n, b, n, &least);
    assert(least == UINT32_MAX || least < work->n_transitions);
    if (more || order == ORDER_PARIKH) return (more < 0) - (more > 0);
    return compare_levels(work->balance, order == ORDER_MOLE, a, b, n, ask);
}
