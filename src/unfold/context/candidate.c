#include "unfold/context/candidate.h"

#include "base/bitset.h"

void context_candidate_walk_init(ContextWalk *walk, ContextStore *store)
{
    *walk = (ContextWalk){.store = store};
}

void context_candidate_walk_clear(ContextWalk *walk)
{
    vec_free(&walk->base);
    for (int i = 0; i < 2; i++) {
        vec_free(&walk->stamp[i]);
        vec_free(&walk->members[i]);
    }
}

void context_candidate_push(Schedule *schedule, const ContextNet *net, const ContextCandidate *c, uint32_t size)
{
    uint32_t n_tested = net->tested[c->transition].len;
    assert(size > 0 && c->n_causes > 0);
    Waiting *waiting =
        schedule_push(schedule, size, c->transition, CONTEXT_CAUSES + c->n_causes + n_tested + c->n_more);
    uint32_t *words = waiting->words;
    memcpy(words + CONTEXT_HASH, &c->hash, sizeof c->hash);
    words[CONTEXT_N_CAUSES] = c->n_causes;
    memcpy(words + CONTEXT_CAUSES, c->causes, c->n_causes * sizeof *words);
    if (n_tested) memcpy(words + CONTEXT_CAUSES + c->n_causes, c->tested, n_tested * sizeof *words);
    if (c->n_more) memcpy(words + CONTEXT_CAUSES + c->n_causes + n_tested, c->more, c->n_more * sizeof *words);
}

/* ---- the marking ---- */

/* Changes alternate on a place of a safe net: every event not counted yet flips what it toggles. */
static void toggle(const ContextNet *net, uint64_t *marking, uint32_t t)
{
    ContextSlice toggled = net->toggled[t];
    const uint32_t *at = context_net_list(net, toggled);
    for (uint32_t i = 0; i < toggled.len; i++) marking[at[i] / 64] ^= (uint64_t)1 << (at[i] % 64);
}

static void grow(VecU32 *stamp, size_t n)
{
    while (stamp->len < n) vec_push_long(stamp, 0);
}

/* Candidates with the same newest cause come in a row: its configuration is marked once for all of them. */
static void toggle_others(ContextWalk *walk, const ContextCandidate *c, uint64_t *marking)
{
    ContextStore *store = walk->store;
    const ContextEvent *newest = context_store_event(store, c->causes[0]);
    grow(&walk->base, store->events.len);
    grow(&walk->stamp[0], store->events.len);
    if (walk->based_on != c->causes[0]) {
        walk->based_on = c->causes[0];
        for (uint32_t i = 0; i < newest->size; i++) walk->base.data[newest->down[i]] = c->causes[0];
    }
    assert(newest->size > 0);
    uint32_t epoch = ++walk->epoch, *stamp = walk->stamp[0].data;
    const uint32_t *base = walk->base.data;
    for (uint32_t i = 1; i < c->n_causes; i++) {
        const ContextEvent *event = context_store_event(store, c->causes[i]);
        for (uint32_t k = 0; k < event->size; k++) {
            uint32_t f = event->down[k];
            if (base[f] == c->causes[0] || stamp[f] == epoch) continue;
            stamp[f] = epoch;
            toggle(store->net, marking, store->events.data[f].transition);
        }
    }
}

uint32_t context_candidate_marking(ContextWalk *walk, const Schedule *schedule, const ContextCandidate *c,
                                   uint64_t *marking)
{
    const ContextNet *net = walk->store->net;
    const ContextEvent *newest = context_store_event(walk->store, c->causes[0]);
    memcpy(marking, schedule_marking(schedule, newest->marking), net->marking_words * sizeof *marking);
    if (c->n_causes > 1) toggle_others(walk, c, marking);
    ContextSlice fresh = net->fresh[c->transition];
    for (uint32_t k = 0; k < fresh.len; k++) {
        uint32_t p = net->pool.data[fresh.from + k];
        if (bitset_get(marking, p)) return p;
    }
    toggle(net, marking, c->transition);
    return NET_NONE;
}

/* ---- comparing ---- */

static void collect(ContextWalk *walk, int side, const ContextCandidate *c)
{
    VecU32 *members = &walk->members[side];
    grow(&walk->stamp[side], walk->store->events.len);
    uint32_t *stamp = walk->stamp[side].data;
    vec_clear(members);
    for (uint32_t i = 0; i < c->n_causes; i++) {
        const ContextEvent *event = context_store_event(walk->store, c->causes[i]);
        vec_reserve(members, members->len + event->size);
        for (uint32_t k = 0; k < event->size; k++) {
            uint32_t f = event->down[k];
            if (stamp[f] == walk->epoch) continue;
            stamp[f] = walk->epoch;
            members->data[members->len++] = f;
        }
    }
}

static uint32_t depth_of(ContextStore *store, const ContextCandidate *c)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < c->n_causes; i++) depth = MAX(depth, context_store_event(store, c->causes[i])->depth);
    return depth + 1;
}

void context_candidate_difference(ContextWalk *walk, const ContextCandidate *pair, OrderSteps *only)
{
    ContextStore *store = walk->store;
    walk->epoch++;
    for (int side = 0; side < 2; side++) collect(walk, side, &pair[side]);
    assert(walk->members[0].len == walk->members[1].len);
    for (int side = 0; side < 2; side++) {
        const uint32_t *other = walk->stamp[1 - side].data;
        for (size_t i = 0; i < walk->members[side].len; i++) {
            uint32_t f = walk->members[side].data[i];
            if (other[f] == walk->epoch) continue;
            const ContextEvent *event = context_store_event(store, f);
            vec_push(&only[side], ((OrderStep){event->depth, event->transition}));
        }
        vec_push(&only[side], ((OrderStep){depth_of(store, &pair[side]), pair[side].transition}));
    }
}

bool context_candidate_has_larger(const ContextWalk *walk, int which, uint32_t depth, uint32_t transition)
{
    const VecU32 *members = &walk->members[which];
    assert(which == 0 || which == 1);
    for (size_t i = 0; i < members->len; i++) {
        const ContextEvent *event = context_store_event(walk->store, members->data[i]);
        if (event->depth == depth && event->transition > transition) return true;
    }
    return false;
}
