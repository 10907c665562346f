/* The slow twin of every search: all reachable markings by the plain firing rule of net.h and GLib's hash table.
 * Shares no code with src/lts. */
#pragma once
#include "net/net.h"

#include <string.h>

typedef struct Naive {
    const Net *net;
    GPtrArray *markings;    /* GBytes of n_places uint64_t, in order of discovery */
    GHashTable *number;     /* marking -> index + 1 */
    GArray *from, *by, *to; /* edges */
    GArray *n_enabled;      /* per marking */
    uint64_t max_in_place, max_in_marking;
    bool complete;
} Naive;

static inline const uint64_t *naive_marking(const Naive *n, guint i)
{
    return g_bytes_get_data(g_ptr_array_index(n->markings, i), NULL);
}

static inline guint naive_add(Naive *n, const uint64_t *marking)
{
    GBytes *key = g_bytes_new(marking, n->net->n_places * sizeof *marking);
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(n->number, key));
    if (known) {
        g_bytes_unref(key);
        return known - 1;
    }
    g_ptr_array_add(n->markings, key);
    g_hash_table_insert(n->number, key, GUINT_TO_POINTER(n->markings->len));
    uint64_t total = 0;
    for (uint32_t p = 0; p < n->net->n_places; p++) {
        total += marking[p];
        n->max_in_place = MAX(n->max_in_place, marking[p]);
    }
    n->max_in_marking = MAX(n->max_in_marking, total);
    return n->markings->len - 1;
}

/* From any marking, without one transition (NET_NONE: with all). Stops, incomplete, after `limit` markings. */
static inline Naive *naive_explore_from(const Net *net, const uint64_t *first, uint32_t without, guint limit)
{
    Naive *n = g_new0(Naive, 1);
    n->net = net;
    n->markings = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    n->number = g_hash_table_new(g_bytes_hash, g_bytes_equal);
    n->from = g_array_new(FALSE, FALSE, sizeof(guint));
    n->by = g_array_new(FALSE, FALSE, sizeof(guint));
    n->to = g_array_new(FALSE, FALSE, sizeof(guint));
    n->n_enabled = g_array_new(FALSE, TRUE, sizeof(guint));
    uint64_t *marking = g_new(uint64_t, net->n_places + 1);
    naive_add(n, first);
    guint i = 0;
    for (; i < n->markings->len && n->markings->len <= limit; i++) {
        guint enabled = 0;
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            memcpy(marking, naive_marking(n, i), net->n_places * sizeof *marking);
            if (t == without || !net_enabled(net, marking, t) || !net_fire(net, marking, t)) continue;
            guint to = naive_add(n, marking), by = t;
            enabled++;
            g_array_append_val(n->from, i);
            g_array_append_val(n->by, by);
            g_array_append_val(n->to, to);
        }
        g_array_append_val(n->n_enabled, enabled);
    }
    n->complete = i == n->markings->len;
    g_free(marking);
    return n;
}

static inline Naive *naive_explore(const Net *net, guint limit)
{
    return naive_explore_from(net, net->initial, NET_NONE, limit);
}

static inline guint naive_enabled(const Naive *n, guint i)
{
    return g_array_index(n->n_enabled, guint, i);
}

static inline guint naive_deadlocks(const Naive *n)
{
    guint dead = 0;
    for (guint i = 0; i < n->n_enabled->len; i++) dead += naive_enabled(n, i) == 0;
    return dead;
}

static inline void naive_free(Naive *n)
{
    if (!n) return;
    g_hash_table_destroy(n->number);
    g_ptr_array_free(n->markings, TRUE);
    g_array_free(n->from, TRUE);
    g_array_free(n->by, TRUE);
    g_array_free(n->to, TRUE);
    g_array_free(n->n_enabled, TRUE);
    g_free(n);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Naive, naive_free)
