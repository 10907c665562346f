#include "unfold/param/parametric.h"

#include "base/bitset.h"
#include "base/hash.h"
#include "unfold/param/extend.h"
#include "unfold/param/square.h"
#include "unfold/param/store.h"

#include <assert.h>
#include <stdlib.h>

/* Extensions of one size. All of them are known before the first is added, because a history's newest
 * event is smaller than the event itself: no heap is needed, and only extensions with the same state
 * are ever compared. */
typedef struct Pending {
    uint32_t action, first_cause, n_causes;
} Pending;

typedef struct Bucket {
    VEC(Pending) list;
    VecU32 causes;
    VecU64 states; /* of [e], one each */
} Bucket;

typedef struct Engine {
    const Lts *lts;
    const Indep *indep;
    const ParametricOptions *options;
    Budget *budget;
    ParametricStore store;
    ParametricExtend extend;
    VEC(Bucket) buckets; /* by size */
    VecU32 action, companion, size, depth, cause_start, cause;
    uint32_t n_cutoffs;
    bool overflow;
    VecU64 covered, history;
    Parametric *result;
} Engine;

static Bucket *bucket_of(Engine *x, size_t size)
{
    while (x->buckets.len <= size) vec_push(&x->buckets, (Bucket){0});
    return &x->buckets.data[size];
}

static void bucket_clear(Bucket *bucket)
{
    vec_free(&bucket->list);
    vec_free(&bucket->causes);
    vec_free(&bucket->states);
}

/* ---- runs for the caller ---- */

static void run_append(Engine *x, VecU32 *run, const uint64_t *configuration, const uint64_t *but)
{
    size_t words = parametric_store_words(x->store.n ? x->store.n - 1 : 0);
    for (size_t w = 0; w < words && x->store.n; w++)
        for (uint64_t rest = configuration[w] & ~(but ? but[w] : 0); rest; rest &= rest - 1)
            vec_push(run, x->store.action.data[w * 64 + (size_t)__builtin_ctzll(rest)]);
}

static void finish_run(Engine *x, ParametricEnd end, VecU32 run)
{
    assert(x->result->end == PARAMETRIC_COMPLETE);
    x->result->end = end;
    x->result->run = run.data;
    x->result->run_len = (uint32_t)run.len;
}

static void end_overflow(Engine *x, const uint64_t *configuration, uint32_t action)
{
    VecU32 run = {0};
    if (configuration) run_append(x, &run, configuration, NULL);
    vec_push(&run, action);
    finish_run(x, PARAMETRIC_OVERFLOW, run);
}

/* A pair of the relation does not commute at the configuration, or that cannot be told in this layout. */
static void end_refuted(Engine *x, const uint64_t *configuration)
{
    if (x->extend.end == EXTEND_NARROW) {
        end_overflow(x, configuration, x->extend.first);
        return;
    }
    VecU32 run = {0};
    if (configuration) run_append(x, &run, configuration, NULL);
    x->result->first = x->extend.first;
    x->result->second = x->extend.second;
    x->result->violation = x->extend.violation;
    finish_run(x, PARAMETRIC_REFUTED, run);
}

/* The search ran into something; say what. */
static void end_search(Engine *x)
{
    const ParametricExtend *s = &x->extend;
    switch (s->end) {
    case EXTEND_STOPPED: x->result->end = PARAMETRIC_LIMIT; break;
    case EXTEND_OVERFLOW: end_overflow(x, s->configuration, x->store.action.data[s->event_failed]); break;
    case EXTEND_NARROW:
    case EXTEND_REFUTED: end_refuted(x, s->configuration); break;
    case EXTEND_STUCK: {
        VecU32 run = {0};
        ParametricSquare square = parametric_square_find(&x->store, s->configuration, s->event_failed, &run);
        x->result->first = square.first;
        x->result->second = square.second;
        x->result->violation = square.violation;
        finish_run(x, PARAMETRIC_REFUTED, run);
        break;
    }
    default: assert(!"the search ended without a reason");
    }
}

