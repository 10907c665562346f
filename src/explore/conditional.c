#include "explore/conditional.h"

#include "base/bitset.h"

#include <assert.h>

enum { LONGEST = 6, MOST_SEQUENCES = 64 }; /* of sequences: length of e u p, and number at one node */

typedef struct Frame {
    uint32_t label; /* of the branch being explored */
    bool fresh;
    VecU32 sequences; /* length, then the transitions; again and again */
    uint32_t n_sequences;
} Frame;

typedef struct Conditional {
    const Net *net;
    const Constraints *constraints;
    const ConditionalOptions *options;
    DporRun *run;
    Outcome *outcome;
    Backset back;
    VEC(Frame) frame;
    uint32_t depth; /* frames in use, less one: the length of the run */
    VecU32 labels;
    VecU64 enabled, sleep, branches; /* rows of `words`, one per frame */
    VecU64 markings;                 /* rows of n_places */
    uint32_t words, places, stored;
    uint64_t *scratch;
} Conditional;

static uint64_t *marking_at(const Conditional *x, size_t frame)
{
    return vec_from(&x->markings, frame * x->places);
}

/* ---- sequences that sleep ---- */

/* scratch := marking; can the sequence fire there? scratch is then the marking behind it. */
static bool can_fire(const Conditional *x, const uint64_t *marking, const uint32_t *sequence, size_t n)
{
    memcpy(x->scratch, marking, x->places * sizeof *marking);
    for (size_t i = 0; i < n; i++)
        if (!net_enabled(x->net, x->scratch, sequence[i]) || !net_fire(x->net, x->scratch, sequence[i])) return false;
    return true;
}

static void store_sequence(Conditional *x, Frame *frame, const uint32_t *sequence, uint32_t n)
{
    if (frame->n_sequences == MOST_SEQUENCES) return;
    for (size_t at = 0; at < frame->sequences.len; at += frame->sequences.data[at] + 1)
        if (frame->sequences.data[at] == n &&
            memcmp(frame->sequences.data + at + 1, sequence, n * sizeof *sequence) == 0)
            return;
    vec_push(&frame->sequences, n);
    vec_append(&frame->sequences, sequence, n);
    frame->n_sequences++;
    if (++x->stored > x->run->stats.most_tree) x->run->stats.most_tree = x->stored;
}

static void drop_sequences(Conditional *x, Frame *frame)
{
    assert(x->stored >= frame->n_sequences);
    x->stored -= frame->n_sequences;
    frame->n_sequences = 0;
    vec_clear(&frame->sequences);
}

/* Would e, asleep at the node, still sleep behind the sequence by constraints alone? */
static bool sleeps_through(const Conditional *x, uint32_t e, const uint64_t *marking, const uint32_t *sequence,
                           size_t n)
{
    memcpy(x->scratch, marking, x->places * sizeof *marking);
    for (size_t i = 0; i < n; i++) {
        if (!net_enabled(x->net, x->scratch, e) || !constraints_commute(x->constraints, e, sequence[i], x->scratch))
            return false;
        net_fire(x->net, x->scratch, sequence[i]);
    }
    return true;
}

/* The run has just got its last transition p: looks for e u p in it. */
static void find_sequences(Conditional *x)
{
    uint32_t n = x->depth, sequence[LONGEST];
    for (uint32_t i = n >= LONGEST ? n - LONGEST : 0; i + 2 < n; i++) {
        const uint32_t *run = vec_from(&x->labels, i);
        uint32_t len = n - i, e = run[0], p = run[len - 1];
        for (int way = 0; way < 2; way++) {
            /* u p e, then p u e */
            memcpy(sequence + way, run + 1, (len - 1 - (uint32_t)way) * sizeof *sequence);
            if (way) sequence[0] = p;
            sequence[len - 1] = e;
            if (sequence[0] == e || !bitset_get(bitset_row(x->enabled.data, i, x->words), sequence[0])) continue;
            if (!can_fire(x, marking_at(x, i), sequence, len)) continue;
            if (sleeps_through(x, e, marking_at(x, i), sequence, len - 1)) continue;
            store_sequence(x, &x->frame.data[i], sequence, len);
        }
    }
}

