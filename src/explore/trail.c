#include "explore/trail.h"

#include "base/hash.h"
#include "lts/commute.h"

#include <assert.h>

void trail_init(Trail *x, const Lts *lts, const NetLts *net, const Indep *indep, ExtendMethod method, CountEvents count,
                bool wants_races, Bounds bounds, Outcome *outcome)
{
    assert(indep->n == lts->n_actions && (net ? &net->lts == lts : !bounds.spins));
    *x = (Trail){
        .lts = lts, .net = net, .indep = indep, .outcome = outcome, .wants_races = wants_races, .bounds = bounds};
    outcome->bounded |= bounds.causes || bounds.times;
    if (count == COUNT_EXACT) events_init(&x->events, false);
    if (count == COUNT_SKETCH) x->sketch = g_new0(Sketch, 1);
    config_init(&x->config, lts, indep, count == COUNT_EXACT ? &x->events : NULL, CONFIG_STANDBY_STEP);
    x->extend = extend_new(&x->config, net, method, outcome->budget);
    x->label_words = MAX((lts->n_actions + 63) / 64, 1);
    x->enabled = g_new0(uint64_t, x->label_words);
    x->weight_of = g_new0(uint64_t, MAX(lts->n_actions, 1));
}

void trail_clear(Trail *x)
{
    ExploreStats *stats = &x->outcome->stats;
    stats->events = x->sketch ? sketch_estimate(x->sketch) : x->events.created;
    stats->most_events = MAX(x->events.live, stats->deepest);
    stats->extend = *extend_stats(x->extend);
    vec_free(&x->weight);
    vec_free(&x->undo);
    vec_free(&x->marks);
    vec_free(&x->scratch);
    vec_free(&x->names);
    g_free(x->sketch);
    g_free(x->enabled);
    g_free(x->weight_of);
    races_clear(&x->races);
    extend_free(x->extend);
    bool stored = x->config.events;
    config_clear(&x->config);
    if (stored) events_clear(&x->events);
}

/* A hash of the event <label, H> whose H has its maximal events in config->maximal. */
HASH_WRAPS static uint64_t name_of(const Trail *x, uint32_t label)
{
    uint64_t name = label + 1;
    for (size_t i = 0; i < x->config.maximal.len; i++) name += hash_mix(x->names.data[x->config.maximal.data[i]]);
    return hash_mix(name);
}

/* Leaves the maximal events of H in config->maximal. */
static bool is_event(Trail *x, uint32_t label, const uint64_t *history)
{
    bool fresh;
    if (x->config.events) return config_intern(&x->config, label, history, &fresh) != EVENT_NONE;
    if (!config_is_event(&x->config, label, history)) return false;
    if (x->sketch) sketch_add(x->sketch, name_of(x, label));
    return true;
}

/* Of the event <label, H> whose H has its maximal events in config->maximal. */
static uint64_t weigh(const Trail *x, uint32_t label, const uint64_t *history)
{
    uint64_t greatest = x->lts->n_actions - label;
    for (size_t i = 0; i < x->config.maximal.len; i++)
        greatest = MAX(greatest, x->weight.data[x->config.maximal.data[i]] >> 32);
    return greatest << 32 | bitset_count(history, (x->config.n + 63) / 64);
}

static void found(void *data, uint32_t label, const uint64_t *history)
{
    Trail *x = data;
    if (!is_event(x, label, history)) return;
    x->met++;
    uint64_t weight = weigh(x, label, history);
    if (bounds_leave_out(&x->bounds, &x->config, label, history, (uint32_t)weight, &x->outcome->stats.cut)) return;
    uint32_t conflict = config_first_conflict(&x->config, label, history);
    if (conflict != EVENT_NONE) {
        if (x->wants_races) races_add(&x->races, &x->config, label, history, conflict, weight);
        return;
    }
    assert(!bitset_get(x->enabled, label));
    bitset_set(x->enabled, label);
    x->weight_of[label] = weight;
}

static bool pairs_commute(Trail *x)
{
    if (!x->indep->doubt_start) return true;
    uint32_t a, b;
    vec_reserve(&x->scratch, 2 * x->lts->state_words);
    switch (commute_check(x->lts, x->indep, x->config.state, x->scratch.data, &a, &b)) {
    case COMMUTE_YES: return true;
    case COMMUTE_UNKNOWN: outcome_overflow(x->outcome); return false;
    default: x->outcome->end = ENDING_REFUTED; return false;
    }
}

LeafKind trail_leaf(const Trail *x)
{
    if (bitset_any(x->enabled, x->label_words)) return LEAF_BLOCKED;
    return bounds_leaf(&x->bounds, &x->config, x->net);
}

bool trail_begin(Trail *x)
{
    assert(!x->config.n);
    return pairs_commute(x) && extend_newest(x->extend, found, x) && outcome_enter(x->outcome, 0, x->config.state);
}

bool trail_push(Trail *x, uint32_t label)
{
    uint32_t position = x->config.n;
    if (!bitset_get(x->enabled, label)) {
        assert(x->indep->doubt_start); /* a right relation keeps reversed sequences executable */
        x->outcome->end = ENDING_REFUTED;
        return false;
    }
    if (config_is_full(&x->config) && !budget_allows(x->outcome->budget, config_growth(&x->config))) return false;
    if (!config_push_next(&x->config, label)) {
        outcome_overflow(x->outcome);
        return false;
    }
    x->weight.len = position;
    vec_push(&x->weight, x->weight_of[label]);
    x->marks.len = 2 * (size_t)position;
    vec_push(&x->marks, x->undo.len);
    vec_push(&x->marks, x->races.race.len);
    if (x->sketch) {
        config_causes(&x->config, position);
        x->names.len = position;
        vec_push(&x->names, name_of(x, label));
    }
    extend_pushed(x->extend);
    for (INDEP_EACH(u, x->indep, label, x->enabled, x->label_words)) {
        vec_push(&x->undo, ((TrailUndo){(uint32_t)u, x->weight_of[u]}));
        bitset_clear(x->enabled, u);
        if (u != label && x->wants_races) races_add_disabled(&x->races, (uint32_t)u, position, x->weight_of[u]);
    }
    return pairs_commute(x) && extend_newest(x->extend, found, x) &&
           outcome_enter(x->outcome, x->config.n, x->config.state);
}

void trail_pop(Trail *x)
{
    assert(x->config.n);
    uint32_t label = vec_last(&x->config.label);
    const uint64_t *mark = x->marks.data + 2 * (size_t)(x->config.n - 1);
    for (INDEP_EACH(u, x->indep, label, x->enabled, x->label_words)) bitset_clear(x->enabled, u);
    while (x->undo.len > mark[0]) {
        TrailUndo undo = vec_pop(&x->undo);
        assert(!bitset_get(x->enabled, undo.label));
        bitset_set(x->enabled, undo.label);
        x->weight_of[undo.label] = undo.weight;
    }
    races_cut(&x->races, mark[1]);
    extend_popping(x->extend);
    config_pop(&x->config);
}
