#include "lts/netlts.h"

#include "base/bitset.h"
#include "base/hash.h"
#include "base/vec.h"

#include <assert.h>

/* What one transition asks of and does to one word of a safe marking. */
struct NetLtsStep {
    uint32_t word;
    uint64_t need, absent; /* tested bits */
    uint64_t take, put;
};

static uint64_t capacity(unsigned width)
{
    return width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

bool netlts_pack(const NetLts *l, const uint64_t *marking, uint64_t *state)
{
    memset(state, 0, l->lts.state_words * sizeof *state);
    for (uint32_t p = 0; p < l->net->n_places; p++) {
        if (marking[p] > capacity(l->width)) return false;
        netlts_set_count(l, state, p, marking[p]);
    }
    return true;
}

void netlts_unpack(const NetLts *l, const uint64_t *state, uint64_t *marking)
{
    for (uint32_t p = 0; p < l->net->n_places; p++) marking[p] = netlts_count(l, state, p);
}

static void initial(const Lts *lts, uint64_t *state)
{
    const NetLts *l = (const NetLts *)lts;
    bool fits = netlts_pack(l, l->net->initial, state);
    assert(fits);
    (void)fits;
}

/* ---- safe markings: one bit per place ---- */

static bool safe_enabled(const Lts *lts, const uint64_t *state, uint32_t t)
{
    const NetLts *l = (const NetLts *)lts;
    for (uint32_t i = l->step_start[t]; i < l->step_start[t + 1]; i++) {
        const struct NetLtsStep *s = &l->steps[i];
        uint64_t word = state[s->word];
        if ((word & s->need) != s->need || word & s->absent) return false;
    }
    return !l->never[t];
}

static bool safe_fire(const Lts *lts, uint64_t *state, uint32_t t)
{
    const NetLts *l = (const NetLts *)lts;
    uint32_t from = l->step_start[t], to = l->step_start[t + 1];
    for (uint32_t i = from; i < to; i++)
        if (state[l->steps[i].word] & ~l->steps[i].take & l->steps[i].put) return false;
    NetRow post = net_places(l->net, ARC_POST, t);
    if (post.weight)
        for (uint32_t i = 0; i < post.len; i++)
            if (post.weight[i] > 1) return false;
    for (uint32_t i = from; i < to; i++) {
        uint64_t *word = &state[l->steps[i].word];
        *word = (*word & ~l->steps[i].take) | l->steps[i].put;
    }
    return true;
}

static void safe_unfire(const Lts *lts, uint64_t *state, uint32_t t)
{
    const NetLts *l = (const NetLts *)lts;
    for (uint32_t i = l->step_start[t]; i < l->step_start[t + 1]; i++) {
        uint64_t *word = &state[l->steps[i].word];
        *word = (*word & ~l->steps[i].put) | l->steps[i].take;
    }
}

static void safe_enabled_set(const Lts *lts, const uint64_t *state, uint64_t *actions)
{
    memset(actions, 0, bitset_words(lts->n_actions) * sizeof *actions);
    for (uint32_t t = 0; t < lts->n_actions; t++)
        if (safe_enabled(lts, state, t)) bitset_set(actions, t);
}

typedef VEC(struct NetLtsStep) VecSteps;

static struct NetLtsStep *step_of(VecSteps *steps, size_t from, uint32_t place)
{
    for (size_t i = from; i < steps->len; i++)
        if (steps->data[i].word == place / 64) return &steps->data[i];
    vec_push(steps, ((struct NetLtsStep){.word = place / 64}));
    return &vec_last(steps);
}

static void make_steps(NetLts *l)
{
    const Net *net = l->net;
    VecSteps steps = {0};
    l->step_start = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    l->never = g_new0(bool, (size_t)net->n_transitions + 1);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        size_t from = steps.len;
        for (int kind = 0; kind < N_ARC_KINDS; kind++) {
            NetRow row = net_places(net, kind, t);
            for (uint32_t i = 0; i < row.len; i++) {
                struct NetLtsStep *s = step_of(&steps, from, row.node[i]);
                uint64_t bit = (uint64_t)1 << row.node[i] % 64;
                bool heavy = net_weight(row, i) > 1;
                switch ((ArcKind)kind) {
                case ARC_PRE: s->need |= bit, s->take |= bit, l->never[t] |= heavy; break;
                case ARC_READ: s->need |= bit, l->never[t] |= heavy; break;
                case ARC_POST: s->put |= bit; break;
                default: s->absent |= heavy ? 0 : bit; break;
                }
            }
        }
        l->step_start[t + 1] = (uint32_t)steps.len;
    }
    l->steps = steps.data;
}

/* ---- counters ---- */

static bool holds(const NetLts *l, const uint64_t *state, ArcKind kind, uint32_t t)
{
    NetRow row = net_places(l->net, kind, t);
    for (uint32_t i = 0; i < row.len; i++)
        if ((netlts_count(l, state, row.node[i]) < net_weight(row, i)) != (kind == ARC_INHIBIT)) return false;
    return true;
}

static bool counter_enabled(const Lts *lts, const uint64_t *state, uint32_t t)
{
    const NetLts *l = (const NetLts *)lts;
    return holds(l, state, ARC_PRE, t) && holds(l, state, ARC_READ, t) && holds(l, state, ARC_INHIBIT, t);
}

static void move(const NetLts *l, uint64_t *state, NetRow row, uint32_t len, bool add)
{
    for (uint32_t i = 0; i < len; i++) {
        uint64_t count = netlts_count(l, state, row.node[i]), weight = net_weight(row, i);
        netlts_set_count(l, state, row.node[i], add ? count + weight : count - weight);
    }
}

