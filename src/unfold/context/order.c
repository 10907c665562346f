#include "unfold/context/order.h"

#include <stdlib.h>
#include <string.h>

void context_order_init(ContextOrder *o, ContextStore *store, Order order)
{
    memset(o, 0, sizeof *o);
    o->store = store;
    o->order = order;
    o->count = g_new0(int32_t, (size_t)store->net->n_transitions + 1);
}

void context_order_clear(ContextOrder *o)
{
    vec_free(&o->stamp[0]);
    vec_free(&o->stamp[1]);
    vec_free(&o->members[0]);
    vec_free(&o->members[1]);
    vec_free(&o->difference);
    g_free(o->count);
}

static void collect(ContextOrder *o, int side, ContextConfig config)
{
    VecU32 *stamp = &o->stamp[side], *members = &o->members[side];
    while (stamp->len < o->store->events.len) vec_push(stamp, 0);
    vec_clear(members);
    for (uint32_t i = 0; i < config.n_causes; i++) {
        const ContextEvent *event = context_store_event(o->store, config.causes[i]);
        for (uint32_t k = 0; k < event->size; k++) {
            uint32_t f = event->down[k];
            if (stamp->data[f] == o->epoch) continue;
            stamp->data[f] = o->epoch;
            vec_push(members, f);
        }
    }
}

static uint32_t depth_of(ContextOrder *o, ContextConfig config)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < config.n_causes; i++)
        depth = MAX(depth, context_store_event(o->store, config.causes[i])->depth);
    return depth + 1;
}

static void add_difference(ContextOrder *o, int side, ContextConfig config)
{
    int32_t sign = side ? -1 : 1;
    const uint32_t *other = o->stamp[1 - side].data;
    for (size_t i = 0; i < o->members[side].len; i++) {
        uint32_t f = o->members[side].data[i];
        if (other[f] == o->epoch) continue;
        const ContextEvent *event = context_store_event(o->store, f);
        vec_push(&o->difference, ((ContextStep){event->depth, event->transition, sign}));
    }
    vec_push(&o->difference, ((ContextStep){depth_of(o, config), config.transition, sign}));
}

/* The sorted sequences differ first at the smallest transition whose counts differ; the sequence with
 * more of it has it there, the other something larger. */
static int compare_parikh(ContextOrder *o)
{
    uint32_t smallest = UINT32_MAX;
    for (size_t i = 0; i < o->difference.len; i++)
        o->count[o->difference.data[i].transition] += o->difference.data[i].sign;
    for (size_t i = 0; i < o->difference.len; i++) {
        uint32_t t = o->difference.data[i].transition;
        if (o->count[t] && t < smallest) smallest = t;
    }
    int result = smallest == UINT32_MAX ? 0 : o->count[smallest] > 0 ? -1 : 1;
    for (size_t i = 0; i < o->difference.len; i++) o->count[o->difference.data[i].transition] = 0;
    return result;
}

static int by_depth(const void *x, const void *y)
{
    const ContextStep *a = x, *b = y;
    if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
    return (a->transition > b->transition) - (a->transition < b->transition);
}

/* Has the configuration an event at this depth with a transition beyond t? */
static bool goes_on(ContextOrder *o, int side, ContextConfig config, uint32_t depth, uint32_t t)
{
    if (config.transition > t && depth_of(o, config) == depth) return true;
    for (size_t i = 0; i < o->members[side].len; i++) {
        const ContextEvent *event = context_store_event(o->store, o->members[side].data[i]);
        if (event->depth == depth && event->transition > t) return true;
    }
    return false;
}

static int compare_foata(ContextOrder *o, const ContextConfig *configs)
{
    ContextStep *at = o->difference.data, *end = at + o->difference.len;
    qsort(at, o->difference.len, sizeof *at, by_depth);
    while (at < end) {
        uint32_t depth = at->depth, smallest = UINT32_MAX;
        int32_t more = 0, longer = 0;
        while (at < end && at->depth == depth) {
            uint32_t t = at->transition;
            int32_t sum = 0;
            for (; at < end && at->depth == depth && at->transition == t; at++) sum += at->sign;
            longer += sum;
            if (sum && smallest == UINT32_MAX) {
                smallest = t;
                more = sum;
            }
        }
        if (smallest == UINT32_MAX) continue;
        if (o->order == ORDER_MOLE && longer) return longer < 0 ? -1 : 1;
        int other = more > 0 ? 1 : 0;
        bool prefix = !goes_on(o, other, configs[other], depth, smallest);
        return (more > 0) != prefix ? -1 : 1;
    }
    return 0;
}

int context_order_compare(ContextOrder *o, ContextConfig a, ContextConfig b)
{
    if (o->order == ORDER_MCMILLAN) return 0;
    o->epoch++;
    collect(o, 0, a);
    collect(o, 1, b);
    vec_clear(&o->difference);
    add_difference(o, 0, a);
    add_difference(o, 1, b);
    int result = compare_parikh(o);
    if (result || o->order == ORDER_PARIKH) return result;
    return compare_foata(o, (const ContextConfig[]){a, b});
}
