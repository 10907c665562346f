/* The unfolding by its definition ([POET15] Def. 3), as slowly as it reads: all configurations of the events so far are
 * listed, and every <a,H> that the definition allows is a candidate; the smallest is added. Conflict is looked up
 * in the definition each time. At most 128 events and some thousand configurations. */
#pragma once
#include "lts/indep.h"
#include "lts/lts.h"
#include "order_naive.h"

#include <glib.h>
#include <string.h>

enum { NAIVE_EVENTS = 128, NAIVE_WORDS = NAIVE_EVENTS / 64, NAIVE_CONFIGURATIONS = 2000, NAIVE_STATE = 8 };

typedef struct NaiveSet {
    uint64_t w[NAIVE_WORDS];
} NaiveSet;

typedef struct NaiveEvent {
    uint32_t action;
    NaiveSet history; /* without the event */
    uint64_t state[NAIVE_STATE];
    uint32_t depth, size;
    bool cutoff;
    uint64_t name; /* of the pair <a,H>, whatever the numbering */
} NaiveEvent;

typedef struct NaivePrefix {
    const Lts *lts;
    const Indep *indep;
    Order order;
    bool cutoffs, too_big;
    uint32_t n, n_cutoffs;
    NaiveEvent event[NAIVE_EVENTS];
    bool conflict[NAIVE_EVENTS][NAIVE_EVENTS]; /* with smaller ids, looked up when all causes are known */
    NaiveSet *configuration;
    uint32_t n_configurations;
} NaivePrefix;

static inline bool naive_in(const NaiveSet *s, uint32_t i)
{
    return s->w[i / 64] >> (i % 64) & 1;
}

static inline bool naive_below(const NaivePrefix *x, uint32_t a, uint32_t b)
{
    return a == b || naive_in(&x->event[b].history, a);
}

/* Two causes that are dependent and not ordered. */
static inline bool naive_conflict(const NaivePrefix *x, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t j = 0; j < x->n; j++)
            if (naive_below(x, i, a) && naive_below(x, j, b) && !naive_below(x, i, j) && !naive_below(x, j, i) &&
                indep_dependent(x->indep, x->event[i].action, x->event[j].action))
                return true;
    return false;
}

static inline void naive_list(NaivePrefix *x)
{
    x->n_configurations = 1;
    memset(&x->configuration[0], 0, sizeof(NaiveSet));
    for (uint32_t f = 0; x->n && f < x->n - 1; f++) x->conflict[x->n - 1][f] = naive_conflict(x, x->n - 1, f);
    for (uint32_t e = 0; e < x->n; e++) {
        if (x->event[e].cutoff) continue;
        uint32_t so_far = x->n_configurations;
        for (uint32_t c = 0; c < so_far; c++) {
            NaiveSet set = x->configuration[c];
            bool fits = true;
            for (uint32_t f = 0; f < e; f++) {
                if (naive_in(&x->event[e].history, f) && !naive_in(&set, f)) fits = false;
                if (naive_in(&set, f) && x->conflict[e][f]) fits = false;
            }
            if (!fits) continue;
            if (x->n_configurations == NAIVE_CONFIGURATIONS) {
                x->too_big = true;
                return;
            }
            set.w[e / 64] |= UINT64_C(1) << (e % 64);
            x->configuration[x->n_configurations++] = set;
        }
    }
}

static inline bool naive_allowed(const NaivePrefix *x, const NaiveSet *h, uint32_t action, uint64_t *state)
{
    x->lts->initial(x->lts, state);
    for (uint32_t e = 0; e < x->n; e++)
        if (naive_in(h, e)) {
            g_assert(x->lts->enabled(x->lts, state, x->event[e].action));
            g_assert(x->lts->fire(x->lts, state, x->event[e].action));
        }
    if (!x->lts->enabled(x->lts, state, action)) return false;
    for (uint32_t e = 0; e < x->n; e++) {
        if (!naive_in(h, e) || indep_dependent(x->indep, action, x->event[e].action)) continue;
        bool maximal = true;
        for (uint32_t f = 0; f < x->n; f++)
            if (naive_in(h, f) && naive_in(&x->event[f].history, e)) maximal = false;
        if (maximal) return false;
    }
    for (uint32_t e = 0; e < x->n; e++)
        if (x->event[e].action == action && memcmp(&x->event[e].history, h, sizeof *h) == 0) return false;
    return true;
}

