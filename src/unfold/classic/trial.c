#include "unfold/classic/trial.h"

#include "unfold/classic/candidate.h"
#include "unfold/classic/extension.h"

#include <assert.h>

enum { STEP_UNITS = 4 }; /* of the budget, for one event walked over */

static void list_conditions(ClassicEngine *engine, uint32_t first, uint32_t end)
{
    const Process *process = &engine->process;
    for (uint32_t c = first; c < end; c++) {
        uint32_t producer = process->producer[c];
        if (producer == PREFIX_BOTTOM || process->companion[producer] == PREFIX_NONE)
            vec_push(&engine->on_place[process->place[c]], c);
    }
}

void trial_list_places(ClassicEngine *engine)
{
    engine->on_place = g_new0(VecU32, engine->safe->n_places + 1);
    engine->tried_round = g_new0(uint32_t, engine->safe->n_places + 1);
    list_conditions(engine, 0, engine->condition);
}

void trial_drop_places(ClassicEngine *engine)
{
    for (uint32_t p = 0; engine->on_place && p < engine->safe->n_places; p++) vec_free(&engine->on_place[p]);
    g_clear_pointer(&engine->on_place, g_free);
    g_clear_pointer(&engine->tried_round, g_free);
}

void trial_begin(ClassicEngine *engine)
{
    assert(!engine->tries);
    engine->tries = true;
    engine->outside_before = g_new(uint32_t, engine->safe->max_pre + 1);
    if (!engine->on_place) trial_list_places(engine);
    co_free(engine->co);
    matrix_free(engine->matrix);
    engine->co = NULL;
    engine->matrix = NULL;
    vec_free(&engine->entry);
    vec_free(&engine->group_places);
}

static void charge(ClassicEngine *engine, uint32_t steps)
{
    if (budget_charge(engine->schedule.budget, STEP_UNITS * steps))
        schedule_stop(&engine->schedule, budget_ending(engine->schedule.budget));
}

static bool try_condition(ClassicEngine *engine, uint32_t condition)
{
    if (engine->matrix) return bitset_get(engine->matrix->common, engine->entry.data[condition]);
    Painting *painting = &engine->painting;
    uint32_t steps = painting_move(painting, engine->event);
    bool concurrent = painting_add(painting, condition, &steps);
    if (concurrent) painting_drop(painting, 0, 0);
    charge(engine, steps);
    return concurrent && !engine->schedule.stopped;
}

/* As extension.c notes it, for which the matrix will do. */
static uint32_t outside_flag(const ClassicEngine *engine, uint32_t condition)
{
    uint32_t e = engine->process.producer[condition];
    return engine->matrix && e != PREFIX_BOTTOM && classic_is_beside(engine, e) ? FOUND_OUTSIDE : 0;
}

/* Finds the conditions of a place that are concurrent with the event, if it has none there itself. Is there any? */
static bool try_place(ClassicEngine *engine, uint32_t p)
{
    if (engine->place_round[p] == engine->round + 1) return true;
    VecU32 *found = &engine->found[p];
    if (engine->tried_round[p] == engine->round) return found->len;
    engine->tried_round[p] = engine->round;
    vec_clear(found);
    for (size_t i = 0; i < engine->on_place[p].len && !engine->schedule.stopped; i++) {
        uint32_t c = engine->on_place[p].data[i];
        if (try_condition(engine, c)) vec_push(found, c | outside_flag(engine, c));
    }
    return found->len;
}

/* A condition on the place of a new one must not be concurrent with it. */
static void try_safeness(ClassicEngine *engine, uint32_t n)
{
    for (uint32_t c = engine->condition; c < engine->condition + n; c++) {
        const VecU32 *others = &engine->on_place[engine->process.place[c]];
        for (size_t i = 0; i < others->len && !engine->schedule.stopped; i++) {
            uint32_t pair[] = {others->data[i], c};
            if (try_condition(engine, pair[0])) classic_stop_unsafe(engine, pair, 2, NET_NONE, NET_NONE);
        }
    }
}

/* Fills the open positions of the preset with mutually concurrent found conditions, in every way. */
static void fill_open(ClassicEngine *engine, uint32_t t, uint32_t n_open)
{
    const uint32_t *places = engine->safe->pre + engine->safe->pre_start[t];
    Painting *painting = &engine->painting;
    uint32_t level = 0;
    engine->cursor[0] = engine->outside_before[0] = 0;
    while (!engine->schedule.stopped) {
        uint32_t at = engine->open[level], steps = 0;
        const VecU32 *found = &engine->found[places[at]];
        painting_drop(painting, level, engine->outside_before[level]);
        if (engine->cursor[level] == found->len) {
            if (level-- == 0) return;
            continue;
        }
        engine->preset[at] = found->data[engine->cursor[level]++];
        bool fits = painting_add(painting, engine->preset[at], &steps);
        charge(engine, steps);
        if (!fits) continue;
        if (level + 1 == n_open) {
            candidate_add(engine, t, engine->preset);
            continue;
        }
        engine->cursor[++level] = 0;
        engine->outside_before[level] = (uint32_t)painting->outside.len;
    }
}

static void try_transition(ClassicEngine *engine, uint32_t t)
{
    const SafeNet *safe = engine->safe;
    uint32_t n_open = 0;
    if (engine->transition_round[t] == engine->round) return;
    engine->transition_round[t] = engine->round;
    engine->loose = engine->owned = 0;
    for (uint32_t i = safe->pre_start[t], at = 0; i < safe->pre_start[t + 1]; i++, at++) {
        uint32_t p = safe->pre[i];
        if (!try_place(engine, p)) return;
        if (engine->place_round[p] == engine->round + 1) {
            engine->preset[at] = engine->own[p];
            if (at < 32) engine->owned |= 1u << at;
        } else {
            engine->open[n_open++] = at;
        }
    }
    if (n_open && engine->tries)
        fill_open(engine, t, n_open);
    else
        extension_fill(engine, t, n_open);
}

static void enter_matrix(ClassicEngine *engine, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        engine->entry.data[first + i] = engine->matrix->n + i;
        engine->n_on_place[engine->process.place[first + i]]++;
    }
    matrix_add(engine->matrix, first, n);
}

void trial_search(ClassicEngine *engine, uint32_t n)
{
    const SafeNet *safe = engine->safe;
    uint32_t first = engine->condition;
    assert((engine->tries || engine->matrix) && n > 0 && first + n <= engine->process.n_conditions);
    extension_set_own(engine, n);
    try_safeness(engine, n);
    if (engine->schedule.stopped) return;
    list_conditions(engine, first, first + n);
    if (engine->matrix) enter_matrix(engine, first, n);
    for (uint32_t c = first; c < first + n; c++) {
        uint32_t p = engine->process.place[c];
        for (uint32_t w = safe->watch_start[p]; w < safe->watch_start[p + 1]; w++) {
            const SafeWatch *watch = &safe->watch[w];
            if (watch->place != NET_NONE && !try_place(engine, watch->place)) continue;
            for (uint32_t i = watch->from; i < watch->to; i++) {
                try_transition(engine, safe->consumer[i].transition);
                if (engine->schedule.stopped) return;
            }
        }
    }
}
