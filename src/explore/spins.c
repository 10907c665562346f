#include "explore/spins.h"

#include "net/safeness.h"

/* from and to are the places of the token that an idle transition moves; both NET_NONE: it changes nothing. */
struct Spins {
    const Net *net;
    bool *idle, *turns; /* by transition, as the others; turns: some event of it may be a turn */
    uint32_t *from, *to;
};

/* ---- idle transitions ---- */

/* The one place whose arc of t of this kind is heavier than that of the other kind, by one; NET_NONE if there is none.
 */
static bool one_more(const Net *net, uint32_t t, ArcKind kind, ArcKind other, uint32_t *place)
{
    NetRow row = net_places(net, kind, t);
    *place = NET_NONE;
    for (uint32_t i = 0; i < row.len; i++) {
        uint64_t back = net_arc_weight(net, other, t, row.node[i]);
        if (net_weight(row, i) <= back) continue;
        if (*place != NET_NONE || net_weight(row, i) != back + 1) return false;
        *place = row.node[i];
    }
    return true;
}

static bool is_idle(const Net *net, uint32_t t, bool safe, uint32_t *from, uint32_t *to)
{
    if (!one_more(net, t, ARC_PRE, ARC_POST, from) || !one_more(net, t, ARC_POST, ARC_PRE, to)) return false;
    if (*from == NET_NONE && *to == NET_NONE) return true;
    return safe && *from != NET_NONE && *to != NET_NONE && !net_transitions(net, ARC_INHIBIT, *from).len &&
           !net_transitions(net, ARC_INHIBIT, *to).len;
}

/* A token turns where its moves make a cycle: what no move leads to, or from where none goes on, is no part of one. */
typedef struct Peel {
    Spins *spins;
    uint32_t *in, *out; /* by place: moves that are left */
    VecU32 open;        /* places */
} Peel;

static void drop_moves(Peel *x, NetRow row, const uint32_t *end, uint32_t place)
{
    Spins *s = x->spins;
    for (uint32_t i = 0; i < row.len; i++) {
        uint32_t t = row.node[i];
        if (!s->turns[t] || end[t] != place) continue;
        s->turns[t] = false;
        if (--x->out[s->from[t]] == 0) vec_push(&x->open, s->from[t]);
        if (--x->in[s->to[t]] == 0) vec_push(&x->open, s->to[t]);
    }
}

static void find_cycles(Spins *s)
{
    const Net *net = s->net;
    Peel x = {s, g_new0(uint32_t, MAX(net->n_places, 1)), g_new0(uint32_t, MAX(net->n_places, 1)), {0}};
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        s->turns[t] = s->idle[t];
        if (!s->idle[t] || s->to[t] == NET_NONE) continue;
        x.out[s->from[t]]++;
        x.in[s->to[t]]++;
    }
    for (uint32_t p = 0; p < net->n_places; p++)
        if (!x.in[p] || !x.out[p]) vec_push(&x.open, p);
    while (x.open.len) {
        uint32_t p = vec_pop(&x.open);
        if (!x.in[p]) drop_moves(&x, net_transitions(net, ARC_PRE, p), s->from, p);
        if (!x.out[p]) drop_moves(&x, net_transitions(net, ARC_POST, p), s->to, p);
    }
    g_free(x.in);
    g_free(x.out);
    vec_free(&x.open);
}

Spins *spins_new(const Net *net, bool safe)
{
    uint32_t n = MAX(net->n_transitions, 1);
    g_autoptr(Spins) spins = g_new0(Spins, 1);
    *spins = (Spins){net, g_new0(bool, n), g_new0(bool, n), g_new(uint32_t, n), g_new(uint32_t, n)};
    for (uint32_t t = 0; t < net->n_transitions; t++)
        spins->idle[t] = is_idle(net, t, safe, &spins->from[t], &spins->to[t]);
    find_cycles(spins);
    bool any = false;
    for (uint32_t t = 0; t < net->n_transitions; t++) any |= spins->turns[t];
    return any ? g_steal_pointer(&spins) : NULL;
}

Spins *spins_of(const Net *net)
{
    return spins_new(net, net->nupn && safeness_decide(net, NULL, NULL) == SAFE_YES);
}

void spins_free(Spins *spins)
{
    if (!spins) return;
    g_free(spins->idle);
    g_free(spins->turns);
    g_free(spins->from);
    g_free(spins->to);
    g_free(spins);
}

bool spins_stands_still(const Spins *spins, uint32_t t)
{
    return spins && spins->idle[t] && spins->from[t] == NET_NONE;
}

/* ---- turns ---- */

static bool looks_at(const Net *net, uint32_t t, uint32_t place)
{
    return net_arc_weight(net, ARC_PRE, t, place) || net_arc_weight(net, ARC_POST, t, place) ||
           net_arc_weight(net, ARC_READ, t, place);
}

/* Follows the token backwards. */
bool spins_is_turn(const Spins *s, const Config *c, uint32_t label, const uint64_t *history)
{
    if (!s->turns[label]) return false;
    uint32_t at = s->from[label];
    for (uint32_t i = c->n; at != s->to[label] && i-- > 0;) {
        uint32_t u = c->label.data[i];
        if ((history && !bitset_get(history, i)) || !looks_at(s->net, u, at)) continue;
        if (!s->idle[u] || s->to[u] != at) return false;
        at = s->from[u];
    }
    return at == s->to[label];
}

/* ---- for ever ---- */

static bool all_marked(const bool *may, NetRow row)
{
    for (uint32_t i = 0; i < row.len; i++)
        if (!may[row.node[i]]) return false;
    return true;
}

/* The places that may get a token by idle transitions are no fewer than those that do. */
bool spins_is_stuck(const Spins *s, const uint64_t *marking)
{
    const Net *net = s->net;
    g_autofree bool *may = g_new0(bool, MAX(net->n_places, 1));
    for (uint32_t p = 0; p < net->n_places; p++) may[p] = marking[p] > 0;
    for (bool grown = true; grown;) {
        grown = false;
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            if (!all_marked(may, net_places(net, ARC_PRE, t)) || !all_marked(may, net_places(net, ARC_READ, t)))
                continue;
            if (!s->idle[t]) return false;
            if (s->to[t] == NET_NONE || may[s->to[t]]) continue;
            may[s->to[t]] = grown = true;
        }
    }
    return true;
}