/* ---- new extensions ---- */

/* The maximal events of a configuration, in increasing order. */
static void push_maximal(Engine *x, const uint64_t *history, size_t words, VecU32 *causes)
{
    const ParametricStore *s = &x->store;
    size_t first = causes->len;
    if (words == 0) return;
    vec_reserve(&x->covered, words);
    uint64_t *covered = x->covered.data;
    memset(covered, 0, words * sizeof *covered);
    for (size_t w = words; w-- > 0;)
        for (uint64_t rest; (rest = history[w] & ~covered[w]);) {
            uint32_t e = (uint32_t)(w * 64) + 63 - (uint32_t)__builtin_clzll(rest);
            bitset_or(covered, s->local.data[e], parametric_store_words(e));
            vec_push(causes, e);
        }
    for (size_t i = first, j = causes->len; i + 1 < j; i++) {
        uint32_t swap = causes->data[i];
        causes->data[i] = causes->data[--j];
        causes->data[j] = swap;
    }
}

static void add_pending(void *data, uint32_t action, const uint64_t *history, const uint64_t *state)
{
    Engine *x = data;
    if (x->overflow) return;
    size_t words = history ? parametric_store_words(x->store.n - 1) : 0, state_words = x->lts->state_words;
    Bucket *bucket = bucket_of(x, bitset_count(history, words) + 1);
    vec_reserve(&bucket->causes, 1); /* no causes are a slice of it too */
    Pending p = {.action = action, .first_cause = (uint32_t)bucket->causes.len};
    push_maximal(x, history, words, &bucket->causes);
    p.n_causes = (uint32_t)bucket->causes.len - p.first_cause;
    vec_append(&bucket->states, state, state_words);
    if (!x->lts->fire(x->lts, bucket->states.data + bucket->states.len - state_words, action)) {
        x->overflow = true;
        end_overflow(x, history, action);
        return;
    }
    vec_push(&bucket->list, p);
}

static bool add_initial(Engine *x)
{
    if (!parametric_extend_check(&x->extend, x->store.initial)) {
        end_refuted(x, NULL);
        return false;
    }
    for (uint32_t a = 0; a < x->lts->n_actions && !x->overflow; a++)
        if (x->lts->enabled(x->lts, x->store.initial, a)) add_pending(x, a, NULL, x->store.initial);
    return !x->overflow;
}

static bool add_extensions(Engine *x, uint32_t e)
{
    uint32_t action = x->store.action.data[e];
    for (uint32_t i = x->indep->start[action]; i < x->indep->start[action + 1]; i++) {
        if (!parametric_extend_run(&x->extend, x->indep->dependent[i], e)) {
            if (!x->overflow) end_search(x);
            return false;
        }
        if (x->overflow) return false;
    }
    return true;
}

/* ---- order within a bucket ---- */

/* The history of a pending extension as a bit set in x->history; returns its words. */
static size_t history_of(Engine *x, const Bucket *bucket, const Pending *p)
{
    size_t words = parametric_store_words(x->store.n);
    vec_reserve(&x->history, words);
    parametric_store_closure(&x->store, bucket->causes.data + p->first_cause, p->n_causes, x->history.data);
    return words;
}

static int compare_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void fill_actions(Engine *x, const Bucket *bucket, const Pending *p, uint32_t *to)
{
    size_t words = history_of(x, bucket, p), n = 0;
    for (BITSET_EACH(e, x->history.data, words)) to[n++] = x->store.action.data[e];
    to[n++] = p->action;
    qsort(to, n, sizeof *to, compare_number);
}

static void fill_steps(Engine *x, const Bucket *bucket, const Pending *p, OrderStep *to)
{
    size_t words = history_of(x, bucket, p), n = 0;
    uint32_t depth = 0;
    for (BITSET_EACH(e, x->history.data, words)) {
        to[n++] = (OrderStep){x->store.depth.data[e], x->store.action.data[e]};
        depth = MAX(depth, x->store.depth.data[e]);
    }
    to[n++] = (OrderStep){depth + 1, p->action};
    order_sort_levels(to, n);
}

