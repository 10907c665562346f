#include "base/hash.h"
#include "explore/explorer.h"

#include <assert.h>

/* Non-cutoff events of the store by the marking of their local configuration: chains in a hash table
 * whose links are indexed by event. When events may be forgotten all are kept, else the smallest alone. */
struct Cutoff {
    const Lts *lts;
    Order order;
    bool forgetful;
    VecU64 states;    /* state_words per event id */
    VecU32 next;      /* by event id: chain link + 1 */
    VecU32 size;      /* by event id: |[e]| */
    uint32_t *bucket; /* event id + 1 */
    uint32_t mask, n;
    uint64_t *initial, *state;
    VEC(OrderStep) mine, other;
    VecU32 walk, seen, depth;
};

enum { FIRST_BUCKETS = 256 };

Cutoff *cutoff_new(const Lts *lts, Order order, bool forgetful)
{
    Cutoff *k = g_new0(Cutoff, 1);
    k->lts = lts;
    k->order = order;
    k->forgetful = forgetful;
    k->mask = FIRST_BUCKETS - 1;
    k->bucket = g_new0(uint32_t, FIRST_BUCKETS);
    k->initial = g_new(uint64_t, lts->state_words);
    k->state = g_new(uint64_t, lts->state_words);
    lts->initial(lts, k->initial);
    return k;
}

void cutoff_free(Cutoff *k)
{
    if (!k) return;
    vec_free(&k->states);
    vec_free(&k->next);
    vec_free(&k->size);
    vec_free(&k->mine);
    vec_free(&k->other);
    vec_free(&k->walk);
    vec_free(&k->seen);
    vec_free(&k->depth);
    g_free(k->bucket);
    g_free(k->initial);
    g_free(k->state);
    g_free(k);
}

static uint64_t *state_of(const Cutoff *k, uint32_t e)
{
    return k->states.data + (size_t)e * k->lts->state_words;
}

static uint32_t bucket_of(const Cutoff *k, const uint64_t *state)
{
    return (uint32_t)hash_words(state, k->lts->state_words) & k->mask;
}

static void link_event(Cutoff *k, uint32_t e)
{
    uint32_t b = bucket_of(k, state_of(k, e));
    k->next.data[e] = k->bucket[b];
    k->bucket[b] = e + 1;
}

static void grow(Cutoff *k)
{
    uint32_t *old = k->bucket, n_old = k->mask + 1;
    k->mask = k->mask * 2 + 1;
    k->bucket = g_new0(uint32_t, (size_t)k->mask + 1);
    for (uint32_t b = 0; b < n_old; b++)
        for (uint32_t e = old[b], after; e; e = after) {
            after = k->next.data[e - 1];
            link_event(k, e - 1);
        }
    g_free(old);
}

static void make_room(Cutoff *k, uint32_t e)
{
    size_t words = k->lts->state_words, n = (size_t)e + 1;
    if (k->next.len >= n) return;
    vec_reserve(&k->states, n * words);
    vec_reserve(&k->next, n);
    vec_reserve(&k->size, n);
    k->next.len = k->size.len = n;
    k->states.len = n * words;
}

static void remember(Cutoff *k, uint32_t e, uint32_t size)
{
    make_room(k, e);
    memcpy(state_of(k, e), k->state, k->lts->state_words * sizeof *k->state);
    k->size.data[e] = size;
}

/* Depths along a configuration given in causal order; position or index of each cause is known. */
static void steps_in_config(Cutoff *k, const Config *c, uint32_t label, const uint64_t *history)
{
    vec_clear(&k->mine);
    vec_reserve(&k->depth, c->n + 1);
    uint32_t deepest = 0;
    for (BITSET_EACH(i, history, (c->n + 63) / 64)) {
        uint32_t e = c->event.data[i], depth = 0;
        const uint32_t *causes = events_causes(c->events, e);
        for (uint32_t j = 0; j < c->events->event.data[e].n_causes; j++)
            depth = MAX(depth, k->depth.data[c->events->event.data[causes[j]].position]);
        k->depth.data[i] = ++depth;
        deepest = MAX(deepest, depth);
        vec_push(&k->mine, ((OrderStep){depth, c->label.data[i]}));
    }
    vec_push(&k->mine, ((OrderStep){deepest + 1, label}));
}

