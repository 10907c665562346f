#include "unfold/classic/candidate.h"

#include "base/bitset.h"

#include <assert.h>

enum { ROW_BYTES = 1 << 20 };

/* ---- comparing candidates of one size and marking ---- */

typedef struct Rivals {
    ClassicEngine *engine;
    ProcessRoots roots[2];
} Rivals;

static bool level_has_larger(void *data, int which, uint32_t depth, uint32_t transition)
{
    const Rivals *rivals = data;
    ClassicEngine *engine = rivals->engine;
    Process *process = &engine->process;
    const ProcessRoots *roots = &rivals->roots[which];
    vec_clear(&engine->other);
    process_collect(process, 1, roots->conditions, roots->n, UINT32_MAX, process_colour(process), &engine->other);
    for (size_t i = 0; i < engine->other.len; i++) {
        uint32_t e = engine->other.data[i];
        if (process->depth.data[e] == depth && process->transition.data[e] > transition) return true;
    }
    return false;
}

static inline OrderStep step_of(const Process *process, uint32_t e)
{
    return (OrderStep){process->depth.data[e], process->transition.data[e]};
}

static void paint_event(ClassicEngine *engine)
{
    if (engine->inside_colour) return;
    assert(engine->process.producer.data[engine->condition] == engine->event);
    engine->inside_colour = process_colour(&engine->process);
    vec_clear(&engine->inside);
    process_collect(&engine->process, 0, &engine->condition, 1, UINT32_MAX, engine->inside_colour, &engine->inside);
    assert(engine->inside.len == engine->size);
}

/* The candidate is [event] and the events outside, both painted. Walking over the champion in the other
 * painting tells what each has alone. */
static void split_painted(ClassicEngine *engine, ProcessRoots champion)
{
    Process *process = &engine->process;
    if (engine->event != PREFIX_BOTTOM) paint_event(engine);
    uint32_t colour = process_colour(process), n = engine->size;
    vec_clear(&engine->other);
    process_collect(process, 1, champion.conditions, champion.n, UINT32_MAX, colour, &engine->other);
    const uint32_t *second = process->colour[1].data, *first = process->colour[0].data;
    vec_reserve(&engine->steps, 2 * (n + engine->outside.len + 1));
    OrderStep *out = engine->steps.data;
    for (uint32_t i = 0; i < n; i++)
        if (second[engine->inside.data[i]] != colour) *out++ = step_of(process, engine->inside.data[i]);
    for (uint32_t i = 0; i < engine->outside.len; i++)
        if (second[engine->outside.data[i]] != colour) *out++ = step_of(process, engine->outside.data[i]);
    for (uint32_t i = 0; i < engine->other.len; i++) {
        uint32_t e = engine->other.data[i];
        if (first[e] != engine->inside_colour && first[e] != engine->outside_colour) *out++ = step_of(process, e);
    }
    engine->steps.len = (size_t)(out - engine->steps.data);
    assert(engine->steps.len <= engine->steps.cap);
}

static void split_deep(ClassicEngine *engine, const Rivals *rivals)
{
    Process *process = &engine->process;
    engine->inside_colour = 0; /* painted over */
    vec_clear(&engine->outside);
    vec_clear(&engine->other);
    process_difference(process, rivals->roots[0], rivals->roots[1], &engine->outside, &engine->other);
    vec_clear(&engine->steps);
    for (size_t i = 0; i < engine->outside.len; i++)
        vec_push(&engine->steps, step_of(process, engine->outside.data[i]));
    for (size_t i = 0; i < engine->other.len; i++) vec_push(&engine->steps, step_of(process, engine->other.data[i]));
}

/* The candidate and the champion of its marking, of the same size. */
static int compare_with_champion(ClassicEngine *engine, uint32_t t, const uint32_t *preset, const uint32_t *record)
{
    Order order = engine->options->order;
    if (order == ORDER_MCMILLAN) return 0;
    uint32_t u = record[RECORD_TRANSITION];
    Rivals rivals = {engine, {{preset, classic_n_pre(engine, t)}, {record + RECORD_HEAD, classic_n_pre(engine, u)}}};
    if (engine->size >= engine->deep && !engine->inside_colour)
        split_deep(engine, &rivals);
    else
        split_painted(engine, rivals.roots[1]);
    assert(engine->steps.len % 2 == 0);
    size_t n = engine->steps.len / 2;
    vec_reserve(&engine->steps, 2 * n + 2);
    OrderStep *steps = engine->steps.data;
    uint32_t last = process_depth(&engine->process, rivals.roots[1].conditions, rivals.roots[1].n);
    steps[2 * n + 1] = (OrderStep){last, u};
    /* The candidate's own step goes between the two halves. */
    if (n) steps[2 * n] = steps[n];
    steps[n] = (OrderStep){process_depth(&engine->process, rivals.roots[0].conditions, rivals.roots[0].n), t};
    OrderAsk ask = {level_has_larger, &rivals};
    return order_compare_parts(engine->order_work, order, steps, steps + n + 1, n + 1, ask);
}

