#include "unfold/classic/extension.h"

#include "unfold/classic/candidate.h"

#include <assert.h>

enum { FEW_WATCHES = 12 };

static void common_members(ClassicEngine *engine, const uint32_t *preset, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) engine->members[i] = engine->entry.data[preset[i]];
    if (n) matrix_common(engine->matrix, engine->members, n);
}

void extension_common(ClassicEngine *engine, const uint32_t *preset, uint32_t n)
{
    if (engine->matrix) {
        common_members(engine, preset, n);
        return;
    }
    Co *co = engine->co;
    uint32_t n_parts = 0;
    CoPart *parts = engine->parts;
    for (uint32_t i = 0; i < n; i++) {
        assert(preset[i] < engine->process.n_conditions);
        uint32_t entry = engine->entry.data[preset[i]], g = entry >> co->width, j = 0;
        assert(g < co->n_groups && preset[i] - co->groups[g].first < co->width);
        while (j < n_parts && parts[j].group != g) j++;
        if (j == n_parts) parts[n_parts++] = (CoPart){g, 0};
        parts[j].mask |= entry & co->mask;
    }
    co->n_common = 0;
    if (n_parts) co_common(co, parts, n_parts);
}

static inline bool are_concurrent(const ClassicEngine *engine, uint32_t entry_c, uint32_t entry_d)
{
    if (engine->matrix) return matrix_test(engine->matrix, entry_c, entry_d);
    return co_test(engine->co, entry_c, entry_d);
}

static bool fits(const ClassicEngine *engine, uint32_t condition, uint32_t n_chosen)
{
    const uint32_t *entry = engine->entry.data;
    for (uint32_t i = 0; i < n_chosen; i++)
        if (!are_concurrent(engine, entry[condition], entry[engine->preset[engine->open[i]]])) return false;
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
        assert(engine->process.place[condition] == places[at]);
        engine->preset[at] = condition;
        if (at < 32) engine->loose = (engine->loose & ~(1u << at)) | (outside ? 1u << at : 0);
        if (level + 1 == n_open)
            candidate_add(engine, t, engine->preset);
        else
            engine->cursor[++level] = 0;
    }
}

/* The same for the only open position. */
static void fill_one(ClassicEngine *engine, uint32_t t, uint32_t at)
{
    const VecU32 *found = &engine->found[engine->safe->pre[engine->safe->pre_start[t] + at]];
    const uint32_t own = at < 32 ? 1u << at : 0;
    for (size_t i = 0; i < found->len && !engine->schedule.stopped; i++) {
        engine->preset[at] = found->data[i] & ~FOUND_OUTSIDE;
        engine->loose = found->data[i] & FOUND_OUTSIDE ? own : 0;
        candidate_add(engine, t, engine->preset);
    }
}

static inline void fill(ClassicEngine *engine, uint32_t t, uint32_t n_open)
{
    if (!n_open)
        candidate_add(engine, t, engine->preset);
    else if (n_open == 1)
        fill_one(engine, t, engine->open[0]);
    else
        fill_open(engine, t, n_open);
}

void extension_fill(ClassicEngine *engine, uint32_t t, uint32_t n_open)
{
    fill(engine, t, n_open);
}

static void try_transition(ClassicEngine *engine, uint32_t t)
{
    const SafeNet *safe = engine->safe;
    uint32_t n_open = 0;
    if (engine->transition_round[t] == engine->round) return;
    engine->transition_round[t] = engine->round;
    engine->loose = engine->owned = 0;
    for (uint32_t i = safe->pre_start[t], at = 0; i < safe->pre_start[t + 1]; i++, at++) {
        uint32_t p = safe->pre[i], round = engine->place_round[p] - engine->round;
        if (round > 1) return;
        if (round == 1) {
            engine->preset[at] = engine->own[p];
            if (at < 32) engine->owned |= 1u << at;
        } else {
            engine->open[n_open++] = at;
        }
    }
    fill(engine, t, n_open);
}

ExtensionPlaces extension_set_own(ClassicEngine *engine, uint32_t n)
{
    ExtensionPlaces places = {0, 0};
    engine->round += 2;
    for (uint32_t c = engine->condition; c < engine->condition + n; c++) {
        uint32_t p = engine->process.place[c];
        places.near |= engine->safe->near[p];
        places.close |= engine->safe->close[p];
        assert(engine->place_round[p] != engine->round + 1); /* a postset is a set of places */
        engine->place_round[p] = engine->round + 1;
        engine->own[p] = c;
    }
    return places;
}

/* Enters the event's first group into the lists of all that is concurrent with it. Lists in engine->hits what has
 * places of these signatures and returns them all. */
static uint64_t enter_first(ClassicEngine *engine, uint32_t group, uint64_t near)
{
    Co *co = engine->co;
    const unsigned width = co->width;
    const uint32_t low = co->mask, own = group << width;
    const uint64_t *group_places = engine->group_places.data;
    uint32_t **const next = co->next, *const *const end = co->end;
    uint64_t signatures = 0;
    vec_reserve(&engine->hits, co->n_common);
    uint32_t *hit = engine->hits.data;
    for (const uint32_t *in = co->common; *in != CO_END; in++) {
        uint32_t entry = *in, g = entry >> width, *at = next[g];
        assert(g < group && (entry & low) && (in == co->common || in[-1] >> width < g));
        if (G_UNLIKELY(at == end[g])) at = co_grow(co, g);
        next[g] = at + 1;
        *at = own | (entry & low);
        if (!(group_places[g] & near)) continue;
        signatures |= group_places[g];
        *hit++ = entry;
    }
    engine->hits.len = (size_t)(hit - engine->hits.data);
    return signatures;
}

