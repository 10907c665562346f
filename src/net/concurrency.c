#include "net/concurrency.h"

#include "base/vec.h"

enum { MOST_PLACES = 30000, WORD_UNITS = 1, PAIR_UNITS = 2 };

typedef struct Closure {
    Concurrency *c;
    const Net *net;
    uint64_t *never; /* rows of pairs that are excluded for sure */
    uint64_t *rest;  /* scratch row */
    VecU32 queue;
    bool *queued;
    uint32_t work;
} Closure;

static uint64_t *row(const Closure *x, uint32_t p)
{
    return x->c->rows + p * x->c->words;
}

static void exclude(Closure *x, const Invariants *known)
{
    for (uint32_t i = 0; known && i < known->n; i++) {
        const Invariant *y = &known->item[i];
        if (y->tokens == UINT64_MAX) continue;
        for (uint32_t a = 0; a < y->len; a++)
            for (uint32_t b = 0; b < y->len; b++)
                if (y->weight[a] > y->tokens || y->weight[b] > y->tokens - y->weight[a])
                    bitset_set(x->never + y->place[a] * x->c->words, y->place[b]);
    }
}

static void wake(Closure *x, uint32_t p)
{
    for (int k = 0; k < 2; k++) {
        NetRow needers = net_transitions(x->net, k ? ARC_READ : ARC_PRE, p);
        for (uint32_t i = 0; i < needers.len; i++) {
            if (x->queued[needers.node[i]]) continue;
            x->queued[needers.node[i]] = true;
            vec_push(&x->queue, needers.node[i]);
        }
    }
}

static void mark(Closure *x, uint32_t p)
{
    if (bitset_get(x->c->marked, p)) return;
    bitset_set(x->c->marked, p);
    wake(x, p);
}

static void relate(Closure *x, uint32_t p, uint32_t q)
{
    if (bitset_get(row(x, p), q) || bitset_get(x->never + p * x->c->words, q)) return;
    bitset_set(row(x, p), q);
    bitset_set(row(x, q), p);
    wake(x, p);
    wake(x, q);
    x->work += PAIR_UNITS;
}

/* May all that t needs be marked together? */
static bool enabled(const Closure *x, uint32_t t)
{
    for (int k = 0; k < 2; k++) {
        NetRow a = net_places(x->net, k ? ARC_READ : ARC_PRE, t);
        for (uint32_t i = 0; i < a.len; i++) {
            uint32_t p = a.node[i];
            if (!bitset_get(x->c->marked, p) || (net_weight(a, i) > 1 && !bitset_get(row(x, p), p))) return false;
            for (int l = 0; l < 2; l++) {
                NetRow b = net_places(x->net, l ? ARC_READ : ARC_PRE, t);
                for (uint32_t j = 0; j < b.len; j++)
                    if (b.node[j] != p && !bitset_get(row(x, p), b.node[j])) return false;
            }
        }
    }
    return true;
}

/* What else may be marked while t fires and stay so: in relation with all it needs. */
static void find_rest(Closure *x, uint32_t t)
{
    size_t words = x->c->words;
    memcpy(x->rest, x->c->marked, words * sizeof *x->rest);
    for (int k = 0; k < 2; k++) {
        NetRow needed = net_places(x->net, k ? ARC_READ : ARC_PRE, t);
        for (uint32_t i = 0; i < needed.len; i++) {
            const uint64_t *with = row(x, needed.node[i]);
            for (size_t w = 0; w < words; w++) x->rest[w] &= with[w];
            x->work += WORD_UNITS * (uint32_t)words;
        }
    }
    NetRow read = net_places(x->net, ARC_READ, t);
    for (uint32_t i = 0; i < read.len; i++)
        if (net_weight(read, i) > net_arc_weight(x->net, ARC_PRE, t, read.node[i])) bitset_set(x->rest, read.node[i]);
}

static void fire(Closure *x, uint32_t t)
{
    size_t words = x->c->words;
    if (!enabled(x, t)) return;
    x->c->fires[t] = true;
    find_rest(x, t);
    NetRow post = net_places(x->net, ARC_POST, t);
    for (uint32_t i = 0; i < post.len; i++) {
        uint32_t p = post.node[i];
        mark(x, p);
        if (net_weight(post, i) > 1) relate(x, p, p);
        for (uint32_t j = 0; j < i; j++) relate(x, p, post.node[j]);
        for (size_t w = 0; w < words; w++) {
            uint64_t fresh = x->rest[w] & ~row(x, p)[w] & ~x->never[p * words + w];
            for (; fresh; fresh &= fresh - 1) relate(x, p, (uint32_t)(w * 64 + (size_t)__builtin_ctzll(fresh)));
        }
        x->work += WORD_UNITS * (uint32_t)words;
    }
}

static void start(Closure *x)
{
    for (uint32_t p = 0; p < x->net->n_places; p++) {
        if (!x->net->initial[p]) continue;
        mark(x, p);
        if (x->net->initial[p] > 1) relate(x, p, p);
        for (uint32_t q = 0; q < p; q++)
            if (x->net->initial[q]) relate(x, p, q);
    }
}

static bool needs_something(const Net *net, uint32_t t)
{
    return net_places(net, ARC_PRE, t).len || net_places(net, ARC_READ, t).len;
}

Concurrency *concurrency_new(const Net *net, const Invariants *known, Budget *budget)
{
    size_t words = bitset_words(net->n_places);
    if (!net->n_places || net->n_places > MOST_PLACES ||
        !budget_allows(budget, 2 * words * net->n_places * sizeof(uint64_t)))
        return NULL;
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (!needs_something(net, t)) return NULL;
    Concurrency *c = g_new0(Concurrency, 1);
    *c = (Concurrency){.net = net,
                       .words = words,
                       .rows = g_new0(uint64_t, words * net->n_places),
                       .marked = g_new0(uint64_t, words),
                       .fires = g_new0(bool, net->n_transitions + 1)};
    Closure x = {.c = c,
                 .net = net,
                 .never = g_new0(uint64_t, words * net->n_places),
                 .rest = g_new0(uint64_t, words),
                 .queued = g_new0(bool, net->n_transitions + 1)};
    exclude(&x, known);
    start(&x);
    while (x.queue.len && !budget_charge(budget, x.work + 20)) {
        uint32_t t = vec_pop(&x.queue);
        x.work = 0;
        x.queued[t] = false;
        fire(&x, t);
    }
    bool closed = x.queue.len == 0;
    g_free(x.never);
    g_free(x.rest);
    g_free(x.queued);
    vec_free(&x.queue);
    if (closed) return c;
    concurrency_free(c);
    return NULL;
}

void concurrency_free(Concurrency *c)
{
    if (!c) return;
    g_free(c->rows);
    g_free(c->marked);
    g_free(c->fires);
    g_free(c);
}
