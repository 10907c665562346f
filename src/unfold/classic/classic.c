#include "unfold/classic/classic.h"

#include "base/bitset.h"
#include "base/compare.h"
#include "unfold/classic/candidate.h"
#include "unfold/classic/extension.h"
#include "unfold/classic/rival.h"
#include "unfold/classic/trial.h"
#include "unfold/classic/way.h"

#include <assert.h>
#include <stdlib.h>

enum { DEEP = 256, ENTRIES_PER_UNIT = 4, FLAT_WORDS = 16 };

/* ---- the end ---- */

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
    if (events.len) qsort(events.data, events.len, sizeof *events.data, compare_u32);
    for (size_t i = 0; i < events.len; i++) vec_push(&run, process->transition[events.data[i]]);
    if (last != NET_NONE) vec_push(&run, last);
    if (last_again != NET_NONE) vec_push(&run, last_again);
    shorten_run(engine->prefix, &run);
    engine->prefix->unsafe_run = run.data;
    engine->prefix->unsafe_len = (uint32_t)run.len;
    schedule_stop(&engine->schedule, ENDING_UNSAFE);
    vec_free(&events);
}

/* ---- the finder ---- */

static uint32_t add(void *finder, const Waiting *candidate, uint32_t size, uint32_t companion)
{
    const uint32_t *words = candidate->words;
    ProcessEvent event = {.transition = candidate->transition,
                          .size = size,
                          .depth = words[CANDIDATE_DEPTH],
                          .companion = companion,
                          .pre = words + CANDIDATE_PRESET,
                          .n_pre = candidate->n_words - CANDIDATE_PRESET,
                          .needed = words[CANDIDATE_NEEDED]};
    assert(event.depth <= size);
    return process_add(&((ClassicEngine *)finder)->process, &event);
}

/* Finds what is concurrent with the event, by the way that is the best. A unit of work is for so many of the entries or
 * words that were looked at. */
static bool know_common(ClassicEngine *engine, const Waiting *candidate, uint32_t n)
{
    const uint32_t *preset = candidate->words + CANDIDATE_PRESET, n_pre = candidate->n_words - CANDIDATE_PRESET;
    vec_reserve_long(&engine->entry, engine->process.n_conditions);
    extension_common(engine, preset, n_pre);
    if (G_UNLIKELY(way_is_open(engine))) way_choose(engine, preset, n_pre, n);
    if (engine->schedule.stopped) return false;
    uint32_t looked_at = engine->co ? engine->co->n_common : engine->matrix ? engine->matrix->n / 64 : 0;
    if (budget_charge(engine->schedule.budget, looked_at / ENTRIES_PER_UNIT))
        schedule_stop(&engine->schedule, budget_ending(engine->schedule.budget));
    return !engine->schedule.stopped;
}

static void extend(void *finder, const Waiting *candidate, uint32_t size, uint32_t e)
{
    ClassicEngine *engine = finder;
    Process *process = &engine->process;
    uint32_t first = process->post_start[e], n = process->post_start[e + 1] - first;
    assert(process->companion[e] == PREFIX_NONE && process->size[e] == size);
    if (!n) return;
    engine->event = e;
    engine->size = size;
    engine->slot = candidate->slot;
    engine->condition = first;
    engine->inside_colour = 0;
    engine->marked = false;
    rival_begin(engine, candidate, size);
    if (!engine->tries && !know_common(engine, candidate, n)) return;
    if (engine->co)
        extension_search(engine, n);
    else
        trial_search(engine, n);
}

/* The initial conditions play the part of an event's postset; transitions without preset start here. */
static void bottom(void *finder)
{
    ClassicEngine *engine = finder;
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
    engine->slot = schedule_begin(&engine->schedule, engine->marking, hash);
    uint32_t n = (uint32_t)engine->process.n_conditions;
    vec_reserve_long(&engine->entry, n);
    if (n) extension_search(engine, n);
    for (uint32_t t = 0; t < safe->n_transitions && !engine->schedule.stopped; t++) {
        if (classic_n_pre(engine, t)) continue;
        if (safe->post_start[t] == safe->post_start[t + 1])
            candidate_add(engine, t, NULL);
        else
            classic_stop_unsafe(engine, NULL, 0, t, t);
    }
}

