#include "pes/config.h"

#include <assert.h>
#include <stdlib.h>

/* position of an event met by config_fits() outside C: this flag and its index in `outside` */
#define VISITED (UINT32_C(1) << 31)

static int compare_rows(const void *a, const void *b, void *data)
{
    const Indep *d = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t nx = d->start[x + 1] - d->start[x], ny = d->start[y + 1] - d->start[y];
    if (nx != ny) return nx < ny ? -1 : 1;
    return memcmp(d->dependent + d->start[x], d->dependent + d->start[y], nx * sizeof *d->dependent);
}

/* Values of variables multiply the actions of a program but seldom their dependences. */
static void make_classes(Config *c)
{
    const Indep *d = c->indep;
    uint32_t n = d->n, *sorted = g_new(uint32_t, (size_t)n + 1);
    c->class_of = g_new0(uint32_t, (size_t)n + 1);
    c->class_start = g_new0(uint32_t, (size_t)n + 1);
    for (uint32_t t = 0; t < n; t++) sorted[t] = t;
    if (n) qsort_r(sorted, n, sizeof *sorted, compare_rows, (void *)d);
    for (uint32_t i = 0; i < n; i++) {
        if (i && compare_rows(&sorted[i - 1], &sorted[i], (void *)d) != 0) c->n_classes++;
        c->class_of[sorted[i]] = c->n_classes;
    }
    c->n_classes += n > 0;
    VecU32 rows = {0};
    uint32_t *seen = g_new0(uint32_t, (size_t)n + 1); /* the class, plus 1, that last met this class */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = sorted[i], class = c->class_of[t];
        if (i && class == c->class_of[sorted[i - 1]]) continue;
        for (uint32_t k = d->start[t]; k < d->start[t + 1]; k++) {
            uint32_t other = c->class_of[d->dependent[k]];
            if (seen[other] != class + 1) vec_push(&rows, other);
            seen[other] = class + 1;
        }
        c->class_start[class + 1] = (uint32_t)rows.len;
    }
    c->class_row = rows.data;
    g_free(seen);
    g_free(sorted);
}

void config_init(Config *c, const Lts *lts, const Indep *indep, Events *events, uint32_t standby_step)
{
    assert(lts->n_actions == indep->n);
    *c = (Config){.lts = lts, .indep = indep, .events = events, .words = 1, .standby_step = standby_step};
    c->standing = g_new0(uint64_t, c->words);
    c->local_sets = g_new0(uint64_t, (size_t)c->words * 64 * c->words);
    make_classes(c);
    c->touch_sets = g_new0(uint64_t, MAX((size_t)c->n_classes * c->words, 1));
    c->state = g_new0(uint64_t, lts->state_words);
    lts->initial(lts, c->state);
}

void config_use_trees(Config *c, const Trees *trees)
{
    assert(!c->n && !c->trees && trees->events == c->events);
    c->trees = trees;
    c->chain = g_new0(VecU32, MAX(trees->cliques->n, 1));
}

void config_clear(Config *c)
{
    for (uint32_t k = 0; c->trees && k < c->trees->cliques->n; k++) vec_free(&c->chain[k]);
    g_free(c->chain);
    vec_free(&c->event);
    vec_free(&c->label);
    vec_free(&c->scratch);
    vec_free(&c->outside);
    vec_free(&c->walk);
    vec_free(&c->maximal);
    vec_free(&c->standby);
    g_free(c->standing);
    g_free(c->local_sets);
    g_free(c->touch_sets);
    g_free(c->class_of);
    g_free(c->class_start);
    g_free(c->class_row);
    g_free(c->state);
}

static uint64_t *widen(uint64_t *sets, size_t rows, size_t new_rows, uint32_t words, uint32_t new_words)
{
    uint64_t *wide = g_new0(uint64_t, MAX(new_rows * new_words, 1));
    for (size_t i = 0; i < rows; i++) memcpy(wide + i * new_words, sets + i * words, words * sizeof *sets);
    g_free(sets);
    return wide;
}

static uint32_t larger(uint32_t words)
{
    return words + words / 2 + 1;
}

uint64_t config_growth(const Config *c)
{
    return ((uint64_t)c->n + c->n_classes) * larger(c->words) * sizeof(uint64_t);
}

static void grow(Config *c)
{
    uint32_t words = c->words, more = larger(words);
    assert(c->n <= words * 64);
    c->local_sets = widen(c->local_sets, c->n, (size_t)more * 64, words, more);
    c->touch_sets = widen(c->touch_sets, c->n_classes, c->n_classes, words, more);
    c->standing = widen(c->standing, 1, 1, words, more);
    c->words = more;
}

