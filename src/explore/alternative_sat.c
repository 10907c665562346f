#include "explore/explore_internal.h"
#include "sat/sat.h"

#include <assert.h>

/* The comb as a formula. Its events are those of [f] \ C for every rival f that fits C alone; a model
 * is a causally closed, conflict-free set of them with one rival of every sleeper. Conflicts are
 * direct ones: dependent actions, neither below the other. */
typedef struct Comb {
    Explorer *x;
    Sat *sat;
    VecU32 events;     /* causes first */
    GHashTable *index; /* event -> index + 1; never iterated */
    uint32_t words;
    uint64_t *below;            /* rows over indices, itself included */
    VecU32 rivals, rival_start; /* indices, per sleeper */
} Comb;

static uint32_t index_of(Comb *k, uint32_t e)
{
    uint32_t i = GPOINTER_TO_UINT(g_hash_table_lookup(k->index, GUINT_TO_POINTER(e + 1)));
    if (i) return i - 1;
    vec_push(&k->events, e);
    g_hash_table_insert(k->index, GUINT_TO_POINTER(e + 1), GUINT_TO_POINTER((guint)k->events.len));
    return (uint32_t)k->events.len - 1;
}

/* Rivals of one sleeper that fit C and hold nothing asleep. */
static void add_spike(Comb *k, uint32_t label)
{
    Explorer *x = k->x;
    const Node *node = explore_node(x, x->asleep_node[label]);
    for (size_t r = 0; r < node->rivals.len; r++) {
        uint32_t f = node->rivals.data[r].f;
        uint32_t last = 0, conflict, asleep;
        if (!config_fits(&x->config, f, &conflict, &asleep)) continue;
        for (size_t i = 0; i < x->config.outside.len; i++) last = index_of(k, x->config.outside.data[i]);
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): f itself is outside C: there is an event */
        assert(k->events.data[last] == f);
        vec_push(&k->rivals, last);
    }
    vec_push(&k->rival_start, (uint32_t)k->rivals.len);
}

static SatLit literal(uint32_t index)
{
    return (SatLit)index + 1;
}

static void demand_causes(Comb *k)
{
    const Events *events = &k->x->events;
    for (uint32_t i = 0; i < k->events.len; i++) {
        uint32_t e = k->events.data[i];
        uint64_t *below = k->below + (size_t)i * k->words;
        bitset_set(below, i);
        for (uint32_t j = 0; j < events->event.data[e].n_causes; j++) {
            uint32_t cause = events_causes(events, e)[j];
            if (events->event.data[cause].position != EVENT_NONE) continue;
            uint32_t c = index_of(k, cause);
            assert(c < i);
            bitset_or(below, k->below + (size_t)c * k->words, k->words);
            sat_clause_of(k->sat, -literal(i), literal(c));
        }
    }
}

static void forbid_conflicts(Comb *k)
{
    const Event *event = k->x->events.event.data;
    for (uint32_t i = 0; i < k->events.len && !sat_spent(k->sat); i++)
        for (uint32_t j = 0; j < i; j++) {
            if (bitset_get(k->below + (size_t)i * k->words, j)) continue;
            if (!indep_dependent(k->x->indep, event[k->events.data[i]].label, event[k->events.data[j]].label)) continue;
            if (bitset_get(k->below + (size_t)j * k->words, i)) continue;
            sat_clause_of(k->sat, -literal(i), -literal(j));
        }
}

/* Pushes the chosen rivals of the model on C. */
static void push_model(Comb *k, uint32_t sleepers)
{
    Explorer *x = k->x;
    for (uint32_t s = 0; s < sleepers; s++)
        for (uint32_t r = k->rival_start.data[s]; r < k->rival_start.data[s + 1]; r++) {
            uint32_t i = k->rivals.data[r];
            if (!sat_value(k->sat, literal(i))) continue;
            if (x->events.event.data[k->events.data[i]].position != EVENT_NONE) break;
            uint32_t conflict, asleep;
            bool fits = config_fits(&x->config, k->events.data[i], &conflict, &asleep);
            assert(fits);
            (void)fits;
            for (size_t j = 0; j < x->config.outside.len; j++)
                if (!explore_adds(x, x->config.outside.data[j])) return;
            break;
        }
}

bool alternative_by_sat(Explorer *x)
{
    Comb k = {.x = x, .index = g_hash_table_new(NULL, NULL)};
    vec_push(&k.rival_start, 0);
    for (size_t s = 0; s < x->sleepers.len; s++) add_spike(&k, x->sleepers.data[s]);
    assert(k.rival_start.len == x->sleepers.len + 1 && vec_last(&k.rival_start) == k.rivals.len);
    k.sat = sat_new();
    sat_variables(k.sat, (int)k.events.len);
    k.words = (uint32_t)bitset_words(k.events.len);
    k.below = g_new0(uint64_t, MAX(k.words * k.events.len, 1));
    sat_begin(k.sat, x->budget);
    demand_causes(&k);
    forbid_conflicts(&k);
    for (size_t s = 0; s < x->sleepers.len; s++) {
        for (uint32_t r = k.rival_start.data[s]; r < k.rival_start.data[s + 1]; r++)
            sat_add(k.sat, literal(k.rivals.data[r]));
        sat_add(k.sat, 0);
    }
    x->stats.alternative_sats++;
    bool found = sat_end(k.sat) && sat_solve(k.sat, x->budget) == SAT_YES;
    if (found) push_model(&k, (uint32_t)x->sleepers.len);
    sat_free(k.sat);
    g_free(k.below);
    g_hash_table_destroy(k.index);
    vec_free(&k.events);
    vec_free(&k.rivals);
    vec_free(&k.rival_start);
    return found && x->end == ENDING_COMPLETE;
}
