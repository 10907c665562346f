#include "base/hash.h"
#include "explore/explore_internal.h"

#include <assert.h>

/* Non-cutoff events of the store by the fingerprint of the state after their local configuration: chains
 * in a hash table whose links are indexed by event. When events may be forgotten all are kept, else the
 * smallest alone. The fingerprint is the sum of the effects of the events below, so it needs no state;
 * states are made, and then kept, for those events alone whose fingerprints meet. */
struct Cutoff {
    const Lts *lts;
    Order order;
    OrderWork *work;
    bool forgetful;
    uint64_t *effect; /* by action, or NULL: the Lts has none, fingerprints are hashes of states */
    uint64_t print_mask;
    VecU64 print;  /* by event id: fingerprint after [e] */
    VecU32 next;   /* by event id: chain link + 1 */
    VecU32 size;   /* by event id: |[e]| */
    VecU32 row;    /* by event id: 1 + row of its state, or 0 */
    VecU64 states; /* rows of state_words */
    VecU32 free_rows;
    uint32_t *bucket; /* event id + 1 */
    uint32_t mask, n;
    uint64_t *initial, *state, initial_print;
    VEC(OrderStep) mine, other;
    VecU32 walk, seen, depth;
};

enum { FIRST_BUCKETS = 256 };

static uint64_t print_of_state(const Cutoff *k, const uint64_t *state)
{
    uint64_t print = k->effect ? k->lts->fingerprint(k->lts, state) : hash_words(state, k->lts->state_words);
    return print & k->print_mask;
}

Cutoff *cutoff_new(const Lts *lts, Order order, bool forgetful, unsigned print_bits)
{
    assert(print_bits && print_bits <= 64);
    Cutoff *k = g_new0(Cutoff, 1);
    k->lts = lts;
    k->order = order;
    k->work = order_work_new(lts->n_actions);
    k->forgetful = forgetful;
    k->mask = FIRST_BUCKETS - 1;
    k->bucket = g_new0(uint32_t, FIRST_BUCKETS);
    k->initial = g_new(uint64_t, lts->state_words);
    k->state = g_new(uint64_t, lts->state_words);
    lts->initial(lts, k->initial);
    k->print_mask = UINT64_MAX >> (64 - print_bits);
    if (lts->effect) {
        k->effect = g_new(uint64_t, MAX(lts->n_actions, 1));
        for (uint32_t t = 0; t < lts->n_actions; t++) k->effect[t] = lts->effect(lts, t);
    }
    k->initial_print = print_of_state(k, k->initial);
    return k;
}

