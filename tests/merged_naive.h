/* The complete merged process by its definition: of a finished prefix, conditions with the same place and occurrence
 * depth become one, then events with the same transition and conditions. Of the prefix in the order mcmillan those
 * events stay whose configuration is as small as any with its marking (a search of all markings knows), and as cutoffs
 * those that come after such a one. Shares no code with unfold/merged. */
#pragma once
#include "unfold/unfold.h"

#include <string.h>

typedef struct NaiveMerged {
    GHashTable *live, *cutoffs; /* names of events */
    bool too_big;
} NaiveMerged;

static inline void naive_merged_clear(NaiveMerged *m)
{
    g_hash_table_unref(m->live);
    g_hash_table_unref(m->cutoffs);
}

/* How many firings each reachable marking takes; NULL when there are more than that many. */
static inline GHashTable *naive_distances(const Net *net, uint32_t most)
{
    GHashTable *table = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    g_autoptr(GPtrArray) queue = g_ptr_array_new();
    size_t size = net->n_places * sizeof(uint64_t);
    g_autofree uint64_t *marking = g_malloc(size + 1);
    GBytes *first = g_bytes_new(net->initial, size);
    g_hash_table_insert(table, first, GUINT_TO_POINTER(0));
    g_ptr_array_add(queue, first);
    for (uint32_t i = 0; i < queue->len; i++) {
        if (queue->len > most) {
            g_hash_table_unref(table);
            return NULL;
        }
        GBytes *from = queue->pdata[i];
        uint32_t distance = GPOINTER_TO_UINT(g_hash_table_lookup(table, from));
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            memcpy(marking, g_bytes_get_data(from, NULL), size);
            if (!net_enabled(net, marking, t)) continue;
            net_fire(net, marking, t);
            GBytes *to = g_bytes_new(marking, size);
            if (g_hash_table_contains(table, to)) {
                g_bytes_unref(to);
                continue;
            }
            g_hash_table_insert(table, to, GUINT_TO_POINTER(distance + 1));
            g_ptr_array_add(queue, to);
        }
    }
    return table;
}

/* By condition: the most conditions of its place on a path that ends in it. */
static inline uint32_t *naive_depths(const Prefix *x)
{
    uint32_t *depth = g_new0(uint32_t, x->n_conditions + 1);
    g_autofree uint32_t *most = g_new0(uint32_t, x->n_conditions + 1);
    for (uint32_t p = 0; p < x->net->n_places; p++)
        for (uint32_t c = 0; c < x->n_conditions; c++) {
            most[c] = 0;
            uint32_t e = x->condition_event[c];
            PrefixRow rows[2] = {{NULL, 0}, {NULL, 0}};
            if (e != PREFIX_BOTTOM) rows[0] = prefix_pre(x, e), rows[1] = prefix_read(x, e);
            for (int k = 0; k < 2; k++)
                for (uint32_t i = 0; i < rows[k].len; i++) most[c] = MAX(most[c], most[rows[k].id[i]]);
            if (x->condition_place[c] == p) depth[c] = ++most[c];
        }
    return depth;
}

static inline int naive_compare_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "t: takes | reads | makes", places with their depths in the order of the alphabet. */
static inline char *naive_name(const char *transition, GPtrArray *const parts[3])
{
    GString *text = g_string_new(transition);
    for (int k = 0; k < 3; k++) {
        g_string_append(text, k ? " |" : ":");
        g_ptr_array_sort(parts[k], naive_compare_text);
        for (uint32_t i = 0; i < parts[k]->len; i++) g_string_append_printf(text, " %s", (char *)parts[k]->pdata[i]);
        g_ptr_array_unref(parts[k]);
    }
    return g_string_free(text, FALSE);
}

static inline char *naive_event_name(const Prefix *x, const uint32_t *depth, uint32_t e)
{
    GPtrArray *parts[3];
    uint32_t from = x->post_start[e], to = x->post_start[e + 1];
    g_autofree uint32_t *post = g_new(uint32_t, to - from + 1);
    for (uint32_t c = from; c < to; c++) post[c - from] = c;
    PrefixRow rows[3] = {prefix_pre(x, e), prefix_read(x, e), {post, to - from}};
    for (int k = 0; k < 3; k++) {
        parts[k] = g_ptr_array_new_with_free_func(g_free);
        for (uint32_t i = 0; i < rows[k].len; i++)
            g_ptr_array_add(parts[k], g_strdup_printf("%s.%u", net_place_id(x->net, x->condition_place[rows[k].id[i]]),
                                                      depth[rows[k].id[i]]));
    }
    return naive_name(net_transition_id(x->net, x->event_transition[e]), parts);
}

/* Is the marking after these transitions reached by no fewer? */
static inline bool naive_is_short(const Net *net, GHashTable *distances, const uint32_t *run, uint32_t n)
{
    g_autofree uint64_t *marking = g_memdup2(net->initial, net->n_places * sizeof(uint64_t));
    for (uint32_t i = 0; i < n; i++) net_fire(net, marking, run[i]);
    g_autoptr(GBytes) key = g_bytes_new(marking, net->n_places * sizeof(uint64_t));
    return GPOINTER_TO_UINT(g_hash_table_lookup(distances, key)) == n;
}

static inline NaiveMerged naive_merged(const Net *net, Relation relation, uint32_t most)
{
    NaiveMerged m = {g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                     g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL), true};
    g_autoptr(GHashTable) distances = naive_distances(net, most);
    if (!distances) return m;
    Budget budget = budget_new(0, 0, most);
    UnfoldOptions options = {.relation = relation, .order = ORDER_MCMILLAN, .cutoffs = true};
    options.engine = relation == RELATION_CLASSIC ? UNFOLD_CLASSIC : UNFOLD_CONTEXT;
    g_autoptr(Prefix) x = unfold(net, &options, &budget, NULL);
    if (!x || x->end != ENDING_COMPLETE) return m;
    m.too_big = false;
    g_autofree uint32_t *depth = naive_depths(x), *run = g_new(uint32_t, prefix_count(x) + 1);
    for (uint32_t i = 0; i < prefix_count(x); i++) {
        uint32_t e = x->histories.n ? x->histories.event[i] : i;
        uint32_t n = x->histories.n ? prefix_local_history(x, i, run) : prefix_local(x, i, run);
        for (uint32_t k = 0; k < n; k++)
            run[k] = x->event_transition[x->histories.n ? x->histories.event[run[k]] : run[k]];
        if (!naive_is_short(net, distances, run, n - 1)) continue;
        g_hash_table_add(naive_is_short(net, distances, run, n) ? m.live : m.cutoffs, naive_event_name(x, depth, e));
    }
    GHashTableIter iter;
    gpointer name;
    g_hash_table_iter_init(&iter, m.live);
    while (g_hash_table_iter_next(&iter, &name, NULL)) g_hash_table_remove(m.cutoffs, name);
    return m;
}
