/* Nets so small that questions about them are answered here by definition, on plain arrays: src gets to see what
 * tiny_net() makes of them, and knows nothing of the rest. */
#pragma once
#include "base/rng.h"
#include "net/builder.h"

#include <string.h>

enum { MOST_PLACES = 7, MOST_TRANSITIONS = 7, MOST_MARKINGS = 4000 };

typedef struct Tiny {
    int places, transitions;
    uint64_t tokens[MOST_PLACES];
    uint64_t in[MOST_TRANSITIONS][MOST_PLACES], out[MOST_TRANSITIONS][MOST_PLACES], read[MOST_TRANSITIONS][MOST_PLACES],
        inhibit[MOST_TRANSITIONS][MOST_PLACES];
} Tiny;

/* What a transition takes it puts elsewhere, so that the net is bounded, unless it grows; with a scale all numbers are
 * large. */
static inline Tiny tiny_random(Rng *rng, bool grows)
{
    Tiny n = {.places = 3 + (int)rng_below(rng, MOST_PLACES - 2),
              .transitions = 2 + (int)rng_below(rng, MOST_TRANSITIONS - 1)};
    bool safe = rng_chance(rng, 2);
    uint64_t scale = rng_chance(rng, 4) ? (uint64_t)1 << (20 + rng_below(rng, 43)) : 1;
    for (uint64_t k = 1 + rng_below(rng, safe ? 2 : 4); k > 0; k--)
        n.tokens[rng_below(rng, (uint64_t)n.places)] += safe ? 0 : scale;
    if (safe)
        for (uint64_t k = 1 + rng_below(rng, 2); k > 0; k--) n.tokens[rng_below(rng, (uint64_t)n.places)] = scale = 1;
    for (int t = 0; t < n.transitions; t++) {
        for (uint64_t k = 1 + rng_below(rng, 2); k > 0; k--) {
            n.in[t][rng_below(rng, (uint64_t)n.places)] += scale;
            if (!rng_chance(rng, 6)) n.out[t][rng_below(rng, (uint64_t)n.places)] += scale;
        }
        if (rng_chance(rng, 5)) n.read[t][rng_below(rng, (uint64_t)n.places)] = scale;
        if (grows && rng_chance(rng, 2)) n.out[t][rng_below(rng, (uint64_t)n.places)] += scale;
        if (grows ? rng_chance(rng, 2) : !safe && rng_chance(rng, 5))
            n.inhibit[t][rng_below(rng, (uint64_t)n.places)] = scale;
    }
    return n;
}

/* A second one beside it that does the same, as far as there is room; they share the last place, if its number is odd.
 * It need not begin with the same tokens. */
static inline void tiny_make_twofold(Tiny *n, Rng *rng)
{
    int places = MIN(n->places, MOST_PLACES / 2), shared = (int)rng_below(rng, 2), all = 2 * places + shared;
    Tiny one = *n;
    *n = (Tiny){.places = all, .transitions = 2 * MIN(one.transitions, MOST_TRANSITIONS / 2)};
    for (int p = 0; p < all; p++) n->tokens[p] = p < places || rng_chance(rng, 2) ? one.tokens[p % places] : 0;
    for (int t = 0; t < n->transitions; t++)
        for (int p = 0; p < one.places; p++) {
            int half = t % 2, to = p < places ? p + half * places : all - 1, from = t / 2;
            n->in[t][to] += one.in[from][p];
            n->out[t][to] += one.out[from][p];
            n->read[t][to] = MAX(n->read[t][to], one.read[from][p]);
            n->inhibit[t][to] = MAX(n->inhibit[t][to], one.inhibit[from][p]);
        }
}

static inline Net *tiny_net(const Tiny *n)
{
    g_autoptr(NetBuilder) b = net_builder_new("tiny");
    for (int p = 0; p < n->places; p++) {
        char id[8];
        g_snprintf(id, sizeof id, "p%d", p);
        net_builder_place(b, id, NULL, n->tokens[p]);
    }
    for (int t = 0; t < n->transitions; t++) {
        char id[8];
        g_snprintf(id, sizeof id, "t%d", t);
        uint32_t number = net_builder_transition(b, id, NULL);
        for (int p = 0; p < n->places; p++) {
            const uint64_t weights[] = {n->in[t][p], n->out[t][p], n->read[t][p], n->inhibit[t][p]};
            const ArcKind kinds[] = {ARC_PRE, ARC_POST, ARC_READ, ARC_INHIBIT};
            for (int k = 0; k < 4; k++)
                if (weights[k]) net_builder_arc(b, kinds[k], (uint32_t)p, number, weights[k]);
        }
    }
    return net_builder_finish(b, NULL);
}

static inline bool tiny_enabled(const Tiny *n, const uint64_t *m, int t)
{
    for (int p = 0; p < n->places; p++)
        if (m[p] < n->in[t][p] || m[p] < n->read[t][p] || (n->inhibit[t][p] && m[p] >= n->inhibit[t][p])) return false;
    return true;
}

/* Fires an enabled transition; false: a count passes 64 bits. */
static inline bool tiny_fire(const Tiny *n, uint64_t *m, int t)
{
    for (int p = 0; p < n->places; p++)
        if (__builtin_add_overflow(m[p] - n->in[t][p], n->out[t][p], &m[p])) return false;
    return true;
}

/* All reachable markings, in the order of a search, with how each was found. */
typedef struct TinySearch {
    uint64_t marking[MOST_MARKINGS][MOST_PLACES];
    int from[MOST_MARKINGS], by[MOST_MARKINGS];
    int found;
    bool complete;
} TinySearch;

static inline void tiny_search(const Tiny *n, TinySearch *s)
{
    memcpy(s->marking[0], n->tokens, sizeof n->tokens);
    s->found = 1;
    s->complete = false;
    for (int i = 0; i < s->found; i++)
        for (int t = 0; t < n->transitions; t++) {
            if (!tiny_enabled(n, s->marking[i], t)) continue;
            uint64_t *next = s->marking[s->found];
            memcpy(next, s->marking[i], sizeof n->tokens);
            if (!tiny_fire(n, next, t)) return;
            int k = 0;
            while (memcmp(s->marking[k], next, sizeof n->tokens) != 0) k++;
            if (k < s->found) continue;
            s->from[k] = i;
            s->by[k] = t;
            if (++s->found == MOST_MARKINGS) return;
        }
    s->complete = true;
}