/* ---- the whole ---- */

static void finish(void *finder)
{
    ClassicEngine *engine = finder;
    assert(engine->process.n_events == engine->schedule.n_events);
    assert(engine->process.n_cutoffs == engine->schedule.n_cutoffs);
    process_finish(&engine->process, engine->prefix);
    schedule_finish(&engine->schedule, engine->prefix);
}

static const Finder classic = {
    .bottom = bottom,
    .compare = rival_compare,
    .claims = rival_claims,
    .difference = rival_difference,
    .has_larger = rival_has_larger,
    .add = add,
    .extend = extend,
    .finish = finish,
};

static void engine_init(ClassicEngine *engine, const SafeNet *safe)
{
    engine->safe = safe;
    process_init(&engine->process, safe);
    painting_init(&engine->painting, &engine->process);
    bittree_delta_init(&engine->delta, safe->words);
    engine->co = co_new(safe->max_post);
    engine->place_round = g_new0(uint32_t, safe->n_places + 1);
    engine->own = g_new0(uint32_t, safe->n_places + 1);
    engine->found = g_new0(VecU32, safe->n_places + 1);
    engine->n_on_place = g_new0(uint32_t, safe->n_places + 1);
    engine->transition_round = g_new0(uint32_t, safe->n_transitions + 1);
    engine->marking = g_new0(uint64_t, safe->words);
    engine->preset = g_new(uint32_t, safe->max_pre + 1);
    engine->open = g_new(uint32_t, safe->max_pre + 1);
    engine->cursor = g_new(uint32_t, safe->max_pre + 1);
    engine->parts = g_new(CoPart, safe->max_pre + 1);
    engine->members = g_new(uint32_t, safe->max_pre + 1);
}

static void engine_clear(ClassicEngine *engine)
{
    for (uint32_t p = 0; p < engine->safe->n_places; p++) vec_free(&engine->found[p]);
    trial_drop_places(engine);
    painting_clear(&engine->painting);
    bittree_delta_clear(&engine->delta);
    process_clear(&engine->process);
    schedule_clear(&engine->schedule);
    matrix_free(engine->matrix);
    co_free(engine->co);
    void *arrays[] = {engine->place_round, engine->own,
                      engine->found,       engine->transition_round,
                      engine->marking,     engine->preset,
                      engine->open,        engine->cursor,
                      engine->parts,       engine->outside_before,
                      engine->n_on_place,  engine->members};
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) g_free(arrays[i]);
    for (size_t i = 0; i < engine->forms.len; i++) arena_free(&engine->forms.data[i].arena);
    vec_free(&engine->forms);
    VecU32 *vectors[] = {&engine->entry,  &engine->hits,    &engine->beside,
                         &engine->inside, &engine->outside, &engine->other};
    for (size_t i = 0; i < G_N_ELEMENTS(vectors); i++) vec_free(vectors[i]);
    vec_free(&engine->group_places);
}

Prefix *classic_unfold(const Net *net, const UnfoldOptions *options, Budget *budget, GError **error)
{
    g_autoptr(SafeNet) safe = safenet_new(net, options->hash_bits, error);
    if (!safe) return NULL;
    ClassicEngine engine = {.prefix = prefix_new(net),
                            .deep = options->deep ? options->deep : DEEP,
                            .lean = options->lean,
                            .dense = options->dense};
    engine.prefix->relation = RELATION_CLASSIC;
    engine_init(&engine, safe);
    ScheduleRules rules = {options->order, options->cutoffs, options->goal, options->goal_data};
    schedule_init(&engine.schedule, &classic, &engine, rules, budget, safe->words,
                  options->lean || safe->words > FLAT_WORDS, safe->n_transitions);
    schedule_run(&engine.schedule);
    engine_clear(&engine);
    return engine.prefix;
}
