#include "unfold/parametric/extend.h"

#include "base/bitset.h"
#include "lts/commute.h"

#include <assert.h>

/* A node. Its candidates lie in `open` up to those of the next node. */
struct ParametricFrame {
    uint32_t event; /* that it takes in; the newest at the root */
    uint32_t obstacle;
    size_t open, added; /* where they begin */
};

/* What is known of one obstacle: the actions that remove it, and the events that may, that is, those whose
 * taking in may fire such an action. Under a structural relation a remover is itself a candidate; else
 * it may hide below one. */
struct ParametricObstacle {
    uint64_t *removers;
    ParametricRow helpers;
    uint32_t n_looked_at;       /* events whose membership is settled */
    uint32_t asked_for, useful; /* newest event + 1; does a helper concurrent with it exist? */
};

#define NO_OBSTACLE UINT32_MAX

void parametric_extend_init(ParametricExtend *x, const ParametricStore *store, Budget *budget)
{
    *x = (ParametricExtend){.store = store, .budget = budget};
    if (store->lts->obstacle) x->obstacle = g_new0(struct ParametricObstacle, (size_t)store->lts->n_obstacles + 1);
    vec_reserve(&x->scratch, 2 * (size_t)store->lts->state_words);
}

void parametric_extend_clear(ParametricExtend *x)
{
    for (uint32_t o = 0; x->obstacle && o < x->store->lts->n_obstacles; o++) {
        g_free(x->obstacle[o].removers);
        g_free(x->obstacle[o].helpers.word);
    }
    g_free(x->obstacle);
    vec_free(&x->stack);
    VecU64 *sets[] = {&x->taken, &x->concurrent, &x->open, &x->states, &x->scratch};
    for (size_t i = 0; i < G_N_ELEMENTS(sets); i++) vec_free(sets[i]);
    VecU32 *lists[] = {&x->concurrent_at, &x->open_at, &x->added, &x->maximal};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) vec_free(lists[i]);
}

static uint64_t *state_at(ParametricExtend *x, size_t depth)
{
    return x->states.data + depth * x->store->lts->state_words;
}

static size_t open_end(const ParametricExtend *x, size_t depth)
{
    return depth + 1 < x->stack.len ? x->stack.data[depth + 1].open : x->open.len;
}

/* All actions start from [newest] and from those concurrent with it. */
static void prepare(ParametricExtend *x, uint32_t newest)
{
    const ParametricStore *s = x->store;
    size_t words = parametric_store_words(newest);
    if (x->prepared == newest + 1) return;
    parametric_store_room(&x->taken, words);
    if (x->prepared) {
        const ParametricSet *last = &s->local.data[x->prepared - 1];
        for (uint32_t i = 0; i < last->len; i++) x->taken.data[last->at[i]] = 0;
    }
    const ParametricSet *local = &s->local.data[newest];
    for (uint32_t i = 0; i < local->len; i++) x->taken.data[local->at[i]] = local->bits[i];
    vec_clear(&x->concurrent);
    vec_clear(&x->concurrent_at);
    const ParametricRow *row = &s->compatible.data[newest];
    for (uint32_t w = 0; w < row->len; w++)
        if (row->word[w]) {
            vec_push(&x->concurrent, row->word[w]);
            vec_push(&x->concurrent_at, w);
        }
    x->prepared = newest + 1;
}

static void list_removers(const Lts *lts, uint32_t number, struct ParametricObstacle *o)
{
    o->removers = g_new0(uint64_t, bitset_words(lts->n_actions) + 1);
    for (uint32_t a = 0; a < lts->n_actions; a++)
        if (lts->removes(lts, number, a)) bitset_set(o->removers, a);
}

static bool may_help(const ParametricStore *s, uint32_t f, const uint64_t *removers)
{
    if (s->indep->structural) return bitset_get(removers, s->action.data[f]);
    return bitset_meets(removers, s->past.data[f], bitset_words(s->lts->n_actions));
}

static const ParametricRow *helpers_of(ParametricExtend *x, uint32_t number)
{
    const ParametricStore *s = x->store;
    assert(number < s->lts->n_obstacles);
    struct ParametricObstacle *o = &x->obstacle[number];
    if (!o->removers) list_removers(s->lts, number, o);
    for (; o->n_looked_at < s->n; o->n_looked_at++)
        if (may_help(s, o->n_looked_at, o->removers)) parametric_store_row_set(&o->helpers, o->n_looked_at);
    return &o->helpers;
}

