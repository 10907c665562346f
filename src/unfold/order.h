/* Adequate orders (Esparza, Roemer, Vogler): which of two configurations with the same marking is kept.
 * All compare the number of events first.
 *
 * `parikh` then compares the configuration's transitions, sorted by index, lexicographically. `erv`
 * goes on with the Foata normal form: level by level, each the sorted transitions of the events of
 * that depth, compared lexicographically, a proper prefix being smaller. `mole` compares two levels by
 * length before it looks at their transitions. `mcmillan` and `parikh` leave ties; the other two are
 * total on the configurations of one unfolding. */
#pragma once
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
#define ORDER(constant, name, total, help) ORDER_##constant,
#include "unfold/orders.def"
#undef ORDER
    N_ORDERS
} Order;

/* False when there is no such name. */
bool order_parse(const char *name, Order *order);
const char *order_name(Order order);
/* "mcmillan, parikh": for messages. Owned by the caller. */
char *order_names(void);
bool order_is_total(Order order);

/* One event of a configuration as the orders see it. Depth counts from 1: one more than the deepest cause. */
typedef struct OrderStep {
    uint32_t depth, transition;
} OrderStep;

typedef VEC(OrderStep) OrderSteps;

/* Does configuration a (which = 0) or b (1) have an event of this depth with a larger transition? */
typedef struct OrderAsk {
    bool (*has_larger)(void *data, int which, uint32_t depth, uint32_t transition);
    void *data;
} OrderAsk;

/* Memory that comparisons reuse: per transition a count, 0 between calls. */
typedef struct OrderWork OrderWork;
OrderWork *order_work_new(uint32_t n_transitions);
void order_work_free(OrderWork *work);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(OrderWork, order_work_free)

/* Compares two configurations of one size of which only the differences need be given: the n events that are in one and
 * not in the other. Negative when a is smaller than b, 0 when the order does not separate them. `ask` is used when the
 * differences do not tell whether a level is a proper prefix of the other; whole configurations do, for them
 * ask.has_larger is NULL. May sort both arrays. Cost: linear in n as a rule, n log n at most. */
int order_compare(OrderWork *work, Order order, OrderStep *a, OrderStep *b, size_t n, OrderAsk ask);
