/* The classic prefix from its definitions, for tests. Conditions and events have their whole histories as
 * bit sets; co-sets are checked by histories; of all possible extensions a smallest one is added until
 * none is left. Shares nothing with src/unfold. At most 128 events. */
#pragma once
#include "net/net.h"

#include <glib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 NaiveSet;
enum { NAIVE_MAX = 120, NAIVE_PLACES = 64 };

typedef struct NaiveEvent {
    uint32_t transition, depth;
    uint32_t preset[NAIVE_PLACES], n_preset;
    NaiveSet history; /* causes and itself */
    uint64_t marking;
    bool cutoff;
} NaiveEvent;

typedef struct NaiveBranching {
    const Net *net;
    int order; /* 0 mcmillan, 1 parikh, 2 erv, 3 mole */
    bool cutoffs;
    NaiveEvent events[NAIVE_MAX];
    uint32_t n_events;
    uint32_t place[NAIVE_MAX * NAIVE_PLACES],
        producer[NAIVE_MAX * NAIVE_PLACES]; /* of conditions; producer NAIVE_MAX: bottom */
    NaiveSet consumers[NAIVE_MAX * NAIVE_PLACES];
    uint32_t n_conditions;
    bool too_large;
} NaiveBranching;

/* The places a transition takes and gives, a read being both. */
static inline bool naive_takes(const Net *net, uint32_t t, uint32_t p)
{
    return net_arc_weight(net, ARC_PRE, t, p) || net_arc_weight(net, ARC_READ, t, p);
}
static inline bool naive_gives(const Net *net, uint32_t t, uint32_t p)
{
    if (net_arc_weight(net, ARC_POST, t, p)) return true;
    return net_arc_weight(net, ARC_READ, t, p) && !net_arc_weight(net, ARC_PRE, t, p);
}

static inline NaiveSet naive_history(const NaiveBranching *b, const uint32_t *conditions, uint32_t n)
{
    NaiveSet set = 0;
    for (uint32_t i = 0; i < n; i++)
        if (b->producer[conditions[i]] != NAIVE_MAX) set |= b->events[b->producer[conditions[i]]].history;
    return set;
}

/* A set of events closed under causes is a configuration iff no condition has two consumers in it. */
static inline bool naive_is_configuration(const NaiveBranching *b, NaiveSet set)
{
    for (uint32_t c = 0; c < b->n_conditions; c++) {
        NaiveSet in = b->consumers[c] & set;
        if (in & (in - 1)) return false;
    }
    return true;
}

static inline bool naive_is_coset(const NaiveBranching *b, const uint32_t *conditions, uint32_t n)
{
    NaiveSet history = naive_history(b, conditions, n);
    for (uint32_t i = 0; i < n; i++)
        if (b->consumers[conditions[i]] & history) return false;
    return naive_is_configuration(b, history);
}

static inline uint64_t naive_fire_all(const NaiveBranching *b, NaiveSet set, const NaiveEvent *last)
{
    uint64_t counts[NAIVE_PLACES];
    memcpy(counts, b->net->initial, b->net->n_places * sizeof *counts);
    for (uint32_t e = 0; e < b->n_events; e++)
        if (set >> e & 1) {
            g_assert(net_enabled(b->net, counts, b->events[e].transition));
            net_fire(b->net, counts, b->events[e].transition);
        }
    g_assert(net_enabled(b->net, counts, last->transition));
    net_fire(b->net, counts, last->transition);
    uint64_t marking = 0;
    for (uint32_t p = 0; p < b->net->n_places; p++) {
        g_assert(counts[p] <= 1);
        marking |= counts[p] << p;
    }
    return marking;
}

/* The key of a configuration given as the history of `e` and e itself (not yet added). */
typedef struct NaiveKey {
    uint32_t n, labels[NAIVE_MAX], depths[NAIVE_MAX];
} NaiveKey;

static inline NaiveKey naive_key(const NaiveBranching *b, const NaiveEvent *e, NaiveSet causes)
{
    NaiveKey key = {0};
    for (uint32_t f = 0; f < b->n_events; f++)
        if (causes >> f & 1) {
            key.labels[key.n] = b->events[f].transition;
            key.depths[key.n++] = b->events[f].depth;
        }
    key.labels[key.n] = e->transition;
    key.depths[key.n++] = e->depth;
    return key;
}

static inline int naive_by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static inline uint32_t naive_level(const NaiveKey *key, uint32_t depth, uint32_t *labels)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < key->n; i++)
        if (depth == 0 || key->depths[i] == depth) labels[n++] = key->labels[i];
    qsort(labels, n, sizeof *labels, naive_by_value);
    return n;
}

