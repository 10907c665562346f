#include "unfold/parametric/parametric.h"

#include "base/bitset.h"
#include "base/hash.h"
#include "unfold/parametric/extend.h"
#include "unfold/parametric/square.h"
#include "unfold/parametric/store.h"
#include "unfold/parametric/tree.h"

#include <assert.h>

typedef struct ParametricEngine {
    const Lts *lts;
    const Indep *indep;
    Schedule schedule;
    ParametricStore store;
    ParametricExtend search;
    VecU32 action, companion, size, depth, cause_start, cause;
    VecU64 history[2], state;
    Parametric *result;
} ParametricEngine;

/* The words of a waiting candidate: the maximal events of its history, then the state of [e]. */
static uint32_t state_room(const ParametricEngine *x)
{
    return x->lts->state_words * (uint32_t)(sizeof(uint64_t) / sizeof(uint32_t));
}

static uint32_t n_causes(const ParametricEngine *x, const Waiting *candidate)
{
    assert(candidate->n_words >= state_room(x));
    return candidate->n_words - state_room(x);
}

/* ---- runs for the caller ---- */

static void run_append(ParametricEngine *x, VecU32 *run, const uint64_t *configuration, const uint64_t *but)
{
    size_t words = parametric_store_words(x->store.n ? x->store.n - 1 : 0);
    for (size_t w = 0; w < words && x->store.n; w++)
        for (uint64_t rest = configuration[w] & ~(but ? but[w] : 0); rest; rest &= rest - 1)
            vec_push(run, x->store.action.data[w * 64 + (size_t)__builtin_ctzll(rest)]);
}

static void finish_run(ParametricEngine *x, Ending end, VecU32 run)
{
    assert(!x->schedule.stopped);
    schedule_stop(&x->schedule, end);
    x->result->run = run.data;
    x->result->run_len = (uint32_t)run.len;
}

static void end_overflow(ParametricEngine *x, const uint64_t *configuration, uint32_t action)
{
    VecU32 run = {0};
    if (configuration) run_append(x, &run, configuration, NULL);
    vec_push(&run, action);
    finish_run(x, ENDING_OVERFLOW, run);
}

/* A pair of the relation does not commute at the configuration, or that cannot be told in this layout. */
static void end_refuted(ParametricEngine *x, const uint64_t *configuration)
{
    if (x->search.end == ENDING_OVERFLOW) {
        end_overflow(x, configuration, x->search.first);
        return;
    }
    VecU32 run = {0};
    if (configuration) run_append(x, &run, configuration, NULL);
    x->result->first = x->search.first;
    x->result->second = x->search.second;
    x->result->violation = x->search.violation;
    finish_run(x, ENDING_REFUTED, run);
}

/* The search ran into something; say what. */
static void end_search(ParametricEngine *x)
{
    const ParametricExtend *s = &x->search;
    assert(s->end != ENDING_COMPLETE);
    if (ending_is_limit(s->end)) {
        schedule_stop(&x->schedule, s->end);
    } else if (s->event_failed == STORE_NONE) {
        end_refuted(x, s->configuration);
    } else if (s->end == ENDING_OVERFLOW) {
        end_overflow(x, s->configuration, x->store.action.data[s->event_failed]);
    } else {
        VecU32 run = {0};
        ParametricSquare square = parametric_square_find(&x->store, s->configuration, s->event_failed, &run);
        x->result->first = square.first;
        x->result->second = square.second;
        x->result->violation = square.violation;
        finish_run(x, ENDING_REFUTED, run);
    }
}

/* ---- new extensions ---- */

/* History of the empty configuration: no causes. */
static void push(void *data, uint32_t action, const VecU32 *causes, uint32_t size, const uint64_t *state)
{
    ParametricEngine *x = data;
    if (x->schedule.stopped) return;
    size_t state_words = x->lts->state_words;
    memcpy(x->state.data, state, state_words * sizeof *state);
    if (!x->lts->fire(x->lts, x->state.data, action)) {
        end_overflow(x, causes->len ? x->search.taken.data : NULL, action);
        return;
    }
    uint32_t n = (uint32_t)causes->len;
    Waiting *candidate = schedule_push(&x->schedule, size + 1, action, n + state_room(x));
    if (n) memcpy(candidate->words, causes->data, n * sizeof *candidate->words);
    memcpy(candidate->words + n, x->state.data, state_words * sizeof *state);
}

/* ---- the finder ---- */

