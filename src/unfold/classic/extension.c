#include "unfold/classic/extension.h"

#include "unfold/classic/candidate.h"

#include <assert.h>

void extension_common(ClassicEngine *engine, const uint32_t *preset, uint32_t n)
{
    uint32_t n_parts = 0;
    CoPart *parts = engine->parts;
    for (uint32_t i = 0; i < n; i++) {
        assert(preset[i] < engine->process.place.len);
        uint32_t g = engine->group.data[preset[i]], j = 0;
        assert(g < engine->co->groups.len && preset[i] - engine->co->groups.data[g].first < engine->co->width);
        uint32_t bit = 1u << (preset[i] - engine->co->groups.data[g].first);
        while (j < n_parts && parts[j].group != g) j++;
        if (j == n_parts) parts[n_parts++] = (CoPart){g, 0};
        parts[j].mask |= bit;
    }
    vec_clear(&engine->co->common);
    if (n_parts) co_common(engine->co, parts, n_parts);
}

static bool fits(const ClassicEngine *engine, uint32_t condition, uint32_t n_chosen)
{
    const uint32_t *group = engine->group.data;
    for (uint32_t i = 0; i < n_chosen; i++) {
        uint32_t other = engine->preset[engine->open[i]];
        if (!co_test(engine->co, condition, group[condition], other, group[other])) return false;
    }
    return true;
}

/* Fills the open positions of the preset with mutually concurrent found conditions, in every way. */
static void fill_open(ClassicEngine *engine, uint32_t t, uint32_t n_open)
{
    const uint32_t *places = engine->safe->pre + engine->safe->pre_start[t];
    uint32_t level = 0;
    assert(n_open > 0 && n_open <= classic_n_pre(engine, t));
    engine->cursor[0] = 0;
    while (!engine->schedule.stopped) {
        const VecU32 *found = &engine->found[places[engine->open[level]]];
        if (engine->cursor[level] == found->len) {
            if (level-- == 0) return;
            continue;
        }
        uint32_t at = engine->open[level], outside = found->data[engine->cursor[level]] & FOUND_OUTSIDE;
        uint32_t condition = found->data[engine->cursor[level]++] & ~FOUND_OUTSIDE;
        if (!fits(engine, condition, level)) continue;
        assert(engine->process.place.data[condition] == places[at]);
        engine->preset[at] = condition;
        if (at < 32) engine->loose = (engine->loose & ~(1u << at)) | (outside ? 1u << at : 0);
        if (level + 1 == n_open)
            candidate_add(engine, t, engine->preset);
        else
            engine->cursor[++level] = 0;
    }
}

static void try_transition(ClassicEngine *engine, uint32_t t)
{
    const SafeNet *safe = engine->safe;
    uint32_t n_open = 0;
    if (engine->transition_round[t] == engine->round) return;
    engine->transition_round[t] = engine->round;
    engine->loose = 0;
    for (uint32_t i = safe->pre_start[t], at = 0; i < safe->pre_start[t + 1]; i++, at++) {
        uint32_t p = safe->pre[i], round = engine->place_round[p] - engine->round;
        if (round > 1) return;
        if (round == 1)
            engine->preset[at] = engine->own[p];
        else
            engine->open[n_open++] = at;
    }
    if (n_open)
        fill_open(engine, t, n_open);
    else
        candidate_add(engine, t, engine->preset);
}

ExtensionPlaces extension_set_own(ClassicEngine *engine, uint32_t n)
{
    ExtensionPlaces places = {0, 0};
    engine->round += 2;
    for (uint32_t c = engine->condition; c < engine->condition + n; c++) {
        uint32_t p = engine->process.place.data[c];
        places.near |= engine->safe->near[p];
        places.close |= engine->safe->close[p];
        assert(engine->place_round[p] != engine->round + 1); /* a postset is a set of places */
        engine->place_round[p] = engine->round + 1;
        engine->own[p] = c;
    }
    return places;
}

/* Sorts the concurrent conditions by place, leaving out those that cannot be of use. Returns the signatures of the
 * places where some were found. */