static bool step(const Config *c, uint64_t *state, uint32_t label)
{
    return c->lts->enabled(c->lts, state, label) && c->lts->fire(c->lts, state, label);
}

/* The cliques of an action, when trees are used. */
#define EACH_CLIQUE(k, c, label)                                                                                       \
    const uint32_t *k = (c)->trees->cliques->of + (c)->trees->cliques->start[label],                                   \
                   *end_##k = (c)->trees->cliques->of + (c)->trees->cliques->start[(label) + 1];                       \
    k < end_##k;                                                                                                       \
    k++

/* The row of the next event, empty. */
static uint64_t *next_local(Config *c)
{
    if (config_is_full(c)) grow(c);
    uint64_t *local = config_local(c, c->n);
    memset(local, 0, c->words * sizeof *local);
    return local;
}

/* The next event's state and causes are in place. */
static void place(Config *c, uint32_t e, uint32_t label)
{
    uint32_t i = c->n;
#ifndef NDEBUG
    for (uint32_t w = 0; w < c->words; w++) assert((config_touch(c, label)[w] & ~config_local(c, i)[w]) == 0);
#endif
    bitset_set(config_local(c, i), i);
    uint32_t word = i / 64, words = c->words, class = c->class_of[label];
    uint64_t bit = (uint64_t)1 << (i % 64), *touch = c->touch_sets + word;
    for (uint32_t k = c->class_start[class]; k < c->class_start[class + 1]; k++)
        touch[(size_t)c->class_row[k] * words] |= bit;
    if (c->trees)
        for (EACH_CLIQUE(k, c, label)) vec_push(&c->chain[*k], i);
    if (c->events) c->events->event.data[e].position = i;
    vec_push(&c->event, e);
    vec_push(&c->label, label);
    c->n++;
    assert(c->event.len == c->n && c->label.len == c->n);
}

bool config_push(Config *c, uint32_t e)
{
    const Event *event = &c->events->event.data[e];
    assert(event->position == EVENT_NONE && !event->dead);
    if (!step(c, c->state, event->label)) return false;
    uint64_t *local = next_local(c);
    const uint32_t *causes = events_causes(c->events, e);
    for (uint32_t k = 0; k < event->n_causes; k++) {
        uint32_t at = c->events->event.data[causes[k]].position;
        assert(at < c->n);
        bitset_or(local, config_local(c, at), c->words);
    }
    place(c, e, event->label);
    return true;
}

/* The history of the action after C. */
static void join_touched(const Config *c, uint32_t label, uint64_t *history)
{
    const uint64_t *touch = config_touch(c, label);
    for (uint32_t w = (c->n + 63) / 64; w-- > 0;)
        for (uint64_t rest; (rest = touch[w] & ~history[w]) != 0;)
            bitset_or(history, config_local(c, w * 64 + 63 - (uint32_t)__builtin_clzll(rest)), w + 1);
}

bool config_push_next(Config *c, uint32_t label)
{
    if (!step(c, c->state, label)) return false;
    uint64_t *local = next_local(c);
    join_touched(c, label, local);
    bool fresh;
    place(c, c->events ? config_intern(c, label, local, &fresh) : EVENT_NONE, label);
    return true;
}

void config_pop(Config *c)
{
    assert(c->n);
    uint32_t i = --c->n, label = vec_pop(&c->label), e = vec_pop(&c->event);
    assert(!c->events || c->events->event.data[e].position == i);
    if (c->events) c->events->event.data[e].position = EVENT_NONE;
    bitset_clear(c->standing, i);
    if (c->trees)
        for (EACH_CLIQUE(k, c, label)) c->chain[*k].len--;
    uint32_t word = i / 64, words = c->words, class = c->class_of[label];
    uint64_t bit = (uint64_t)1 << (i % 64), *touch = c->touch_sets + word;
    for (uint32_t k = c->class_start[class]; k < c->class_start[class + 1]; k++)
        touch[(size_t)c->class_row[k] * words] &= ~bit;
    c->lts->unfire(c->lts, c->state, label);
}

