#include "report/prefix_why.h"

#include <assert.h>

static OrderStep *steps_of(const Prefix *prefix, uint32_t e)
{
    g_autofree uint32_t *local = g_new(uint32_t, e + 1);
    uint32_t n = prefix_local(prefix, e, local);
    OrderStep *steps = g_new(OrderStep, n + 1);
    for (uint32_t i = 0; i < n; i++)
        steps[i] = (OrderStep){prefix->event_depth[local[i]], prefix->event_transition[local[i]]};
    return steps;
}

char *prefix_why(const Prefix *prefix, uint32_t e)
{
    assert(e < prefix->n_events);
    uint32_t companion = prefix->event_companion[e], size = prefix->event_size[e];
    if (companion == PREFIX_NONE)
        return g_strdup(prefix->cutoffs ? "not a cutoff: no smaller configuration with this marking"
                                        : "not a cutoff: cutoffs are off");
    if (companion == PREFIX_BOTTOM) return g_strdup("cutoff: back at the initial marking");
    uint32_t other = prefix->event_size[companion];
    if (other < size)
        return g_strdup_printf("cutoff: e%u has the same marking with %u events, this has %u", companion, other, size);
    g_autofree OrderStep *mine = steps_of(prefix, e), *its = steps_of(prefix, companion);
    g_autoptr(OrderWork) work = order_work_new(prefix->net->n_transitions);
    bool parikh = order_compare(work, ORDER_PARIKH, its, mine, size, (OrderAsk){0}) != 0;
    return g_strdup_printf("cutoff: e%u has the same marking and as many events, and is smaller by %s", companion,
                           parikh ? "its transitions" : "its Foata levels");
}