void cutoff_free(Cutoff *k)
{
    if (!k) return;
    g_free(k->effect);
    order_work_free(k->work);
    vec_free(&k->print);
    vec_free(&k->row);
    vec_free(&k->states);
    vec_free(&k->free_rows);
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

static void link_event(Cutoff *k, uint32_t e)
{
    assert(e < k->print.len);
    uint32_t b = (uint32_t)k->print.data[e] & k->mask;
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

/* Notes what is known of event e before anything is decided. */
static void note(Cutoff *k, uint32_t e, uint64_t print, uint32_t size)
{
    size_t n = (size_t)e + 1;
    if (k->next.len < n) {
        vec_reserve(&k->print, n);
        vec_reserve(&k->next, n);
        vec_reserve(&k->size, n);
        vec_reserve(&k->row, n);
        k->print.len = k->next.len = k->size.len = k->row.len = n;
    }
    k->print.data[e] = print;
    k->size.data[e] = size;
    k->row.data[e] = 0;
}

static uint64_t *row(const Cutoff *k, uint32_t r)
{
    assert(r && r * (size_t)k->lts->state_words <= k->states.len);
    return vec_from(&k->states, (size_t)(r - 1) * k->lts->state_words);
}

static uint32_t take_row(Cutoff *k)
{
    if (k->free_rows.len) return vec_pop(&k->free_rows);
    vec_reserve(&k->states, k->states.len + k->lts->state_words);
    k->states.len += k->lts->state_words;
    return (uint32_t)(k->states.len / k->lts->state_words);
}

static void give_row(Cutoff *k, uint32_t e)
{
    if (k->row.data[e]) vec_push(&k->free_rows, k->row.data[e]);
    k->row.data[e] = 0;
}

/* The state of a listed event; NULL when it does not fit the layout. */
static const uint64_t *state_of(Cutoff *k, Config *c, uint32_t f)
{
    if (!k->row.data[f]) {
        uint32_t r = take_row(k);
        k->row.data[f] = r;
        if (!config_state_of_event(c, f, row(k, r))) return NULL;
    }
    return row(k, k->row.data[f]);
}

HASH_WRAPS static uint64_t print_after(const Cutoff *k, const Config *c, uint32_t label, const uint64_t *history)
{
    uint32_t used = (c->n + 63) / 64, top = bitset_highest(history, used);
    if (top == UINT32_MAX) return (k->initial_print + k->effect[label]) & k->print_mask;
    assert(top < c->n && c->event.data[top] < k->print.len);
    uint64_t print = k->print.data[c->event.data[top]] + k->effect[label];
    const uint64_t *local = config_local(c, top);
    for (uint32_t w = 0; w < used; w++)
        for (uint64_t rest = history[w] & ~local[w]; rest; rest &= rest - 1)
            print += k->effect[c->label.data[w * 64 + (uint32_t)__builtin_ctzll(rest)]];
    return print & k->print_mask;
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
        for (uint32_t j = 0; j < c->events->event.data[e].n_causes; j++) {
            assert(bitset_get(history, c->events->event.data[causes[j]].position));
            depth = MAX(depth, k->depth.data[c->events->event.data[causes[j]].position]);
        }
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

/* The state after <label,H>, once. */
static bool my_state(Cutoff *k, Config *c, uint32_t label, const uint64_t *history, bool *made)
{
    if (*made) return true;
    *made = config_state_of(c, history, k->state) && k->lts->enabled(k->lts, k->state, label) &&
            k->lts->fire(k->lts, k->state, label);
    return *made;
}

static bool equal(const Cutoff *k, const uint64_t *a, const uint64_t *b)
{
    return memcmp(a, b, k->lts->state_words * sizeof *a) == 0;
}

bool cutoff_decide(Cutoff *k, Config *c, uint32_t e, const uint64_t *history, bool *overflow)
{
    uint32_t label = c->events->event.data[e].label;
    bool made = false, steps = false;
    *overflow = !k->effect && !my_state(k, c, label, history, &made);
    if (*overflow) return true;
    uint64_t print = k->effect ? print_after(k, c, label, history) : print_of_state(k, k->state);
    uint32_t size = (uint32_t)bitset_count(history, (c->n + 63) / 64) + 1;
    assert(size <= c->n + 1 && c->events->event.data[e].position == EVENT_NONE);
    note(k, e, print, size);
    if (print == k->initial_print) {
        *overflow = !my_state(k, c, label, history, &made);
        if (*overflow || equal(k, k->state, k->initial)) return true;
    }
    uint32_t bucket = (uint32_t)print & k->mask;
    for (uint32_t f = k->bucket[bucket], before = 0; f; before = f, f = k->next.data[f - 1]) {
        if (k->print.data[f - 1] != print) continue;
        const uint64_t *other = my_state(k, c, label, history, &made) ? state_of(k, c, f - 1) : NULL;
        *overflow = !other;
        if (*overflow) return true;
        if (!equal(k, k->state, other)) continue;
        int order = (k->size.data[f - 1] > size) - (k->size.data[f - 1] < size);
        if (!order && k->order != ORDER_MCMILLAN) {
            if (!steps) steps_in_config(k, c, label, history);
            steps = true;
            steps_of_event(k, c->events, f - 1);
            assert(k->other.len == size && k->mine.len == size);
            order = order_compare(k->work, k->order, k->other.data, k->mine.data, size, (OrderAsk){0});
        }
        if (order < 0) return true;
        if (k->forgetful) continue;
        if (order > 0) { /* the new champion takes its place, and its state */
            k->row.data[e] = k->row.data[f - 1];
            k->row.data[f - 1] = 0;
            k->next.data[e] = k->next.data[f - 1];
            *(before ? &k->next.data[before - 1] : &k->bucket[bucket]) = e + 1;
        }
        return false;
    }
    if (++k->n > k->mask) grow(k);
    link_event(k, e);
    return false;
}

void cutoff_forget(Cutoff *k, uint32_t e)
{
    assert(k->forgetful && k->n && e < k->print.len);
    uint32_t *at = &k->bucket[(uint32_t)k->print.data[e] & k->mask];
    while (*at != e + 1) {
        assert(*at);
        at = &k->next.data[*at - 1];
    }
    *at = k->next.data[e];
    give_row(k, e);
    k->n--;
}
