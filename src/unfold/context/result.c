#include "unfold/context/result.h"

#include "base/bitset.h"
#include "base/hash.h"

#include <string.h>

void context_result_init(ContextResult *r, const ContextNet *net)
{
    memset(r, 0, sizeof *r);
    r->net = net;
    r->mask = 1023;
    r->slots = g_new0(uint32_t, r->mask + 1);
    vec_push(&r->cause_start, 0);
    vec_push(&r->tested_start, 0);
}

void context_result_clear(ContextResult *r)
{
    VecU32 *vecs[] = {&r->event, &r->companion,  &r->size,          &r->depth,        &r->cause_start,
                      &r->cause, &r->transition, &r->first_history, &r->tested_start, &r->tested};
    for (size_t i = 0; i < G_N_ELEMENTS(vecs); i++) vec_free(vecs[i]);
    vec_free(&r->live);
    g_free(r->slots);
}

HASH_WRAPS static uint64_t hash_event(uint32_t t, const uint32_t *producers, uint32_t n)
{
    uint64_t h = hash_mix(t + UINT64_C(0x2545f4914f6cdd1d));
    for (uint32_t i = 0; i < n; i++) h = (h ^ producers[i]) * UINT64_C(0xff51afd7ed558ccd), h ^= h >> 29;
    return h;
}

static uint64_t hash_of(const ContextResult *r, uint32_t e)
{
    uint32_t from = r->tested_start.data[e];
    return hash_event(r->transition.data[e], vec_from(&r->tested, from), r->tested_start.data[e + 1] - from);
}

static void grow_slots(ContextResult *r)
{
    g_free(r->slots);
    r->mask = r->mask * 2 + 1;
    r->slots = g_new0(uint32_t, r->mask + 1);
    for (uint32_t e = 0; e < r->transition.len; e++) {
        size_t at = hash_of(r, e) & r->mask;
        while (r->slots[at]) at = (at + 1) & r->mask;
        r->slots[at] = e + 1;
    }
}

/* The contextual event whose producers were just appended to r->tested. */
static uint32_t intern(ContextResult *r, uint32_t t, uint32_t history)
{
    uint32_t from = vec_last(&r->tested_start), n = (uint32_t)r->tested.len - from;
    const uint32_t *key = vec_from(&r->tested, from);
    size_t at = hash_event(t, key, n) & r->mask;
    for (; r->slots[at]; at = (at + 1) & r->mask) {
        uint32_t e = r->slots[at] - 1;
        if (r->transition.data[e] == t &&
            (!n || memcmp(r->tested.data + r->tested_start.data[e], key, n * sizeof *key) == 0)) {
            r->tested.len = from;
            return e;
        }
    }
    uint32_t e = (uint32_t)r->transition.len;
    vec_push_long(&r->transition, t);
    vec_push_long(&r->first_history, history);
    vec_push_long(&r->live, 0);
    vec_push_long(&r->tested_start, (uint32_t)r->tested.len);
    r->slots[at] = e + 1;
    if (r->transition.len * 2 > r->mask) grow_slots(r);
    return e;
}

uint32_t context_result_add(ContextResult *r, ContextStore *store, const ContextCandidate *candidate, uint32_t size,
                            uint32_t companion)
{
    uint32_t history = (uint32_t)r->event.len, depth = 0, t = candidate->transition;
    const uint32_t *tested = candidate->tested, *causes = candidate->causes;
    for (uint32_t i = 0; i < r->net->tested[t].len; i++) {
        uint32_t producer = store->change_event.data[tested[i]];
        vec_push_long(&r->tested, producer ? r->event.data[store->events.data[producer].history] : NET_NONE);
    }
    assert(companion == PREFIX_NONE || companion == PREFIX_BOTTOM || companion < history);
    uint32_t e = intern(r, t, history);
    assert(r->transition.data[e] == t && r->first_history.data[e] <= history);
    for (uint32_t i = 0; i < candidate->n_causes; i++) {
        if (!causes[i]) continue;
        const ContextEvent *cause = context_store_event(store, causes[i]);
        assert(cause->history < history && r->companion.data[cause->history] == PREFIX_NONE);
        depth = MAX(depth, cause->depth);
        vec_push_long(&r->cause, cause->history);
    }
    vec_push_long(&r->cause_start, (uint32_t)r->cause.len);
    vec_push_long(&r->event, e);
    vec_push_long(&r->companion, companion);
    vec_push_long(&r->size, size);
    vec_push_long(&r->depth, depth + 1);
    if (companion == PREFIX_NONE)
        r->live.data[e] = 1;
    else
        r->n_cutoffs++;
    return history;
}

