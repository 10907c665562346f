#include "unfold/context/net.h"

#include "base/bitset.h"
#include "base/hash.h"

#include <assert.h>

enum { ROLE_CONSUMED = 1, ROLE_PRODUCED = 2, ROLE_READ = 4 };

static ContextSlice begin(const ContextNet *c)
{
    return (ContextSlice){(uint32_t)c->pool.len, 0};
}

static void end(const ContextNet *c, ContextSlice *slice)
{
    slice->len = (uint32_t)c->pool.len - slice->from;
}

/* What t does to each place it touches, in order of places. */
static void gather_roles(ContextNet *c, Relation relation, uint32_t t, VecU32 *touched)
{
    static const struct {
        ArcKind kind;
        uint8_t role;
    } kinds[] = {{ARC_PRE, ROLE_CONSUMED}, {ARC_POST, ROLE_PRODUCED}, {ARC_READ, ROLE_READ}};
    vec_clear(touched);
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        NetRow row = net_places(c->net, kinds[k].kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            uint32_t p = row.node[i];
            if (!c->role[p]) vec_push(touched, p);
            c->role[p] |= kinds[k].role;
        }
    }
    for (size_t i = 1; i < touched->len; i++) {
        uint32_t p = touched->data[i];
        size_t j = i;
        for (; j > 0 && touched->data[j - 1] > p; j--) touched->data[j] = touched->data[j - 1];
        touched->data[j] = p;
    }
    for (size_t i = 0; i < touched->len; i++) {
        uint8_t *role = &c->role[touched->data[i]];
        const uint8_t loop = ROLE_CONSUMED | ROLE_PRODUCED;
        if (relation == RELATION_LOOPS && (*role & loop) == loop) *role = ROLE_READ;
        if (*role & ROLE_CONSUMED) *role &= (uint8_t)~ROLE_READ;
    }
}

#define SELECT(slice, condition, value)                                                                                \
    do {                                                                                                               \
        (slice) = begin(c);                                                                                            \
        for (size_t i = 0; i < n; i++) {                                                                               \
            uint32_t p = at[i];                                                                                        \
            uint8_t r = c->role[p];                                                                                    \
            if (condition) vec_push(&c->pool, value);                                                                  \
        }                                                                                                              \
        end(c, &(slice));                                                                                              \
    } while (0)

static void add_transition(ContextNet *c, Relation relation, uint32_t t, VecU32 *touched, const uint64_t *key)
{
    gather_roles(c, relation, t, touched);
    const uint32_t *at = touched->data;
    size_t n = touched->len;
    SELECT(c->consumed[t], r & ROLE_CONSUMED, p);
    SELECT(c->read[t], r & ROLE_READ, p);
    SELECT(c->produced[t], r & ROLE_PRODUCED, p);
    SELECT(c->fresh[t], (r & ROLE_PRODUCED) && !(r & ROLE_CONSUMED), p);
    SELECT(c->changed[t], r & (ROLE_CONSUMED | ROLE_PRODUCED), p * 2 + (r & ROLE_PRODUCED ? 1 : 0));
    SELECT(c->tested[t], r & (ROLE_CONSUMED | ROLE_READ), p * 2 + (r & ROLE_READ ? 1 : 0));
    SELECT(c->toggled[t], !(r & ROLE_CONSUMED) != !(r & ROLE_PRODUCED), p);
    for (size_t i = 0; i < n; i++) {
        uint32_t p = at[i];
        uint8_t r = c->role[p];
        if (r & ROLE_CONSUMED) c->place_consumed[p] = 1;
        if (r & (ROLE_CONSUMED | ROLE_READ)) {
            bitset_set(c->place_tested, p);
            vec_push(&c->testers[p], t);
        }
        if (!(r & ROLE_CONSUMED) != !(r & ROLE_PRODUCED)) c->hash[t] ^= key[p];
        c->role[p] = 0;
    }
}

