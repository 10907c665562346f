#include "unfold/classic/candidate.h"

#include "base/bitset.h"

#include <assert.h>

enum { ROW_BYTES = 1 << 20 };

void candidate_paint_event(ClassicEngine *engine)
{
    if (engine->inside_colour) return;
    assert(engine->process.producer.data[engine->condition] == engine->event);
    engine->inside_colour = process_colour(&engine->process);
    vec_clear(&engine->inside);
    process_collect(&engine->process, 0, &engine->condition, 1, UINT32_MAX, engine->inside_colour, &engine->inside);
    assert(engine->inside.len == engine->size);
}

/* Is this producer of the preset's condition i to be looked at: not bottom, not the event, and not known
 * to be one of its causes? */
static inline bool is_other(const ClassicEngine *engine, uint32_t producer, uint32_t i)
{
    return producer != engine->event && producer != PREFIX_BOTTOM && (i >= 32 || engine->loose >> i & 1);
}

/* Sets of the preset's conditions those whose producers have to be noted as causes: one of the event
 * itself, and those found outside. */
static uint32_t needed_causes(const ClassicEngine *engine, const uint32_t *preset, uint32_t n)
{
    uint32_t needed = 0;
    for (uint32_t i = 0; i < n && i < 32; i++) {
        uint32_t e = engine->process.producer.data[preset[i]];
        bool outside = engine->tries ? painting_is_outside(&engine->painting, e) : is_other(engine, e, i);
        if (e == engine->event || outside) needed |= 1u << i;
    }
    return needed;
}

/* Rows of bits for large configurations, as long as they take no more memory than the co-relation. */
static bool deep_outside(ClassicEngine *engine, const uint32_t *preset, uint32_t n)
{
    Process *process = &engine->process;
    const uint64_t *row = process_row(process, engine->event, engine->co->arena.bytes + ROW_BYTES);
    if (!row) return false;
    engine->inside_colour = 0; /* not kept up to date any more */
    process_collect_beside(process, row, engine->event, preset, n, process_colour(process), &engine->outside);
    return true;
}

/* Fills engine->outside with the causes that are not in [event]. */
static void find_outside(ClassicEngine *engine, const uint32_t *preset, uint32_t n)
{
    Process *process = &engine->process;
    vec_clear(&engine->outside);
    engine->outside_colour = UINT32_MAX; /* no event has it */
    if (engine->tries) {
        vec_append(&engine->outside, engine->painting.outside.data, engine->painting.outside.len);
        return;
    }
    bool others = false;
    for (uint32_t i = 0; i < n && !others; i++) others = is_other(engine, process->producer.data[preset[i]], i);
    if (!others) return;
    if (engine->size >= engine->deep && deep_outside(engine, preset, n)) return;
    candidate_paint_event(engine);
    engine->outside_colour = process_colour(process);
    process_collect(process, 0, preset, n, engine->inside_colour, engine->outside_colour, &engine->outside);
}

/* The marking of a candidate is that of the event, changed by the events outside and by t. Two ways, for flat and for
 * shared markings; false when t puts a second token on a place. *hash is that of the event's marking at first. */

static uint64_t apply_outside(ClassicEngine *engine, uint64_t hash)
{
    const SafeNet *safe = engine->safe;
    const uint32_t *label = engine->process.transition.data;
    for (size_t k = 0; k < engine->outside.len; k++) {
        uint32_t t = label[engine->outside.data[k]];
        hash ^= safe->change[t];
        for (uint32_t i = safe->effect_start[t]; i < safe->effect_start[t + 1]; i++)
            engine->marking[safe->effect[i].word] ^= safe->effect[i].bits;
    }
    return hash;
}

static bool flat_marking(ClassicEngine *engine, uint32_t t, uint64_t *hash)
{
    const SafeNet *safe = engine->safe;
    const uint64_t *before = schedule_marking(&engine->schedule, engine->slot);
    for (uint32_t i = 0; i < safe->words; i++) engine->marking[i] = before[i];
    *hash = apply_outside(engine, *hash) ^ safe->change[t];
    for (uint32_t i = safe->pre_start[t]; i < safe->pre_start[t + 1]; i++) {
        assert(bitset_get(engine->marking, safe->pre[i]));
        bitset_clear(engine->marking, safe->pre[i]);
    }
    bool doubled = safe->doubled[t] != NET_NONE;
    for (uint32_t i = safe->post_start[t]; i < safe->post_start[t + 1]; i++) {
        doubled |= bitset_get(engine->marking, safe->post[i]);
        bitset_set(engine->marking, safe->post[i]);
    }
    return !doubled;
}

static void turn_over(ClassicEngine *engine, uint32_t t, uint64_t *hash)
{
    const SafeNet *safe = engine->safe;
    *hash ^= safe->change[t];
    for (uint32_t i = safe->effect_start[t]; i < safe->effect_start[t + 1]; i++)
        bittree_delta_toggle(&engine->delta, safe->effect[i].word, safe->effect[i].bits);
}

/* Into engine->delta. A place that t produces into but does not consume is unmarked before and so marked after. */
static bool changed_marking(ClassicEngine *engine, uint32_t t, uint64_t *hash)
{
    const SafeNet *safe = engine->safe;
    const Markings *markings = &engine->schedule.markings;
    for (size_t k = 0; k < engine->outside.len; k++)
        turn_over(engine, engine->process.transition.data[engine->outside.data[k]], hash);
    turn_over(engine, t, hash);
    bool doubled = safe->doubled[t] != NET_NONE;
    for (uint32_t i = safe->post_start[t]; i < safe->post_start[t + 1]; i++) {
        uint32_t p = safe->post[i];
        doubled |= markings_has(markings, engine->slot, p) == bitset_get(engine->delta.bits, p);
    }
    return !doubled;
}

void candidate_add(ClassicEngine *engine, uint32_t t, const uint32_t *preset)
{
    Schedule *schedule = &engine->schedule;
    uint32_t n = classic_n_pre(engine, t), needed = needed_causes(engine, preset, n);
    assert(t < engine->safe->n_transitions && engine->slot < schedule->markings.slots.len);
    find_outside(engine, preset, n);
    engine->is_written = false;
    uint64_t hash = schedule->markings.slots.data[engine->slot].hash;
    bool shared = schedule->markings.shared;
    if (G_UNLIKELY(!(shared ? changed_marking(engine, t, &hash) : flat_marking(engine, t, &hash)))) {
        classic_stop_unsafe(engine, preset, n, t, NET_NONE);
        return;
    }
    uint32_t size = engine->size + (uint32_t)engine->outside.len + 1;
    Waiting *candidate = schedule_push(schedule, size, t, CANDIDATE_PRESET + n);
    candidate->words[CANDIDATE_NEEDED] = needed;
    candidate->words[CANDIDATE_FORM] = candidate->words[CANDIDATE_FORM + 1] = 0;
    for (uint32_t i = 0; i < n; i++) candidate->words[CANDIDATE_PRESET + i] = preset[i];
    if (shared)
        schedule_judge_slot(schedule, size, candidate,
                            markings_put_changed(&schedule->markings, engine->slot, &engine->delta, hash));
    else
        schedule_judge(schedule, size, candidate, engine->marking, hash);
}
