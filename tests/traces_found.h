/* What explorers are asked for on random nets, and whether they found what traces_naive.h says: every maximal trace
 * once, every dead marking with a run. */
#pragma once
#include "test.h"

#include "explore/explore.h"
#include "net/gen.h"
#include "traces_naive.h"

/* ---- random nets of every kind ---- */

enum { N_KINDS = 6 };

static inline Net *random_net(Rng *rng, unsigned kind, bool acyclic)
{
    GenRandom g = {.acyclic = acyclic};
    switch (kind) {
    case 0: return gen_random_safe(rng, &g);
    case 1: g.reads = g.loops = true; return gen_random_safe(rng, &g);
    case 2: g.reads = g.inhibitors = g.sinks = true; return gen_random_safe(rng, &g);
    case 3: g.tokens = 2; return gen_random_bounded(rng, &g);
    case 4:
        g.weight = 2;
        g.reads = g.loops = true;
        return gen_random_bounded(rng, &g);
    default:
        g.weight = 3;
        g.reads = g.inhibitors = g.sinks = true;
        return gen_random_bounded(rng, &g);
    }
}

static const Relation RELATIONS[] = {RELATION_NONE, RELATION_CLASSIC, RELATION_READ, RELATION_LOOPS, RELATION_PROVED};

typedef struct Leaves {
    const Indep *indep;
    GHashTable *seen;
    guint twice;
} Leaves;

static inline void note_leaf(void *data, LeafKind kind, const Config *c)
{
    Leaves *leaves = data;
    if (kind != LEAF_MAXIMAL) return;
    leaves->twice += !g_hash_table_add(leaves->seen, traces_foata(leaves->indep, c->label.data, c->n, NULL));
}

static inline bool same_strings(GHashTable *a, GHashTable *b)
{
    if (g_hash_table_size(a) != g_hash_table_size(b)) return false;
    GHashTableIter i;
    gpointer key;
    g_hash_table_iter_init(&i, a);
    while (g_hash_table_iter_next(&i, &key, NULL))
        if (!g_hash_table_contains(b, key)) return false;
    return true;
}

/* Each dead marking once, with a run to it that fires. */
static inline void same_dead(const Net *net, const NetLts *lts, const ExploreDead *dead, size_t n, GHashTable *expected)
{
    ck_assert_uint_eq(n, g_hash_table_size(expected));
    uint64_t *marking = g_new0(uint64_t, net->n_places + 1), *replayed = g_new0(uint64_t, net->n_places + 1);
    for (size_t i = 0; i < n; i++) {
        netlts_unpack(lts, dead[i].state, marking);
        GBytes *key = g_bytes_new(marking, net->n_places * sizeof *marking);
        ck_assert(g_hash_table_contains(expected, key));
        g_bytes_unref(key);
        memcpy(replayed, net->initial, net->n_places * sizeof *marking);
        for (uint32_t k = 0; k < dead[i].length; k++)
            ck_assert(net_enabled(net, replayed, dead[i].run[k]) && net_fire(net, replayed, dead[i].run[k]));
        ck_assert(memcmp(replayed, marking, net->n_places * sizeof *marking) == 0);
    }
    g_free(marking);
    g_free(replayed);
}
