#include "reduce/lift.h"

#include "base/bisect.h"
#include "base/compare.h"
#include "base/exact.h"
#include "net/net.h"

#include <assert.h>
#include <stdlib.h>

LiftStep *lift_push(Lift *lift, LiftKind kind, uint32_t limit)
{
    vec_push(&lift->steps, ((LiftStep){.kind = kind, .limit = limit}));
    return &vec_last(&lift->steps);
}

COMPARE_BY_BOTH(compare_arcs, LiftArc, transition, place)

static int compare_moves(const void *a, const void *b)
{
    const LiftMove *x = a, *y = b;
    return (x->transition > y->transition) - (x->transition < y->transition);
}

void lift_complete(LiftStep *step)
{
    if (step->kind == LIFT_FOLD && step->moves.len)
        qsort(step->moves.data, step->moves.len, sizeof *step->moves.data, compare_moves);
    if (step->arcs.len) qsort(step->arcs.data, step->arcs.len, sizeof *step->arcs.data, compare_arcs);
}

void lift_clear(Lift *lift)
{
    for (size_t i = 0; i < lift->steps.len; i++) {
        LiftStep *step = &lift->steps.data[i];
        vec_free(&step->tokens);
        vec_free(&step->arcs);
        vec_free(&step->moves);
        vec_free(&step->fired);
    }
    vec_free(&lift->steps);
}

/* The step's arcs of one transition: [*from, *to). */
static void arcs_of(const LiftStep *step, uint32_t transition, size_t *from, size_t *to)
{
    BISECT(*from, 0, step->arcs.len, step->arcs.data[*from].transition < transition);
    *to = *from;
    while (*to < step->arcs.len && step->arcs.data[*to].transition == transition) ++*to;
}

/* Is there room for a sequence of n firings, and time to write one more? */
static bool within(const LiftLimit *limit, size_t n)
{
    enum { FIRING_WORK = 2 };
    return n <= limit->longest && !budget_charge(limit->budget, FIRING_WORK);
}

static bool expand(const LiftParts *parts, uint32_t known, const LiftLimit *limit, VecU32 *sequence)
{
    size_t composed = 0;
    while (composed < sequence->len && sequence->data[composed] < known) composed++;
    if (composed == sequence->len) return within(limit, composed);
    VecU32 result = {0}, stack = {0};
    bool good = true;
    for (size_t i = 0; i < sequence->len && good; i++) {
        vec_push(&stack, sequence->data[i]);
        while (stack.len && (good = within(limit, result.len + stack.len))) {
            uint32_t t = vec_pop(&stack);
            if (t < known) {
                vec_push(&result, t);
                continue;
            }
            const VecU32 *inner = parts->parts(parts->data, t);
            for (size_t k = inner->len; k-- > 0;) vec_push(&stack, inner->data[k]);
        }
    }
    vec_free(&stack);
    vec_free(sequence);
    *sequence = result;
    return good;
}

static void prepend(VecU32 *sequence, const VecU32 *first)
{
    VecU32 result = {0};
    vec_append(&result, first->data, first->len);
    vec_append(&result, sequence->data, sequence->len);
    vec_free(sequence);
    *sequence = result;
}

static bool fireable(const LiftStep *step, const uint64_t *tokens, uint32_t t)
{
    size_t from, to;
    arcs_of(step, t, &from, &to);
    for (size_t i = from; i < to; i++)
        if (tokens[step->arcs.data[i].place] < step->arcs.data[i].need) return false;
    return true;
}

/* False when a count would pass 2^64 - 1. */
static bool change(const LiftStep *step, uint64_t *tokens, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        uint64_t *count = &tokens[step->arcs.data[i].place];
        if (!checked_add(*count, step->arcs.data[i].delta, count)) return false;
    }
    return true;
}

static bool fire(const LiftStep *step, uint64_t *tokens, uint32_t t)
{
    if (!fireable(step, tokens, t)) return false;
    size_t from, to;
    arcs_of(step, t, &from, &to);
    return change(step, tokens, from, to);
}

static bool finish(const LiftStep *step, const LiftLimit *limit, VecU32 *sequence)
{
    g_autofree uint64_t *tokens = g_memdup2(step->tokens.data, step->tokens.len * sizeof(uint64_t));
    for (size_t i = 0; i < sequence->len; i++)
        if (!within(limit, 0) || !fire(step, tokens, sequence->data[i])) return false;
    for (size_t i = 0; i < step->fired.len; i++)
        while (fire(step, tokens, step->fired.data[i])) {
            vec_push(sequence, step->fired.data[i]);
            if (!within(limit, sequence->len)) return false;
        }
    return true;
}

/* ---- fused places ---- */

typedef struct Mover {
    const LiftStep *step;
    uint64_t *tokens, *wanted;
    uint32_t *via; /* search from the place that lacks tokens backwards: the move out of a place, + 1 */
    VecU32 queue;
    size_t *first_move; /* moves grouped by their target */
    uint32_t *by_target;
} Mover;

static void mover_init(Mover *m, const LiftStep *step)
{
    size_t n = step->tokens.len;
    *m = (Mover){.step = step,
                 .tokens = g_memdup2(step->tokens.data, n * sizeof(uint64_t)),
                 .wanted = g_new0(uint64_t, n),
                 .via = g_new0(uint32_t, n),
                 .first_move = g_new0(size_t, n + 1),
                 .by_target = g_new0(uint32_t, step->moves.len)};
    for (size_t i = 0; i < step->moves.len; i++) m->first_move[step->moves.data[i].to + 1]++;
    for (size_t i = 0; i < n; i++) m->first_move[i + 1] += m->first_move[i];
    g_autofree size_t *next = g_memdup2(m->first_move, n * sizeof(size_t));
    for (size_t i = 0; i < step->moves.len; i++) m->by_target[next[step->moves.data[i].to]++] = (uint32_t)i;
}