/* Some event concurrent with the newest one may remove the obstacle: asked once per newest event, as many actions
 * meet the same obstacle. */
static bool is_removable(ParametricExtend *x, uint32_t number, uint32_t newest)
{
    struct ParametricObstacle *o = &x->obstacle[number];
    if (o->asked_for != newest + 1) {
        const ParametricRow *helpers = helpers_of(x, number);
        o->asked_for = newest + 1;
        o->useful = false;
        for (size_t i = 0; i < x->concurrent.len && !o->useful; i++)
            o->useful = (x->concurrent.data[i] & parametric_store_row_word(helpers, x->concurrent_at.data[i])) != 0;
    }
    return o->useful;
}

/* The largest candidate worth taking at the node on top, or STORE_NONE. */
static uint32_t next_candidate(ParametricExtend *x)
{
    const struct ParametricFrame *frame = &vec_last(&x->stack);
    const ParametricRow *helpers = frame->obstacle == NO_OBSTACLE ? NULL : helpers_of(x, frame->obstacle);
    for (size_t i = x->open.len; i-- > frame->open;) {
        uint64_t rest = x->open.data[i];
        if (rest && helpers) rest &= parametric_store_row_word(helpers, x->open_at.data[i]);
        if (rest) return x->open_at.data[i] * 64 + 63 - (uint32_t)__builtin_clzll(rest);
    }
    return STORE_NONE;
}

/* Fires what f adds to the configuration, in the order of ids. */
static bool fire_missing(ParametricExtend *x, uint32_t f, uint64_t *state)
{
    const ParametricStore *s = x->store;
    const Lts *lts = s->lts;
    const ParametricSet *local = &s->local.data[f];
    for (uint32_t i = 0; i < local->len; i++)
        for (uint64_t rest = local->bits[i] & ~x->taken.data[local->at[i]]; rest; rest &= rest - 1) {
            uint32_t g = local->at[i] * 64 + (uint32_t)__builtin_ctzll(rest);
            uint32_t action = s->action.data[g];
            Ending end = !lts->enabled(lts, state, action) ? ENDING_REFUTED
                         : !lts->fire(lts, state, action)  ? ENDING_OVERFLOW
                                                           : ENDING_COMPLETE;
            if (end != ENDING_COMPLETE) {
                x->end = end;
                x->event_failed = g;
                x->configuration = x->taken.data;
                return false;
            }
            assert(!bitset_get(x->taken.data, g) && g <= f);
            bitset_set(x->taken.data, g);
            vec_push(&x->added, g);
        }
    return true;
}

bool parametric_extend_check(ParametricExtend *x, uint64_t *state)
{
    const ParametricStore *s = x->store;
    if (!s->indep->doubt_start) return true;
    x->violation = commute_check(s->lts, s->indep, state, x->scratch.data, &x->first, &x->second);
    if (x->violation == COMMUTE_YES) return true;
    x->end = x->violation == COMMUTE_UNKNOWN ? ENDING_OVERFLOW : ENDING_REFUTED;
    x->event_failed = STORE_NONE;
    return false;
}

/* The maximal events of the node on top: the newest, and those taken in that none taken in later is above. */
static void list_maximal(ParametricExtend *x)
{
    VecU32 *list = &x->maximal;
    vec_clear(list);
    for (size_t i = 1; i < x->stack.len; i++) {
        uint32_t f = x->stack.data[i].event;
        size_t k = i + 1;
        while (k < x->stack.len &&
               (x->stack.data[k].event < f || !parametric_store_above(x->store, f, x->stack.data[k].event)))
            k++;
        if (k < x->stack.len) continue;
        vec_push(list, f);
        for (k = list->len - 1; k && list->data[k - 1] > f; k--) list->data[k] = list->data[k - 1];
        list->data[k] = f;
    }
    vec_push(list, x->stack.data[0].event);
}

/* Enters the node on top: reports its history when the action is enabled there. */
static bool enter(ParametricExtend *x, uint32_t action)
{
    const ParametricStore *s = x->store;
    assert(x->stack.len > 0);
    size_t depth = x->stack.len - 1;
    uint64_t *state = state_at(x, depth);
    struct ParametricFrame *frame = &x->stack.data[depth];
    x->n_nodes++;
    if (!parametric_extend_check(x, state)) {
        x->configuration = x->taken.data;
        return false;
    }
    bool enabled = s->lts->enabled(s->lts, state, action);
    frame->obstacle = enabled || !s->lts->obstacle ? NO_OBSTACLE : s->lts->obstacle(s->lts, state, action);
    if (!enabled) return true;
    list_maximal(x);
    uint32_t size = s->size.data[x->stack.data[0].event] + (uint32_t)x->added.len;
    x->found(x->data, action, &x->maximal, size, state);
    return true;
}

