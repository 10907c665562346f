#include "report/eventgraph.h"

#include "base/bitset.h"
#include "base/compare.h"
#include "report/prefix_part.h"

#include <assert.h>
#include <stdlib.h>

static void push_causes(const Prefix *prefix, const PrefixHistories *h, uint32_t e, VecU32 *causes)
{
    size_t first = causes->len;
    if (!h->n) {
        prefix_part_push_causes(prefix, e, causes);
        return;
    }
    vec_append(causes, h->cause + h->cause_start[e], h->cause_start[e + 1] - h->cause_start[e]);
    prefix_part_sort_causes(causes, first);
}

static void measure(const uint32_t *depth, uint32_t n, uint32_t *max_depth, uint32_t *max_width)
{
    *max_depth = *max_width = 0;
    for (uint32_t e = 0; e < n; e++) *max_depth = MAX(*max_depth, depth[e]);
    g_autofree uint32_t *at = g_new0(uint32_t, (size_t)*max_depth + 1);
    for (uint32_t e = 0; e < n; e++)
        if (++at[depth[e]] > *max_width) *max_width = at[depth[e]];
}

/* Of the histories, or of the events when there are none. */
static EventGraph *make(const Prefix *prefix, const PrefixHistories *h)
{
    EventGraph *g = g_new0(EventGraph, 1);
    g->n = h->n ? h->n : prefix->n_events;
    g->transition = g_new(uint32_t, (size_t)g->n + 1);
    g->depth = g_new(uint32_t, (size_t)g->n + 1);
    g->cutoff = g_new(bool, (size_t)g->n + 1);
    g->cause_start = g_new0(uint32_t, (size_t)g->n + 1);
    VecU32 causes = {0};
    for (uint32_t e = 0; e < g->n; e++) {
        g->transition[e] = prefix->event_transition[h->n ? h->event[e] : e];
        g->depth[e] = h->n ? h->depth[e] : prefix->event_depth[e];
        g->cutoff[e] = (h->n ? h->companion : prefix->event_companion)[e] != PREFIX_NONE;
        g->n_cutoffs += g->cutoff[e];
        push_causes(prefix, h, e, &causes);
        g->cause_start[e + 1] = (uint32_t)causes.len;
    }
    g->cause = causes.data;
    measure(g->depth, g->n, &g->max_depth, &g->max_width);
    return g;
}

EventGraph *eventgraph_new(const Prefix *prefix)
{
    return make(prefix, &prefix->histories);
}

EventGraph *eventgraph_boxes(const Prefix *prefix, uint32_t **box_of)
{
    *box_of = NULL;
    if (!prefix->histories.n) return NULL;
    *box_of = g_memdup2(prefix->histories.event, prefix->histories.n * sizeof **box_of);
    return make(prefix, &(PrefixHistories){0});
}

void eventgraph_free(EventGraph *g)
{
    if (!g) return;
    g_free(g->transition);
    g_free(g->depth);
    g_free(g->cutoff);
    g_free(g->cause_start);
    g_free(g->cause);
    g_free(g);
}

void eventgraph_measure(const Prefix *prefix, uint32_t *max_depth, uint32_t *max_width)
{
    measure(prefix->histories.n ? prefix->histories.depth : prefix->event_depth, prefix_count(prefix), max_depth,
            max_width);
}

/* Keeps of a run what its last transition depends on, and writes it as its Foata normal form. */
static char *name_of_run(const uint32_t *run, uint32_t n, const Indep *indep)
{
    g_autofree uint32_t *level = g_new0(uint32_t, n);
    g_autofree bool *kept = g_new0(bool, n);
    uint32_t deepest = 1;
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the run of an event is not empty */
    kept[n - 1] = true;
    for (uint32_t i = n - 1; i-- > 0;)
        for (uint32_t j = i + 1; j < n && !kept[i]; j++) kept[i] = kept[j] && indep_dependent(indep, run[i], run[j]);
    for (uint32_t j = 0; j < n; j++) {
        if (!kept[j]) continue;
        level[j] = 1;
        for (uint32_t i = 0; i < j; i++)
            if (kept[i] && level[i] >= level[j] && indep_dependent(indep, run[i], run[j])) level[j] = level[i] + 1;
        deepest = MAX(deepest, level[j]);
    }
    GString *name = g_string_new(NULL);
    g_autofree uint32_t *step = g_new(uint32_t, n);
    for (uint32_t l = 1; l <= deepest; l++) {
        uint32_t len = 0;
        for (uint32_t j = 0; j < n; j++)
            if (kept[j] && level[j] == l) step[len++] = run[j];
        qsort(step, len, sizeof *step, compare_u32);
        for (uint32_t j = 0; j < len; j++) g_string_append_printf(name, "%u ", step[j]);
        g_string_append_c(name, '/');
    }
    return g_string_free(name, FALSE);
}

uint32_t eventgraph_local(const EventGraph *g, uint32_t e, uint32_t *events)
{
    assert(e < g->n);
    g_autofree uint64_t *set = g_new0(uint64_t, bitset_words((size_t)e + 1));
    uint32_t n = 0;
    bitset_set(set, e);
    for (uint32_t f = e + 1; f-- > 0;) {
        if (!bitset_get(set, f)) continue;
        n++;
        for (uint32_t i = g->cause_start[f]; i < g->cause_start[f + 1]; i++) {
            assert(g->cause[i] < f);
            bitset_set(set, g->cause[i]);
        }
    }
    uint32_t to = 0;
    for (uint32_t f = 0; f <= e; f++)
        if (bitset_get(set, f)) events[to++] = f;
    assert(to == n);
    return n;
}

char **eventgraph_names(const EventGraph *g, const Indep *indep)
{
    char **names = g_new0(char *, (size_t)g->n + 1);
    g_autofree uint32_t *run = g_new(uint32_t, (size_t)g->n + 1);
    for (uint32_t e = 0; e < g->n; e++) {
        uint32_t n = eventgraph_local(g, e, run);
        for (uint32_t i = 0; i < n; i++) run[i] = g->transition[run[i]];
        names[e] = name_of_run(run, n, indep);
    }
    return names;
}