static void mover_clear(Mover *m)
{
    g_free(m->tokens);
    g_free(m->wanted);
    g_free(m->via);
    g_free(m->first_move);
    g_free(m->by_target);
    vec_free(&m->queue);
}

/* Brings one token to `place` from the nearest place that has more than it is asked to keep. */
static bool bring(Mover *m, uint32_t place, VecU32 *out)
{
    memset(m->via, 0, m->step->tokens.len * sizeof *m->via);
    vec_clear(&m->queue);
    vec_push(&m->queue, place);
    for (size_t head = 0; head < m->queue.len; head++) {
        uint32_t at = m->queue.data[head];
        if (at != place && m->tokens[at] > m->wanted[at]) {
            m->tokens[at]--;
            m->tokens[place]++;
            while (at != place) {
                const LiftMove *move = &m->step->moves.data[m->via[at] - 1];
                vec_push(out, move->transition);
                at = move->to;
            }
            return true;
        }
        for (size_t i = m->first_move[at]; i < m->first_move[at + 1]; i++) {
            uint32_t from = m->step->moves.data[m->by_target[i]].from;
            if (from == place || m->via[from]) continue;
            m->via[from] = m->by_target[i] + 1;
            vec_push(&m->queue, from);
        }
    }
    return false;
}

static bool move(const LiftStep *step, const LiftLimit *limit, VecU32 *sequence)
{
    Mover m;
    mover_init(&m, step);
    VecU32 out = {0};
    bool good = true;
    for (size_t k = 0; k < sequence->len && good; k++) {
        size_t from, to;
        arcs_of(step, sequence->data[k], &from, &to);
        for (size_t i = from; i < to; i++) m.wanted[step->arcs.data[i].place] = step->arcs.data[i].need;
        for (size_t i = from; i < to && good; i++) {
            uint32_t place = step->arcs.data[i].place;
            while (good && m.tokens[place] < m.wanted[place]) good = within(limit, out.len) && bring(&m, place, &out);
        }
        for (size_t i = from; i < to; i++) m.wanted[step->arcs.data[i].place] = 0;
        good = good && change(step, m.tokens, from, to) && within(limit, out.len);
        if (!good) break;
        vec_push(&out, sequence->data[k]);
    }
    mover_clear(&m);
    vec_free(sequence);
    *sequence = out;
    return good;
}

/* ---- identical components ---- */

/* Fires the transition or one alike to it; NET_NONE when none can fire. */
static uint32_t fire_alike(const LiftStep *step, const LiftLimit *limit, uint64_t *tokens, uint32_t t)
{
    LiftMove wanted = {.transition = t};
    const LiftMove *alike =
        bsearch(&wanted, step->moves.data, step->moves.len, sizeof *step->moves.data, compare_moves);
    if (fire(step, tokens, t)) return t;
    for (uint32_t i = alike ? alike->from : 0; alike && i < alike->to && within(limit, 0); i++)
        if (fire(step, tokens, step->fired.data[i])) return step->fired.data[i];
    return NET_NONE;
}

static bool choose(const LiftStep *step, const LiftLimit *limit, VecU32 *sequence)
{
    g_autofree uint64_t *tokens = g_memdup2(step->tokens.data, step->tokens.len * sizeof(uint64_t));
    for (size_t k = 0; k < sequence->len; k++) {
        sequence->data[k] = fire_alike(step, limit, tokens, sequence->data[k]);
        if (sequence->data[k] == NET_NONE) return false;
    }
    return true;
}

/* Each firing of the supplier adds at least one token everywhere: as many firings as the sequence ever lacks. */
static bool supply(const LiftStep *step, const LiftLimit *limit, VecU32 *sequence)
{
    size_t n = step->tokens.len;
    g_autofree int64_t *balance = g_new0(int64_t, n);
    int64_t lacking = 0;
    for (size_t i = 0; i < n; i++) balance[i] = (int64_t)step->tokens.data[i];
    for (size_t k = 0; k < sequence->len; k++) {
        if (!within(limit, 0)) return false;
        size_t from, to;
        arcs_of(step, sequence->data[k], &from, &to);
        for (size_t i = from; i < to; i++) {
            const LiftArc *arc = &step->arcs.data[i];
            int64_t lacks;
            if (!checked_subtract(arc->need, balance[arc->place], &lacks) ||
                !checked_add(balance[arc->place], arc->delta, &balance[arc->place]))
                return false;
            lacking = MAX(lacking, lacks);
        }
    }
    if (sequence->len > limit->longest || (uint64_t)lacking > limit->longest - sequence->len) return false;
    VecU32 first = {0};
    for (int64_t i = 0; i < lacking; i++) vec_push(&first, step->fired.data[0]);
    prepend(sequence, &first);
    vec_free(&first);
    return true;
}

bool lift_sequence(const Lift *lift, const LiftParts *parts, bool dead, const LiftLimit *limit, VecU32 *sequence)
{
    for (size_t i = lift->steps.len; i-- > 0;) {
        const LiftStep *step = &lift->steps.data[i];
        if (!expand(parts, step->limit, limit, sequence)) return false;
        switch (step->kind) {
        case LIFT_BEGIN: prepend(sequence, &step->fired); break;
        case LIFT_FINISH:
            if (dead && !finish(step, limit, sequence)) return false;
            break;
        case LIFT_MOVE:
            if (!move(step, limit, sequence)) return false;
            break;
        case LIFT_FOLD:
            if (!choose(step, limit, sequence)) return false;
            break;
        case LIFT_SUPPLY:
            if (!supply(step, limit, sequence)) return false;
            break;
        }
    }
    return expand(parts, parts->n_original, limit, sequence);
}
