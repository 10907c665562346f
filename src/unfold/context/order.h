/* The adequate orders (order.h) on possible extensions of the same size, given by the maximal events of
 * their histories. What two configurations share has the same depth in both, so only the difference is
 * sorted. */
#pragma once
#include "unfold/context/store.h"
#include "unfold/order.h"

/* A configuration: the causes' configurations and one more event of transition t. */
typedef struct ContextConfig {
    uint32_t transition, n_causes;
    const uint32_t *causes;
} ContextConfig;

/* An event that only one of two configurations has: the first (+1) or the second (-1). */
typedef struct ContextStep {
    uint32_t depth, transition;
    int32_t sign;
} ContextStep;

typedef struct ContextOrder {
    ContextStore *store;
    Order order;
    uint32_t epoch;
    VecU32 stamp[2]; /* per event: in the first, the second configuration */
    VecU32 members[2];
    int32_t *count; /* per transition */
    VEC(ContextStep) difference;
} ContextOrder;

void context_order_init(ContextOrder *o, ContextStore *store, Order order);
void context_order_clear(ContextOrder *o);
/* Negative when a is smaller, 0 when the order does not separate them. Both have the same size. */
int context_order_compare(ContextOrder *o, ContextConfig a, ContextConfig b);
