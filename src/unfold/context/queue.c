#include "unfold/context/queue.h"

#include "base/bitset.h"

#include <string.h>

void context_queue_init(ContextQueue *q, ContextStore *store, uint32_t bottom_history)
{
    memset(q, 0, sizeof *q);
    q->store = store;
    q->mask = 1023;
    q->slots = g_new0(uint32_t, q->mask + 1);
    ContextMarking initial = {.hash = 0, .size = 0, .history = bottom_history};
    vec_push(&q->markings, initial);
    vec_append(&q->words, store->net->initial, store->net->marking_words);
    q->slots[0] = 1;
}

static void bucket_clear(ContextBucket *bucket)
{
    vec_free(&bucket->candidates);
    vec_free(&bucket->pool);
}

void context_queue_clear(ContextQueue *q)
{
    for (size_t i = 0; i < q->buckets.len; i++) bucket_clear(&q->buckets.data[i]);
    vec_free(&q->buckets);
    vec_free(&q->markings);
    vec_free(&q->words);
    vec_free(&q->stamp);
    vec_free(&q->base);
    g_free(q->slots);
}

void context_queue_push(ContextQueue *q, uint32_t t, const uint32_t *causes, uint32_t n_causes, const uint32_t *tested,
                        uint32_t size, uint64_t hash)
{
    assert(size > 0 && n_causes > 0);
    while (q->buckets.len <= size) vec_push(&q->buckets, (ContextBucket){0});
    ContextBucket *bucket = &q->buckets.data[size];
    ContextCandidate candidate = {.hash = hash,
                                  .transition = t,
                                  .n_causes = n_causes,
                                  .causes = (uint32_t)bucket->pool.len,
                                  .marking = UINT32_MAX};
    vec_push(&bucket->candidates, candidate);
    vec_append(&bucket->pool, causes, n_causes);
    vec_append(&bucket->pool, tested, q->store->net->tested[t].len);
}

ContextBucket *context_queue_bucket(ContextQueue *q, uint32_t size)
{
    return size < q->buckets.len ? &q->buckets.data[size] : NULL;
}

void context_queue_drop(ContextQueue *q, uint32_t size)
{
    bucket_clear(&q->buckets.data[size]);
}

static void grow_slots(ContextQueue *q)
{
    g_free(q->slots);
    q->mask = q->mask * 2 + 1;
    q->slots = g_new0(uint32_t, q->mask + 1);
    for (size_t i = 0; i < q->markings.len; i++) {
        size_t at = q->markings.data[i].hash & q->mask;
        while (q->slots[at]) at = (at + 1) & q->mask;
        q->slots[at] = (uint32_t)i + 1;
    }
}

/* Changes alternate on a place of a safe net: every event not counted yet flips what it toggles. */
static void toggle(const ContextNet *net, uint64_t *marking, uint32_t t)
{
    ContextSlice toggled = net->toggled[t];
    const uint32_t *at = context_net_list(net, toggled);
    for (uint32_t i = 0; i < toggled.len; i++) marking[at[i] / 64] ^= (uint64_t)1 << (at[i] % 64);
}

static void marking_of_causes(ContextQueue *q, const uint32_t *causes, uint32_t n, uint64_t *marking)
{
    ContextStore *store = q->store;
    const ContextEvent *first = context_store_event(store, causes[0]);
    memcpy(marking, context_queue_marking(q, first->marking), store->net->marking_words * sizeof *marking);
    if (n == 1) return;
    while (q->stamp.len < store->events.len) {
        vec_push(&q->stamp, 0);
        vec_push(&q->base, 0);
    }
    if (q->based_on != causes[0]) {
        q->based_on = causes[0];
        for (uint32_t i = 0; i < first->size; i++) q->base.data[first->down[i]] = causes[0];
    }
    q->epoch++;
    for (uint32_t i = 1; i < n; i++) {
        const ContextEvent *event = context_store_event(store, causes[i]);
        for (uint32_t k = 0; k < event->size; k++) {
            uint32_t f = event->down[k];
            if (q->base.data[f] == causes[0] || q->stamp.data[f] == q->epoch) continue;
            q->stamp.data[f] = q->epoch;
            toggle(store->net, marking, store->events.data[f].transition);
        }
    }
}

/* The index of the marking stored last in q->words, which is removed if it was there before. */
static uint32_t intern(ContextQueue *q, uint64_t hash, uint32_t size, uint32_t best)
{
    size_t words = q->store->net->marking_words;
    const uint64_t *marking = q->words.data + q->words.len - words;
    size_t at = hash & q->mask;
    for (; q->slots[at]; at = (at + 1) & q->mask) {
        uint32_t i = q->slots[at] - 1;
        if (q->markings.data[i].hash == hash && bitset_equal(context_queue_marking(q, i), marking, words)) {
            q->words.len -= words;
            return i;
        }
    }
    uint32_t i = (uint32_t)q->markings.len;
    vec_push(&q->markings, ((ContextMarking){hash, size, best, UINT32_MAX}));
    q->slots[at] = i + 1;
    if (q->markings.len * 2 > q->mask) grow_slots(q);
    return i;
}

uint32_t context_queue_judge(ContextQueue *q, ContextOrder *order, ContextBucket *bucket, uint32_t i, uint32_t size)
{
    const ContextNet *net = q->store->net;
    ContextCandidate *candidate = &bucket->candidates.data[i];
    vec_reserve(&q->words, q->words.len + net->marking_words);
    uint64_t *marking = q->words.data + q->words.len;
    marking_of_causes(q, context_queue_causes(bucket, candidate), candidate->n_causes, marking);
    ContextSlice fresh = net->fresh[candidate->transition];
    for (uint32_t k = 0; k < fresh.len; k++) {
        uint32_t p = net->pool.data[fresh.from + k];
        if (bitset_get(marking, p)) return p;
    }
    toggle(net, marking, candidate->transition);
    q->words.len += net->marking_words;
    candidate->marking = intern(q, candidate->hash, size, i);
    ContextMarking *found = &q->markings.data[candidate->marking];
    if (found->size == size && found->best != i) {
        const ContextCandidate *best = &bucket->candidates.data[found->best];
        if (context_order_compare(order, context_queue_config(bucket, candidate), context_queue_config(bucket, best)) <
            0)
            found->best = i;
    }
    return NET_NONE;
}