static void bottom(void *finder)
{
    ParametricEngine *x = finder;
    const uint64_t *initial = x->store.initial;
    const VecU32 none = {0};
    schedule_begin(&x->schedule, initial, hash_words(initial, x->lts->state_words));
    if (!parametric_extend_check(&x->search, x->store.initial)) {
        end_refuted(x, NULL);
        return;
    }
    for (uint32_t a = 0; a < x->lts->n_actions && !x->schedule.stopped; a++)
        if (x->lts->enabled(x->lts, initial, a)) push(x, a, &none, 0, initial);
}

static bool marking(void *finder, const Waiting *candidate, uint64_t *state, uint64_t *hash)
{
    const ParametricEngine *x = finder;
    size_t words = x->lts->state_words;
    memcpy(state, candidate->words + n_causes(x, candidate), words * sizeof *state);
    *hash = hash_words(state, words);
    return true;
}

/* The history of a candidate as a bit set in x->history[which]; returns its words. */
static size_t history_of(ParametricEngine *x, const Waiting *candidate, int which)
{
    size_t words = parametric_store_words(x->store.n);
    vec_reserve(&x->history[which], words);
    parametric_store_closure(&x->store, candidate->words, n_causes(x, candidate), x->history[which].data);
    return words;
}

static uint32_t depth_of(const ParametricEngine *x, const Waiting *candidate)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < n_causes(x, candidate); i++) depth = MAX(depth, x->store.depth.data[candidate->words[i]]);
    return depth + 1;
}

static void difference(void *finder, const Waiting *a, const Waiting *b, OrderSteps *only)
{
    ParametricEngine *x = finder;
    const Waiting *pair[] = {a, b};
    size_t words = history_of(x, a, 0);
    assert(x->store.depth.len == x->store.n);
    history_of(x, b, 1);
    const uint64_t *set[] = {x->history[0].data, x->history[1].data};
    for (size_t w = 0; w < words; w++) {
        if (set[0][w] == set[1][w]) continue;
        for (int which = 0; which < 2; which++)
            for (uint64_t rest = set[which][w] & ~set[1 - which][w]; rest; rest &= rest - 1) {
                size_t e = w * 64 + (size_t)__builtin_ctzll(rest);
                vec_push(&only[which], ((OrderStep){x->store.depth.data[e], x->store.action.data[e]}));
            }
    }
    for (int which = 0; which < 2; which++)
        vec_push(&only[which], ((OrderStep){depth_of(x, pair[which]), pair[which]->transition}));
}

static bool has_larger(void *finder, int which, uint32_t depth, uint32_t action)
{
    const ParametricEngine *x = finder;
    for (BITSET_EACH(e, x->history[which].data, parametric_store_words(x->store.n)))
        if (x->store.depth.data[e] == depth && x->store.action.data[e] > action) return true;
    return false;
}

/* The doubtful pairs of the relation are tried out at the state of each event. */
static void check_local(ParametricEngine *x, const Waiting *candidate)
{
    memcpy(x->state.data, schedule_marking(&x->schedule, candidate->slot), x->lts->state_words * sizeof(uint64_t));
    if (parametric_extend_check(&x->search, x->state.data)) return;
    history_of(x, candidate, 0);
    end_refuted(x, x->history[0].data);
    /* end_refuted() wrote the history; the event itself comes last. */
    x->result->run = g_realloc_n(x->result->run, x->result->run_len + 1, sizeof *x->result->run);
    x->result->run[x->result->run_len++] = candidate->transition;
}

static uint32_t add(void *finder, const Waiting *candidate, uint32_t size, uint32_t companion)
{
    ParametricEngine *x = finder;
    uint32_t id = (uint32_t)x->action.len;
    for (uint32_t i = 0; i < n_causes(x, candidate); i++) vec_push(&x->cause, x->store.outer.data[candidate->words[i]]);
    vec_push(&x->cause_start, (uint32_t)x->cause.len);
    vec_push(&x->action, candidate->transition);
    vec_push(&x->companion, companion);
    vec_push(&x->size, size);
    vec_push(&x->depth, depth_of(x, candidate));
    check_local(x, candidate);
    return id;
}

/* Ends with the run to f's state and from there to e's; f = e stands for the initial state. */
static void end_endless(ParametricEngine *x, uint32_t f, uint32_t e, Ending end)
{
    const ParametricStore *s = &x->store;
    VecU32 run = {0};
    g_autofree uint64_t *before = g_new(uint64_t, parametric_store_words(s->n));
    g_autofree uint64_t *after = g_new(uint64_t, parametric_store_words(s->n));
    parametric_store_closure(s, &f, f != e, before);
    parametric_store_closure(s, &e, 1, after);
    run_append(x, &run, before, NULL);
    x->result->pump_from = (uint32_t)run.len;
    run_append(x, &run, after, before);
    finish_run(x, end, run);
}

