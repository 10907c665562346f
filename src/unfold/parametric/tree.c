#include "unfold/parametric/tree.h"

#include "base/bitset.h"
#include "base/hash.h"

#include <assert.h>

/* The one word of a waiting candidate is its parent, PREFIX_BOTTOM at the root. */
typedef struct Tree {
    const Lts *lts;
    Schedule schedule;
    VecU32 action, companion, size, parent, slot; /* per event */
    VecU32 path;                                  /* events of a run */
    const Waiting *rivals[2];                     /* whose differences were last asked for */
    uint64_t *state, *initial, *enabled;
    Parametric *result;
} Tree;

bool parametric_tree_applies(const Indep *indep)
{
    return !indep->doubt_start && indep->start[indep->n] == (uint64_t)indep->n * indep->n;
}

static uint32_t size_of(const Tree *x, uint32_t e)
{
    return e == PREFIX_BOTTOM ? 0 : x->size.data[e];
}

/* The events that lead to e, e last, into x->path. */
static void find_path(Tree *x, uint32_t e)
{
    uint32_t n = size_of(x, e);
    vec_reserve(&x->path, (size_t)n + 1);
    x->path.len = n;
    for (; e != PREFIX_BOTTOM; e = x->parent.data[e]) x->path.data[--n] = e;
    assert(n == 0);
}

/* Ends with the run of x->path, and one more action unless it is NET_NONE. */
static void finish_run(Tree *x, Ending end, uint32_t last)
{
    VecU32 run = {0};
    for (size_t i = 0; i < x->path.len; i++) vec_push(&run, x->action.data[x->path.data[i]]);
    if (last != NET_NONE) vec_push(&run, last);
    x->result->run = run.data;
    x->result->run_len = (uint32_t)run.len;
    schedule_stop(&x->schedule, end);
}

/* ---- the finder ---- */

/* What is enabled at the state of the slot, which e leads to. */
static void push_enabled(Tree *x, uint32_t e, uint32_t slot)
{
    const Lts *lts = x->lts;
    uint32_t size = size_of(x, e) + 1;
    size_t words = bitset_words(lts->n_actions);
    memcpy(x->state, schedule_marking(&x->schedule, slot), lts->state_words * sizeof *x->state);
    lts->enabled_set(lts, x->state, x->enabled);
    x->result->n_nodes++;
    for (BITSET_EACH(a, x->enabled, words)) {
        if (x->schedule.stopped) return;
        if (!lts->fire(lts, x->state, (uint32_t)a)) {
            find_path(x, e);
            finish_run(x, ENDING_OVERFLOW, (uint32_t)a);
            return;
        }
        Waiting *candidate = schedule_push(&x->schedule, size, (uint32_t)a, 1);
        candidate->words[0] = e;
        schedule_judge(&x->schedule, size, candidate, x->state, hash_words(x->state, lts->state_words));
        lts->unfire(lts, x->state, (uint32_t)a);
    }
}

static void bottom(void *finder)
{
    Tree *x = finder;
    uint32_t slot = schedule_begin(&x->schedule, x->initial, hash_words(x->initial, x->lts->state_words));
    push_enabled(x, PREFIX_BOTTOM, slot);
}

/* Both runs have one length, so their events pair off until they meet. */
static void difference(void *finder, const Waiting *a, const Waiting *b, OrderSteps *only)
{
    Tree *x = finder;
    const Waiting *pair[] = {a, b};
    uint32_t at[] = {a->words[0], b->words[0]}, size = size_of(x, at[0]) + 1;
    assert(size_of(x, at[1]) + 1 == size);
    for (int which = 0; which < 2; which++) {
        x->rivals[which] = pair[which];
        vec_push(&only[which], ((OrderStep){size, pair[which]->transition}));
    }
    while (at[0] != at[1]) {
        size--;
        for (int which = 0; which < 2; which++) {
            vec_push(&only[which], ((OrderStep){size, x->action.data[at[which]]}));
            at[which] = x->parent.data[at[which]];
        }
    }
}