ContextNet *context_net_new(const Net *net, Relation relation)
{
    assert(net_is_ordinary(net));
    assert(relation == RELATION_READ || relation == RELATION_LOOPS);
    ContextNet *c = g_new0(ContextNet, 1);
    uint32_t n = net->n_transitions, m = net->n_places;
    c->net = net;
    c->n_places = m;
    c->n_transitions = n;
    c->marking_words = (uint32_t)MAX(bitset_words(m), 1);
    ContextSlice **slices[] = {&c->consumed, &c->read,    &c->produced, &c->changed,
                               &c->tested,   &c->toggled, &c->fresh,    &c->moves};
    for (size_t i = 0; i < G_N_ELEMENTS(slices); i++) *slices[i] = g_new0(ContextSlice, (size_t)n + 1);
    c->hash = g_new0(uint64_t, (size_t)n + 1);
    c->initial = g_new0(uint64_t, c->marking_words);
    c->place_consumed = g_new0(uint8_t, (size_t)m + 1);
    c->place_tested = g_new0(uint64_t, bitset_words(m) + 1);
    c->role = g_new0(uint8_t, (size_t)m + 1);
    c->stamp = g_new0(uint32_t, (size_t)n + 1);
    c->testers = g_new0(VecU32, (size_t)m + 1);
    g_autofree uint64_t *key = g_new(uint64_t, (size_t)m + 1);
    for (uint32_t p = 0; p < m; p++) {
        key[p] = hash_mix(p + UINT64_C(0x5851f42d4c957f2d));
        assert(net->initial[p] <= 1);
        if (net->initial[p]) bitset_set(c->initial, p);
    }
    VecU32 touched = {0};
    for (uint32_t t = 0; t < n; t++) {
        add_transition(c, relation, t, &touched, key);
        c->moves[t].len = UINT32_MAX;
    }
    vec_free(&touched);
    return c;
}

void context_net_free(ContextNet *c)
{
    if (!c) return;
    ContextSlice *slices[] = {c->consumed, c->read, c->produced, c->changed, c->tested, c->toggled, c->fresh, c->moves};
    for (size_t i = 0; i < G_N_ELEMENTS(slices); i++) g_free(slices[i]);
    for (uint32_t p = 0; p < c->n_places; p++) vec_free(&c->testers[p]);
    g_free(c->testers);
    g_free(c->hash);
    g_free(c->initial);
    g_free(c->place_consumed);
    g_free(c->place_tested);
    g_free(c->role);
    g_free(c->stamp);
    vec_free(&c->pool);
    vec_free(&c->move_pool);
    vec_free(&c->gathered);
    g_free(c);
}

/* A place that u consumes for good cannot hold a token beside the one u took: a transition that
 * tests it needs a later event than u's, so it is no move of u. */
static void add_move(ContextNet *c, uint32_t t)
{
    ContextMove move = {.transition = t};
    size_t restart = c->pool.len;
    bool useful = false;
    move.rest = begin(c);
    for (uint32_t i = 0; i < c->tested[t].len; i++) {
        uint32_t entry = c->pool.data[c->tested[t].from + i], p = entry / 2;
        uint8_t r = c->role[p];
        if (r & ROLE_PRODUCED) {
            useful = true;
        } else if (r & ROLE_CONSUMED) {
            c->pool.len = restart;
            return;
        } else if (r & ROLE_READ) {
            useful |= !(entry & 1);
        } else {
            vec_push(&c->pool, p);
        }
    }
    end(c, &move.rest);
    if (useful)
        vec_push_long(&c->move_pool, move);
    else
        c->pool.len = restart;
}

static void set_roles(ContextNet *c, ContextSlice slice, uint8_t role)
{
    for (uint32_t i = 0; i < slice.len; i++) c->role[c->pool.data[slice.from + i]] |= role;
}

static void clear_roles(ContextNet *c, ContextSlice slice)
{
    for (uint32_t i = 0; i < slice.len; i++) c->role[c->pool.data[slice.from + i]] = 0;
}

static void gather_testers(ContextNet *c, ContextSlice places, uint32_t u)
{
    for (uint32_t i = 0; i < places.len; i++) {
        const VecU32 *testers = &c->testers[c->pool.data[places.from + i]];
        for (size_t j = 0; j < testers->len; j++) {
            uint32_t t = testers->data[j];
            if (c->stamp[t] == u + 1) continue;
            c->stamp[t] = u + 1;
            vec_push(&c->gathered, t);
        }
    }
}

ContextSlice context_net_moves(ContextNet *c, uint32_t u)
{
    assert(u < c->n_transitions);
    if (c->moves[u].len != UINT32_MAX) return c->moves[u];
    set_roles(c, c->consumed[u], ROLE_CONSUMED);
    set_roles(c, c->produced[u], ROLE_PRODUCED);
    set_roles(c, c->read[u], ROLE_READ);
    vec_clear(&c->gathered);
    gather_testers(c, c->produced[u], u);
    gather_testers(c, c->read[u], u);
    uint32_t from = (uint32_t)c->move_pool.len;
    for (size_t i = 0; i < c->gathered.len; i++) add_move(c, c->gathered.data[i]);
    clear_roles(c, c->consumed[u]);
    clear_roles(c, c->produced[u]);
    clear_roles(c, c->read[u]);
    c->moves[u] = (ContextSlice){from, (uint32_t)c->move_pool.len - from};
    return c->moves[u];
}
