#include "pes/config.h"

#include <assert.h>
#include <stdlib.h>

/* position of an event met by config_fits() outside C: this flag and its index in `outside` */
#define VISITED (UINT32_C(1) << 31)

void config_init(Config *c, const Lts *lts, const Indep *indep, Events *events)
{
    assert(lts->n_actions == indep->n);
    *c = (Config){.lts = lts, .indep = indep, .events = events, .words = 1};
    c->local_sets = g_new0(uint64_t, (size_t)c->words * 64 * c->words);
    c->touch_sets = g_new0(uint64_t, MAX((size_t)lts->n_actions * c->words, 1));
    c->state = g_new0(uint64_t, lts->state_words);
    lts->initial(lts, c->state);
}

void config_clear(Config *c)
{
    vec_free(&c->event);
    vec_free(&c->label);
    vec_free(&c->scratch);
    vec_free(&c->outside);
    vec_free(&c->walk);
    g_free(c->local_sets);
    g_free(c->touch_sets);
    g_free(c->state);
}

static uint64_t *widen(uint64_t *sets, size_t rows, size_t new_rows, uint32_t words, uint32_t new_words)
{
    uint64_t *wide = g_new0(uint64_t, MAX(new_rows * new_words, 1));
    for (size_t i = 0; i < rows; i++) memcpy(wide + i * new_words, sets + i * words, words * sizeof *sets);
    g_free(sets);
    return wide;
}

static void grow(Config *c)
{
    uint32_t words = c->words, more = words + words / 2 + 1;
    c->local_sets = widen(c->local_sets, c->n, (size_t)more * 64, words, more);
    c->touch_sets = widen(c->touch_sets, c->lts->n_actions, c->lts->n_actions, words, more);
    c->words = more;
}

bool config_push(Config *c, uint32_t e)
{
    Event *event = &c->events->event.data[e];
    assert(event->position == EVENT_NONE && !event->dead);
    uint32_t label = event->label, i = c->n;
    if (!c->lts->enabled(c->lts, c->state, label) || !c->lts->fire(c->lts, c->state, label)) return false;
    if (i == c->words * 64) grow(c);
    uint64_t *local = config_local(c, i);
    memset(local, 0, c->words * sizeof *local);
    const uint32_t *causes = events_causes(c->events, e);
    for (uint32_t k = 0; k < event->n_causes; k++) {
        uint32_t at = c->events->event.data[causes[k]].position;
        assert(at < i);
        bitset_or(local, config_local(c, at), c->words);
    }
#ifndef NDEBUG
    for (uint32_t w = 0; w < c->words; w++) assert((config_touch(c, label)[w] & ~local[w]) == 0);
#endif
    bitset_set(local, i);
    const Indep *d = c->indep;
    uint32_t word = i / 64, words = c->words;
    uint64_t bit = (uint64_t)1 << (i % 64), *touch = c->touch_sets + word;
    for (uint32_t k = d->start[label]; k < d->start[label + 1]; k++) touch[(size_t)d->dependent[k] * words] |= bit;
    event->position = i;
    vec_push(&c->event, e);
    vec_push(&c->label, label);
    c->n++;
    return true;
}

void config_pop(Config *c)
{
    assert(c->n);
    uint32_t i = --c->n, label = vec_pop(&c->label), e = vec_pop(&c->event);
    assert(c->events->event.data[e].position == i);
    c->events->event.data[e].position = EVENT_NONE;
    const Indep *d = c->indep;
    uint32_t word = i / 64, words = c->words;
    uint64_t bit = (uint64_t)1 << (i % 64), *touch = c->touch_sets + word;
    for (uint32_t k = d->start[label]; k < d->start[label + 1]; k++) touch[(size_t)d->dependent[k] * words] &= ~bit;
    c->lts->unfire(c->lts, c->state, label);
}

static uint32_t highest(const uint64_t *set, uint32_t words)
{
    for (uint32_t w = words; w--;)
        if (set[w]) return w * 64 + 63 - (uint32_t)__builtin_clzll(set[w]);
    return EVENT_NONE;
}

