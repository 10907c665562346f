#include "lts/components.h"

#include <assert.h>

typedef struct Frame {
    uint32_t marking;
    uint32_t from, next, to; /* slice of the successors on the stack; from = to: not computed yet */
} Frame;

typedef struct Tarjan {
    const Explicit *search;
    const ComponentVisitor *visitor;
    uint32_t *index, *low; /* index 0: not seen */
    bool *closed;          /* its component is complete */
    uint32_t time;
    VecU32 open, successors, transitions;
    VEC(Frame) frames;
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

static void read_firings(Tarjan *j, Component *c)
{
    size_t mark = j->successors.len;
    for (size_t i = 0; i < c->n; i++) {
        vec_clear(&j->transitions);
        explicit_successors(j->search, c->member[i], &j->successors, &j->transitions);
        for (size_t k = mark; k < j->successors.len; k++) {
            /* Its own members are not closed yet; all others reachable from here are. */
            uint32_t to = j->successors.data[k];
            bool inside = !j->closed[to];
            c->bottom &= inside;
            c->cyclic |= inside;
            if (j->visitor->firing)
                j->visitor->firing(j->visitor->data, c->member[i], j->transitions.data[k - mark], to);
        }
        j->successors.len = mark;
    }
}

static void close_component(Tarjan *j, uint32_t root)
{
    size_t first = j->open.len;
    while (j->open.data[first - 1] != root) first--;
    first--;
    Component c = {.member = j->open.data + first, .n = j->open.len - first, .bottom = true};
    read_firings(j, &c);
    j->visitor->component(j->visitor->data, &c);
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

bool components_visit(const Explicit *search, const ComponentVisitor *visitor, Budget *budget)
{
    size_t n = search->store.len;
    Tarjan j = {.search = search, .visitor = visitor};
    if (!budget_allows(budget, n * 9)) return false;
    j.index = g_new0(uint32_t, n);
    j.low = g_new0(uint32_t, n);
    j.closed = g_new0(bool, n);
    enter(&j, 0);
    while (j.frames.len && !budget_spent(budget)) advance(&j);
    bool done = j.frames.len == 0;
    assert(!done || j.time == n);
    g_free(j.index);
    g_free(j.low);
    g_free(j.closed);
    vec_free(&j.open);
    vec_free(&j.successors);
    vec_free(&j.transitions);
    vec_free(&j.frames);
    return done;
}
