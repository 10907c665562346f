#include "lts/explicit.h"

#include <assert.h>

/* Successors computed at once; bits per counter from which on a search with a goal looks for unboundedness. */
enum { BATCH = 32, SUSPICIOUS_WIDTH = 8 };
/* Work of expanding a marking and of one firing. */
enum { EXPAND_UNITS = 3, FIRE_UNITS = 2 };

Explicit *explicit_new(const Net *net)
{
    Explicit *s = g_new0(Explicit, 1);
    s->net = net;
    s->found = STORE_NONE;
    s->label = "explicit";
    s->started = budget_now();
    s->stepper = stepper_new(net, netlts_initial_width(net));
    store_init(&s->store, s->stepper->words);
    return s;
}

void explicit_free(Explicit *s)
{
    if (!s) return;
    stepper_free(s->stepper);
    store_clear(&s->store);
    g_free(s->scratch_enabled);
    g_free(s->scratch_state);
    vec_free(&s->open);
    g_free(s);
}

static void describe(void *engine, GString *line)
{
    const Explicit *s = engine;
    double seconds = budget_now() - s->started;
    g_string_append_printf(line, "%s: %u markings, %.0f/s, queue %u, %.0f MB", s->label, s->store.len,
                           s->store.len / MAX(seconds, 0.001), s->store.len - s->expanded,
                           (double)store_bytes(&s->store) / 1048576);
}

/* Repacks every marking at twice the width; numbers and parents stay. */
static bool widen(Explicit *s, Budget *budget)
{
    Stepper *wide = stepper_new(s->net, s->stepper->width * 2);
    Store store;
    store_init(&store, wide->words);
    g_autofree uint64_t *marking = g_new(uint64_t, (size_t)s->net->n_places + 1);
    g_autofree uint64_t *state = g_new(uint64_t, wide->words);
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->store.len; i++) {
        bool fresh;
        netlts_unpack(s->stepper->lts, store_state(&s->store, i), marking);
        netlts_pack(wide->lts, marking, state);
        uint32_t j = store_add(&store, state, store_hash(&store, state), &fresh, budget);
        ok = j != STORE_NONE;
        assert(!ok || (fresh && j == i));
        if (ok) *store_value(&store, i) = *store_value(&s->store, i);
    }
    if (!ok) {
        stepper_free(wide);
        store_clear(&store);
        return false;
    }
    stepper_free(s->stepper);
    store_clear(&s->store);
    s->stepper = wide;
    s->store = store;
    return true;
}

typedef struct Expansion {
    Explicit *search;
    const ExplicitGoal *goal;
    Budget *budget;
    uint32_t *enabled;
    uint64_t *successors; /* BATCH states */
    uint64_t hashes[BATCH];
} Expansion;

typedef enum { WENT_ON, FOUND, STOPPED, TOO_NARROW } Step;

static bool goal_holds(const Expansion *x, uint32_t i)
{
    const Explicit *s = x->search;
    return x->goal->holds(x->goal->data, s->stepper->lts, store_state(&s->store, i));
}

static bool comes_before(ExplicitOpen a, ExplicitOpen b)
{
    return a.distance != b.distance ? a.distance < b.distance : a.marking > b.marking;
}

static void open_marking(Expansion *x, uint32_t i)
{
    Explicit *s = x->search;
    if (!x->goal->distance) {
        if (s->depth_first) vec_push(&s->open, ((ExplicitOpen){0, i}));
        return;
    }
    uint64_t distance = x->goal->distance(x->goal->data, s->stepper->lts, store_state(&s->store, i));
    ExplicitOpen item = {(uint32_t)MIN(distance, UINT32_MAX), i};
    vec_push(&s->open, item);
    ExplicitOpen *heap = s->open.data;
    size_t at = s->open.len - 1;
    for (; at && comes_before(item, heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = item;
}

static uint32_t next_marking(Expansion *x)
{
    Explicit *s = x->search;
    if (!x->goal->distance) return s->depth_first ? vec_pop(&s->open).marking : s->expanded;
    ExplicitOpen *heap = s->open.data, first = heap[0], last = vec_pop(&s->open);
    size_t at = 0, n = s->open.len;
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && comes_before(heap[child + 1], heap[child])) child++;
        if (!comes_before(heap[child], last)) break;
        heap[at] = heap[child];
    }
    if (n) heap[at] = last;
    return first.marking;
}

