#include "lts/stepper.h"

#include "base/bitset.h"
#include "base/vec.h"

#include <assert.h>

typedef VEC(StepperMask) VecMasks;
typedef VEC(StepperCount) VecCounts;

static StepperMask *mask_of(VecMasks *masks, size_t from, uint32_t word)
{
    for (size_t i = from; i < masks->len; i++)
        if (masks->data[i].word == word) return &masks->data[i];
    vec_push(masks, ((StepperMask){.word = word}));
    return &vec_last(masks);
}

static void add_mask(Stepper *s, VecMasks *masks, size_t from, ArcKind kind, uint32_t t, uint32_t p, uint64_t weight)
{
    StepperMask *m = mask_of(masks, from, p / 64);
    uint64_t bit = (uint64_t)1 << p % 64;
    bool heavy = weight > 1;
    switch (kind) {
    case ARC_PRE: m->need |= bit, m->take |= bit, s->never[t] |= heavy; break;
    case ARC_READ: m->need |= bit, s->never[t] |= heavy; break;
    case ARC_POST: m->put |= bit, s->heavy[t] |= heavy; break;
    default: m->absent |= heavy ? 0 : bit; break;
    }
}

static StepperCount *count_of(const Stepper *s, VecCounts *counts, size_t from, uint32_t p)
{
    uint64_t bit = (uint64_t)p * s->width;
    uint32_t word = (uint32_t)(bit / 64), shift = (uint32_t)(bit % 64);
    for (size_t i = from; i < counts->len; i++)
        if (counts->data[i].word == word && counts->data[i].shift == shift) return &counts->data[i];
    vec_push(counts, ((StepperCount){.word = word, .shift = shift, .most = UINT64_MAX}));
    return &vec_last(counts);
}

static void add_count(const Stepper *s, VecCounts *counts, size_t from, ArcKind kind, uint32_t p, uint64_t weight)
{
    StepperCount *c = count_of(s, counts, from, p);
    switch (kind) {
    case ARC_PRE: c->need = MAX(c->need, weight), c->take = weight; break;
    case ARC_READ: c->need = MAX(c->need, weight); break;
    case ARC_POST: c->put = weight; break;
    default: c->most = weight - 1; break;
    }
}

static void compile(Stepper *s)
{
    const Net *net = s->net;
    VecMasks masks = {0};
    VecCounts counts = {0};
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        size_t from = s->width == 1 ? masks.len : counts.len;
        for (int kind = 0; kind < N_ARC_KINDS; kind++) {
            NetRow row = net_places(net, kind, t);
            for (uint32_t i = 0; i < row.len; i++) {
                uint64_t w = net_weight(row, i);
                if (s->width == 1)
                    add_mask(s, &masks, from, kind, t, row.node[i], w);
                else
                    add_count(s, &counts, from, kind, row.node[i], w);
                if (kind == ARC_POST) s->gain[t] += w; /* fits: a Total less a Total */
                if (kind == ARC_PRE) s->gain[t] -= w;
            }
        }
        s->start[t + 1] = (uint32_t)(s->width == 1 ? masks.len : counts.len);
    }
    s->masks = masks.data;
    s->counts = counts.data;
}

/* The needed place that is likely to be marked least often: few transitions leave it, and it is empty at first. */
static uint32_t watched_place(const Net *net, uint32_t t)
{
    uint32_t best = NET_NONE;
    uint64_t best_cost = UINT64_MAX;
    static const ArcKind kinds[] = {ARC_PRE, ARC_READ};
    for (int k = 0; k < 2; k++) {
        NetRow row = net_places(net, kinds[k], t);
        for (uint32_t i = 0; i < row.len; i++) {
            uint32_t p = row.node[i];
            uint64_t cost = (uint64_t)net_transitions(net, ARC_PRE, p).len + net_transitions(net, ARC_READ, p).len;
            if (net->initial[p]) cost *= 4; /* fits: a number of arcs */
            if (cost < best_cost) best_cost = cost, best = p;
        }
    }
    return best;
}

static void watch(Stepper *s)
{
    const Net *net = s->net;
    g_autofree uint32_t *at = g_new(uint32_t, (size_t)net->n_transitions + 1);
    s->watch_start = g_new0(uint32_t, (size_t)net->n_places + 2);
    s->watch = g_new(uint32_t, (size_t)net->n_transitions + 1);
    s->unwatched = g_new(uint32_t, (size_t)net->n_transitions + 1);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        at[t] = watched_place(net, t);
        if (at[t] == NET_NONE)
            s->unwatched[s->n_unwatched++] = t;
        else
            s->watch_start[at[t] + 2]++;
    }
    for (uint32_t p = 0; p < net->n_places; p++) s->watch_start[p + 2] += s->watch_start[p + 1];
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (at[t] != NET_NONE) s->watch[s->watch_start[at[t] + 1]++] = t;
}