static int compare_actions(const uint32_t *a, const uint32_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Among extensions of one size and state only the smallest can be no cutoff, or by `parikh` those that tie with
 * it: the others are marked late. */
static void find_smallest(Engine *x, const Bucket *bucket, size_t size, const uint32_t *group, size_t n, bool *late)
{
    bool total = order_is_total(x->options->order);
    g_autofree uint32_t *actions = g_new(uint32_t, n * size);
    g_autofree OrderStep *best_steps = g_new(OrderStep, size), *steps = g_new(OrderStep, size);
    size_t best = 0;
    bool best_known = false; /* best_steps are those of best */
    for (size_t i = 0; i < n; i++) {
        const uint32_t *mine = actions + i * size;
        fill_actions(x, bucket, &bucket->list.data[group[i]], actions + i * size);
        int order = i ? compare_actions(mine, actions + best * size, size) : 0;
        if (i && order == 0 && total) {
            if (!best_known) fill_steps(x, bucket, &bucket->list.data[group[best]], best_steps);
            best_known = true;
            fill_steps(x, bucket, &bucket->list.data[group[i]], steps);
            order = order_compare_levels(x->options->order, steps, best_steps, size);
            /* A total order: equality would be one event found twice. */
            assert(order != 0);
            if (order < 0) memcpy(best_steps, steps, size * sizeof *steps);
        } else if (order < 0) {
            best_known = false;
        }
        if (order < 0) best = i;
    }
    for (size_t i = 0; i < n; i++)
        late[group[i]] = i != best && (total || compare_actions(actions + i * size, actions + best * size, size) != 0);
}

/* Groups the bucket's extensions by state and marks the late ones. */
static void mark_late(Engine *x, const Bucket *bucket, size_t size, bool *late)
{
    size_t n = bucket->list.len, words = x->lts->state_words, mask = 1;
    while (mask < 2 * n) mask *= 2;
    g_autofree uint32_t *table = g_new0(uint32_t, mask), *next = g_new0(uint32_t, n + 1);
    mask--;
    for (size_t i = n; i-- > 0;) {
        const uint64_t *state = bucket->states.data + i * words;
        size_t slot = hash_words(state, words) & mask;
        while (table[slot] && !bitset_equal(bucket->states.data + (table[slot] - 1) * words, state, words))
            slot = (slot + 1) & mask;
        next[i] = table[slot];
        table[slot] = (uint32_t)i + 1;
    }
    VecU32 group = {0};
    for (size_t slot = 0; slot <= mask; slot++) {
        if (!table[slot] || !next[table[slot] - 1]) continue;
        if (parametric_store_find(&x->store, bucket->states.data + (table[slot] - 1) * words) != STORE_NONE) continue;
        vec_clear(&group);
        for (uint32_t i = table[slot]; i; i = next[i - 1]) vec_push(&group, i - 1);
        find_smallest(x, bucket, size, group.data, group.len, late);
    }
    vec_free(&group);
}

/* The indices of the bucket's extensions in the order in which they are added: as found, but those behind a smaller
 * one of the same state last. NULL when memory is short. */
static uint32_t *arranged(Engine *x, const Bucket *bucket, size_t size)
{
    size_t n = bucket->list.len, to = 0;
    if (!budget_allows(x->budget, n * 32)) return NULL;
    uint32_t *index = g_new(uint32_t, n);
    g_autofree bool *late = g_new0(bool, n);
    if (n > 1 && x->options->cutoffs && x->options->order != ORDER_MCMILLAN) mark_late(x, bucket, size, late);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < n; i++)
            if (late[i] == round) index[to++] = (uint32_t)i;
    assert(to == n);
    return index;
}

/* ---- adding ---- */