bool config_is_event(Config *c, uint32_t label, const uint64_t *history)
{
    uint32_t words = c->words, used = (c->n + 63) / 64;
    const uint64_t *touch = config_touch(c, label);
    vec_reserve(&c->scratch, 2 * words);
    uint64_t *rest = c->scratch.data, *seen = rest + words;
    for (uint32_t w = 0; w < used; w++) rest[w] = history[w] & touch[w], seen[w] = 0;
    vec_clear(&c->maximal);
    for (uint32_t i; (i = bitset_highest(rest, used)) != EVENT_NONE;) {
        const uint64_t *local = config_local(c, i);
        for (uint32_t w = 0; w < used; w++) rest[w] &= ~local[w], seen[w] |= local[w];
        vec_push(&c->maximal, i);
    }
    return memcmp(seen, history, used * sizeof *seen) == 0;
}

void config_causes(Config *c, uint32_t i)
{
    vec_reserve(&c->scratch, 3 * (size_t)c->words);
    uint64_t *history = c->scratch.data + 2 * (size_t)c->words;
    memcpy(history, config_local(c, i), c->words * sizeof *history);
    bitset_clear(history, i);
    bool is_event = config_is_event(c, c->label.data[i], history);
    assert(is_event);
    (void)is_event;
}

uint32_t config_intern(Config *c, uint32_t label, const uint64_t *history, bool *fresh)
{
    if (!config_is_event(c, label, history)) return EVENT_NONE;
    vec_clear(&c->walk);
    for (size_t n = 0; n < c->maximal.len; n++) {
        uint32_t e = c->event.data[c->maximal.data[n]];
        size_t k = n;
        vec_push(&c->walk, e);
        for (; k && c->walk.data[k - 1] > e; k--) c->walk.data[k] = c->walk.data[k - 1];
        c->walk.data[k] = e;
    }
    return events_intern(c->events, label, c->walk.data, (uint32_t)c->walk.len, fresh);
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

uint32_t config_descend(const Config *c, uint32_t e)
{
    const Event *event = c->events->event.data;
    assert(event[e].position == EVENT_NONE);
    for (uint32_t k = 0; k < event[e].n_causes;) {
        uint32_t cause = c->events->pool.data[event[e].causes + k++];
        if (event[cause].position == EVENT_NONE) e = cause, k = 0;
    }
    return e;
}

uint32_t config_conflict_of(const Config *c, uint32_t e)
{
    const Event *event = c->events->event.data;
    const uint32_t *causes = events_causes(c->events, e);
    const uint64_t *touch = config_touch(c, event[e].label);
    for (uint32_t w = 0, used = (c->n + 63) / 64; w < used; w++) {
        uint64_t rest = touch[w];
        for (uint32_t k = 0; k < event[e].n_causes && rest; k++) rest &= ~config_local(c, event[causes[k]].position)[w];
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
            assert(event[e].position == VISITED && !event[e].dead);
            event[e].position = VISITED | (uint32_t)c->outside.len;
            vec_push(&c->outside, e);
            continue;
        }
        if (event[e].position != EVENT_NONE) continue;
        event[e].position = VISITED; /* on the way: a second path to it finds it so */
        vec_push(&c->walk, e | VISITED);
        const uint32_t *causes = vec_from(&c->events->pool, event[e].causes);
        for (uint32_t k = event[e].n_causes; k--;)
            if (event[causes[k]].position == EVENT_NONE) vec_push(&c->walk, causes[k]);
    }
}

/* The branch that f knows leaves that of C at its lowest node in C; what C has below is in conflict. */
static uint32_t first_conflict_by_trees(const Config *c, uint32_t f)
{
    const uint32_t *known = trees_known(c->trees, f);
    uint32_t first = EVENT_NONE;
    for (uint32_t k = 0, n = c->trees->cliques->n; k < n; k++) {
        if (known[k] == TREE_ROOT) continue;
        if (c->events->event.data[c->trees->node.data[known[k]].event].position != EVENT_NONE) continue;
        uint32_t depth = c->trees->node.data[trees_lowest_placed(c->trees, known[k])].depth;
        if (depth < c->chain[k].len && c->chain[k].data[depth] < first) first = c->chain[k].data[depth];
    }
    return first;
}

static bool fits_by_trees(Config *c, uint32_t f, uint32_t *conflict, uint32_t *asleep)
{
    *conflict = first_conflict_by_trees(c, f);
    *asleep = EVENT_NONE;
    if (*conflict != EVENT_NONE) return false;
    collect_outside(c, f);
    for (size_t k = 0; k < c->outside.len; k++) {
        Event *g = &c->events->event.data[c->outside.data[k]];
        if (g->asleep) *asleep = c->outside.data[k];
        g->position = EVENT_NONE;
    }
    return *asleep == EVENT_NONE;
}