static bool counter_fire(const Lts *lts, uint64_t *state, uint32_t t)
{
    const NetLts *l = (const NetLts *)lts;
    NetRow pre = net_places(l->net, ARC_PRE, t), post = net_places(l->net, ARC_POST, t);
    uint64_t max = capacity(l->width);
    move(l, state, pre, pre.len, false);
    for (uint32_t i = 0; i < post.len; i++) {
        uint64_t count = netlts_count(l, state, post.node[i]), weight = net_weight(post, i);
        if (weight > max || count > max - weight) {
            move(l, state, post, i, false);
            move(l, state, pre, pre.len, true);
            return false;
        }
        netlts_set_count(l, state, post.node[i], count + weight);
    }
    return true;
}

static void counter_unfire(const Lts *lts, uint64_t *state, uint32_t t)
{
    const NetLts *l = (const NetLts *)lts;
    NetRow pre = net_places(l->net, ARC_PRE, t), post = net_places(l->net, ARC_POST, t);
    move(l, state, post, post.len, false);
    move(l, state, pre, pre.len, true);
}

static void counter_enabled_set(const Lts *lts, const uint64_t *state, uint64_t *actions)
{
    memset(actions, 0, bitset_words(lts->n_actions) * sizeof *actions);
    for (uint32_t t = 0; t < lts->n_actions; t++)
        if (counter_enabled(lts, state, t)) bitset_set(actions, t);
}

/* Obstacle p: too few tokens on place p; n_places + p: too many for an inhibitor arc. */
static uint32_t obstacle(const Lts *lts, const uint64_t *state, uint32_t t)
{
    const NetLts *l = (const NetLts *)lts;
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        if (kind == ARC_POST) continue;
        NetRow row = net_places(l->net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            uint64_t count = netlts_count(l, state, row.node[i]);
            if (kind == ARC_INHIBIT ? count >= net_weight(row, i) : count < net_weight(row, i))
                return row.node[i] + (kind == ARC_INHIBIT ? l->net->n_places : 0);
        }
    }
    assert(!"an enabled transition has no obstacle");
    return 0;
}

static bool removes(const Lts *lts, uint32_t o, uint32_t t)
{
    const Net *net = ((const NetLts *)lts)->net;
    bool inhibited = o >= net->n_places;
    uint32_t p = inhibited ? o - net->n_places : o;
    uint64_t pre = net_arc_weight(net, ARC_PRE, t, p), post = net_arc_weight(net, ARC_POST, t, p);
    return inhibited ? post < pre : post > pre;
}

/* The run can be repeated with more tokens as long as nothing is inhibited by the places that grew. */
static bool pumps(const Lts *lts, const uint64_t *small, const uint64_t *large)
{
    const NetLts *l = (const NetLts *)lts;
    bool grew = false;
    for (uint32_t p = 0; p < l->net->n_places; p++) {
        uint64_t a = netlts_count(l, small, p), b = netlts_count(l, large, p);
        if (a > b || (a < b && net_transitions(l->net, ARC_INHIBIT, p).len)) return false;
        grew |= a < b;
    }
    return grew;
}

/* The fingerprint is linear: the sum of a key per token. */
HASH_WRAPS static uint64_t token_key(uint32_t place)
{
    return hash_mix(UINT64_C(0x9e3779b97f4a7c15) * ((uint64_t)place + 1));
}

HASH_WRAPS static uint64_t fingerprint(const Lts *lts, const uint64_t *state)
{
    const NetLts *l = (const NetLts *)lts;
    uint64_t sum = 0;
    for (uint32_t p = 0; p < l->net->n_places; p++)
        sum += token_key(p) * netlts_count(l, state, p); /* wraps, as fingerprints do */
    return sum;
}

HASH_WRAPS static uint64_t effect(const Lts *lts, uint32_t t)
{
    const Net *net = ((const NetLts *)lts)->net;
    NetRow pre = net_places(net, ARC_PRE, t), post = net_places(net, ARC_POST, t);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < post.len; i++) sum += token_key(post.node[i]) * net_weight(post, i); /* wraps */
    for (uint32_t i = 0; i < pre.len; i++) sum -= token_key(pre.node[i]) * net_weight(pre, i);    /* wraps */
    return sum;
}

NetLts *netlts_new(const Net *net, unsigned width)
{
    assert(width && width <= 64 && (width & (width - 1)) == 0);
    NetLts *l = g_new0(NetLts, 1);
    l->net = net;
    l->width = width;
    l->lts.n_actions = net->n_transitions;
    l->lts.state_words = (uint32_t)MAX(bitset_words((size_t)net->n_places * width), 1);
    l->lts.initial = initial;
    l->lts.n_obstacles = 2 * net->n_places;
    l->lts.obstacle = obstacle;
    l->lts.removes = removes;
    l->lts.fingerprint = fingerprint;
    l->lts.effect = effect;
    /* On safe nets nothing grows; firing says when it does. */
    l->lts.pumps = width == 1 ? NULL : pumps;
    if (width == 1) {
        make_steps(l);
        l->lts.enabled = safe_enabled;
        l->lts.fire = safe_fire;
        l->lts.unfire = safe_unfire;
        l->lts.enabled_set = safe_enabled_set;
    } else {
        l->lts.enabled = counter_enabled;
        l->lts.fire = counter_fire;
        l->lts.unfire = counter_unfire;
        l->lts.enabled_set = counter_enabled_set;
    }
    return l;
}

void netlts_free(NetLts *l)
{
    if (!l) return;
    g_free(l->steps);
    g_free(l->step_start);
    g_free(l->never);
    g_free(l);
}

unsigned netlts_initial_width(const Net *net)
{
    unsigned width = 1;
    for (uint32_t p = 0; p < net->n_places; p++)
        while (net->initial[p] > capacity(width)) width *= 2; /* fits: at most 64 */
    return width;
}