static bool has_larger(void *finder, int which, uint32_t depth, uint32_t transition)
{
    const Tree *x = finder;
    uint32_t e = x->rivals[which]->words[0];
    if (depth > size_of(x, e)) return depth == size_of(x, e) + 1 && x->rivals[which]->transition > transition;
    while (size_of(x, e) > depth) e = x->parent.data[e];
    return x->action.data[e] > transition;
}

static uint32_t add(void *finder, const Waiting *candidate, uint32_t size, uint32_t companion)
{
    Tree *x = finder;
    uint32_t id = (uint32_t)x->action.len;
    assert(size == size_of(x, candidate->words[0]) + 1);
    vec_push(&x->action, candidate->transition);
    vec_push(&x->companion, companion);
    vec_push(&x->size, size);
    vec_push(&x->parent, candidate->words[0]);
    vec_push(&x->slot, candidate->slot);
    return id;
}

/* A state of the run that the event's covers or, without cutoffs, repeats: the tree never ends. */
static bool never_ends(Tree *x, uint32_t e)
{
    const Lts *lts = x->lts;
    const Budget *budget = x->schedule.budget;
    bool limited = budget_is_timed(budget) || budget_memory(budget) || budget_max_events(budget);
    bool repeats = !x->schedule.rules.cutoffs && !limited;
    if (!repeats && !lts->pumps) return false;
    find_path(x, e);
    const uint64_t *state = schedule_marking(&x->schedule, x->slot.data[e]);
    for (uint32_t i = 0; i < x->path.len; i++) { /* the initial state comes last */
        bool first = i + 1 == x->path.len;
        const uint64_t *earlier = first ? x->initial : schedule_marking(&x->schedule, x->slot.data[x->path.data[i]]);
        bool same = repeats && bitset_equal(earlier, state, lts->state_words);
        if (!same && !(lts->pumps && lts->pumps(lts, earlier, state))) continue;
        x->result->pump_from = first ? 0 : i + 1;
        finish_run(x, same ? ENDING_ENDLESS : ENDING_UNBOUNDED, NET_NONE);
        return true;
    }
    return false;
}

static void extend(void *finder, const Waiting *candidate, uint32_t size, uint32_t e)
{
    Tree *x = finder;
    (void)size;
    if (!never_ends(x, e)) push_enabled(x, e, candidate->slot);
}

static void finish(void *finder)
{
    Tree *x = finder;
    Parametric *r = x->result;
    r->n_events = (uint32_t)x->action.len;
    r->n_cutoffs = x->schedule.n_cutoffs;
    r->cause_start = g_new0(uint32_t, (size_t)r->n_events + 1);
    r->cause = g_new(uint32_t, (size_t)r->n_events + 1);
    for (uint32_t e = 0, n = 0; e < r->n_events; e++) {
        if (x->parent.data[e] != PREFIX_BOTTOM) r->cause[n++] = x->parent.data[e];
        r->cause_start[e + 1] = n;
    }
    r->action = x->action.data;
    r->companion = x->companion.data;
    r->size = x->size.data;
    r->depth = g_memdup2(x->size.data, x->size.len * sizeof *x->size.data);
    r->n_states = markings_reached(&x->schedule.markings);
    r->end = x->schedule.end;
    r->goal_event = x->schedule.goal_event;
}

static const Finder tree = {
    .bottom = bottom,
    .difference = difference,
    .has_larger = has_larger,
    .add = add,
    .extend = extend,
    .finish = finish,
};

Parametric *parametric_tree_new(const Lts *lts, ScheduleRules rules, Budget *budget)
{
    Tree x = {.lts = lts, .result = g_new0(Parametric, 1)};
    x.state = g_new0(uint64_t, (size_t)lts->state_words + 1);
    x.initial = g_new0(uint64_t, (size_t)lts->state_words + 1);
    x.enabled = g_new0(uint64_t, bitset_words(lts->n_actions) + 1);
    lts->initial(lts, x.initial);
    schedule_init(&x.schedule, &tree, &x, rules, budget, lts->state_words, false, lts->n_actions);
    schedule_run(&x.schedule);
    schedule_clear(&x.schedule);
    vec_free(&x.parent);
    vec_free(&x.slot);
    vec_free(&x.path);
    g_free(x.state);
    g_free(x.initial);
    g_free(x.enabled);
    return x.result;
}