/* Conditions are numbered by producer; this is the one of place p. */
static uint32_t condition_of(const ContextResult *r, const Prefix *prefix, const uint32_t *initial, uint32_t producer,
                             uint32_t p)
{
    if (producer == NET_NONE) return initial[p];
    ContextSlice produced = r->net->produced[r->transition.data[producer]];
    const uint32_t *at = context_net_list(r->net, produced);
    uint32_t i = 0;
    while (at[i] != p) i++;
    assert(i < produced.len);
    return prefix->post_start[producer] + i;
}

static void number_conditions(const ContextResult *r, Prefix *prefix, uint32_t *initial)
{
    uint32_t n = prefix->n_events;
    VecU32 place = {0}, event = {0};
    for (uint32_t p = 0; p < r->net->n_places; p++) {
        if (!bitset_get(r->net->initial, p)) continue;
        initial[p] = (uint32_t)place.len;
        vec_push(&place, p);
        vec_push(&event, PREFIX_BOTTOM);
    }
    prefix->post_start = g_new(uint32_t, (size_t)n + 1);
    for (uint32_t e = 0; e < n; e++) {
        prefix->post_start[e] = (uint32_t)place.len;
        ContextSlice produced = r->net->produced[r->transition.data[e]];
        for (uint32_t i = 0; i < produced.len; i++) {
            vec_push(&place, r->net->pool.data[produced.from + i]);
            vec_push(&event, e);
        }
    }
    prefix->post_start[n] = prefix->n_conditions = (uint32_t)place.len;
    prefix->condition_place = place.data;
    prefix->condition_event = event.data;
}

static void fill_arcs(const ContextResult *r, Prefix *prefix, const uint32_t *initial)
{
    uint32_t n = prefix->n_events;
    VecU32 pre = {0}, read = {0};
    prefix->pre_start = g_new(uint32_t, (size_t)n + 1);
    prefix->read_start = g_new(uint32_t, (size_t)n + 1);
    for (uint32_t e = 0; e < n; e++) {
        prefix->pre_start[e] = (uint32_t)pre.len;
        prefix->read_start[e] = (uint32_t)read.len;
        ContextSlice tested = r->net->tested[r->transition.data[e]];
        const uint32_t *entry = context_net_list(r->net, tested);
        for (uint32_t i = 0; i < tested.len; i++) {
            uint32_t c = condition_of(r, prefix, initial, r->tested.data[r->tested_start.data[e] + i], entry[i] / 2);
            if (entry[i] & 1)
                vec_push(&read, c);
            else
                vec_push(&pre, c);
        }
    }
    prefix->pre_start[n] = (uint32_t)pre.len;
    prefix->read_start[n] = (uint32_t)read.len;
    prefix->pre = pre.data;
    prefix->read = read.data;
}

static uint32_t *steal(VecU32 *vec)
{
    uint32_t *data = vec->data;
    *vec = (VecU32){0};
    return data;
}

void context_result_finish(ContextResult *r, Prefix *prefix)
{
    uint32_t n = prefix->n_events = (uint32_t)r->transition.len;
    assert(r->cause_start.len == r->event.len + 1 && vec_last(&r->cause_start) == r->cause.len);
    assert(r->tested_start.len == (size_t)n + 1 && n <= r->event.len);
    g_autofree uint32_t *initial = g_new0(uint32_t, (size_t)r->net->n_places + 1);
    prefix->has_conditions = true;
    number_conditions(r, prefix, initial);
    fill_arcs(r, prefix, initial);
    prefix->event_size = g_new(uint32_t, (size_t)n + 1);
    prefix->event_depth = g_new(uint32_t, (size_t)n + 1);
    prefix->event_companion = g_new(uint32_t, (size_t)n + 1);
    for (uint32_t e = 0; e < n; e++) {
        uint32_t h = r->first_history.data[e], companion = r->companion.data[h];
        prefix->event_size[e] = r->size.data[h];
        prefix->event_depth[e] = r->depth.data[h];
        bool cutoff = !r->live.data[e];
        prefix->n_cutoffs += cutoff;
        prefix->event_companion[e] = !cutoff                      ? PREFIX_NONE
                                     : companion == PREFIX_BOTTOM ? PREFIX_BOTTOM
                                                                  : r->event.data[companion];
    }
    prefix->event_transition = steal(&r->transition);
    PrefixHistories *h = &prefix->histories;
    h->n = (uint32_t)r->event.len;
    h->n_cutoffs = r->n_cutoffs;
    h->event = steal(&r->event);
    h->companion = steal(&r->companion);
    h->size = steal(&r->size);
    h->depth = steal(&r->depth);
    h->cause_start = steal(&r->cause_start);
    h->cause = steal(&r->cause);
    h->first = steal(&r->first_history);
}