static uint64_t find_conditions(ClassicEngine *engine, ExtensionPlaces wanted)
{
    const Co *co = engine->co;
    const uint64_t *group_places = engine->group_places.data;
    const uint32_t *place = engine->process.place.data, round = engine->round;
    uint64_t signatures = 0;
    for (size_t i = 0; i < co->common.len; i++) {
        uint32_t entry = co->common.data[i], g = entry >> co->width;
        if (!(group_places[g] & wanted.near)) continue;
        signatures |= group_places[g];
        uint32_t outside = (entry & co->mask) == co->full.data[g] ? FOUND_OUTSIDE : 0;
        for (uint32_t mask = entry & co->mask; mask; mask &= mask - 1) {
            uint32_t c = co->groups.data[g].first + (uint32_t)__builtin_ctz(mask), p = place[c];
            if (!(wanted.close >> p % 64 & 1)) continue;
            if (engine->place_round[p] != round) {
                if (engine->place_round[p] == round + 1) {
                    uint32_t pair[] = {c, engine->own[p]};
                    classic_stop_unsafe(engine, pair, 2, NET_NONE, NET_NONE);
                    return 0;
                }
                engine->place_round[p] = round;
                vec_clear(&engine->found[p]);
            }
            vec_push(&engine->found[p], c | outside);
        }
    }
    return signatures;
}

/* Returns the signatures of the n new conditions' places. */
static uint64_t enter_relation(ClassicEngine *engine, uint32_t n)
{
    Co *co = engine->co;
    uint64_t all = 0;
    uint32_t first = engine->condition, g = 0;
    if (engine->event == PREFIX_BOTTOM)
        co_start(co, n);
    else
        g = co_add(co, first, n);
    assert(engine->group_places.len == g);
    for (uint32_t at = 0; at < n; g++) {
        uint64_t places = 0;
        for (uint32_t i = 0; i < co->width && at < n; i++, at++) {
            places |= safenet_signature(engine->safe, engine->process.place.data[first + at]);
            engine->group.data[first + at] = g;
            engine->n_on_place[engine->process.place.data[first + at]]++;
        }
        vec_push(&engine->group_places, places);
        all |= places;
    }
    return all;
}

static void try_all(ClassicEngine *engine, const SafeWatch *watch)
{
    for (uint32_t i = watch->from; i < watch->to && !engine->schedule.stopped; i++)
        try_transition(engine, engine->safe->consumer[i].transition);
}

/* The consumers of a place; `here` holds the signatures of all places where there is a condition. */
static void try_consumers(ClassicEngine *engine, uint32_t p, uint64_t here)
{
    const SafeNet *safe = engine->safe;
    const uint32_t *place_round = engine->place_round, round = engine->round;
    uint32_t first = safe->watch_start[p];
    if (first < safe->watch_start[p + 1] && safe->watch[first].place == NET_NONE) try_all(engine, &safe->watch[first]);
    for (uint64_t bits = safe->watch_signature[p] & here; bits; bits &= bits - 1) {
        const uint32_t *range = safenet_watches(safe, p, bits & -bits);
        const SafeWatch *watch = safe->watch + range[0], *end = safe->watch + range[1];
        for (; watch < end; watch++)
            if (place_round[watch->place] - round <= 1) try_all(engine, watch);
    }
}

void extension_search(ClassicEngine *engine, uint32_t n)
{
    uint32_t first = engine->condition;
    assert(n > 0 && first + n <= engine->process.place.len);
    uint64_t here = find_conditions(engine, extension_set_own(engine, n));
    if (engine->schedule.stopped) return;
    if (co_is_full(engine->co, n) || engine->process.place.len >= FOUND_OUTSIDE) {
        budget_exhaust(engine->schedule.budget, ENDING_MEMORY);
        schedule_stop(&engine->schedule, budget_ending(engine->schedule.budget));
        return;
    }
    here |= enter_relation(engine, n);
    for (uint32_t c = first; c < first + n && !engine->schedule.stopped; c++)
        try_consumers(engine, engine->process.place.data[c], here);
}