/* Sorts the conditions of the hits by place, leaving out those that cannot be of use. Stops the engine when one is on a
 * place of the event's own. */
static void sort_hits(ClassicEngine *engine, uint64_t close)
{
    const Co *co = engine->co;
    const unsigned width = co->width;
    const uint32_t *place = engine->process.place, round = engine->round;
    uint32_t *place_round = engine->place_round;
    for (const uint32_t *hit = engine->hits.data, *end = vec_from(&engine->hits, engine->hits.len); hit < end; hit++) {
        uint32_t g = *hit >> width, mask = *hit & co->mask, first = co->groups[g].first;
        uint32_t outside = mask == co->full[g] && g >= co->clique ? FOUND_OUTSIDE : 0;
        for (; mask; mask &= mask - 1) {
            uint32_t c = first + (uint32_t)__builtin_ctz(mask), p = place[c];
            if (!(close >> p % 64 & 1)) continue;
            if (place_round[p] == round + 1) {
                uint32_t pair[] = {c, engine->own[p]};
                classic_stop_unsafe(engine, pair, 2, NET_NONE, NET_NONE);
                return;
            }
            VecU32 *found = &engine->found[p];
            if (place_round[p] != round) vec_clear(found);
            place_round[p] = round;
            vec_push(found, c | outside);
        }
    }
}

/* Of conditions that are in a group now; returns the signatures of their places. */
static uint64_t note_group(ClassicEngine *engine, uint32_t group, uint32_t first, uint32_t n)
{
    uint64_t places = 0;
    assert(engine->group_places.len == group);
    for (uint32_t c = first; c < first + n; c++) {
        places |= engine->safe->signature[engine->process.place[c]];
        engine->entry.data[c] = co_entry(engine->co, group, c);
        engine->n_on_place[engine->process.place[c]]++;
    }
    vec_push_long(&engine->group_places, places);
    return places;
}

void extension_enter(ClassicEngine *engine, uint32_t first, uint32_t n)
{
    Co *co = engine->co;
    if (!first) co_start(co, n);
    for (uint32_t at = 0, g = 0; at < n; at += co->width, g++) {
        uint32_t n_members = MIN(co->width, n - at);
        if (first) g = at ? co_add_sibling(co, first + at, n_members) : co_add(co, first, n_members);
        note_group(engine, g, first + at, n_members);
        if (first) co_enter_all(co);
    }
}

/* Enters the n new conditions into the relation and finds those concurrent with them. Returns the signatures of all
 * places where there is a condition to use. */
static uint64_t enter_relation(ClassicEngine *engine, uint32_t n)
{
    Co *co = engine->co;
    ExtensionPlaces wanted = extension_set_own(engine, n);
    uint32_t first = engine->condition;
    uint64_t all = 0;
    if (engine->event == PREFIX_BOTTOM) {
        co_start(co, n);
        for (uint32_t at = 0, g = 0; at < n; at += co->width, g++)
            all |= note_group(engine, g, at, MIN(co->width, n - at));
        return all;
    }
    for (uint32_t at = 0; at < n; at += co->width) {
        uint32_t n_members = MIN(co->width, n - at);
        uint32_t group = at ? co_add_sibling(co, first + at, n_members) : co_add(co, first, n_members);
        all |= note_group(engine, group, first + at, n_members);
        if (at)
            co_enter_all(co);
        else
            all |= enter_first(engine, group, wanted.near);
    }
    sort_hits(engine, wanted.close);
    return all;
}

static void try_all(ClassicEngine *engine, const SafeWatch *watch)
{
    for (uint32_t i = watch->from; i < watch->to && !engine->schedule.stopped; i++)
        try_transition(engine, engine->safe->consumer[i].transition);
}

static void try_watched(ClassicEngine *engine, const SafeWatch *watch, const SafeWatch *end)
{
    const uint32_t *place_round = engine->place_round, round = engine->round;
    for (; watch < end; watch++)
        if (place_round[watch->place] - round <= 1) try_all(engine, watch);
}

/* The consumers of a place; `here` holds the signatures of all places where there is a condition. */
static void try_consumers(ClassicEngine *engine, uint32_t p, uint64_t here)
{
    const SafeNet *safe = engine->safe;
    const SafeWatch *watch = safe->watch + safe->watch_start[p], *end = safe->watch + safe->watch_start[p + 1];
    if (watch < end && watch->place == NET_NONE) try_all(engine, watch++);
    if (end - watch <= FEW_WATCHES) {
        try_watched(engine, watch, end);
        return;
    }
    for (uint64_t bits = safe->watch_signature[p] & here; bits; bits &= bits - 1) {
        const uint32_t *range = safenet_watches(safe, p, bits & -bits);
        try_watched(engine, safe->watch + range[0], safe->watch + range[1]);
    }
}

void extension_search(ClassicEngine *engine, uint32_t n)
{
    uint32_t first = engine->condition;
    assert(n > 0 && first + n <= engine->process.n_conditions);
    if (co_is_full(engine->co, n) || engine->process.n_conditions >= FOUND_OUTSIDE) {
        budget_exhaust(engine->schedule.budget, ENDING_MEMORY);
        schedule_stop(&engine->schedule, budget_ending(engine->schedule.budget));
        return;
    }
    uint64_t here = enter_relation(engine, n);
    for (uint32_t c = first; c < first + n && !engine->schedule.stopped; c++)
        try_consumers(engine, engine->process.place[c], here);
}