/* A cause whose state the event's covers or, without cutoffs, repeats: the unfolding never ends. */
static bool never_ends(ParametricEngine *x, uint32_t e)
{
    const Lts *lts = x->lts;
    const ParametricStore *s = &x->store;
    const uint64_t *state = parametric_store_state(s, e);
    const ParametricSet *local = &s->local.data[e];
    const Budget *budget = x->schedule.budget;
    bool limited = budget_is_timed(budget) || budget_memory(budget) || budget_max_events(budget);
    bool repeats = !x->schedule.rules.cutoffs && !limited;
    assert(e + 1 == s->n && local->at[local->len - 1] == e / 64);
    if (!repeats && !lts->pumps) return false;
    for (uint32_t i = 0; i < local->len; i++)
        for (uint64_t rest = local->bits[i]; rest; rest &= rest - 1) {
            uint32_t f = local->at[i] * 64 + (uint32_t)__builtin_ctzll(rest);
            const uint64_t *earlier = f == e ? s->initial : parametric_store_state(s, f);
            bool same = repeats && bitset_equal(earlier, state, lts->state_words);
            if (!same && !(lts->pumps && lts->pumps(lts, earlier, state))) continue;
            end_endless(x, f, e, same ? ENDING_ENDLESS : ENDING_UNBOUNDED);
            return true;
        }
    return false;
}

static void extend(void *finder, const Waiting *candidate, uint32_t size, uint32_t id)
{
    ParametricEngine *x = finder;
    uint32_t e = parametric_store_add(&x->store, candidate->transition, candidate->words, n_causes(x, candidate), size,
                                      candidate->slot);
    vec_push(&x->store.outer, id);
    assert(x->store.outer.len == x->store.n);
    if (never_ends(x, e)) return;
    const Indep *indep = x->indep;
    for (uint32_t i = indep->start[candidate->transition]; i < indep->start[candidate->transition + 1]; i++) {
        bool done = parametric_extend_run(&x->search, indep->dependent[i], e);
        if (!done && !x->schedule.stopped) end_search(x);
        if (x->schedule.stopped) return;
    }
}

static void finish(void *finder)
{
    ParametricEngine *x = finder;
    Parametric *r = x->result;
    assert(x->action.len == x->schedule.n_events && x->cause_start.len == x->action.len + 1);
    assert(x->store.n <= x->schedule.n_events - x->schedule.n_cutoffs);
    r->n_events = (uint32_t)x->action.len;
    r->n_cutoffs = x->schedule.n_cutoffs;
    r->action = x->action.data;
    r->companion = x->companion.data;
    r->size = x->size.data;
    r->depth = x->depth.data;
    r->cause_start = x->cause_start.data;
    r->cause = x->cause.data;
    r->n_states = markings_reached(&x->schedule.markings);
    r->n_nodes = x->search.n_nodes;
    r->end = x->schedule.end;
    r->goal_event = x->schedule.goal_event;
}

static const Finder parametric = {
    .bottom = bottom,
    .marking = marking,
    .difference = difference,
    .has_larger = has_larger,
    .add = add,
    .extend = extend,
    .finish = finish,
};

/* ---- the whole ---- */

Parametric *parametric_new(const Lts *lts, const Indep *indep, ScheduleRules rules, Budget *budget)
{
    assert(indep->n == lts->n_actions);
    if (parametric_tree_applies(indep)) return parametric_tree_new(lts, rules, budget);
    ParametricEngine x = {.lts = lts, .indep = indep, .result = g_new0(Parametric, 1)};
    schedule_init(&x.schedule, &parametric, &x, rules, budget, lts->state_words, false, lts->n_actions);
    parametric_store_init(&x.store, lts, indep, &x.schedule.markings);
    parametric_extend_init(&x.search, &x.store, budget);
    x.search.found = push;
    x.search.data = &x;
    vec_reserve(&x.state, (size_t)lts->state_words + 1);
    vec_push(&x.cause_start, 0);
    schedule_run(&x.schedule);
    vec_free(&x.history[0]);
    vec_free(&x.history[1]);
    vec_free(&x.state);
    parametric_extend_clear(&x.search);
    parametric_store_clear(&x.store);
    schedule_clear(&x.schedule);
    return x.result;
}

void parametric_free(Parametric *r)
{
    if (!r) return;
    void *arrays[] = {r->action, r->companion, r->size, r->depth, r->cause_start, r->cause, r->run};
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) g_free(arrays[i]);
    g_free(r);
}