/* The same for [f] of any stored event, by a walk in causal order; seen maps visited events to depths. */
static void steps_of_event(Cutoff *k, const Events *events, uint32_t f)
{
    enum { OPEN = UINT32_MAX };
    vec_clear(&k->other);
    vec_clear(&k->walk);
    if (k->seen.len < events->event.len) {
        size_t had = k->seen.len;
        vec_reserve(&k->seen, events->event.len);
        memset(k->seen.data + had, 0, (events->event.len - had) * sizeof *k->seen.data);
        k->seen.len = events->event.len;
    }
    VecU32 visited = {0};
    vec_push(&k->walk, f);
    while (k->walk.len) {
        uint32_t e = vec_last(&k->walk);
        const uint32_t *causes = events_causes(events, e);
        uint32_t n = events->event.data[e].n_causes;
        if (k->seen.data[e] == 0) {
            k->seen.data[e] = OPEN;
            vec_push(&visited, e);
            for (uint32_t j = 0; j < n; j++)
                if (!k->seen.data[causes[j]]) vec_push(&k->walk, causes[j]);
            continue;
        }
        k->walk.len--;
        if (k->seen.data[e] != OPEN) continue;
        uint32_t depth = 0;
        for (uint32_t j = 0; j < n; j++) depth = MAX(depth, k->seen.data[causes[j]]);
        k->seen.data[e] = depth + 1;
        vec_push(&k->other, ((OrderStep){depth + 1, events->event.data[e].label}));
    }
    for (size_t i = 0; i < visited.len; i++) k->seen.data[visited.data[i]] = 0;
    vec_free(&visited);
}

bool cutoff_decide(Cutoff *k, const Config *c, uint32_t e, const uint64_t *history, bool *overflow)
{
    uint32_t label = c->events->event.data[e].label, words = k->lts->state_words;
    *overflow = !config_state_of(c, history, k->state) || !k->lts->fire(k->lts, k->state, label);
    if (*overflow) return true;
    if (memcmp(k->state, k->initial, words * sizeof *k->state) == 0) return true;
    uint32_t size = (uint32_t)bitset_count(history, (c->n + 63) / 64) + 1;
    uint32_t bucket = bucket_of(k, k->state);
    bool mine = false;
    for (uint32_t f = k->bucket[bucket], before = 0; f; before = f, f = k->next.data[f - 1]) {
        if (memcmp(state_of(k, f - 1), k->state, words * sizeof *k->state) != 0) continue;
        int order = (k->size.data[f - 1] > size) - (k->size.data[f - 1] < size);
        if (!order && k->order != ORDER_MCMILLAN) {
            if (!mine) steps_in_config(k, c, label, history);
            mine = true;
            steps_of_event(k, c->events, f - 1);
            assert(k->other.len == size && k->mine.len == size);
            order = order_compare(k->order, k->other.data, k->other.len, k->mine.data, k->mine.len);
        }
        if (order < 0) return true;
        if (k->forgetful) continue;
        if (order > 0) { /* the new champion takes its place */
            remember(k, e, size);
            k->next.data[e] = k->next.data[f - 1];
            *(before ? &k->next.data[before - 1] : &k->bucket[bucket]) = e + 1;
        }
        return false;
    }
    remember(k, e, size);
    if (++k->n > k->mask) grow(k);
    link_event(k, e);
    return false;
}

void cutoff_forget(Cutoff *k, uint32_t e)
{
    uint32_t *at = &k->bucket[bucket_of(k, state_of(k, e))];
    while (*at != e + 1) {
        assert(*at);
        at = &k->next.data[*at - 1];
    }
    *at = k->next.data[e];
    k->n--;
}
