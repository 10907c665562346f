#include "unfold/context/context.h"

#include "base/bitset.h"
#include "base/error.h"
#include "unfold/context/candidate.h"
#include "unfold/context/extend.h"
#include "unfold/context/result.h"

typedef struct ContextEngine {
    ContextNet *net;
    ContextStore store;
    ContextExtend search;
    ContextWalk walk;
    ContextResult result;
    Schedule schedule;
    const UnfoldOptions *options;
    Prefix *prefix;
    uint32_t live; /* the store's number of the last event that is no cutoff */
} ContextEngine;

static void found(void *data, uint32_t t, const uint32_t *causes, uint32_t n_causes, const uint32_t *tested,
                  const VecU32 *more, uint32_t size, uint64_t hash)
{
    ContextEngine *engine = data;
    ContextCandidate candidate = {t, n_causes, causes, tested, more->data, (uint32_t)more->len, hash};
    context_candidate_push(&engine->schedule, engine->net, &candidate, size);
}

/* Event numbers respect causality, so the union of some configurations in that order is a run. */
static void report_unsafe(ContextEngine *engine, const uint32_t *causes, uint32_t n_causes, uint32_t t, uint32_t times,
                          uint32_t place)
{
    ContextStore *store = &engine->store;
    g_autofree uint64_t *set = g_new0(uint64_t, bitset_words(store->events.len));
    VecU32 run = {0};
    for (uint32_t i = 0; i < n_causes; i++) {
        const ContextEvent *event = context_store_event(store, causes[i]);
        for (uint32_t k = 0; k < event->size; k++) bitset_set(set, event->down[k]);
    }
    for (uint32_t e = 1; e < store->events.len; e++)
        if (bitset_get(set, e)) vec_push(&run, store->events.data[e].transition);
    while (times--) vec_push(&run, t);
    Prefix *prefix = engine->prefix;
    prefix->unsafe_run = run.data;
    prefix->unsafe_len = (uint32_t)run.len;
    prefix->unsafe_place = place;
    schedule_stop(&engine->schedule, ENDING_UNSAFE);
}

/* Unsafe when some other condition of a place that the newest event filled coexists with it. */
static void check_safe(ContextEngine *engine, uint32_t e, const uint32_t *causes, uint32_t n_causes)
{
    ContextStore *store = &engine->store;
    uint32_t t = context_store_event(store, e)->transition;
    const ContextRow *row = &context_store_event(store, e)->row;
    ContextSlice fresh = engine->net->fresh[t];
    for (uint32_t i = 0; i < fresh.len; i++) {
        uint32_t p = engine->net->pool.data[fresh.from + i];
        const Sparse *producers = &store->producers[p].events;
        for (uint32_t k = sparse_find(producers, row->low); k < producers->len && producers->at[k].word < row->high;
             k++) {
            uint64_t both = producers->at[k].mask & store->row[producers->at[k].word];
            if (!both) continue;
            VecU32 all = {0};
            vec_append(&all, causes, n_causes);
            vec_push(&all, producers->at[k].word * 64 + (uint32_t)__builtin_ctzll(both));
            report_unsafe(engine, all.data, (uint32_t)all.len, t, 1, p);
            vec_free(&all);
            return;
        }
    }
}

/* ---- the finder ---- */

static void bottom(void *finder)
{
    ContextEngine *engine = finder;
    engine->store.events.data[0].marking = schedule_begin(&engine->schedule, engine->net->initial, 0);
    context_extend_bottom(&engine->search);
}

static bool marking(void *finder, const Waiting *waiting, uint64_t *bits, uint64_t *hash)
{
    ContextEngine *engine = finder;
    const ContextNet *net = engine->net;
    ContextCandidate c = context_candidate_of(waiting);
    uint32_t p = context_candidate_marking(&engine->walk, &engine->schedule, &c, bits), times = 1;
    if (p == NET_NONE && !net->consumed[c.transition].len && net->produced[c.transition].len) {
        /* nothing it consumes disables it: it can fire twice in a row */
        p = net->pool.data[net->produced[c.transition].from];
        times = 2;
    }
    if (p != NET_NONE) report_unsafe(engine, c.causes, c.n_causes, c.transition, times, p);
    *hash = c.hash;
    return p == NET_NONE;
}

static void difference(void *finder, const Waiting *a, const Waiting *b, OrderSteps *only)
{
    ContextEngine *engine = finder;
    const ContextCandidate pair[] = {context_candidate_of(a), context_candidate_of(b)};
    context_candidate_difference(&engine->walk, pair, only);
}

static bool has_larger(void *finder, int which, uint32_t depth, uint32_t transition)
{
    return context_candidate_has_larger(&((ContextEngine *)finder)->walk, which, depth, transition);
}

