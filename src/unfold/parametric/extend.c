#include "unfold/parametric/extend.h"

#include "base/bitset.h"
#include "lts/commute.h"

#include <assert.h>

/* A node; its bit sets and state lie in `frames` at depth * stride. */
struct ParametricFrame {
    bool enabled;
    uint32_t obstacle;
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
    vec_free(&x->frames);
    vec_free(&x->stack);
    vec_free(&x->scratch);
}

typedef struct Sizes {
    size_t set, state, stride;
} Sizes;

static Sizes sizes_of(const ParametricExtend *x, uint32_t newest)
{
    size_t set = parametric_store_words(newest), state = x->store->lts->state_words;
    return (Sizes){set, state, 2 * set + state};
}

static uint64_t *taken_at(ParametricExtend *x, Sizes z, size_t depth)
{
    return x->frames.data + depth * z.stride;
}
static uint64_t *open_at(ParametricExtend *x, Sizes z, size_t depth)
{
    return taken_at(x, z, depth) + z.set;
}
static uint64_t *state_at(ParametricExtend *x, Sizes z, size_t depth)
{
    return taken_at(x, z, depth) + 2 * z.set;
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
        const ParametricRow *helpers = helpers_of(x, number), *concurrent = &x->store->compatible.data[newest];
        o->asked_for = newest + 1;
        o->useful = bitset_meets(helpers->word, concurrent->word, MIN(helpers->len, concurrent->len));
    }
    return o->useful;
}

/* The largest candidate worth taking, or STORE_NONE. */
static uint32_t next_candidate(ParametricExtend *x, const uint64_t *open, size_t words, uint32_t obstacle)
{
    const ParametricRow *helpers = obstacle == NO_OBSTACLE ? NULL : helpers_of(x, obstacle);
    for (size_t w = helpers ? MIN(words, helpers->len) : words; w-- > 0;) {
        uint64_t rest = helpers ? open[w] & helpers->word[w] : open[w];
        if (rest) return (uint32_t)(w * 64) + 63 - (uint32_t)__builtin_clzll(rest);
    }
    return STORE_NONE;
}

/* Fires what f adds to the configuration, in the order of ids. */
static bool fire_missing(ParametricExtend *x, const uint64_t *before, uint64_t *taken, uint32_t f, uint64_t *state)
{
    const ParametricStore *s = x->store;
    const Lts *lts = s->lts;
    const uint64_t *local = s->local.data[f];
    for (size_t w = 0; w < parametric_store_words(f); w++)
        for (uint64_t rest = local[w] & ~before[w]; rest; rest &= rest - 1) {
            uint32_t g = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(rest);
            uint32_t action = s->action.data[g];
            Ending end = !lts->enabled(lts, state, action) ? ENDING_REFUTED
                         : !lts->fire(lts, state, action)  ? ENDING_OVERFLOW
                                                           : ENDING_COMPLETE;
            if (end != ENDING_COMPLETE) {
                x->end = end;
                x->event_failed = g;
                x->configuration = taken;
                return false;
            }
            assert(!bitset_get(taken, g) && g <= f);
            bitset_set(taken, g);
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

/* Enters the node on top: reports its history when the action is enabled there. */
static bool enter(ParametricExtend *x, Sizes z, uint32_t action)
{
    const Lts *lts = x->store->lts;
    assert(x->stack.len > 0);
    size_t depth = x->stack.len - 1;
    uint64_t *state = state_at(x, z, depth);
    struct ParametricFrame *frame = &x->stack.data[depth];
    x->n_nodes++;
    if (!parametric_extend_check(x, state)) {
        x->configuration = taken_at(x, z, depth);
        return false;
    }
    frame->enabled = lts->enabled(lts, state, action);
    frame->obstacle = frame->enabled || !lts->obstacle ? NO_OBSTACLE : lts->obstacle(lts, state, action);
    if (frame->enabled) x->found(x->data, action, taken_at(x, z, depth), state);
    return true;
}

/* A child of the node on top that also contains f. */
static bool take_in(ParametricExtend *x, Sizes z, uint32_t f)
{
    const ParametricStore *s = x->store;
    size_t depth = x->stack.len - 1;
    vec_reserve(&x->frames, (depth + 2) * z.stride);
    uint64_t *child = taken_at(x, z, depth + 1), *before = taken_at(x, z, depth);
    assert(f < s->n && !bitset_get(before, f));
    memcpy(child, before, z.stride * sizeof *child);
    vec_push(&x->stack, (struct ParametricFrame){0});
    if (!fire_missing(x, before, child, f, state_at(x, z, depth + 1))) return false;
    uint64_t *open = open_at(x, z, depth + 1);
    const ParametricRow *row = &s->compatible.data[f];
    for (size_t w = 0; w < z.set; w++) open[w] &= (w < row->len ? row->word[w] : 0) & ~child[w];
    return true;
}

/* f stays out, and so does what is above it. */
static void leave_out(ParametricExtend *x, uint64_t *open, size_t words, uint32_t f)
{
    assert(bitset_get(open, f));
    bitset_clear(open, f);
    for (size_t w = f / 64; w < words; w++)
        for (uint64_t rest = open[w]; rest; rest &= rest - 1) {
            uint32_t g = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(rest);
            if (g > f && bitset_get(x->store->local.data[g], f)) bitset_clear(open, g);
        }
}

static bool open_root(ParametricExtend *x, Sizes z, uint32_t action, uint32_t newest)
{
    const ParametricStore *s = x->store;
    vec_clear(&x->stack);
    vec_reserve(&x->frames, z.stride);
    memcpy(taken_at(x, z, 0), s->local.data[newest], z.set * sizeof(uint64_t));
    memcpy(state_at(x, z, 0), parametric_store_state(s, newest), z.state * sizeof(uint64_t));
    uint64_t *open = open_at(x, z, 0);
    const ParametricRow *concurrent = &s->compatible.data[newest], *dependent = &s->dependent[action];
    for (size_t w = 0; w < z.set; w++)
        open[w] = w < dependent->len && w < concurrent->len ? concurrent->word[w] & dependent->word[w] : 0;
    vec_push(&x->stack, (struct ParametricFrame){0});
    return enter(x, z, action);
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
    Sizes z = sizes_of(x, newest);
    x->end = ENDING_COMPLETE;
    if (is_hopeless(x, action, newest)) return true;
    if (!open_root(x, z, action, newest)) return false;
    while (x->stack.len) {
        if (budget_spent(x->budget)) {
            x->end = budget_ending(x->budget);
            return false;
        }
        size_t depth = x->stack.len - 1;
        uint32_t f = next_candidate(x, open_at(x, z, depth), z.set, x->stack.data[depth].obstacle);
        if (f == STORE_NONE) {
            x->stack.len--;
            continue;
        }
        if (!take_in(x, z, f)) return false;
        leave_out(x, open_at(x, z, depth), z.set, f);
        if (!enter(x, z, action)) return false;
    }
    return true;
}