uint32_t config_intern(Config *c, uint32_t label, const uint64_t *history, bool *fresh)
{
    uint32_t words = c->words, n = 0, used = (c->n + 63) / 64;
    const uint64_t *touch = config_touch(c, label);
    vec_reserve(&c->scratch, 2 * words);
    uint64_t *rest = c->scratch.data, *seen = rest + words;
    for (uint32_t w = 0; w < used; w++) rest[w] = history[w] & touch[w], seen[w] = 0;
    vec_clear(&c->walk);
    for (uint32_t i; (i = highest(rest, used)) != EVENT_NONE; n++) {
        const uint64_t *local = config_local(c, i);
        for (uint32_t w = 0; w < used; w++) rest[w] &= ~local[w], seen[w] |= local[w];
        uint32_t e = c->event.data[i], k = n;
        vec_push(&c->walk, e);
        for (; k && c->walk.data[k - 1] > e; k--) c->walk.data[k] = c->walk.data[k - 1];
        c->walk.data[k] = e;
    }
    if (memcmp(seen, history, used * sizeof *seen) != 0) return EVENT_NONE;
    return events_intern(c->events, label, c->walk.data, n, fresh);
}

uint32_t config_first_conflict(const Config *c, uint32_t label, const uint64_t *history)
{
    const uint64_t *touch = config_touch(c, label);
    for (uint32_t w = 0, used = (c->n + 63) / 64; w < used; w++) {
        uint64_t rest = touch[w] & ~history[w];
        if (rest) return w * 64 + (uint32_t)__builtin_ctzll(rest);
    }
    return EVENT_NONE;
}

/* Lists [f] \ C in `outside`, causes first, by a walk with an explicit stack; each gets its index as
 * position. An entry of the walk is an event, or its complement once its causes are done. */
static void collect_outside(Config *c, uint32_t f)
{
    Event *event = c->events->event.data;
    vec_clear(&c->outside);
    vec_clear(&c->walk);
    vec_push(&c->walk, f);
    while (c->walk.len) {
        uint32_t e = vec_pop(&c->walk);
        if (e & VISITED) {
            e &= ~VISITED;
            event[e].position = VISITED | (uint32_t)c->outside.len;
            vec_push(&c->outside, e);
            continue;
        }
        if (event[e].position != EVENT_NONE) continue;
        event[e].position = VISITED; /* on the way: a second path to it finds it so */
        vec_push(&c->walk, e | VISITED);
        const uint32_t *causes = c->events->pool.data + event[e].causes;
        for (uint32_t k = event[e].n_causes; k--;)
            if (event[causes[k]].position == EVENT_NONE) vec_push(&c->walk, causes[k]);
    }
}

uint32_t config_fits(Config *c, uint32_t f)
{
    Event *event = c->events->event.data;
    assert(event[f].position == EVENT_NONE && !(f & VISITED));
    collect_outside(c, f);
    uint32_t words = c->words, used = (c->n + 63) / 64, first = EVENT_NONE;
    vec_reserve(&c->scratch, c->outside.len * words + 1);
    for (size_t k = 0; k < c->outside.len; k++) {
        const Event *g = &event[c->outside.data[k]];
        uint64_t *below = c->scratch.data + k * words;
        memset(below, 0, used * sizeof *below);
        const uint32_t *causes = c->events->pool.data + g->causes;
        for (uint32_t j = 0; j < g->n_causes; j++) {
            uint32_t at = event[causes[j]].position;
            bitset_or(below, at & VISITED ? c->scratch.data + (size_t)(at & ~VISITED) * words : config_local(c, at), used);
        }
        const uint64_t *touch = config_touch(c, g->label);
        for (uint32_t w = 0; w < used && w * 64 < first; w++) {
            uint64_t rest = touch[w] & ~below[w];
            if (!rest) continue;
            uint32_t position = w * 64 + (uint32_t)__builtin_ctzll(rest);
            if (position < first) first = position;
            break;
        }
    }
    for (size_t k = 0; k < c->outside.len; k++) event[c->outside.data[k]].position = EVENT_NONE;
    return first;
}

bool config_state_of(const Config *c, const uint64_t *history, uint64_t *state)
{
    c->lts->initial(c->lts, state);
    for (BITSET_EACH(i, history, (c->n + 63) / 64)) {
        uint32_t label = c->label.data[i];
        if (!c->lts->enabled(c->lts, state, label) || !c->lts->fire(c->lts, state, label)) return false;
    }
    return true;
}