/* What of the parent's sequences sleeps behind t. */
static void inherit_sequences(Conditional *x, uint32_t parent, uint32_t t)
{
    const uint64_t *before = marking_at(x, parent), *after = marking_at(x, parent + 1);
    Frame *from = &x->frame.data[parent], *to = &x->frame.data[parent + 1];
    for (size_t at = 0; at < from->sequences.len; at += from->sequences.data[at] + 1) {
        uint32_t n = from->sequences.data[at];
        const uint32_t *sequence = vec_from(&from->sequences, at + 1);
        if (sequence[0] == t) {
            sequence++, n--;
            assert(can_fire(x, after, sequence, n));
            if (n == 1)
                bitset_set(bitset_row(x->sleep.data, parent + 1, x->words), sequence[0]);
            else
                store_sequence(x, to, sequence, n);
        } else if (can_fire(x, before, sequence, n) && net_enabled(x->net, x->scratch, t) &&
                   can_fire(x, after, sequence, n)) {
            store_sequence(x, to, sequence, n);
        }
    }
}

/* ---- nodes ---- */

static void reserve_frame(Conditional *x)
{
    uint32_t n = x->depth + 1;
    if (x->frame.len < n) vec_push(&x->frame, ((Frame){0}));
    vec_reserve(&x->enabled, (size_t)n * x->words);
    vec_reserve(&x->sleep, (size_t)n * x->words);
    vec_reserve(&x->branches, (size_t)n * x->words);
    vec_reserve(&x->markings, (size_t)n * x->places);
}

static void find_enabled(Conditional *x)
{
    uint64_t *enabled = bitset_row(x->enabled.data, x->depth, x->words);
    memset(enabled, 0, x->words * sizeof *enabled);
    for (uint32_t t = 0; t < x->net->n_transitions; t++)
        if (!spins_stands_still(x->options->spins, t) && net_enabled(x->net, marking_at(x, x->depth), t))
            bitset_set(enabled, t);
}

/* Does a, which sleeps at the parent, sleep behind t as well? */
static bool stays_asleep(Conditional *x, uint32_t a, uint32_t t, const uint64_t *marking)
{
    const ConstraintPair *pair = constraints_pair(x->constraints, a, t);
    if (!pair) return true;
    bool doubtful;
    if (!constraints_hold(x->constraints, pair, marking, &doubtful)) return false;
    if (doubtful && !constraints_commute(x->constraints, a, t, marking)) {
        x->outcome->end = ENDING_REFUTED;
        return false;
    }
    assert(constraints_commute(x->constraints, a, t, marking));
    x->run->stats.covered++;
    return true;
}

static bool descend(Conditional *x, uint32_t t)
{
    assert(bitset_get(bitset_row(x->enabled.data, x->depth, x->words), t) &&
           !bitset_get(bitset_row(x->sleep.data, x->depth, x->words), t));
    assert(x->labels.len == x->depth);
    x->frame.data[x->depth].label = t;
    vec_push(&x->labels, t);
    uint32_t parent = x->depth++;
    reserve_frame(x);
    x->frame.data[x->depth].fresh = true;
    memcpy(marking_at(x, x->depth), marking_at(x, parent), x->places * sizeof(uint64_t));
    if (!net_fire(x->net, marking_at(x, x->depth), t)) {
        outcome_overflow(x->outcome);
        return false;
    }
    find_enabled(x);
    uint64_t *sleep = bitset_row(x->sleep.data, x->depth, x->words);
    memset(sleep, 0, x->words * sizeof *sleep);
    for (BITSET_EACH(a, bitset_row(x->sleep.data, parent, x->words), x->words))
        if (stays_asleep(x, (uint32_t)a, t, marking_at(x, parent))) {
            assert(a != t && bitset_get(bitset_row(x->enabled.data, x->depth, x->words), a));
            bitset_set(sleep, a);
        }
    if (x->options->context) {
        inherit_sequences(x, parent, t);
        find_sequences(x);
    }
    return x->outcome->end == ENDING_COMPLETE && outcome_enter(x->outcome, x->depth, marking_at(x, x->depth));
}

static void ascend(Conditional *x)
{
    assert(x->depth && x->labels.len == x->depth);
    drop_sequences(x, &x->frame.data[x->depth]);
    x->labels.len--;
    x->depth--;
    bitset_set(bitset_row(x->sleep.data, x->depth, x->words), x->frame.data[x->depth].label);
}

/* What this node has to try; false when it is dead. */
static bool plan(Conditional *x)
{
    uint64_t *enabled = bitset_row(x->enabled.data, x->depth, x->words),
             *branches = bitset_row(x->branches.data, x->depth, x->words);
    bool any = bitset_any(enabled, x->words);
    memcpy(branches, enabled, x->words * sizeof *enabled);
    if (!any || x->options->every_enabled) return any;
    backset_at(&x->back, marking_at(x, x->depth), enabled);
    backset_choose(&x->back, bitset_row(x->sleep.data, x->depth, x->words), branches);
    return true;
}