/* ---- the queue ---- */

static VecU32 *class_of(ClassicEngine *engine, uint32_t size)
{
    while (engine->classes.len <= size) vec_push(&engine->classes, ((VecU32){0}));
    return &engine->classes.data[size];
}

static void enqueue(ClassicEngine *engine, uint32_t t, const uint32_t *preset, uint32_t needed, uint32_t size,
                    uint64_t hash)
{
    Markings *markings = &engine->markings;
    assert(size > engine->size); /* so the class of the current event is complete */
    VecU32 *class = class_of(engine, size);
    bool cutoffs = engine->options->cutoffs;
    uint32_t slot = cutoffs ? markings_find(markings, engine->marking, hash) : MARKINGS_NONE, number = 0;
    bool claims = slot == MARKINGS_NONE;
    if (claims) {
        slot = markings_add(markings, engine->marking, hash, cutoffs);
    } else if (markings->slots.data[slot].size > size) {
        claims = true;
    } else if (markings->slots.data[slot].size == size) {
        const Marking *s = &markings->slots.data[slot];
        assert(s->where < class->len && class->data[s->where + RECORD_SLOT] == slot);
        int order = compare_with_champion(engine, t, preset, class->data + s->where);
        claims = order < 0;
        if (order == 0) number = s->number;
    }
    uint32_t n = classic_n_pre(engine, t);
    if (claims) {
        Marking *s = &markings->slots.data[slot];
        s->number = number = ++markings->numbers;
        s->size = size;
        s->where = (uint32_t) class->len;
    }
    vec_reserve(class, class->len + RECORD_HEAD + n);
    uint32_t *record = class->data + class->len;
    record[RECORD_TRANSITION] = t;
    record[RECORD_SLOT] = slot;
    record[RECORD_NUMBER] = number;
    record[RECORD_NEEDED] = needed;
    for (uint32_t i = 0; i < n; i++) record[RECORD_HEAD + i] = preset[i];
    class->len += RECORD_HEAD + n;
}

/* ---- size and marking ---- */

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
        if (e == engine->event || is_other(engine, e, i)) needed |= 1u << i;
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
    bool others = false;
    for (uint32_t i = 0; i < n && !others; i++) others = is_other(engine, process->producer.data[preset[i]], i);
    if (!others) return;
    if (engine->size >= engine->deep && deep_outside(engine, preset, n)) return;
    paint_event(engine);
    engine->outside_colour = process_colour(process);
    process_collect(process, 0, preset, n, engine->inside_colour, engine->outside_colour, &engine->outside);
}

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

void candidate_add(ClassicEngine *engine, uint32_t t, const uint32_t *preset)
{
    const SafeNet *safe = engine->safe;
    uint32_t n = classic_n_pre(engine, t), needed = needed_causes(engine, preset, n);
    find_outside(engine, preset, n);
    const uint64_t *before = markings_get(&engine->markings, engine->slot);
    for (uint32_t i = 0; i < safe->words; i++) engine->marking[i] = before[i];
    uint64_t hash = apply_outside(engine, engine->markings.slots.data[engine->slot].hash) ^ safe->change[t];
    for (uint32_t i = safe->pre_start[t]; i < safe->pre_start[t + 1]; i++) {
        assert(bitset_get(engine->marking, safe->pre[i]));
        bitset_clear(engine->marking, safe->pre[i]);
    }
    bool doubled = safe->doubled[t] != NET_NONE;
    for (uint32_t i = safe->post_start[t]; i < safe->post_start[t + 1]; i++) {
        doubled |= bitset_get(engine->marking, safe->post[i]);
        bitset_set(engine->marking, safe->post[i]);
    }
    if (G_UNLIKELY(doubled)) {
        classic_stop_unsafe(engine, preset, n, t, NET_NONE);
        return;
    }
    enqueue(engine, t, preset, needed, engine->size + (uint32_t)engine->outside.len + 1, hash);
    if (budget_spent(engine->budget)) classic_stop(engine, PREFIX_LIMIT);
}