static Step add_marking(Expansion *x, const uint64_t *state, uint64_t hash, uint32_t parent)
{
    Explicit *s = x->search;
    bool fresh;
    uint32_t j = store_add(&s->store, state, hash, &fresh, x->budget);
    if (j == STORE_NONE) return STOPPED;
    if (!fresh) return WENT_ON;
    *store_value(&s->store, j) = parent;
    open_marking(x, j);
    if (x->goal->holds && !x->goal->only_dead && goal_holds(x, j)) {
        s->found = j;
        return FOUND;
    }
    if (budget_max_events(x->budget) && s->store.len > budget_max_events(x->budget)) {
        budget_exhaust(x->budget, ENDING_EVENTS);
        return STOPPED;
    }
    return WENT_ON;
}

static void note_tokens(Explicit *s, Total tokens)
{
    if (tokens > s->max_in_marking) s->max_in_marking = tokens;
}

/* Computes up to BATCH successors first, so that their slots of the table arrive while others are computed. */
static Step add_successors(Expansion *x, uint32_t parent, uint32_t n)
{
    Explicit *s = x->search;
    uint32_t words = s->store.words;
    const uint64_t *state = store_state(&s->store, parent);
    Total tokens = stepper_tokens(s->stepper, state);
    for (uint32_t from = 0; from < n; from += BATCH) {
        uint32_t batch = MIN(n - from, BATCH);
        if (budget_charge(x->budget, batch * (FIRE_UNITS + words / 2 + x->goal->units))) return STOPPED;
        for (uint32_t k = 0; k < batch; k++) {
            uint64_t *next = x->successors + (size_t)k * words;
            memcpy(next, state, words * sizeof *next);
            uint32_t t = x->enabled[from + k];
            if (!stepper_fire(s->stepper, next, t, &s->max_in_place)) return TOO_NARROW;
            note_tokens(s, (Total)((__int128)tokens + s->stepper->gain[t]));
            if (s->symmetry) symmetry_normalise(s->symmetry, s->stepper->lts, next, t, NULL);
            x->hashes[k] = store_hash(&s->store, next);
            store_prefetch(&s->store, x->hashes[k]);
        }
        for (uint32_t k = 0; k < batch; k++) {
            Step step = add_marking(x, x->successors + (size_t)k * words, x->hashes[k], parent);
            if (step != WENT_ON) return step;
        }
    }
    return WENT_ON;
}

static Step expand(Expansion *x, uint32_t i)
{
    Explicit *s = x->search;
    const uint64_t *state = store_state(&s->store, i);
    uint32_t n_enabled = stepper_enabled(s->stepper, state, x->enabled), n = n_enabled;
    if (x->goal->reduce && n) n = x->goal->reduce(x->goal->reduce_data, s->stepper->lts, state, x->enabled, n);
    Step step = add_successors(x, i, n);
    if (step == TOO_NARROW || step == STOPPED) return step;
    s->firings += n;
    s->expanded++;
    budget_charge(x->budget, EXPAND_UNITS);
    if (n_enabled == 0) {
        s->deadlocks++;
        if (x->goal->holds && x->goal->only_dead && goal_holds(x, i)) {
            s->found = i;
            return FOUND;
        }
    }
    return step;
}

static Step start(Expansion *x)
{
    Explicit *s = x->search;
    g_autofree uint64_t *state = g_new(uint64_t, s->stepper->words);
    s->stepper->lts->lts.initial(&s->stepper->lts->lts, state);
    s->max_in_place = stepper_most(s->stepper, state);
    s->max_in_marking = stepper_tokens(s->stepper, state);
    if (s->symmetry) symmetry_normalise(s->symmetry, s->stepper->lts, state, NET_NONE, NULL);
    return add_marking(x, state, store_hash(&s->store, state), 0);
}

/* A way to a marking, firing by firing. */
typedef struct Way {
    uint32_t *enabled; /* scratch */
    uint64_t *next;
    VecU32 applied; /* symmetries, after the last firing */
    uint32_t *real; /* with symmetries: per transition, the one that is fired in the net for it */
} Way;

/* The transition is not stored: the first enabled one that leads there will do. */
static uint32_t transition_between(const Explicit *s, uint32_t from, uint32_t to, Way *way)
{
    const uint64_t *state = store_state(&s->store, from), *target = store_state(&s->store, to);
    uint32_t n = stepper_enabled(s->stepper, state, way->enabled), words = s->store.words;
    uint64_t most = 0;
    for (uint32_t k = 0; k < n; k++) {
        memcpy(way->next, state, words * sizeof *way->next);
        vec_clear(&way->applied);
        if (!stepper_fire(s->stepper, way->next, way->enabled[k], &most)) continue;
        if (s->symmetry) symmetry_normalise(s->symmetry, s->stepper->lts, way->next, way->enabled[k], &way->applied);
        if (memcmp(way->next, target, words * sizeof *way->next) == 0) return way->enabled[k];
    }
    g_assert_not_reached();
}

static void conjugate(const Explicit *s, Way *way)
{
    for (size_t k = 0; k < way->applied.len; k++) symmetry_conjugate(s->symmetry, way->applied.data[k], way->real);
}

