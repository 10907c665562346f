#include "report/prefix_event.h"

#include "report/prefix_part.h"

#include <assert.h>

static void fill_causes(const Prefix *prefix, PrefixEvent *event)
{
    VecU32 causes = {0};
    prefix_part_push_causes(prefix, event->event, &causes);
    event->causes = causes.data;
    event->n_causes = (uint32_t)causes.len;
}

static void fill_marking(const Prefix *prefix, PrefixEvent *event)
{
    g_autofree uint64_t *counts = g_new(uint64_t, prefix->net->n_places + 1);
    prefix_marking(prefix, event->event, counts);
    VecU32 places = {0};
    for (uint32_t p = 0; p < prefix->net->n_places; p++)
        for (uint64_t i = 0; i < counts[p]; i++) vec_push(&places, p);
    event->marking = places.data;
    event->n_marking = (uint32_t)places.len;
}

static OrderStep *steps_of(const Prefix *prefix, uint32_t e)
{
    g_autofree uint32_t *local = g_new(uint32_t, e + 1);
    uint32_t n = prefix_local(prefix, e, local);
    OrderStep *steps = g_new(OrderStep, n + 1);
    for (uint32_t i = 0; i < n; i++)
        steps[i] = (OrderStep){prefix->event_depth[local[i]], prefix->event_transition[local[i]]};
    return steps;
}

static char *explain(const Prefix *prefix, uint32_t e)
{
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

PrefixEvent *prefix_event_new(const Prefix *prefix, uint32_t e)
{
    assert(e < prefix->n_events);
    PrefixEvent *event = g_new0(PrefixEvent, 1);
    event->event = e;
    event->transition = net_transition_id(prefix->net, prefix->event_transition[e]);
    event->label = net_transition_label(prefix->net, prefix->event_transition[e]);
    event->size = prefix->event_size[e];
    event->depth = prefix->event_depth[e];
    event->companion = prefix->event_companion[e];
    fill_causes(prefix, event);
    fill_marking(prefix, event);
    event->why = explain(prefix, e);
    return event;
}

void prefix_event_free(PrefixEvent *event)
{
    if (!event) return;
    g_free(event->causes);
    g_free(event->marking);
    g_free(event->why);
    g_free(event);
}