/* The first event added with the same state is smaller or ties. */
static bool strictly_smaller(Engine *x, const Bucket *bucket, const Pending *p, size_t size, uint32_t rival)
{
    if (rival == STORE_INITIAL || x->store.size.data[rival] < size) return true;
    assert(x->store.size.data[rival] == size);
    if (x->options->order != ORDER_PARIKH) return x->options->order != ORDER_MCMILLAN;
    g_autofree uint32_t *mine = g_new(uint32_t, size), *its = g_new(uint32_t, size);
    fill_actions(x, bucket, p, mine);
    size_t n = 0;
    for (BITSET_EACH(e, x->store.local.data[rival], parametric_store_words(rival))) its[n++] = x->store.action.data[e];
    assert(n == size);
    qsort(its, n, sizeof *its, compare_number);
    return memcmp(mine, its, size * sizeof *its) != 0;
}

static uint32_t companion_of(Engine *x, const Bucket *bucket, const Pending *p, size_t size, const uint64_t *state)
{
    if (!x->options->cutoffs) return PARAMETRIC_NONE;
    uint32_t rival = parametric_store_find(&x->store, state);
    if (rival == STORE_NONE || !strictly_smaller(x, bucket, p, size, rival)) return PARAMETRIC_NONE;
    return rival == STORE_INITIAL ? PARAMETRIC_BOTTOM : x->store.outer.data[rival];
}

/* Records the event for the result; causes are given by store ids. */
static uint32_t record(Engine *x, const Bucket *bucket, const Pending *p, size_t size, uint32_t companion)
{
    uint32_t id = (uint32_t)x->action.len, depth = 0;
    for (uint32_t i = 0; i < p->n_causes; i++) {
        uint32_t cause = bucket->causes.data[p->first_cause + i];
        vec_push(&x->cause, x->store.outer.data[cause]);
        depth = MAX(depth, x->store.depth.data[cause]);
    }
    vec_push(&x->cause_start, (uint32_t)x->cause.len);
    vec_push(&x->action, p->action);
    vec_push(&x->companion, companion);
    vec_push(&x->size, (uint32_t)size);
    vec_push(&x->depth, depth + 1);
    x->n_cutoffs += companion != PARAMETRIC_NONE;
    return id;
}

/* A cause whose state the event's covers or, without cutoffs, repeats: the unfolding never ends. */
static bool never_ends(Engine *x, uint32_t e)
{
    const Lts *lts = x->lts;
    const ParametricStore *s = &x->store;
    const uint64_t *state = parametric_store_state(s, e), *local = s->local.data[e];
    bool limited = x->budget->deadline > 0 || x->budget->memory || x->budget->max_events;
    bool repeats = !x->options->cutoffs && !limited;
    if (!repeats && !lts->pumps) return false;
    for (uint32_t f = 0; f <= e; f++) {
        /* f = e stands for the initial state */
        if (!bitset_get(local, f)) continue;
        const uint64_t *earlier = f == e ? s->initial : parametric_store_state(s, f);
        bool same = repeats && bitset_equal(earlier, state, lts->state_words);
        if (!same && !(lts->pumps && lts->pumps(lts, earlier, state))) continue;
        VecU32 run = {0};
        uint64_t *before = g_new0(uint64_t, parametric_store_words(e));
        if (f != e) memcpy(before, s->local.data[f], parametric_store_words(f) * sizeof *before);
        run_append(x, &run, before, NULL);
        x->result->pump_from = (uint32_t)run.len;
        run_append(x, &run, local, before);
        g_free(before);
        finish_run(x, same ? PARAMETRIC_INFINITE : PARAMETRIC_UNBOUNDED, run);
        return true;
    }
    return false;
}

static bool check_local(Engine *x, const Bucket *bucket, const Pending *p, uint64_t *state)
{
    if (parametric_extend_check(&x->extend, state)) return true;
    history_of(x, bucket, p);
    end_refuted(x, x->history.data);
    /* end_refuted() wrote the history; the event itself comes last. */
    x->result->run = g_realloc_n(x->result->run, x->result->run_len + 1, sizeof *x->result->run);
    x->result->run[x->result->run_len++] = p->action;
    return false;
}