/* No transition stands for another one, but for what was applied to the initial marking. */
static void conjugate_start(const Explicit *s, Way *way)
{
    way->real = g_new(uint32_t, (size_t)s->net->n_transitions + 1);
    for (uint32_t t = 0; t < s->net->n_transitions; t++) way->real[t] = t;
    s->stepper->lts->lts.initial(&s->stepper->lts->lts, way->next);
    symmetry_normalise(s->symmetry, s->stepper->lts, way->next, NET_NONE, &way->applied);
    conjugate(s, way);
}

void explicit_path(const Explicit *s, uint32_t i, VecU32 *path)
{
    Way way = {.enabled = g_new(uint32_t, (size_t)s->net->n_transitions + 1), .next = g_new(uint64_t, s->store.words)};
    VecU32 back = {0}; /* the markings, from i to the initial one */
    for (; i; i = *store_value(&s->store, i)) vec_push(&back, i);
    if (s->symmetry) conjugate_start(s, &way);
    for (uint32_t from = 0; back.len;) {
        uint32_t to = vec_pop(&back), t = transition_between(s, from, to, &way);
        vec_push(path, way.real ? way.real[t] : t);
        conjugate(s, &way);
        from = to;
    }
    vec_free(&back);
    vec_free(&way.applied);
    g_free(way.real);
    g_free(way.enabled);
    g_free(way.next);
}

/* The marking on the path to i that so many firings lead to, or i itself. */
static uint32_t ancestor_after(const Explicit *s, uint32_t i, size_t firings)
{
    size_t length = 0;
    for (uint32_t k = i; k; k = *store_value(&s->store, k)) length++;
    for (; length > firings; length--) i = *store_value(&s->store, i);
    return i;
}

static bool is_unbounded(Explicit *s, uint32_t i, Budget *budget)
{
    VecU32 path = {0};
    i = ancestor_after(s, i, unbounded_longest(s->net));
    explicit_path(s, i, &path);
    bool proved = unbounded_on_run(s->net, path.data, path.len, budget, &s->unbounded);
    if (proved) s->found = i;
    vec_free(&path);
    return proved;
}

Ending explicit_run(Explicit *s, const ExplicitGoal *goal, Budget *budget)
{
    static const ExplicitGoal nothing = {0};
    Expansion x = {.search = s, .goal = goal ? goal : &nothing, .budget = budget};
    x.enabled = g_new(uint32_t, (size_t)s->net->n_transitions + 1);
    x.successors = g_new(uint64_t, (size_t)BATCH * s->stepper->words);
    budget_describe(budget, describe, s);
    Ending end = ENDING_COMPLETE;
    Step step = s->store.len ? WENT_ON : start(&x);
    while (step == WENT_ON && s->expanded < s->store.len) {
        if (budget_charge(budget, 1)) {
            step = STOPPED;
            break;
        }
        uint32_t i = next_marking(&x);
        step = expand(&x, i);
        if (step == WENT_ON || step == FOUND) continue;
        /* Not done with it. */
        open_marking(&x, i);
        if (step == STOPPED) break;
        bool suspicious = !x.goal->holds || s->stepper->width >= SUSPICIOUS_WIDTH;
        if (suspicious && is_unbounded(s, i, budget)) {
            end = ENDING_UNBOUNDED;
            break;
        }
        if (s->stepper->width == 64) {
            end = ENDING_OVERFLOW;
            break;
        }
        step = widen(s, budget) ? WENT_ON : STOPPED;
        x.successors = g_renew(uint64_t, x.successors, (size_t)BATCH * s->stepper->words);
    }
    if (step == FOUND) end = ENDING_GOAL;
    if (step == STOPPED) end = budget_ending(budget);
    budget_describe(budget, NULL, NULL);
    g_free(s->scratch_enabled);
    g_free(s->scratch_state);
    s->scratch_enabled = x.enabled;
    s->scratch_state = x.successors;
    return end;
}

void explicit_successors(const Explicit *s, uint32_t i, VecU32 *successors, VecU32 *transitions)
{
    uint32_t *enabled = s->scratch_enabled;
    uint64_t *next = s->scratch_state, most = 0;
    uint32_t n = stepper_enabled(s->stepper, store_state(&s->store, i), enabled);
    for (uint32_t k = 0; k < n; k++) {
        memcpy(next, store_state(&s->store, i), s->store.words * sizeof *next);
        bool fits = stepper_fire(s->stepper, next, enabled[k], &most);
        assert(fits);
        (void)fits;
        vec_push(successors, store_find(&s->store, next, store_hash(&s->store, next)));
        if (transitions) vec_push(transitions, enabled[k]);
    }
}
