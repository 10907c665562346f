/* Random nets of a few copies of one component, which share places and know each other: places l<kind>_<copy>,
 * s<number>, and of pairs of copies x<copy>_<copy>. Permuting the copies (in a ring: rotating them) keeps the net, but
 * not the initial marking. */
#pragma once
#include "base/rng.h"
#include "net/rules.h"

#include <stdlib.h>
#include <string.h>

typedef struct SymmetricNet {
    Net *net;
    unsigned copies;
    bool ring, pairs;
} SymmetricNet;

enum { SYMMETRIC_KINDS = 3, SYMMETRIC_SHARED = 2 };

/* One transition of copy i that may know copy j: `seed` says which, the same for all copies. */
static inline void symmetric_rule(Rules *r, uint64_t seed, unsigned number, unsigned i, unsigned j, bool pairs)
{
    Rng rng = {seed};
    g_autoptr(GString) in = g_string_new(NULL), out = g_string_new(NULL);
    g_string_append_printf(in, "l%u_%u", (unsigned)rng_below(&rng, SYMMETRIC_KINDS), i);
    g_string_append_printf(out, "l%u_%u", (unsigned)rng_below(&rng, SYMMETRIC_KINDS), i);
    if (rng_chance(&rng, 2)) {
        unsigned weight = 1 + (unsigned)rng_chance(&rng, 4);
        g_string_append_printf(in, " %u*s%u", weight, (unsigned)rng_below(&rng, SYMMETRIC_SHARED));
        g_string_append_printf(out, " %u*s%u", weight, (unsigned)rng_below(&rng, SYMMETRIC_SHARED));
    }
    if (rng_chance(&rng, 4)) g_string_append_printf(in, " !%u*s%u", 1 + (unsigned)rng_below(&rng, 2), 0);
    if (rng_chance(&rng, 4)) g_string_append_printf(in, " ?l%u_%u", (unsigned)rng_below(&rng, SYMMETRIC_KINDS), j);
    if (rng_chance(&rng, 4)) g_string_append_printf(in, " !l%u_%u", (unsigned)rng_below(&rng, SYMMETRIC_KINDS), j);
    if (pairs && rng_chance(&rng, 2)) {
        if (rng_chance(&rng, 2))
            g_string_append_printf(in, " x%u_%u", i, j);
        else
            g_string_append_printf(in, " !x%u_%u", i, j), g_string_append_printf(out, " x%u_%u", i, j);
    }
    rules_add(r, "t%u_%u_%u: %s -> %s", number, i, j, in->str, out->str);
}

static inline SymmetricNet symmetric_net(Rng *rng)
{
    SymmetricNet s = {
        .copies = 2 + (unsigned)rng_below(rng, 3), .ring = rng_chance(rng, 3), .pairs = rng_chance(rng, 3)};
    Rules *r = rules_new("symmetric");
    for (unsigned p = 0; p < SYMMETRIC_SHARED; p++) rules_place(r, rng_below(rng, 3), "s%u", p);
    for (unsigned i = 0; i < s.copies; i++) {
        uint64_t state = rng_below(rng, SYMMETRIC_KINDS);
        for (unsigned k = 0; k < SYMMETRIC_KINDS; k++) rules_place(r, k == state, "l%u_%u", k, i);
        for (unsigned j = 0; j < s.copies && s.pairs; j++)
            if (i != j) rules_place(r, 0, "x%u_%u", i, j);
    }
    unsigned n = 2 + (unsigned)rng_below(rng, 5);
    for (unsigned number = 0; number < n; number++) {
        uint64_t seed = rng_next(rng);
        for (unsigned i = 0; i < s.copies; i++)
            for (unsigned j = 0; j < s.copies; j++)
                if (s.ring ? j == (i + 1) % s.copies : i != j) symmetric_rule(r, seed, number, i, j, s.pairs);
    }
    s.net = rules_finish(r);
    return s;
}

/* The place that a permutation of the copies takes p to. */
static inline uint32_t symmetric_place(const SymmetricNet *s, const unsigned *to, uint32_t p)
{
    unsigned a, b;
    const char *id = net_place_id(s->net, p);
    if (*id == 's' || sscanf(id + 1, "%u_%u", &a, &b) != 2) return p;
    g_autofree char *image = *id == 'l' ? g_strdup_printf("l%u_%u", a, to[b]) : g_strdup_printf("x%u_%u", to[a], to[b]);
    return net_find_place(s->net, image);
}
