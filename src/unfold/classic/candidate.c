#include "unfold/classic/candidate.h"

#include "base/bitset.h"

#include <assert.h>

enum { ROW_BYTES = 1 << 20 };

void candidate_paint_event(ClassicEngine *engine)
{
    if (engine->inside_colour) return;
    assert(engine->process.producer[engine->condition] == engine->event);
    engine->inside_colour = process_colour(&engine->process);
    vec_clear(&engine->inside);
    process_collect(&engine->process, 0, &engine->condition, 1, UINT32_MAX, engine->inside_colour, &engine->inside);
    assert(engine->inside.len == engine->size);
}

/* Of the first 32 conditions of the preset those whose producers are outside [event]. */
static uint32_t outside_causes(const ClassicEngine *engine, const uint32_t *preset, uint32_t n)
{
    uint32_t outside = 0;
    if (!engine->tries) return engine->loose;
    for (uint32_t i = 0; i < n && i < 32; i++)
        if (painting_is_outside(&engine->painting, engine->process.producer[preset[i]])) outside |= 1u << i;
    return outside;
}

/* The producers that are neither the event nor outside are causes of the event. */
static uint32_t depth_of(const ClassicEngine *engine, const uint32_t *preset, uint32_t n, uint32_t outside)
{
    const Process *process = &engine->process;
    if (n > 32 || engine->event == PREFIX_BOTTOM) return process_depth(process, preset, n);
    uint32_t depth = process->depth[engine->event];
    for (; outside; outside &= outside - 1)
        depth = MAX(depth, process->depth[process->producer[preset[__builtin_ctz(outside)]]]);
    return depth + 1;
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

/* ---- small configurations: what is outside is concurrent with the event ---- */

/* Notes for each group whose members are all concurrent with the event that its producer is outside [event]: of an
 * event in [event] one condition at least was consumed there or is the event's own. */
static void mark_beside(ClassicEngine *engine)
{
    const Co *co = engine->co;
    const unsigned width = co->width;
    const uint32_t low = co->mask, mark = engine->event + 1;
    engine->marked = true;
    vec_reserve_long(&engine->beside, co->n_groups);
    for (size_t g = engine->beside.len; g < co->n_groups; g++) engine->beside.data[g] = 0;
    engine->beside.len = co->n_groups;
    for (const uint32_t *in = co->common; *in != CO_END; in++)
        if ((*in & low) == co->full[*in >> width]) engine->beside.data[*in >> width] = mark;
}

/* Asks the matrix, or what mark_beside noted. */
static inline __attribute__((always_inline)) void collect_beside(ClassicEngine *engine, const uint32_t *preset,
                                                                 bool by_matrix)
{
    const Process *process = &engine->process;
    const uint32_t *entry = engine->entry.data, colour = engine->outside_colour, mark = engine->event + 1;
    const unsigned width = by_matrix ? 0 : engine->co->width;
    uint32_t *colours = process->colour[0];
    vec_reserve_long(&engine->outside, process->n_events);
    uint32_t *next = engine->outside.data, *tail = next;
    for (uint32_t bits = engine->loose; bits; bits &= bits - 1) {
        uint32_t e = process->producer[preset[__builtin_ctz(bits)]];
        if (colours[e] == colour) continue;
        colours[e] = colour;
        *tail++ = e;
    }
    for (; next < tail; next++) {
        for (uint32_t i = process->cause_start[*next]; i < process->cause_start[*next + 1]; i++) {
            uint32_t e = process->cause.data[i];
            if (colours[e] == colour) continue;
            if (by_matrix ? !classic_is_beside(engine, e)
                          : engine->beside.data[entry[process->post_start[e]] >> width] != mark)
                continue;
            colours[e] = colour;
            *tail++ = e;
        }
    }
    engine->outside.len = (size_t)(tail - engine->outside.data);
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
    if (!engine->loose && n <= 32) return;
    if (engine->matrix && n <= 32) {
        engine->outside_colour = process_colour(process);
        collect_beside(engine, preset, true);
        return;
    }
    if (engine->co && engine->size >= engine->deep && deep_outside(engine, preset, n)) return;
    bool one_group = engine->safe->max_post <= CO_MAX_WIDTH;
    if (n > 32 || !one_group) candidate_paint_event(engine);
    engine->outside_colour = process_colour(process);
    if (n <= 32 && one_group) {
        if (!engine->marked) mark_beside(engine);
        collect_beside(engine, preset, false);
        return;
    }
    process_collect(process, 0, preset, n, engine->inside_colour, engine->outside_colour, &engine->outside);
}

/* The marking of a candidate is that of the event, changed by the events outside and by t. Two ways, for flat and for
 * shared markings; false when t puts a second token on a place. *hash is that of the event's marking at first. */

static uint64_t apply_outside(ClassicEngine *engine, uint64_t *marking, uint64_t hash)
{
    const SafeNet *safe = engine->safe;
    for (size_t k = 0; k < engine->outside.len; k++) {
        uint32_t t = engine->process.transition[engine->outside.data[k]];
        hash ^= safe->change[t];
        for (uint32_t i = safe->effect_start[t]; i < safe->effect_start[t + 1]; i++)
            marking[safe->effect[i].word] ^= safe->effect[i].bits;
    }
    return hash;
}

/* Into the draft of a marking. */
static bool flat_marking(ClassicEngine *engine, uint32_t t, uint64_t *hash)
{
    const SafeNet *safe = engine->safe;
    uint64_t *marking = markings_draft(&engine->schedule.markings), doubled = 0;
    const uint64_t *before = schedule_marking(&engine->schedule, engine->slot);
    for (uint32_t i = 0; i < safe->words; i++) marking[i] = before[i];
    *hash = apply_outside(engine, marking, *hash) ^ safe->change[t];
    for (uint32_t i = safe->effect_start[t]; i < safe->effect_start[t + 1]; i++) {
        const SafeEffect *effect = &safe->effect[i];
        assert(!(effect->bits & ~effect->gains & ~marking[effect->word]));
        doubled |= marking[effect->word] & effect->gains;
        marking[effect->word] ^= effect->bits;
    }
    return !doubled && safe->doubled[t] == NET_NONE;
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
        turn_over(engine, engine->process.transition[engine->outside.data[k]], hash);
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
    uint32_t n = classic_n_pre(engine, t), outside = outside_causes(engine, preset, n);
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
    candidate->words[CANDIDATE_NEEDED] = engine->owned | outside;
    candidate->words[CANDIDATE_DEPTH] = depth_of(engine, preset, n, outside);
    candidate->words[CANDIDATE_FORM] = candidate->words[CANDIDATE_FORM + 1] = 0;
    for (uint32_t i = 0; i < n; i++) candidate->words[CANDIDATE_PRESET + i] = preset[i];
    schedule_judge_slot(schedule, size, candidate,
                        shared ? markings_put_changed(&schedule->markings, engine->slot, &engine->delta, hash)
                               : markings_put_draft(&schedule->markings, hash));
}
