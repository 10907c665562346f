#include "unfold/context/context.h"

#include "base/bitset.h"
#include "base/error.h"
#include "unfold/context/extend.h"
#include "unfold/context/queue.h"
#include "unfold/context/result.h"

typedef struct Engine {
    ContextNet *net;
    ContextStore store;
    ContextExtend extend;
    ContextQueue queue;
    ContextOrder order;
    ContextResult result;
    const UnfoldOptions *options;
    Budget *budget;
    Prefix *prefix;
} Engine;

static void found(void *data, uint32_t t, const uint32_t *causes, uint32_t n_causes, const uint32_t *tested,
                  uint32_t size, uint64_t hash)
{
    Engine *engine = data;
    context_queue_push(&engine->queue, t, causes, n_causes, tested, size, hash);
}

/* Event numbers respect causality, so the union of some configurations in that order is a run. */
static void report_unsafe(Engine *engine, const uint32_t *causes, uint32_t n_causes, uint32_t t, uint32_t times,
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
    prefix->end = PREFIX_UNSAFE;
    prefix->unsafe_run = run.data;
    prefix->unsafe_len = (uint32_t)run.len;
    prefix->unsafe_place = place;
}

/* Does some other condition of a place that the newest event filled coexist with it? */
static bool is_safe(Engine *engine, uint32_t e, const uint32_t *causes, uint32_t n_causes)
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
            return false;
        }
    }
    return true;
}

/* True when the prefix ends here. */
static bool ask_goal(Engine *engine, uint32_t history, const ContextCandidate *candidate)
{
    const UnfoldOptions *options = engine->options;
    if (!options->goal) return false;
    uint32_t event = engine->result.event.data[history];
    if (!options->goal(event, candidate->transition, context_queue_marking(&engine->queue, candidate->marking),
                       options->goal_data))
        return false;
    engine->prefix->end = PREFIX_GOAL;
    engine->prefix->goal_event = event;
    return true;
}

static bool is_live(Engine *engine, ContextBucket *bucket, uint32_t i, uint32_t size)
{
    if (!engine->options->cutoffs) return true;
    const ContextCandidate *candidate = &bucket->candidates.data[i];
    const ContextMarking *marking = &engine->queue.markings.data[candidate->marking];
    if (marking->size != size) return false;
    if (marking->best == i || engine->options->order == ORDER_MCMILLAN) return true;
    if (engine->options->order != ORDER_PARIKH) return false;
    return context_order_compare(&engine->order, context_queue_config(bucket, candidate),
                                 context_queue_config(bucket, &bucket->candidates.data[marking->best])) == 0;
}

static bool within_limits(Engine *engine)
{
    if (engine->budget->max_events && engine->result.event.len >= engine->budget->max_events)
        budget_exhaust(engine->budget, BUDGET_EVENTS);
    if (!budget_spent(engine->budget)) return true;
    engine->prefix->end = PREFIX_LIMIT;
    engine->prefix->reason = engine->budget->reason;
    return false;
}

static bool add_live(Engine *engine, uint32_t size, uint32_t i)
{
    ContextBucket *bucket = context_queue_bucket(&engine->queue, size);
    ContextCandidate *candidate = &bucket->candidates.data[i];
    ContextMarking *marking = &engine->queue.markings.data[candidate->marking];
    const uint32_t *causes = context_queue_causes(bucket, candidate);
    uint32_t n_causes = candidate->n_causes, t = candidate->transition;
    uint32_t history = context_result_add(&engine->result, &engine->store, bucket, candidate, size, PREFIX_NONE);
    if (marking->size == size && (marking->best == i || marking->history == UINT32_MAX)) marking->history = history;
    uint32_t e = context_store_add(&engine->store, t, causes, n_causes, context_queue_tested(bucket, candidate),
                                   context_queue_marking(&engine->queue, candidate->marking));
    ContextEvent *event = context_store_event(&engine->store, e);
    event->history = history;
    event->marking = candidate->marking;
    event->hash = candidate->hash;
    assert(event->size == size);
    if (!is_safe(engine, e, causes, n_causes)) return false;
    if (ask_goal(engine, history, candidate)) return false;
    context_extend(&engine->extend, e);
    return true;
}

static bool add_cutoff(Engine *engine, ContextBucket *bucket, uint32_t size, uint32_t i)
{
    ContextCandidate *candidate = &bucket->candidates.data[i];
    uint32_t companion = engine->queue.markings.data[candidate->marking].history;
    assert(companion != UINT32_MAX);
    uint32_t history = context_result_add(&engine->result, &engine->store, bucket, candidate, size, companion);
    return !ask_goal(engine, history, candidate);
}

static bool judge_all(Engine *engine, ContextBucket *bucket, uint32_t size)
{
    for (uint32_t i = 0; i < bucket->candidates.len; i++) {
        if (!within_limits(engine)) return false;
        const ContextCandidate *candidate = &bucket->candidates.data[i];
        const uint32_t *causes = context_queue_causes(bucket, candidate);
        uint32_t t = candidate->transition, p;
        p = context_queue_judge(&engine->queue, &engine->order, bucket, i, size);
        if (p != NET_NONE) {
            report_unsafe(engine, causes, candidate->n_causes, t, 1, p);
            return false;
        }
        if (!engine->net->consumed[t].len && engine->net->produced[t].len) {
            /* nothing it consumes disables it: it can fire twice in a row */
            report_unsafe(engine, causes, candidate->n_causes, t, 2,
                          engine->net->pool.data[engine->net->produced[t].from]);
            return false;
        }
    }
    return true;
}

/* Live events first: the companion of a cutoff then has a smaller number. */
static bool add_size(Engine *engine, uint32_t size)
{
    ContextBucket *bucket = context_queue_bucket(&engine->queue, size);
    uint32_t n = (uint32_t)bucket->candidates.len;
    if (!n) return true;
    if (!judge_all(engine, bucket, size)) return false;
    g_autofree bool *live = g_new(bool, n);
    for (uint32_t i = 0; i < n; i++) live[i] = is_live(engine, bucket, i, size);
    for (uint32_t i = 0; i < n; i++)
        if (live[i] && (!within_limits(engine) || !add_live(engine, size, i))) return false;
    bucket = context_queue_bucket(&engine->queue, size);
    for (uint32_t i = 0; i < n; i++)
        if (!live[i] && (!within_limits(engine) || !add_cutoff(engine, bucket, size, i))) return false;
    context_queue_drop(&engine->queue, size);
    return true;
}

static void run(Engine *engine)
{
    context_extend_bottom(&engine->extend);
    for (uint32_t size = 1; context_queue_bucket(&engine->queue, size); size++)
        if (!add_size(engine, size)) return;
    if (within_limits(engine)) engine->prefix->end = PREFIX_COMPLETE;
}

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
            prefix->end = PREFIX_UNSAFE;
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
    Engine engine = {.options = options, .budget = budget, .prefix = prefix};
    engine.net = context_net_new(net, options->relation);
    context_store_init(&engine.store, engine.net);
    context_queue_init(&engine.queue, &engine.store, PREFIX_BOTTOM);
    context_order_init(&engine.order, &engine.store, options->order);
    context_extend_init(&engine.extend, &engine.store, budget, found, &engine);
    context_result_init(&engine.result, engine.net);
    run(&engine);
    context_result_finish(&engine.result, prefix);
    context_result_clear(&engine.result);
    context_extend_clear(&engine.extend);
    context_order_clear(&engine.order);
    context_queue_clear(&engine.queue);
    context_store_clear(&engine.store);
    context_net_free(engine.net);
    return prefix;
}