Stepper *stepper_new(const Net *net, unsigned width)
{
    Stepper *s = g_new0(Stepper, 1);
    s->lts = netlts_new(net, width);
    s->net = net;
    s->width = width;
    s->words = s->lts->lts.state_words;
    s->capacity = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
    s->start = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    s->never = g_new0(bool, (size_t)net->n_transitions + 1);
    s->heavy = g_new0(bool, (size_t)net->n_transitions + 1);
    s->gain = g_new0(__int128, (size_t)net->n_transitions + 1);
    compile(s);
    watch(s);
    return s;
}

void stepper_free(Stepper *s)
{
    if (!s) return;
    netlts_free(s->lts);
    g_free(s->start);
    g_free(s->masks);
    g_free(s->counts);
    g_free(s->never);
    g_free(s->heavy);
    g_free(s->watch_start);
    g_free(s->watch);
    g_free(s->unwatched);
    g_free(s->gain);
    g_free(s);
}

static inline bool masks_enabled(const Stepper *s, const uint64_t *state, uint32_t t)
{
    for (uint32_t i = s->start[t]; i < s->start[t + 1]; i++) {
        const StepperMask *m = &s->masks[i];
        uint64_t word = state[m->word];
        if (((word & m->need) ^ m->need) | (word & m->absent)) return false;
    }
    return !s->never[t];
}

static inline bool counts_enabled(const Stepper *s, const uint64_t *state, uint32_t t)
{
    uint64_t capacity = s->capacity;
    for (uint32_t i = s->start[t]; i < s->start[t + 1]; i++) {
        const StepperCount *c = &s->counts[i];
        uint64_t count = state[c->word] >> c->shift & capacity;
        if (count < c->need || count > c->most) return false;
    }
    return true;
}

static bool is_enabled(const Stepper *s, const uint64_t *state, uint32_t t)
{
    return s->width == 1 ? masks_enabled(s, state, t) : counts_enabled(s, state, t);
}

uint32_t stepper_enabled(const Stepper *s, const uint64_t *state, uint32_t *list)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_unwatched; i++)
        if (is_enabled(s, state, s->unwatched[i])) list[n++] = s->unwatched[i];
    unsigned per_word = 64 / s->width;
    for (uint32_t w = 0; w < s->words; w++) {
        for (uint64_t rest = state[w]; rest;) {
            unsigned slot = (unsigned)__builtin_ctzll(rest) / s->width;
            uint32_t p = w * per_word + slot;
            rest &= ~(s->capacity << (slot * s->width));
            uint32_t to = s->watch_start[p + 1];
            if (s->width == 1) {
                for (uint32_t i = s->watch_start[p]; i < to; i++)
                    if (masks_enabled(s, state, s->watch[i])) list[n++] = s->watch[i];
            } else {
                for (uint32_t i = s->watch_start[p]; i < to; i++)
                    if (counts_enabled(s, state, s->watch[i])) list[n++] = s->watch[i];
            }
        }
    }
    return n;
}

static bool masks_fire(const Stepper *s, uint64_t *state, uint32_t t, uint64_t *most)
{
    uint64_t clash = 0, put = 0;
    for (uint32_t i = s->start[t]; i < s->start[t + 1]; i++) {
        const StepperMask *m = &s->masks[i];
        uint64_t word = state[m->word] & ~m->take;
        clash |= word & m->put;
        put |= m->put;
        state[m->word] = word | m->put;
    }
    if (put && !*most) *most = 1;
    return !clash && !s->heavy[t];
}

static bool counts_fire(const Stepper *s, uint64_t *state, uint32_t t, uint64_t *most)
{
    uint64_t capacity = s->capacity;
    for (uint32_t i = s->start[t]; i < s->start[t + 1]; i++) {
        const StepperCount *c = &s->counts[i];
        uint64_t count = (state[c->word] >> c->shift & capacity) - c->take;
        if (c->put > capacity || count > capacity - c->put) return false;
        count += c->put;
        if (count > *most) *most = count;
        state[c->word] = (state[c->word] & ~(capacity << c->shift)) | count << c->shift;
    }
    return true;
}

bool stepper_fire(const Stepper *s, uint64_t *state, uint32_t t, uint64_t *most)
{
    return s->width == 1 ? masks_fire(s, state, t, most) : counts_fire(s, state, t, most);
}

Total stepper_tokens(const Stepper *s, const uint64_t *state)
{
    if (s->width == 1) return bitset_count(state, s->words);
    Total total = 0;
    for (uint32_t p = 0; p < s->net->n_places; p++) total += netlts_count(s->lts, state, p); /* fits a Total */
    return total;
}

uint64_t stepper_most(const Stepper *s, const uint64_t *state)
{
    uint64_t most = 0;
    for (uint32_t p = 0; p < s->net->n_places; p++) most = MAX(most, netlts_count(s->lts, state, p));
    return most;
}
