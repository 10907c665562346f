#include "unfold/classic/classic.h"

#include "base/bitset.h"
#include "unfold/classic/candidate.h"
#include "unfold/classic/extension.h"

#include <assert.h>
#include <stdlib.h>

/* Entering a condition into the relation takes a unit of work for so many of the conditions it is concurrent with. */
enum { DEEP = 256, ENTRIES_PER_UNIT = 4 };

/* ---- the end ---- */

void classic_stop(ClassicEngine *engine, PrefixEnd end)
{
    engine->prefix->end = end;
    engine->prefix->reason = engine->budget->reason;
    engine->stopped = true;
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Keeps of the run what leads to the first second token. */
static void shorten_run(Prefix *prefix, VecU32 *run)
{
    const Net *net = prefix->net;
    g_autofree uint64_t *counts = g_new(uint64_t, net->n_places + 1);
    memcpy(counts, net->initial, net->n_places * sizeof *counts);
    prefix->unsafe_place = NET_NONE;
    for (size_t i = 0;; i++) {
        for (uint32_t p = 0; p < net->n_places && prefix->unsafe_place == NET_NONE; p++)
            if (counts[p] > 1) prefix->unsafe_place = p;
        if (prefix->unsafe_place != NET_NONE) {
            run->len = i;
            return;
        }
        assert(i < run->len && net_enabled(net, counts, run->data[i]));
        net_fire(net, counts, run->data[i]);
    }
}

void classic_stop_unsafe(ClassicEngine *engine, const uint32_t *conditions, uint32_t n, uint32_t last,
                         uint32_t last_again)
{
    Process *process = &engine->process;
    VecU32 events = {0}, run = {0};
    process_collect(process, 0, conditions, n, UINT32_MAX, process_colour(process), &events);
    if (events.len) qsort(events.data, events.len, sizeof *events.data, by_id);
    for (size_t i = 0; i < events.len; i++) vec_push(&run, process->transition.data[events.data[i]]);
    if (last != NET_NONE) vec_push(&run, last);
    if (last_again != NET_NONE) vec_push(&run, last_again);
    shorten_run(engine->prefix, &run);
    engine->prefix->unsafe_run = run.data;
    engine->prefix->unsafe_len = (uint32_t)run.len;
    classic_stop(engine, PREFIX_UNSAFE);
    vec_free(&events);
}

/* ---- events ---- */

/* Adds one waiting candidate as an event; non-cutoffs are extended. */
static void add_event(ClassicEngine *engine, const uint32_t *record, uint32_t size, uint32_t companion)
{
    Process *process = &engine->process;
    const UnfoldOptions *options = engine->options;
    uint32_t t = record[RECORD_TRANSITION], slot = record[RECORD_SLOT];
    const uint32_t *preset = record + RECORD_HEAD;
    if (engine->budget->max_events && process_n_events(process) >= engine->budget->max_events) {
        budget_exhaust(engine->budget, BUDGET_EVENTS);
        classic_stop(engine, PREFIX_LIMIT);
        return;
    }
    uint32_t e = process_add(process, t, preset, record[RECORD_NEEDED], size, companion);
    assert(process->depth.data[e] <= size && slot < engine->markings.slots.len);
    if (options->goal && options->goal(e, t, markings_get(&engine->markings, slot), options->goal_data)) {
        engine->prefix->goal_event = e;
        classic_stop(engine, PREFIX_GOAL);
        return;
    }
    uint32_t first = process->post_start.data[e], n = process->post_start.data[e + 1] - first;
    if (companion != PREFIX_NONE || !n) return;
    vec_reserve(&engine->group, process->place.len);
    engine->event = e;
    engine->size = size;
    engine->slot = slot;
    engine->condition = first;
    engine->inside_colour = 0;
    extension_common(engine, preset, classic_n_pre(engine, t));
    if (budget_charge(engine->budget, (uint32_t)engine->co->common.len / ENTRIES_PER_UNIT)) {
        classic_stop(engine, PREFIX_LIMIT);
        return;
    }
    extension_search(engine, n);
}

/* Non-cutoffs first, so that every companion is there before its cutoffs. */
static void add_class(ClassicEngine *engine, uint32_t size)
{
    VecU32 class = engine->classes.data[size];
    engine->classes.data[size] = (VecU32){0};
    for (size_t at = 0; at < class.len && !engine->stopped;) {
        const uint32_t *record = class.data + at;
        Marking *s = &engine->markings.slots.data[record[RECORD_SLOT]];
        if (s->number == record[RECORD_NUMBER]) {
            /* Ties come after the champion and leave the slot to it. */
            if (s->where == at) s->where = process_n_events(&engine->process);
            add_event(engine, record, size, PREFIX_NONE);
        }
        at += RECORD_HEAD + classic_n_pre(engine, record[RECORD_TRANSITION]);
    }
    for (size_t at = 0; at < class.len && !engine->stopped;) {
        const uint32_t *record = class.data + at;
        const Marking *s = &engine->markings.slots.data[record[RECORD_SLOT]];
        assert(s->size <= size);
        if (s->number != record[RECORD_NUMBER]) add_event(engine, record, size, s->where);
        at += RECORD_HEAD + classic_n_pre(engine, record[RECORD_TRANSITION]);
    }
    vec_free(&class);
}

/* The initial conditions play the part of an event's postset; transitions without preset start here. */
static void start(ClassicEngine *engine)
{
    const SafeNet *safe = engine->safe;
    uint64_t hash = 0;
    for (uint32_t p = 0; p < safe->n_places; p++) {
        if (safe->net->initial[p] > 1) {
            classic_stop_unsafe(engine, NULL, 0, NET_NONE, NET_NONE);
            return;
        }
        if (!safe->net->initial[p]) continue;
        bitset_set(engine->marking, p);
        hash ^= safe->key[p];
    }
    engine->event = PREFIX_BOTTOM;
    engine->slot = markings_add(&engine->markings, engine->marking, hash, engine->options->cutoffs);
    Marking *s = &engine->markings.slots.data[engine->slot];
    s->number = ++engine->markings.numbers;
    s->where = PREFIX_BOTTOM;
    uint32_t n = (uint32_t)engine->process.place.len;
    vec_reserve(&engine->group, n);
    if (n) extension_search(engine, n);
    for (uint32_t t = 0; t < safe->n_transitions && !engine->stopped; t++) {
        if (classic_n_pre(engine, t)) continue;
        if (safe->post_start[t] == safe->post_start[t + 1])
            candidate_add(engine, t, NULL);
        else
            classic_stop_unsafe(engine, NULL, 0, t, t);
    }
}

/* ---- the whole ---- */

static void describe(void *data, GString *line)
{
    const ClassicEngine *engine = data;
    g_string_append_printf(line, "%u events, %u cutoffs, local configurations of size %u",
                           process_n_events(&engine->process), engine->process.n_cutoffs, engine->size);
}

static void engine_init(ClassicEngine *engine, const SafeNet *safe)
{
    engine->safe = safe;
    process_init(&engine->process, safe);
    markings_init(&engine->markings, safe->words);
    engine->co = co_new(safe->max_post);
    engine->order_work = order_work_new(safe->n_transitions);
    engine->place_round = g_new0(uint32_t, safe->n_places + 1);
    engine->own = g_new0(uint32_t, safe->n_places + 1);
    engine->found = g_new0(VecU32, safe->n_places + 1);
    engine->transition_round = g_new0(uint32_t, safe->n_transitions + 1);
    engine->marking = g_new0(uint64_t, safe->words);
    engine->preset = g_new(uint32_t, safe->max_pre + 1);
    engine->open = g_new(uint32_t, safe->max_pre + 1);
    engine->cursor = g_new(uint32_t, safe->max_pre + 1);
    engine->parts = g_new(CoPart, safe->max_pre + 1);
}

static void engine_clear(ClassicEngine *engine)
{
    for (uint32_t p = 0; p < engine->safe->n_places; p++) vec_free(&engine->found[p]);
    for (size_t i = 0; i < engine->classes.len; i++) vec_free(&engine->classes.data[i]);
    vec_free(&engine->classes);
    process_clear(&engine->process);
    markings_clear(&engine->markings);
    co_free(engine->co);
    order_work_free(engine->order_work);
    void *arrays[] = {engine->place_round, engine->own,    engine->found, engine->transition_round,
                      engine->marking,     engine->preset, engine->open,  engine->cursor,
                      engine->parts};
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) g_free(arrays[i]);
    VecU32 *vectors[] = {&engine->group, &engine->inside, &engine->outside, &engine->other};
    for (size_t i = 0; i < G_N_ELEMENTS(vectors); i++) vec_free(vectors[i]);
    vec_free(&engine->group_places);
    vec_free(&engine->steps);
}

Prefix *classic_unfold(const Net *net, const UnfoldOptions *options, Budget *budget, GError **error)
{
    g_autoptr(SafeNet) safe = safenet_new(net, options->hash_bits, error);
    if (!safe) return NULL;
    ClassicEngine engine = {.options = options, .budget = budget, .prefix = prefix_new(net)};
    Prefix *prefix = engine.prefix;
    prefix->relation = RELATION_CLASSIC;
    prefix->order = options->order;
    prefix->cutoffs = options->cutoffs;
    engine.deep = options->deep ? options->deep : DEEP;
    engine_init(&engine, safe);
    budget->describe = describe;
    budget->engine = &engine;
    start(&engine);
    for (uint32_t size = 1; size < engine.classes.len && !engine.stopped; size++) add_class(&engine, size);
    budget->describe = NULL;
    process_finish(&engine.process, prefix);
    engine_clear(&engine);
    return prefix;
}
