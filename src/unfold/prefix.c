#include "unfold/prefix.h"

#include "base/bitset.h"

#include <assert.h>

Prefix *prefix_new(const Net *net)
{
    Prefix *prefix = g_new0(Prefix, 1);
    prefix->net = net;
    return prefix;
}

void prefix_free(Prefix *prefix)
{
    if (!prefix) return;
    PrefixHistories *h = &prefix->histories;
    void *arrays[] = {
        prefix->event_transition,
        prefix->event_companion,
        prefix->event_size,
        prefix->event_depth,
        prefix->pre_start,
        prefix->pre,
        prefix->read_start,
        prefix->read,
        prefix->post_start,
        prefix->cause_start,
        prefix->cause,
        prefix->condition_place,
        prefix->condition_event,
        prefix->unsafe_run,
        h->event,
        h->companion,
        h->size,
        h->depth,
        h->cause_start,
        h->cause,
        h->first,
    };
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) g_free(arrays[i]);
    g_free(prefix);
}

static void add_producers(const Prefix *prefix, PrefixRow row, uint64_t *set)
{
    for (uint32_t i = 0; i < row.len; i++) {
        uint32_t producer = prefix->condition_event[row.id[i]];
        assert(producer == PREFIX_BOTTOM || producer < prefix->n_events);
        if (producer != PREFIX_BOTTOM) bitset_set(set, producer);
    }
}

/* Downwards over the ids: every cause of an event has a smaller one. */
uint32_t prefix_local(const Prefix *prefix, uint32_t e, uint32_t *events)
{
    assert(e < prefix->n_events);
    g_autofree uint64_t *set = g_new0(uint64_t, bitset_words(e + 1));
    bitset_set(set, e);
    uint32_t n = 0;
    for (uint32_t x = e + 1; x-- > 0;) {
        if (!set[x / 64]) {
            x -= x % 64;
            continue;
        }
        if (!bitset_get(set, x)) continue;
        events[n++] = x;
        if (prefix->has_conditions) {
            add_producers(prefix, prefix_pre(prefix, x), set);
            add_producers(prefix, prefix_read(prefix, x), set);
        } else {
            for (uint32_t i = prefix->cause_start[x]; i < prefix->cause_start[x + 1]; i++)
                bitset_set(set, prefix->cause[i]);
        }
    }
    for (uint32_t i = 0; i < n / 2; i++) {
        uint32_t swap = events[i];
        events[i] = events[n - 1 - i];
        events[n - 1 - i] = swap;
    }
    return n;
}

void prefix_marking(const Prefix *prefix, uint32_t e, uint64_t *marking)
{
    const Net *net = prefix->net;
    memcpy(marking, net->initial, net->n_places * sizeof *marking);
    if (e == PREFIX_BOTTOM) return;
    if (prefix->histories.n) {
        prefix_history_marking(prefix, prefix->histories.first[e], marking);
        return;
    }
    g_autofree uint32_t *events = g_new(uint32_t, e + 1);
    uint32_t n = prefix_local(prefix, e, events);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = prefix->event_transition[events[i]];
        assert(net_enabled(net, marking, t));
        net_fire(net, marking, t);
    }
}

uint32_t prefix_local_history(const Prefix *prefix, uint32_t h, uint32_t *histories)
{
    const PrefixHistories *all = &prefix->histories;
    assert(h < all->n);
    g_autofree uint64_t *in = g_new0(uint64_t, bitset_words(all->n));
    bitset_set(in, h);
    uint32_t n = 0;
    for (uint32_t i = h + 1; i-- > 0;) { /* causes have smaller numbers */
        if (!bitset_get(in, i)) continue;
        n++;
        for (uint32_t k = all->cause_start[i]; k < all->cause_start[i + 1]; k++) bitset_set(in, all->cause[k]);
    }
    uint32_t to = 0;
    for (uint32_t i = 0; i <= h; i++)
        if (bitset_get(in, i)) histories[to++] = i;
    assert(to == n && n == all->size[h]);
    return n;
}

void prefix_history_marking(const Prefix *prefix, uint32_t h, uint64_t *marking)
{
    const Net *net = prefix->net;
    memcpy(marking, net->initial, net->n_places * sizeof *marking);
    if (h == PREFIX_BOTTOM) return;
    g_autofree uint32_t *histories = g_new(uint32_t, prefix->histories.size[h]);
    uint32_t n = prefix_local_history(prefix, h, histories);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = prefix->event_transition[prefix->histories.event[histories[i]]];
        assert(net_enabled(net, marking, t));
        net_fire(net, marking, t);
    }
}