/* A child of the node on top that also contains f. */
static bool take_in(ParametricExtend *x, uint32_t f)
{
    const ParametricStore *s = x->store;
    size_t depth = x->stack.len - 1, state_words = s->lts->state_words, end = x->open.len;
    assert(f < s->n && !bitset_get(x->taken.data, f));
    vec_reserve(&x->states, (depth + 2) * state_words);
    memcpy(state_at(x, depth + 1), state_at(x, depth), state_words * sizeof(uint64_t));
    vec_push(&x->stack, ((struct ParametricFrame){.event = f, .open = end, .added = x->added.len}));
    if (!fire_missing(x, f, state_at(x, depth + 1))) return false;
    const ParametricRow *row = &s->compatible.data[f];
    for (size_t i = x->stack.data[depth].open; i < end; i++) {
        uint32_t w = x->open_at.data[i];
        uint64_t bits = x->open.data[i] & parametric_store_row_word(row, w) & ~x->taken.data[w];
        if (!bits) continue;
        vec_push(&x->open, bits);
        vec_push(&x->open_at, w);
    }
    return true;
}

/* f stays out at the node of that depth, and so does what is above it. */
static void leave_out(ParametricExtend *x, size_t depth, uint32_t f)
{
    for (size_t i = open_end(x, depth); i-- > x->stack.data[depth].open && x->open_at.data[i] >= f / 64;)
        for (uint64_t rest = x->open.data[i]; rest; rest &= rest - 1) {
            uint32_t g = x->open_at.data[i] * 64 + (uint32_t)__builtin_ctzll(rest);
            if (g == f || (g > f && parametric_store_above(x->store, f, g))) x->open.data[i] &= ~(rest & -rest);
        }
}

static void close_top(ParametricExtend *x)
{
    struct ParametricFrame frame = vec_pop(&x->stack);
    x->open.len = x->open_at.len = frame.open;
    while (x->added.len > frame.added) bitset_clear(x->taken.data, vec_pop(&x->added));
}

static bool open_root(ParametricExtend *x, uint32_t action, uint32_t newest)
{
    const ParametricStore *s = x->store;
    size_t state_words = s->lts->state_words;
    assert(!x->stack.len && !x->open.len && !x->added.len);
    vec_reserve(&x->states, state_words);
    memcpy(state_at(x, 0), parametric_store_state(s, newest), state_words * sizeof(uint64_t));
    const ParametricRow *dependent = &s->dependent[action];
    for (size_t i = 0; i < x->concurrent.len; i++) {
        uint64_t bits = x->concurrent.data[i] & parametric_store_row_word(dependent, x->concurrent_at.data[i]);
        if (!bits) continue;
        vec_push(&x->open, bits);
        vec_push(&x->open_at, x->concurrent_at.data[i]);
    }
    vec_push(&x->stack, (struct ParametricFrame){.event = newest});
    return enter(x, action);
}

/* Not enabled after the newest event, and nothing concurrent can help. */
static bool is_hopeless(ParametricExtend *x, uint32_t action, uint32_t newest)
{
    const Lts *lts = x->store->lts;
    const uint64_t *state = parametric_store_state(x->store, newest);
    if (!lts->obstacle || lts->enabled(lts, state, action)) return false;
    return !is_removable(x, lts->obstacle(lts, state, action), newest);
}

bool parametric_extend_run(ParametricExtend *x, uint32_t action, uint32_t newest)
{
    assert(newest + 1 == x->store->n && indep_dependent(x->store->indep, action, x->store->action.data[newest]));
    x->end = ENDING_COMPLETE;
    prepare(x, newest);
    if (is_hopeless(x, action, newest)) return true;
    if (!open_root(x, action, newest)) return false;
    while (x->stack.len) {
        if (budget_spent(x->budget)) {
            x->end = budget_ending(x->budget);
            return false;
        }
        uint32_t f = next_candidate(x);
        if (f == STORE_NONE) {
            close_top(x);
            continue;
        }
        size_t depth = x->stack.len - 1;
        if (!take_in(x, f)) return false;
        leave_out(x, depth, f);
        if (!enter(x, action)) return false;
    }
    return true;
}
