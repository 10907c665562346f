#include "unfold/classic/rival.h"

#include "unfold/classic/candidate.h"
#include "unfold/normal.h"

#include <assert.h>

static inline OrderStep step_of(const Process *process, uint32_t e)
{
    return (OrderStep){process->depth[e], process->transition[e]};
}

static ProcessRoots roots_of(const Waiting *candidate)
{
    return (ProcessRoots){candidate->words + CANDIDATE_PRESET, candidate->n_words - CANDIDATE_PRESET};
}

/* ---- by normal forms ---- */

static OrderStep own_step(const Waiting *candidate)
{
    return (OrderStep){candidate->words[CANDIDATE_DEPTH], candidate->transition};
}

/* Room for a normal form of this size; what was written there last is not claimed. */
static uint64_t *spare_form(ClassicEngine *engine, uint32_t size)
{
    while (engine->forms.len <= size) vec_push(&engine->forms, ((ClassicForms){0}));
    ClassicForms *forms = &engine->forms.data[size];
    if (!forms->spare)
        forms->spare = arena_alloc(&forms->arena, normal_words(engine->safe->n_transitions, size) * sizeof(uint64_t));
    return forms->spare;
}

static void claim_form(ClassicEngine *engine, Waiting *candidate, uint32_t size)
{
    uint64_t **spare = &engine->forms.data[size].spare;
    memcpy(&candidate->words[CANDIDATE_FORM], spare, sizeof *spare);
    *spare = NULL;
}

static const uint64_t *claimed_form(const Waiting *candidate)
{
    const uint64_t *form;
    memcpy(&form, &candidate->words[CANDIDATE_FORM], sizeof form);
    return form;
}

/* The candidate being judged is the event's configuration, what lies outside, and itself. */
static const uint64_t *write_candidate(ClassicEngine *engine, const Waiting *candidate, uint32_t size)
{
    uint64_t *form = spare_form(engine, size);
    if (engine->is_written) return form;
    uint32_t n_transitions = engine->safe->n_transitions, n = engine->size;
    normal_copy(form, engine->form, n_transitions, n);
    for (size_t i = 0; i < engine->outside.len; i++)
        normal_add(form, n_transitions, n++, step_of(&engine->process, engine->outside.data[i]));
    normal_add(form, n_transitions, n, own_step(candidate));
    assert(n + 1 == size);
    engine->is_written = true;
    return form;
}

static bool is_small(const ClassicEngine *engine, uint32_t size)
{
    return size < engine->deep && size <= NORMAL_MAX_EVENTS && (engine->form || !engine->size) &&
           engine->safe->n_transitions <= NORMAL_MAX_TRANSITIONS;
}

bool rival_compare(void *finder, const Waiting *a, const Waiting *b, uint32_t size, int *order)
{
    ClassicEngine *engine = finder;
    const uint64_t *champion = claimed_form(b);
    if (!champion || !is_small(engine, size)) return false;
    const uint64_t *form = write_candidate(engine, a, size);
    *order = normal_compare(engine->schedule.rules.order, form, champion, engine->safe->n_transitions, size);
    return true;
}

void rival_claims(void *finder, Waiting *candidate, uint32_t size)
{
    ClassicEngine *engine = finder;
    if (!is_small(engine, size)) return;
    write_candidate(engine, candidate, size);
    claim_form(engine, candidate, size);
}

void rival_begin(ClassicEngine *engine, const Waiting *candidate, uint32_t size)
{
    for (; engine->forms_dropped < MIN(size, engine->forms.len); engine->forms_dropped++)
        arena_free(&engine->forms.data[engine->forms_dropped].arena);
    engine->form = claimed_form(candidate);
}

/* ---- by the events that one of them has alone, where configurations are large ---- */

bool rival_has_larger(void *finder, int which, uint32_t depth, uint32_t transition)
{
    ClassicEngine *engine = finder;
    Process *process = &engine->process;
    const ProcessRoots *roots = &engine->rivals[which];
    assert(which == 0 || which == 1);
    vec_clear(&engine->other);
    process_collect(process, 1, roots->conditions, roots->n, UINT32_MAX, process_colour(process), &engine->other);
    for (size_t i = 0; i < engine->other.len; i++) {
        uint32_t e = engine->other.data[i];
        if (process->depth[e] == depth && process->transition[e] > transition) return true;
    }
    return false;
}

/* The candidate is [event] and the events outside, both painted. Walking over the champion in the other
 * painting tells what each has alone. */
static void split_painted(ClassicEngine *engine, OrderSteps *only)
{
    Process *process = &engine->process;
    const ProcessRoots *champion = &engine->rivals[1];
    if (engine->event != PREFIX_BOTTOM) candidate_paint_event(engine);
    uint32_t colour = process_colour(process), n = engine->size;
    vec_clear(&engine->other);
    process_collect(process, 1, champion->conditions, champion->n, UINT32_MAX, colour, &engine->other);
    const uint32_t *second = process->colour[1], *first = process->colour[0];
    vec_reserve(&only[0], n + engine->outside.len + 1);
    vec_reserve(&only[1], engine->other.len + 1);
    OrderStep *out = only[0].data;
    for (uint32_t i = 0; i < n; i++)
        if (second[engine->inside.data[i]] != colour) *out++ = step_of(process, engine->inside.data[i]);
    for (uint32_t i = 0; i < engine->outside.len; i++)
        if (second[engine->outside.data[i]] != colour) *out++ = step_of(process, engine->outside.data[i]);
    only[0].len = (size_t)(out - only[0].data);
    out = only[1].data;
    for (uint32_t i = 0; i < engine->other.len; i++) {
        uint32_t e = engine->other.data[i];
        if (first[e] != engine->inside_colour && first[e] != engine->outside_colour) *out++ = step_of(process, e);
    }
    only[1].len = (size_t)(out - only[1].data);
    assert(only[0].len < only[0].cap && only[1].len < only[1].cap);
}

static void split_deep(ClassicEngine *engine, OrderSteps *only)
{
    Process *process = &engine->process;
    VecU32 *events[] = {&engine->outside, &engine->other};
    engine->inside_colour = 0; /* coloured over */
    vec_clear(events[0]);
    vec_clear(events[1]);
    process_difference(process, engine->rivals[0], engine->rivals[1], events[0], events[1]);
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < events[which]->len; i++)
            vec_push(&only[which], step_of(process, events[which]->data[i]));
}

void rival_difference(void *finder, const Waiting *a, const Waiting *b, OrderSteps *only)
{
    ClassicEngine *engine = finder;
    assert(a->n_words == CANDIDATE_PRESET + classic_n_pre(engine, a->transition));
    assert(b->n_words == CANDIDATE_PRESET + classic_n_pre(engine, b->transition));
    engine->rivals[0] = roots_of(a);
    engine->rivals[1] = roots_of(b);
    if (engine->tries || (engine->size >= engine->deep && !engine->inside_colour))
        split_deep(engine, only);
    else
        split_painted(engine, only);
    vec_push(&only[0], own_step(a));
    vec_push(&only[1], own_step(b));
}
