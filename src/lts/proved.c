#include "lts/proved.h"

#include "base/vec.h"
#include "lts/stateeq.h"

#include <assert.h>

/* The box of markings that one question is about. */
typedef struct Box {
    const Net *net;
    StateEq *eq;
    uint64_t *low, *high;
} Box;

static void box_clear(Box *box)
{
    for (uint32_t p = 0; p < box->net->n_places; p++) box->low[p] = 0, box->high[p] = STATEEQ_NO_BOUND;
}

static int64_t effect(const Net *net, uint32_t t, uint32_t p)
{
    return (int64_t)(net_arc_weight(net, ARC_POST, t, p) - net_arc_weight(net, ARC_PRE, t, p));
}

/* m(p) + shift >= bound */
static void at_least(Box *box, uint32_t p, uint64_t bound, int64_t shift)
{
    uint64_t low = shift >= 0 ? (bound > (uint64_t)shift ? bound - (uint64_t)shift : 0) : bound + (uint64_t)-shift;
    box->low[p] = MAX(box->low[p], low);
}

/* m(p) + shift <= bound; where no count satisfies it the box becomes empty. */
static void at_most(Box *box, uint32_t p, uint64_t bound, int64_t shift)
{
    uint64_t high = shift < 0 ? bound + (uint64_t)-shift : bound - (uint64_t)shift;
    if (shift > 0 && bound < (uint64_t)shift) box->low[p] = STATEEQ_NO_BOUND, high = 0;
    box->high[p] = MIN(box->high[p], high);
}

/* u is enabled, at m or (by != NET_NONE) right after `by` fired at m. */
static void require_enabled(Box *box, uint32_t u, uint32_t by)
{
    const Net *net = box->net;
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        if (kind == ARC_POST) continue;
        NetRow row = net_places(net, kind, u);
        for (uint32_t i = 0; i < row.len; i++) {
            uint32_t p = row.node[i];
            int64_t shift = by == NET_NONE ? 0 : effect(net, by, p);
            if (kind == ARC_INHIBIT)
                at_most(box, p, net_weight(row, i) - 1, shift);
            else
                at_least(box, p, net_weight(row, i), shift);
        }
    }
}

/* Firing t at a marking of the state equation may change whether u is enabled, because of place p
 * where u has an arc of the given kind and weight. */
static bool may_change_at(Box *box, uint32_t t, uint32_t u, uint32_t p, ArcKind kind, uint64_t weight)
{
    int64_t change = effect(box->net, t, p);
    if (change == 0) return false;
    bool enables = (change > 0) == (kind != ARC_INHIBIT);
    box_clear(box);
    require_enabled(box, t, NET_NONE);
    require_enabled(box, u, enables ? t : NET_NONE);
    /* The count crosses the weight when t fires. */
    at_most(box, p, weight - 1, change > 0 ? 0 : change);
    at_least(box, p, weight, change > 0 ? change : 0);
    return !stateeq_excludes(box->eq, box->low, box->high);
}

static bool may_change(Box *box, uint32_t t, uint32_t u)
{
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        if (kind == ARC_POST) continue;
        NetRow row = net_places(box->net, kind, u);
        for (uint32_t i = 0; i < row.len; i++)
            if (may_change_at(box, t, u, row.node[i], kind, net_weight(row, i))) return true;
    }
    return false;
}

Indep *proved_new(const Net *net, uint64_t effort)
{
    g_autoptr(Indep) loops = indep_new(net, RELATION_LOOPS);
    g_autoptr(StateEq) eq = stateeq_new(net, effort);
    Box box = {net, eq, g_new(uint64_t, (size_t)net->n_places + 1), g_new(uint64_t, (size_t)net->n_places + 1)};
    VecU32 pairs = {0};
    for (uint32_t t = 0; t < net->n_transitions; t++)
        for (uint32_t i = loops->start[t]; i < loops->start[t + 1]; i++) {
            uint32_t u = loops->dependent[i];
            if (u <= t || !(may_change(&box, t, u) || may_change(&box, u, t))) continue;
            vec_push(&pairs, t);
            vec_push(&pairs, u);
        }
    Indep *indep = indep_from_pairs(net->n_transitions, pairs.data, pairs.len / 2);
    assert(!indep->structural);
    vec_free(&pairs);
    g_free(box.low);
    g_free(box.high);
    return indep;
}