static inline int naive_lexicographic(const uint32_t *a, uint32_t n, const uint32_t *b, uint32_t m)
{
    for (uint32_t i = 0; i < n && i < m; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return n < m ? -1 : n > m;
}

static inline int naive_compare(int order, const NaiveKey *a, const NaiveKey *b)
{
    uint32_t x[NAIVE_MAX], y[NAIVE_MAX];
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    if (order == 0) return 0;
    int result = naive_lexicographic(x, naive_level(a, 0, x), y, naive_level(b, 0, y));
    for (uint32_t depth = 1; order >= 2 && !result && depth <= a->n; depth++) {
        uint32_t n = naive_level(a, depth, x), m = naive_level(b, depth, y);
        if (order == 3 && n != m) return n < m ? -1 : 1;
        result = naive_lexicographic(x, n, y, m);
    }
    return result;
}

typedef struct NaiveSearch {
    NaiveBranching *b;
    bool found;
    NaiveEvent best;
    NaiveKey key;
} NaiveSearch;

static inline bool naive_known(const NaiveBranching *b, const NaiveEvent *e)
{
    for (uint32_t f = 0; f < b->n_events; f++)
        if (b->events[f].transition == e->transition && b->events[f].n_preset == e->n_preset &&
            memcmp(b->events[f].preset, e->preset, e->n_preset * sizeof *e->preset) == 0)
            return true;
    return false;
}

/* Chooses a condition for every input place from p on, in all ways. */
static inline void naive_choose(NaiveSearch *s, NaiveEvent *e, uint32_t p)
{
    NaiveBranching *b = s->b;
    while (p < b->net->n_places && !naive_takes(b->net, e->transition, p)) p++;
    if (p < b->net->n_places) {
        for (uint32_t c = 0; c < b->n_conditions; c++) {
            if (b->place[c] != p) continue;
            if (b->producer[c] != NAIVE_MAX && b->events[b->producer[c]].cutoff) continue;
            e->preset[e->n_preset++] = c;
            if (naive_is_coset(b, e->preset, e->n_preset)) naive_choose(s, e, p + 1);
            e->n_preset--;
        }
        return;
    }
    if (naive_known(b, e)) return;
    e->depth = 1;
    for (uint32_t i = 0; i < e->n_preset; i++)
        if (b->producer[e->preset[i]] != NAIVE_MAX)
            e->depth = MAX(e->depth, b->events[b->producer[e->preset[i]]].depth + 1);
    NaiveKey key = naive_key(b, e, naive_history(b, e->preset, e->n_preset));
    if (s->found && naive_compare(b->order, &key, &s->key) >= 0) return;
    s->found = true;
    s->best = *e;
    s->key = key;
}

static inline void naive_add(NaiveBranching *b, NaiveEvent *e, const NaiveKey *key)
{
    NaiveSet causes = naive_history(b, e->preset, e->n_preset);
    e->marking = naive_fire_all(b, causes, e);
    uint64_t initial = 0;
    for (uint32_t p = 0; p < b->net->n_places; p++) initial |= b->net->initial[p] << p;
    e->cutoff = b->cutoffs && e->marking == initial;
    for (uint32_t f = 0; f < b->n_events && b->cutoffs; f++) {
        NaiveKey other = naive_key(b, &b->events[f], b->events[f].history & ~((NaiveSet)1 << f));
        if (b->events[f].marking == e->marking && naive_compare(b->order, &other, key) < 0) e->cutoff = true;
    }
    uint32_t id = b->n_events++;
    e->history = causes | (NaiveSet)1 << id;
    b->events[id] = *e;
    for (uint32_t i = 0; i < e->n_preset; i++) b->consumers[e->preset[i]] |= (NaiveSet)1 << id;
    for (uint32_t p = 0; p < b->net->n_places; p++) {
        if (!naive_gives(b->net, e->transition, p)) continue;
        b->place[b->n_conditions] = p;
        b->consumers[b->n_conditions] = 0;
        b->producer[b->n_conditions++] = id;
    }
}

/* At most max_events; too_large says that there are more. The net is safe and ordinary. */
static inline NaiveBranching *naive_branching(const Net *net, int order, bool cutoffs, uint32_t max_events)
{
    NaiveBranching *b = g_new0(NaiveBranching, 1);
    b->net = net;
    b->order = order;
    b->cutoffs = cutoffs;
    for (uint32_t p = 0; p < net->n_places; p++)
        if (net->initial[p]) {
            b->place[b->n_conditions] = p;
            b->producer[b->n_conditions++] = NAIVE_MAX;
        }
    for (;;) {
        NaiveSearch search = {.b = b};
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            NaiveEvent e = {.transition = t};
            naive_choose(&search, &e, 0);
        }
        if (!search.found) return b;
        if (b->n_events == max_events) {
            b->too_large = true;
            return b;
        }
        naive_add(b, &search.best, &search.key);
    }
}