static void leaf(Conditional *x, LeafKind kind)
{
    outcome_leaf(x->outcome, kind, marking_at(x, x->depth), x->labels.data, x->depth);
    if (x->options->leaf) x->options->leaf(x->options->data, kind, x->labels.data, x->depth);
}

/* With nothing enabled that changes anything. */
static LeafKind dead_leaf(const Conditional *x)
{
    const Spins *spins = x->options->spins;
    for (uint32_t t = 0; spins && t < x->net->n_transitions; t++)
        if (spins_stands_still(spins, t) && net_enabled(x->net, marking_at(x, x->depth), t))
            return spins_is_stuck(spins, marking_at(x, x->depth)) ? LEAF_STUCK : LEAF_WAITING;
    return LEAF_MAXIMAL;
}

/* Drops what fired too often; was there any? */
static bool cut_branches(Conditional *x)
{
    uint64_t *branches = bitset_row(x->branches.data, x->depth, x->words),
             *sleep = bitset_row(x->sleep.data, x->depth, x->words);
    bool cut = false;
    if (!x->options->unroll) return false;
    for (BITSET_EACH(t, branches, x->words)) {
        uint32_t times = 0;
        for (size_t i = 0; i < x->labels.len; i++) times += x->labels.data[i] == t;
        if (times < x->options->unroll || bitset_get(sleep, t)) continue;
        bitset_clear(branches, t);
        cut = true;
    }
    return cut;
}

static bool over_limit(Conditional *x)
{
    Budget *budget = x->outcome->budget;
    if (budget_max_events(budget) && x->outcome->stats.nodes > budget_max_events(budget))
        budget_exhaust(budget, ENDING_EVENTS);
    return budget_spent(budget) || outcome_stopped(x->outcome);
}

static void search(Conditional *x)
{
    reserve_frame(x);
    memcpy(marking_at(x, 0), x->net->initial, x->net->n_places * sizeof(uint64_t));
    memset(bitset_row(x->sleep.data, 0, x->words), 0, x->words * sizeof(uint64_t));
    x->frame.data[0].fresh = true;
    find_enabled(x);
    if (!outcome_enter(x->outcome, 0, marking_at(x, 0))) return;
    while (!over_limit(x)) {
        bool fresh = x->frame.data[x->depth].fresh;
        x->frame.data[x->depth].fresh = false;
        bool dead = fresh && !plan(x), bound = !dead && x->options->depth && x->depth >= x->options->depth;
        bool cut = fresh && !dead && !bound && cut_branches(x);
        if (cut) leaf(x, LEAF_BOUND);
        uint32_t t = dead || bound ? UINT32_MAX
                                   : bitset_least_outside(bitset_row(x->branches.data, x->depth, x->words),
                                                          bitset_row(x->sleep.data, x->depth, x->words), x->words);
        if (t != UINT32_MAX) {
            if (!descend(x, t)) return;
            continue;
        }
        if (fresh && !cut) leaf(x, dead ? dead_leaf(x) : bound ? LEAF_BOUND : LEAF_BLOCKED);
        if (x->depth == 0) return;
        ascend(x);
    }
}

void conditional_run(DporRun *run, const Constraints *constraints, const ConditionalOptions *options, Budget *budget)
{
    const Net *net = constraints->net;
    *run = (DporRun){.starts = 1};
    run->lts = netlts_new(net, 64);
    outcome_init(&run->outcome, &run->lts->lts, budget);
    Conditional *x = g_new0(Conditional, 1);
    *x =
        (Conditional){.net = net, .constraints = constraints, .options = options, .run = run, .outcome = &run->outcome};
    x->words = MAX((uint32_t)bitset_words(net->n_transitions), 1);
    x->places = run->lts->lts.state_words;
    assert(x->places == MAX(net->n_places, 1));
    x->scratch = g_new0(uint64_t, x->places);
    run->outcome.bounded = options->depth || options->unroll;
    backset_init(&x->back, constraints);
    x->back.spins = options->spins;
    x->back.budget = budget;
    search(x);
    outcome_end(&run->outcome);
    run->stats.races = x->back.asked;
    run->stats.inserted = x->back.uniform;
    backset_clear(&x->back);
    for (size_t i = 0; i < x->frame.len; i++) vec_free(&x->frame.data[i].sequences);
    vec_free(&x->frame);
    vec_free(&x->labels);
    vec_free(&x->enabled);
    vec_free(&x->sleep);
    vec_free(&x->branches);
    vec_free(&x->markings);
    g_free(x->scratch);
    g_free(x);
}