bool config_fits(Config *c, uint32_t f, uint32_t *conflict, uint32_t *asleep)
{
    if (c->trees) return fits_by_trees(c, f, conflict, asleep);
    Event *event = c->events->event.data;
    assert(event[f].position == EVENT_NONE && !(f & VISITED));
    collect_outside(c, f);
    uint32_t words = c->words, used = (c->n + 63) / 64, first = EVENT_NONE;
    *asleep = EVENT_NONE;
    vec_reserve(&c->scratch, c->outside.len * words + 1);
    for (size_t k = 0; k < c->outside.len; k++) {
        const Event *g = &event[c->outside.data[k]];
        if (g->asleep) *asleep = c->outside.data[k];
        uint64_t *below = c->scratch.data + k * words;
        memset(below, 0, used * sizeof *below);
        const uint32_t *causes = vec_from(&c->events->pool, g->causes);
        for (uint32_t j = 0; j < g->n_causes; j++) {
            uint32_t at = event[causes[j]].position;
            bitset_or(below, at & VISITED ? c->scratch.data + (size_t)(at & ~VISITED) * words : config_local(c, at),
                      used);
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
    *conflict = first;
    return first == EVENT_NONE && *asleep == EVENT_NONE;
}

static uint64_t *standby_row(const Config *c, uint32_t i)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): asked only where standby states are kept */
    return vec_from(&c->standby, (size_t)(i / c->standby_step) * c->lts->state_words);
}

/* From the standby state of the highest position in H that has one. */
static bool replay(const Config *c, const uint64_t *history, uint64_t *state)
{
    uint32_t used = (c->n + 63) / 64, base = EVENT_NONE;
    for (uint32_t w = used; w-- > 0 && base == EVENT_NONE;) {
        uint64_t both = history[w] & c->standing[w];
        if (both) base = w * 64 + 63 - (uint32_t)__builtin_clzll(both);
    }
    if (base == EVENT_NONE)
        c->lts->initial(c->lts, state);
    else
        memcpy(state, standby_row(c, base), c->lts->state_words * sizeof *state);
    for (uint32_t w = 0; w < used; w++) {
        uint64_t rest = base == EVENT_NONE ? history[w] : history[w] & ~config_local(c, base)[w];
        for (; rest; rest &= rest - 1)
            if (!step(c, state, c->label.data[w * 64 + (uint32_t)__builtin_ctzll(rest)])) return false;
    }
    return true;
}

/* Keeps the state after local(i). */
static bool keep_standby(Config *c, uint32_t i)
{
    uint32_t used = (c->n + 63) / 64;
    vec_reserve(&c->standby, (size_t)(i / c->standby_step + 1) * c->lts->state_words);
    vec_reserve(&c->scratch, used);
    memcpy(c->scratch.data, config_local(c, i), used * sizeof(uint64_t));
    bitset_clear(c->scratch.data, i);
    uint64_t *row = standby_row(c, i);
    if (!replay(c, c->scratch.data, row) || !step(c, row, c->label.data[i])) return false;
    bitset_set(c->standing, i);
    return true;
}

bool config_state_of(Config *c, const uint64_t *history, uint64_t *state)
{
    if (c->standby_step) {
        uint32_t top = bitset_highest(history, (c->n + 63) / 64);
        bool wanted = top != EVENT_NONE && top % c->standby_step == 0 && !bitset_get(c->standing, top);
        if (wanted && !keep_standby(c, top)) return false;
    }
    return replay(c, history, state);
}

bool config_state_of_event(Config *c, uint32_t f, uint64_t *state)
{
    Event *event = c->events->event.data;
    if (event[f].position != EVENT_NONE) return config_state_of(c, config_local(c, event[f].position), state);
    collect_outside(c, f);
    uint32_t used = (c->n + 63) / 64;
    vec_reserve(&c->scratch, used + 1);
    memset(c->scratch.data, 0, used * sizeof(uint64_t));
    for (size_t k = 0; k < c->outside.len; k++) {
        const Event *g = &event[c->outside.data[k]];
        for (uint32_t j = 0; j < g->n_causes; j++) {
            uint32_t at = event[c->events->pool.data[g->causes + j]].position;
            if (!(at & VISITED)) bitset_or(c->scratch.data, config_local(c, at), used);
        }
    }
    bool fits = replay(c, c->scratch.data, state);
    for (size_t k = 0; k < c->outside.len; k++) {
        Event *g = &event[c->outside.data[k]];
        g->position = EVENT_NONE;
        fits = fits && step(c, state, g->label);
    }
    return fits;
}
