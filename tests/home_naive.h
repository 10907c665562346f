/* What can always still happen, by definition: all markings in a list, all firings in another, and sets that grow until
 * nothing changes. Shares nothing with the engines but the net's firing rule. */
#pragma once
#include "base/vec.h"
#include "net/net.h"

#include <string.h>

typedef struct NaiveFiring {
    uint32_t from, transition, to;
} NaiveFiring;

typedef struct NaiveGraph {
    const Net *net;
    GPtrArray *markings; /* uint64_t[n_places] */
    VEC(NaiveFiring) firings;
} NaiveGraph;

static inline uint32_t naive_graph_find(NaiveGraph *g, const uint64_t *marking)
{
    for (guint i = 0; i < g->markings->len; i++)
        if (memcmp(g->markings->pdata[i], marking, g->net->n_places * sizeof *marking) == 0) return i;
    g_ptr_array_add(g->markings, g_memdup2(marking, (g->net->n_places + 1) * sizeof *marking));
    return g->markings->len - 1;
}

/* False: there are more markings than that. */
static inline bool naive_graph_init(NaiveGraph *g, const Net *net, guint most)
{
    *g = (NaiveGraph){.net = net, .markings = g_ptr_array_new_with_free_func(g_free)};
    g_autofree uint64_t *next = g_new0(uint64_t, net->n_places + 1);
    memcpy(next, net->initial, net->n_places * sizeof *next);
    naive_graph_find(g, next);
    for (guint i = 0; i < g->markings->len && g->markings->len <= most; i++)
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            if (!net_enabled(net, g->markings->pdata[i], t)) continue;
            memcpy(next, g->markings->pdata[i], net->n_places * sizeof *next);
            net_fire(net, next, t);
            uint32_t to = naive_graph_find(g, next);
            vec_push(&g->firings, ((NaiveFiring){i, t, to}));
        }
    return g->markings->len <= most;
}

static inline void naive_graph_clear(NaiveGraph *g)
{
    g_ptr_array_free(g->markings, TRUE);
    vec_free(&g->firings);
}

/* Grows `can` (one flag per marking, set where the goal holds) by whatever leads there. */
static inline void naive_graph_close(const NaiveGraph *g, bool *can)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < g->firings.len; i++) {
            NaiveFiring f = g->firings.data[i];
            if (can[f.to] && !can[f.from]) can[f.from] = changed = true;
        }
    }
}

static inline bool naive_all(const bool *flags, guint n)
{
    for (guint i = 0; i < n; i++)
        if (!flags[i]) return false;
    return true;
}

/* Is every transition before the one numbered `n` live, by definition? */
static inline bool naive_live(const NaiveGraph *g, uint32_t n)
{
    bool live = true;
    for (uint32_t t = 0; t < n && live; t++) {
        g_autofree bool *can = g_new0(bool, g->markings->len);
        for (size_t i = 0; i < g->firings.len; i++) can[g->firings.data[i].from] |= g->firings.data[i].transition == t;
        naive_graph_close(g, can);
        live = naive_all(can, g->markings->len);
    }
    return live;
}
