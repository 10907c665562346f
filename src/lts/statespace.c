#include "lts/statespace.h"

#include <assert.h>

typedef struct Frame {
    uint32_t marking;
    uint32_t from, next, to; /* slice of the successors on the stack; from = to: not computed yet */
} Frame;

typedef struct Tarjan {
    const Explicit *search;
    StateSpace *space;
    Budget *budget;
    uint32_t *index, *low; /* index 0: not seen */
    bool *closed;          /* its component is complete */
    uint32_t time;
    VecU32 open, successors, transitions;
    VEC(Frame) frames;
    bool *enabled; /* scratch: in the component at hand */
} Tarjan;

static void enter(Tarjan *j, uint32_t marking)
{
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the initial marking is there */
    j->index[marking] = j->low[marking] = ++j->time;
    vec_push(&j->open, marking);
    uint32_t from = (uint32_t)j->successors.len;
    explicit_successors(j->search, marking, &j->successors, NULL);
    vec_push(&j->frames, ((Frame){marking, from, from, (uint32_t)j->successors.len}));
}

/* Can the component open[first..] be left? Notes what is enabled inside and whether it has an arc inside. */
static bool is_bottom(Tarjan *j, size_t first, bool *cyclic)
{
    bool bottom = true;
    size_t mark = j->successors.len;
    for (size_t i = first; i < j->open.len; i++) {
        vec_clear(&j->transitions);
        explicit_successors(j->search, j->open.data[i], &j->successors, &j->transitions);
        for (size_t k = mark; k < j->successors.len; k++) {
            /* Its own members are not closed yet; all others reachable from here are. */
            bool inside = !j->closed[j->successors.data[k]];
            bottom &= inside;
            *cyclic |= inside;
            uint32_t t = j->transitions.data[k - mark];
            j->enabled[t] = j->space->fireable[t] = true;
        }
        j->successors.len = mark;
    }
    return bottom;
}

static void close_component(Tarjan *j, uint32_t root)
{
    StateSpace *space = j->space;
    uint32_t n = j->search->net->n_transitions;
    size_t first = j->open.len;
    while (j->open.data[first - 1] != root) first--;
    first--;
    bool cyclic = false;
    memset(j->enabled, 0, n);
    space->n_components++;
    if (is_bottom(j, first, &cyclic)) {
        space->n_bottoms++;
        for (uint32_t t = 0; t < n; t++) space->live[t] &= j->enabled[t];
    }
    space->terminating &= !cyclic;
    for (size_t i = first; i < j->open.len; i++) j->closed[j->open.data[i]] = true;
    j->open.len = first;
}

static void advance(Tarjan *j)
{
    Frame *f = &vec_last(&j->frames);
    if (f->next < f->to) {
        uint32_t to = j->successors.data[f->next++];
        if (!j->index[to])
            enter(j, to);
        else if (!j->closed[to])
            j->low[f->marking] = MIN(j->low[f->marking], j->index[to]);
        return;
    }
    uint32_t m = f->marking;
    j->successors.len = f->from;
    j->frames.len--;
    if (j->low[m] == j->index[m]) close_component(j, m);
    if (j->frames.len) {
        uint32_t parent = vec_last(&j->frames).marking;
        if (!j->closed[m]) j->low[parent] = MIN(j->low[parent], j->low[m]);
    }
}

static bool components(const Explicit *search, StateSpace *space, Budget *budget)
{
    size_t n = search->store.len;
    Tarjan j = {.search = search, .space = space, .budget = budget};
    if (!budget_allows(budget, n * 9)) return false;
    j.index = g_new0(uint32_t, n);
    j.low = g_new0(uint32_t, n);
    j.closed = g_new0(bool, n);
    j.enabled = g_new0(bool, (size_t)search->net->n_transitions + 1);
    enter(&j, 0);
    while (j.frames.len && !budget_spent(budget)) advance(&j);
    bool done = j.frames.len == 0;
    assert(!done || j.time == n);
    g_free(j.index);
    g_free(j.low);
    g_free(j.closed);
    g_free(j.enabled);
    vec_free(&j.open);
    vec_free(&j.successors);
    vec_free(&j.transitions);
    vec_free(&j.frames);
    return done;
}

static void bounds(const Explicit *search, StateSpace *space)
{
    const Net *net = search->net;
    for (uint32_t p = 0; p < net->n_places; p++) space->least[p] = space->most[p] = net->initial[p];
    for (uint32_t i = 0; i < search->store.len; i++) {
        const uint64_t *state = store_state(&search->store, i);
        for (uint32_t p = 0; p < net->n_places; p++) {
            uint64_t count = netlts_count(search->stepper->lts, state, p);
            space->least[p] = MIN(space->least[p], count);
            space->most[p] = MAX(space->most[p], count);
        }
    }
}

StateSpace *statespace_new(const Explicit *search, Budget *budget)
{
    const Net *net = search->net;
    assert(search->expanded == search->store.len);
    StateSpace *space = g_new0(StateSpace, 1);
    space->least = g_new(uint64_t, (size_t)net->n_places + 1);
    space->most = g_new(uint64_t, (size_t)net->n_places + 1);
    space->fireable = g_new0(bool, (size_t)net->n_transitions + 1);
    space->live = g_new(bool, (size_t)net->n_transitions + 1);
    memset(space->live, true, (size_t)net->n_transitions + 1);
    space->terminating = true;
    bounds(search, space);
    if (components(search, space, budget)) return space;
    statespace_free(space);
    return NULL;
}

void statespace_free(StateSpace *space)
{
    if (!space) return;
    g_free(space->least);
    g_free(space->most);
    g_free(space->fireable);
    g_free(space->live);
    g_free(space);
}

bool statespace_is_live(const StateSpace *space, const Net *net)
{
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (!space->live[t]) return false;
    return true;
}