static uint32_t add(void *finder, const Waiting *waiting, uint32_t size, uint32_t companion)
{
    ContextEngine *engine = finder;
    ContextCandidate c = context_candidate_of(waiting);
    uint32_t history = context_result_add(&engine->result, &engine->store, &c, size, companion);
    if (companion != PREFIX_NONE) return history;
    uint32_t e = context_store_add(&engine->store, c.transition, c.causes, c.n_causes, c.tested,
                                   schedule_marking(&engine->schedule, waiting->slot));
    budget_charge(engine->search.budget, 16 * engine->net->marking_words); /* it goes over the whole marking */
    ContextEvent *event = context_store_event(&engine->store, e);
    event->history = history;
    event->marking = waiting->slot;
    event->hash = c.hash;
    assert(event->size == size);
    engine->live = e;
    check_safe(engine, e, c.causes, c.n_causes);
    return history;
}

static void follow(void *finder, const Waiting *waiting)
{
    ContextEngine *engine = finder;
    uint32_t before = CONTEXT_CAUSES + waiting->words[CONTEXT_N_CAUSES] + engine->net->tested[waiting->transition].len;
    if (waiting->n_words == before) return;
    context_extend_more(&engine->search, waiting->words + before, waiting->n_words - before);
}

static void extend(void *finder, const Waiting *waiting, uint32_t size, uint32_t history)
{
    ContextEngine *engine = finder;
    assert(context_store_event(&engine->store, engine->live)->history == history);
    (void)waiting, (void)size, (void)history;
    context_extend(&engine->search, engine->live);
}

/* The schedule names histories, the caller wants the event. */
static bool ask_goal(uint32_t history, uint32_t transition, const uint64_t *bits, void *data)
{
    const ContextEngine *engine = data;
    const UnfoldOptions *options = engine->options;
    return options->goal(engine->result.event.data[history], transition, bits, options->goal_data);
}

static void finish(void *finder)
{
    ContextEngine *engine = finder;
    Prefix *prefix = engine->prefix;
    schedule_finish(&engine->schedule, prefix);
    if (prefix->end == ENDING_GOAL) prefix->goal_event = engine->result.event.data[prefix->goal_event];
    assert(engine->result.event.len == engine->schedule.n_events);
    assert(engine->result.n_cutoffs == engine->schedule.n_cutoffs);
    context_result_finish(&engine->result, prefix);
}

static const Finder context = {
    .bottom = bottom,
    .marking = marking,
    .difference = difference,
    .has_larger = has_larger,
    .add = add,
    .follow = follow,
    .extend = extend,
    .finish = finish,
};

/* ---- the whole ---- */

static bool refuse(const Net *net, const UnfoldOptions *options, GError **error)
{
    const char *what = NULL;
    if (options->relation != RELATION_READ && options->relation != RELATION_LOOPS)
        what = "builds prefixes under the relations read and loops only";
    else if (net_arc_count(net, ARC_INHIBIT))
        what = "does not take inhibitor arcs";
    else if (!net_is_ordinary(net))
        what = "does not take arcs of weight above 1";
    if (what) g_set_error(error, MAZURKA_ERROR, ERROR_UNSUPPORTED, "the read-aware unfolder %s", what);
    return what != NULL;
}

static bool initially_unsafe(const Net *net, Prefix *prefix)
{
    for (uint32_t p = 0; p < net->n_places; p++)
        if (net->initial[p] > 1) {
            prefix->end = ENDING_UNSAFE;
            prefix->unsafe_place = p;
            return true;
        }
    return false;
}

Prefix *context_unfold(const Net *net, const UnfoldOptions *options, Budget *budget, GError **error)
{
    if (refuse(net, options, error)) return NULL;
    Prefix *prefix = prefix_new(net);
    prefix->relation = options->relation;
    prefix->order = options->order;
    prefix->cutoffs = options->cutoffs;
    if (initially_unsafe(net, prefix)) return prefix;
    ContextEngine engine = {.options = options, .prefix = prefix};
    engine.net = context_net_new(net, options->relation);
    context_store_init(&engine.store, engine.net);
    context_candidate_walk_init(&engine.walk, &engine.store);
    context_extend_init(&engine.search, &engine.store, budget, found, &engine);
    context_result_init(&engine.result, engine.net);
    ScheduleRules rules = {options->order, options->cutoffs, options->goal ? ask_goal : NULL, &engine};
    schedule_init(&engine.schedule, &context, &engine, rules, budget, engine.net->marking_words, false,
                  net->n_transitions);
    schedule_run(&engine.schedule);
    schedule_clear(&engine.schedule);
    context_result_clear(&engine.result);
    context_extend_clear(&engine.search);
    context_candidate_walk_clear(&engine.walk);
    context_store_clear(&engine.store);
    context_net_free(engine.net);
    return prefix;
}
