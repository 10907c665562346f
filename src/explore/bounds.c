#include "explore/bounds.h"

#include <assert.h>

static bool is_beyond(const Bounds *b, const Config *c, uint32_t label, const uint64_t *history, uint32_t causes)
{
    if (b->causes && causes >= b->causes) return true;
    if (!b->times) return false;
    uint32_t times = 0;
    for (BITSET_EACH(i, history, (c->n + 63) / 64)) times += c->label.data[i] == label;
    return times >= b->times;
}

bool bounds_decide(const Bounds *b, const Config *c, uint32_t label, const uint64_t *history, uint32_t causes,
                   bool *cut)
{
    if (b->spins && spins_is_turn(b->spins, c, label, history)) return true;
    bool beyond = is_beyond(b, c, label, history, causes);
    *cut |= beyond;
    return beyond;
}

LeafKind bounds_leaf(const Bounds *b, const Config *c, const NetLts *net)
{
    if (!b->causes && !b->times && !b->spins) return LEAF_MAXIMAL;
    LeafKind kind = LEAF_MAXIMAL;
    for (uint32_t t = 0; t < c->lts->n_actions; t++) {
        if (!c->lts->enabled(c->lts, c->state, t)) continue;
        if (!b->spins || !spins_is_turn(b->spins, c, t, NULL)) return LEAF_BOUND;
        kind = LEAF_WAITING;
    }
    if (kind == LEAF_MAXIMAL) return kind;
    assert(net);
    g_autofree uint64_t *marking = g_new0(uint64_t, MAX(net->net->n_places, 1));
    netlts_unpack(net, c->state, marking);
    return spins_is_stuck(b->spins, marking) ? LEAF_STUCK : LEAF_WAITING;
}
