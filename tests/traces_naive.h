/* The slow twin of the explorer: the Mazurkiewicz traces of a terminating net as Foata normal forms, and the
 * events of the unfolding as the normal forms of the causal pasts of all firings (an event <t,H> is the
 * trace [H] t with the one maximal element t). Either by all runs one by one, or by all traces one by one:
 * of the runs with one normal form only the first is continued. By the plain firing rule of net.h; shares
 * no code with src/pes and src/explore. */
#pragma once
#include "lts/indep.h"

#include <string.h>

typedef struct Traces {
    const Net *net;
    const Indep *indep;
    GHashTable *maximal, *events, *dead; /* sets of strings, markings as GBytes */
    GHashTable *continued;               /* normal forms, or NULL: every run is continued */
    guint steps, runs, limit;
    bool complete;
    GArray *run;
} Traces;

/* The normal form of the firings selected by `keep` (NULL: all) as text: a letter per
 * firing, levels parted by "|". */
static inline char *traces_foata(const Indep *indep, const uint32_t *run, guint n, const bool *keep)
{
    guint *level = g_new0(guint, n + 1), deepest = 0;
    for (guint i = 0; i < n; i++) {
        if (keep && !keep[i]) continue;
        for (guint j = 0; j < i; j++)
            if ((!keep || keep[j]) && indep_dependent(indep, run[i], run[j])) level[i] = MAX(level[i], level[j]);
        level[i]++;
        deepest = MAX(deepest, level[i]);
    }
    GString *text = g_string_sized_new(4 * n + 4);
    for (guint l = 1; l <= deepest; l++) {
        if (l > 1) g_string_append_c(text, '|');
        for (uint32_t t = 0; t < indep->n; t++)
            for (guint i = 0; i < n; i++)
                if (level[i] == l && run[i] == t) g_string_append_unichar(text, 'A' + t);
    }
    g_free(level);
    return g_string_free(text, FALSE);
}

/* The causal past of the last firing. */
static inline char *traces_event(const Indep *indep, const uint32_t *run, guint n)
{
    bool *keep = g_new0(bool, n);
    keep[n - 1] = true;
    for (guint i = n - 1; i--;)
        for (guint j = i + 1; j < n; j++)
            if (keep[j] && indep_dependent(indep, run[i], run[j])) keep[i] = true;
    char *text = traces_foata(indep, run, n, keep);
    g_free(keep);
    return text;
}

static inline void traces_walk(Traces *s, const uint64_t *marking)
{
    size_t bytes = MAX(s->net->n_places, 1) * sizeof *marking;
    if (s->runs >= s->limit || s->steps++ >= 10 * s->limit || s->run->len > 40) s->complete = false;
    if (!s->complete) return;
    bool any = false;
    uint64_t *next = g_malloc0(bytes);
    for (uint32_t t = 0; t < s->net->n_transitions && s->complete; t++) {
        memcpy(next, marking, s->net->n_places * sizeof *marking);
        if (!net_enabled(s->net, next, t) || !net_fire(s->net, next, t)) continue;
        any = true;
        g_array_append_val(s->run, t);
        g_hash_table_add(s->events, traces_event(s->indep, (uint32_t *)(void *)s->run->data, s->run->len));
        if (!s->continued ||
            g_hash_table_add(s->continued, traces_foata(s->indep, (uint32_t *)(void *)s->run->data, s->run->len, NULL)))
            traces_walk(s, next);
        g_array_set_size(s->run, s->run->len - 1);
    }
    g_free(next);
    if (any || !s->complete) return;
    s->runs++;
    g_hash_table_add(s->maximal, traces_foata(s->indep, (uint32_t *)(void *)s->run->data, s->run->len, NULL));
    g_hash_table_add(s->dead, g_bytes_new(marking, s->net->n_places * sizeof *marking));
}

/* Gives up, complete = false, after `limit` runs or 10 times as many steps or at a run of more than 40 firings. */
static inline Traces *traces_make(const Net *net, const Indep *indep, guint limit, bool merge)
{
    Traces *s = g_new0(Traces, 1);
    *s = (Traces){.net = net, .indep = indep, .limit = limit, .complete = true};
    s->maximal = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    s->events = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    s->dead = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    s->run = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    if (merge) s->continued = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    traces_walk(s, net->initial);
    return s;
}

static inline Traces *traces_new(const Net *net, const Indep *indep, guint limit)
{
    return traces_make(net, indep, limit, false);
}

static inline void traces_free(Traces *s)
{
    g_hash_table_destroy(s->maximal);
    g_hash_table_destroy(s->events);
    g_hash_table_destroy(s->dead);
    if (s->continued) g_hash_table_destroy(s->continued);
    g_array_free(s->run, TRUE);
    g_free(s);
}