/* Adds one extension and finds its successors; false to stop. */
static bool add_event(Engine *x, Bucket *bucket, const Pending *p, uint64_t *state, size_t size)
{
    if (x->budget->max_events && x->action.len >= x->budget->max_events) {
        budget_exhaust(x->budget, BUDGET_EVENTS);
        x->result->end = PARAMETRIC_LIMIT;
        return false;
    }
    uint32_t companion = companion_of(x, bucket, p, size, state);
    uint32_t id = record(x, bucket, p, size, companion);
    if (!check_local(x, bucket, p, state)) return false;
    if (x->options->goal && x->options->goal(id, p->action, state, x->options->goal_data)) {
        x->result->end = PARAMETRIC_GOAL;
        return false;
    }
    if (companion != PARAMETRIC_NONE) return true;
    uint32_t e = parametric_store_add(&x->store, p->action, bucket->causes.data + p->first_cause, p->n_causes, state);
    vec_push(&x->store.outer, id);
    assert(x->store.size.data[e] == size);
    return !never_ends(x, e) && add_extensions(x, e);
}

static bool add_bucket(Engine *x, size_t size)
{
    /* Later buckets may be created meanwhile, which moves them; nothing is added to this one. */
    Bucket bucket = x->buckets.data[size];
    x->buckets.data[size] = (Bucket){0};
    g_autofree uint32_t *index = bucket.list.len ? arranged(x, &bucket, size) : NULL;
    bool go_on = index || !bucket.list.len;
    if (!go_on) x->result->end = PARAMETRIC_LIMIT;
    for (size_t i = 0; i < bucket.list.len && go_on; i++) {
        if (budget_spent(x->budget)) {
            x->result->end = PARAMETRIC_LIMIT;
            go_on = false;
            break;
        }
        go_on = add_event(x, &bucket, &bucket.list.data[index[i]],
                          bucket.states.data + (size_t)index[i] * x->lts->state_words, size);
    }
    bucket_clear(&bucket);
    return go_on;
}

static void describe(void *data, GString *line)
{
    const Engine *x = data;
    g_string_append_printf(line, "%zu events, %u cutoffs", x->action.len, x->n_cutoffs);
}

static void hand_over(Engine *x)
{
    Parametric *r = x->result;
    r->n_events = (uint32_t)x->action.len;
    r->n_cutoffs = x->n_cutoffs;
    r->action = x->action.data;
    r->companion = x->companion.data;
    r->size = x->size.data;
    r->depth = x->depth.data;
    r->cause_start = x->cause_start.data;
    r->cause = x->cause.data;
    r->n_states = x->store.n_states;
    r->n_nodes = x->extend.n_nodes;
    r->reason = r->end == PARAMETRIC_LIMIT ? x->budget->reason : BUDGET_OK;
}

Parametric *parametric_new(const Lts *lts, const Indep *indep, const ParametricOptions *options, Budget *budget)
{
    assert(indep->n == lts->n_actions);
    Engine x = {.lts = lts, .indep = indep, .options = options, .budget = budget, .result = g_new0(Parametric, 1)};
    parametric_store_init(&x.store, lts, indep);
    parametric_extend_init(&x.extend, &x.store, budget);
    x.extend.found = add_pending;
    x.extend.data = &x;
    vec_push(&x.cause_start, 0);
    budget->describe = describe;
    budget->engine = &x;
    if (add_initial(&x))
        for (size_t size = 0; size < x.buckets.len; size++)
            if (!add_bucket(&x, size)) break;
    budget->describe = NULL;
    budget->engine = NULL;
    hand_over(&x);
    for (size_t i = 0; i < x.buckets.len; i++) bucket_clear(&x.buckets.data[i]);
    vec_free(&x.buckets);
    vec_free(&x.covered);
    vec_free(&x.history);
    parametric_extend_clear(&x.extend);
    parametric_store_clear(&x.store);
    return x.result;
}

void parametric_free(Parametric *r)
{
    if (!r) return;
    void *arrays[] = {r->action, r->companion, r->size, r->depth, r->cause_start, r->cause, r->run};
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) g_free(arrays[i]);
    g_free(r);
}
