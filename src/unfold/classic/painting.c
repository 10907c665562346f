#include "unfold/classic/painting.h"

#include <assert.h>

enum { NOT, INSIDE, OUTSIDE };

void painting_init(Painting *painting, Process *process)
{
    *painting = (Painting){.process = process, .event = PREFIX_BOTTOM, .round = 1};
}

void painting_clear(Painting *painting)
{
    vec_free(&painting->in);
    vec_free(&painting->used);
    VecU32 *all[] = {&painting->outside, &painting->chosen, &painting->refused, &painting->gone, &painting->come};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) vec_free(all[i]);
}

/* For the events that came since the last call. */
static void keep_up(Painting *painting)
{
    while (painting->in.len < painting->process->n_events) {
        vec_push(&painting->in, NOT);
        vec_push(&painting->refused, 0);
    }
    while (painting->used.len < painting->process->n_conditions) vec_push(&painting->used, 0);
}

/* The first n conditions of the preset. */
static void set_used(Painting *painting, uint32_t e, uint32_t n, bool used)
{
    const uint32_t *pre = vec_from(&painting->process->pre, painting->process->pre_start[e]);
    for (uint32_t i = 0; i < n; i++) {
        assert(painting->used.data[pre[i]] != used);
        painting->used.data[pre[i]] = used;
    }
}

static uint32_t n_pre(const Process *process, uint32_t e)
{
    return process->pre_start[e + 1] - process->pre_start[e];
}

static ProcessRoots roots_of(const Process *process, uint32_t e)
{
    if (e == PREFIX_BOTTOM) return (ProcessRoots){NULL, 0};
    assert(process->post_start[e] < process->post_start[e + 1]);
    return (ProcessRoots){&process->post_start[e], 1};
}

uint32_t painting_move(Painting *painting, uint32_t e)
{
    Process *process = painting->process;
    assert(!painting->chosen.len && !painting->outside.len);
    if (painting->event == e) return 0;
    keep_up(painting);
    vec_clear(&painting->gone);
    vec_clear(&painting->come);
    process_difference(process, roots_of(process, painting->event), roots_of(process, e), &painting->gone,
                       &painting->come);
    for (size_t i = 0; i < painting->gone.len; i++) {
        painting->in.data[painting->gone.data[i]] = NOT;
        set_used(painting, painting->gone.data[i], n_pre(process, painting->gone.data[i]), false);
    }
    for (size_t i = 0; i < painting->come.len; i++) {
        painting->in.data[painting->come.data[i]] = INSIDE;
        set_used(painting, painting->come.data[i], n_pre(process, painting->come.data[i]), true);
    }
    painting->event = e;
    painting->round++;
    return (uint32_t)(painting->gone.len + painting->come.len) + 1;
}

/* The events outside from n on are no longer painted; all used what they consume but the last `unused` of them, of
 * which the first has used n_used conditions. */
static void unpaint(Painting *painting, size_t n, size_t unused, uint32_t n_used)
{
    VecU32 *outside = &painting->outside;
    assert(unused <= outside->len - n);
    for (size_t i = n; i < outside->len; i++) {
        uint32_t e = outside->data[i];
        size_t left = outside->len - i;
        painting->in.data[e] = NOT;
        set_used(painting, e, left > unused ? n_pre(painting->process, e) : left == unused ? n_used : 0, false);
    }
    outside->len = n;
}

void painting_drop(Painting *painting, size_t n_chosen, size_t n_outside)
{
    assert(n_chosen <= painting->chosen.len && n_outside <= painting->outside.len);
    for (size_t i = n_chosen; i < painting->chosen.len; i++) painting->used.data[painting->chosen.data[i]] = 0;
    painting->chosen.len = n_chosen;
    unpaint(painting, n_outside, 0, 0);
}

/* Paints the causes of outside[from] that are not painted yet; *met is the event in conflict when it fails. */
static bool paint_causes(Painting *painting, size_t from, uint32_t *met, uint32_t *steps)
{
    const Process *process = painting->process;
    VecU32 *outside = &painting->outside;
    for (size_t next = from; next < outside->len; next++) {
        uint32_t e = outside->data[next], n = n_pre(process, e);
        const uint32_t *pre = vec_from(&process->pre, process->pre_start[e]);
        bool refused = painting->refused.data[e] == painting->round;
        ++*steps;
        for (uint32_t i = 0; i < n || refused; i++) {
            if (refused || painting->used.data[pre[i]]) {
                *met = e;
                unpaint(painting, from, outside->len - next, i);
                return false;
            }
            painting->used.data[pre[i]] = 1;
            uint32_t cause = process->producer[pre[i]];
            if (cause == PREFIX_BOTTOM || painting->in.data[cause]) continue;
            painting->in.data[cause] = OUTSIDE;
            vec_push(outside, cause);
        }
    }
    return true;
}

bool painting_add(Painting *painting, uint32_t condition, uint32_t *steps)
{
    uint32_t producer = painting->process->producer[condition], met;
    ++*steps;
    keep_up(painting);
    if (producer == PREFIX_BOTTOM || painting->in.data[producer]) {
        if (painting->used.data[condition]) return false;
    } else {
        size_t from = painting->outside.len;
        bool alone = !painting->chosen.len;
        painting->in.data[producer] = OUTSIDE;
        vec_push(&painting->outside, producer);
        if (!paint_causes(painting, from, &met, steps)) {
            if (alone) painting->refused.data[producer] = painting->refused.data[met] = painting->round;
            return false;
        }
    }
    painting->used.data[condition] = 1;
    vec_push(&painting->chosen, condition);
    return true;
}