static inline size_t naive_steps(const NaivePrefix *x, const NaiveSet *h, uint32_t action, OrderStep *to)
{
    size_t n = 0;
    uint32_t depth = 0;
    for (uint32_t e = 0; e < x->n; e++)
        if (naive_in(h, e)) {
            to[n++] = (OrderStep){x->event[e].depth, x->event[e].action};
            depth = MAX(depth, x->event[e].depth);
        }
    to[n++] = (OrderStep){depth + 1, action};
    return n;
}

/* <a,H> against <b,G> in the given order. */
static inline int naive_compare(const NaivePrefix *x, Order order, const NaiveSet *h, uint32_t a, const NaiveSet *g,
                                uint32_t b)
{
    OrderStep one[NAIVE_EVENTS + 1], two[NAIVE_EVENTS + 1];
    size_t m = naive_steps(x, h, a, one), n = naive_steps(x, g, b, two);
    return naive_order(order, one, m, two, n);
}

static inline bool naive_add(NaivePrefix *x, const NaiveSet *h, uint32_t action)
{
    if (x->n == NAIVE_EVENTS) {
        x->too_big = true;
        return false;
    }
    NaiveEvent *e = &x->event[x->n];
    OrderStep steps[NAIVE_EVENTS + 1];
    *e = (NaiveEvent){.action = action, .history = *h, .size = (uint32_t)naive_steps(x, h, action, steps)};
    e->depth = steps[e->size - 1].depth;
    uint64_t sum = 0;
    for (uint32_t f = 0; f < x->n; f++)
        if (naive_in(h, f)) sum += x->event[f].name * x->event[f].name | 1;
    e->name = (sum + action + 1) * UINT64_C(0x9e3779b97f4a7c15);
    e->name ^= e->name >> 29;
    naive_allowed(x, h, action, e->state);
    x->lts->fire(x->lts, e->state, action);
    uint64_t first[NAIVE_STATE];
    x->lts->initial(x->lts, first);
    size_t bytes = x->lts->state_words * sizeof(uint64_t);
    if (x->cutoffs) {
        e->cutoff = memcmp(first, e->state, bytes) == 0;
        for (uint32_t f = 0; f < x->n; f++)
            if (memcmp(x->event[f].state, e->state, bytes) == 0 &&
                naive_compare(x, x->order, &x->event[f].history, x->event[f].action, h, action) < 0)
                e->cutoff = true;
    }
    x->n_cutoffs += e->cutoff;
    x->n++;
    return true;
}

/* Free with naive_free(). too_big when it gave up. */
static inline NaivePrefix *naive_saturate(const Lts *lts, const Indep *indep, Order order, bool cutoffs)
{
    NaivePrefix *x = g_new0(NaivePrefix, 1);
    x->lts = lts;
    x->indep = indep;
    x->order = order;
    x->cutoffs = cutoffs;
    x->configuration = g_new(NaiveSet, NAIVE_CONFIGURATIONS);
    g_assert(lts->state_words <= NAIVE_STATE);
    for (;;) {
        naive_list(x);
        const NaiveSet *best = NULL;
        uint32_t best_action = 0;
        uint64_t state[NAIVE_STATE];
        for (uint32_t c = 0; c < x->n_configurations && !x->too_big; c++)
            for (uint32_t a = 0; a < lts->n_actions; a++)
                if (naive_allowed(x, &x->configuration[c], a, state) &&
                    (!best || naive_compare(x, order_is_total(order) ? order : ORDER_ERV, &x->configuration[c], a, best,
                                            best_action) < 0)) {
                    best = &x->configuration[c];
                    best_action = a;
                }
        NaiveSet chosen = best ? *best : (NaiveSet){0};
        if (!best || !naive_add(x, &chosen, best_action)) return x;
    }
}

static inline void naive_free(NaivePrefix *x)
{
    g_free(x->configuration);
    g_free(x);
}
