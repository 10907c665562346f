/* Rules that remove places. */
#include "base/compare.h"
#include "reduce/rules.h"

#include "base/exact.h"
#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>

/* ---- constant places, decided guards ---- */

typedef struct Trend {
    bool up, down;
} Trend;

static Trend place_trend(Rnet *rnet, uint32_t p)
{
    Trend trend = {0};
    const VecU32 *touching = rnet_touching(rnet, p);
    for (size_t i = 0; i < touching->len; i++) {
        int64_t delta = rnet_arc(rnet, touching->data[i], p)->delta;
        trend.up |= delta > 0;
        trend.down |= delta < 0;
    }
    return trend;
}

/* A count that never falls below (or rises above) its first value decides some guards once and for all. */
static uint32_t decide_guards(Rnet *rnet, uint32_t p, Trend trend)
{
    uint32_t changes = 0;
    uint64_t tokens = rnet->places[p].tokens;
    g_autofree uint32_t *list = NULL;
    const VecU32 *touching = rnet_touching(rnet, p);
    size_t n = touching->len;
    list = g_memdup2(touching->data, n * sizeof *list);
    for (size_t i = 0; i < n; i++) {
        RArc *arc = rnet_arc(rnet, list[i], p);
        bool never = (!trend.up && arc->need > tokens) || (!trend.down && arc->inhibit && tokens >= arc->inhibit) ||
                     (arc->inhibit && arc->need >= arc->inhibit);
        if (never) {
            rnet->never_fires = true;
            rnet_kill(rnet, list[i]);
            changes++;
            continue;
        }
        if (!trend.down && arc->need && arc->need <= tokens) arc->need = 0, changes++;
        if (!trend.up && arc->inhibit && tokens < arc->inhibit) arc->inhibit = 0, changes++;
        if (!arc->need && !arc->inhibit && !arc->delta) rnet_drop_arc(rnet, list[i], p);
    }
    return changes;
}

uint32_t rule_constant(Rnet *rnet, Budget *budget)
{
    uint32_t changes = 0;
    for (uint32_t p = 0; p < rnet->n_places && !budget_spent(budget); p++) {
        if (!rnet->places[p].alive) continue;
        Trend trend = place_trend(rnet, p);
        uint32_t decided = !trend.up || !trend.down ? decide_guards(rnet, p, trend) : 0;
        changes += decided;
        if (decided || (!trend.up && !trend.down)) rnet_record_one(rnet, STEP_CONSTANT, p);
        if (trend.up || trend.down) continue;
        rnet_replace_place(rnet, p, NET_NONE, (int64_t)rnet->places[p].tokens);
        changes++;
    }
    return changes;
}

uint32_t rule_sink(Rnet *rnet, Budget *budget)
{
    uint32_t changes = 0;
    for (uint32_t p = 0; p < rnet->n_places && !budget_spent(budget); p++) {
        if (!rnet->places[p].alive || rnet->places[p].shown) continue;
        const VecU32 *touching = rnet_touching(rnet, p);
        bool tested = false;
        for (size_t i = 0; i < touching->len && !tested; i++) {
            const RArc *arc = rnet_arc(rnet, touching->data[i], p);
            tested = arc->need || arc->inhibit;
        }
        if (tested) continue;
        rnet_record_one(rnet, STEP_FORGET, p);
        rnet_remove_place(rnet, p);
        changes++;
    }
    return changes;
}

/* ---- places with the same changes ---- */

typedef struct Keyed {
    uint64_t key;
    uint32_t id;
} Keyed;

COMPARE_BY_BOTH(compare_keyed, Keyed, key, id)

HASH_WRAPS static uint64_t changes_key(Rnet *rnet, uint32_t p)
{
    uint64_t key = 0;
    const VecU32 *touching = rnet_touching(rnet, p);
    for (size_t i = 0; i < touching->len; i++) {
        int64_t delta = rnet_arc(rnet, touching->data[i], p)->delta;
        if (delta) key += hash_mix(hash_mix(touching->data[i] + UINT64_C(1)) ^ (uint64_t)delta); /* wraps */
    }
    return key;
}

static bool covers_changes(Rnet *rnet, uint32_t p, uint32_t q)
{
    const VecU32 *touching = rnet_touching(rnet, p);
    for (size_t i = 0; i < touching->len; i++) {
        int64_t delta = rnet_arc(rnet, touching->data[i], p)->delta;
        if (!delta) continue;
        const RArc *other = rnet_arc(rnet, touching->data[i], q);
        if (!other || other->delta != delta) return false;
    }
    return true;
}

/* m(p) = m(q) + c with c >= 0: what p asks is asked of q instead. */
static void move_guards(Rnet *rnet, uint32_t p, uint32_t q)
{
    int64_t c = (int64_t)rnet->places[p].tokens - (int64_t)rnet->places[q].tokens;
    assert(c >= 0);
    rnet_record(rnet, STEP_SAME_PLACE, (uint32_t[]){p, q}, 2);
    const VecU32 *touching = rnet_touching(rnet, p);
    size_t n = touching->len;
    g_autofree uint32_t *list = g_memdup2(touching->data, n * sizeof *list);
    for (size_t i = 0; i < n; i++) {
        uint32_t t = list[i];
        RArc from = *rnet_arc(rnet, t, p), arc = {.place = q};
        RArc *old = rnet_arc(rnet, t, q);
        if (old) arc = *old;
        int64_t need = (int64_t)from.need - c, inhibit = (int64_t)from.inhibit - c;
        if (from.inhibit && inhibit <= 0) {
            rnet->never_fires = true;
            rnet_kill(rnet, t);
            continue;
        }
        if (need > (int64_t)arc.need) arc.need = (uint64_t)need;
        if (from.inhibit) arc.inhibit = arc.inhibit ? MIN(arc.inhibit, (uint64_t)inhibit) : (uint64_t)inhibit;
        if (arc.need || arc.inhibit || arc.delta) rnet_put_arc(rnet, t, arc);
    }
    rnet_replace_place(rnet, p, q, c);
    if (rnet->places[p].shown) rnet->places[q].shown = true;
}

uint32_t rule_same_place(Rnet *rnet, Budget *budget)
{
    uint32_t changes = 0;
    VEC(Keyed) keyed = {0};
    for (uint32_t p = 0; p < rnet->n_places; p++)
        if (rnet->places[p].alive) vec_push(&keyed, ((Keyed){changes_key(rnet, p), p}));
    if (keyed.len) qsort(keyed.data, keyed.len, sizeof *keyed.data, compare_keyed);
    for (size_t from = 0, to; from < keyed.len && !budget_spent(budget); from = to) {
        uint32_t keep = keyed.data[from].id;
        for (to = from + 1; to < keyed.len && keyed.data[to].key == keyed.data[from].key; to++) {
            uint32_t other = keyed.data[to].id;
            if (!covers_changes(rnet, keep, other) || !covers_changes(rnet, other, keep)) continue;
            if (rnet->places[other].tokens < rnet->places[keep].tokens) {
                move_guards(rnet, keep, other);
                keep = other;
            } else {
                move_guards(rnet, other, keep);
            }
            changes++;
        }
    }
    vec_free(&keyed);
    return changes;
}

/* ---- places a source transition fills ---- */

static bool supplies(Rnet *rnet, uint32_t t)
{
    const VecArc *arcs = &rnet_transition(rnet, t)->arcs;
    for (size_t i = 0; i < arcs->len; i++) {
        const RArc *arc = &arcs->data[i];
        if (arc->need || arc->inhibit || arc->delta <= 0 || rnet->places[arc->place].shown) return false;
    }
    for (size_t i = 0; i < arcs->len; i++)
        if (rnet_inhibits(rnet, arcs->data[i].place)) return false;
    return arcs->len > 0;
}

uint32_t rule_supply(Rnet *rnet, Budget *budget)
{
    uint32_t changes = 0;
    if (rnet->deadlock) return 0;
    for (uint32_t t = 0; t < rnet->transitions.len && !budget_spent(budget); t++) {
        if (!rnet_transition(rnet, t)->alive || !supplies(rnet, t)) continue;
        LiftStep *step = lift_push(&rnet->lift, LIFT_SUPPLY, (uint32_t)rnet->transitions.len);
        vec_push(&step->fired, t);
        VecU32 places = {0};
        const VecArc *arcs = &rnet_transition(rnet, t)->arcs;
        for (size_t i = 0; i < arcs->len; i++) vec_push(&places, arcs->data[i].place);
        for (size_t i = 0; i < places.len; i++) {
            uint32_t p = places.data[i];
            vec_push(&step->tokens, rnet->places[p].tokens);
            const VecU32 *touching = rnet_touching(rnet, p);
            for (size_t k = 0; k < touching->len; k++) {
                const RArc *arc = rnet_arc(rnet, touching->data[k], p);
                vec_push(&step->arcs, ((LiftArc){touching->data[k], (uint32_t)i, arc->need, arc->delta}));
            }
        }
        lift_complete(step);
        rnet_record(rnet, STEP_FORGET, places.data, places.len);
        rnet_record_one(rnet, STEP_USELESS, t);
        for (size_t i = 0; i < places.len; i++) rnet_remove_place(rnet, places.data[i]);
        rnet_kill(rnet, t);
        vec_free(&places);
        changes++;
    }
    return changes;
}

/* ---- free components ---- */

typedef struct Edge {
    uint32_t from, to, transition;
} Edge;

static bool is_move(Rnet *rnet, uint32_t t, Edge *edge)
{
    const RTransition *transition = rnet_transition(rnet, t);
    if (!transition->alive || transition->arcs.len != 2) return false;
    RArc a = transition->arcs.data[0], b = transition->arcs.data[1];
    if (a.inhibit || b.inhibit) return false;
    if (!(a.delta == 1 && b.delta == -1) && !(a.delta == -1 && b.delta == 1)) return false;
    if (a.delta > 0) {
        RArc swap = a;
        a = b;
        b = swap;
    }
    if (a.need != 1 || b.need != 0 || rnet->places[a.place].shown || rnet->places[b.place].shown) return false;
    *edge = (Edge){a.place, b.place, t};
    return true;
}

typedef struct Components {
    size_t *first; /* edges by source, offsets */
    Edge *edges;
    uint32_t *of, n; /* component of each place */
} Components;

/* Tarjan's algorithm with an explicit stack. */
static void find_components(uint32_t n_places, Components *c)
{
    uint32_t *index = g_new0(uint32_t, n_places), *low = g_new0(uint32_t, n_places), time = 0;
    size_t *next = g_new(size_t, n_places);
    VecU32 path = {0}, open = {0};
    memcpy(next, c->first, n_places * sizeof *next);
    c->of = g_new(uint32_t, n_places);
    memset(c->of, 0xff, n_places * sizeof *c->of);
    for (uint32_t root = 0; root < n_places; root++) {
        if (index[root]) continue;
        vec_push(&path, root);
        while (path.len) {
            uint32_t p = vec_last(&path);
            if (!index[p]) {
                index[p] = low[p] = ++time;
                vec_push(&open, p);
            }
            bool deeper = false;
            for (; next[p] < c->first[p + 1]; next[p]++) {
                uint32_t q = c->edges[next[p]].to;
                if (!index[q]) {
                    vec_push(&path, q);
                    deeper = true;
                    break;
                }
                if (c->of[q] == NET_NONE) low[p] = MIN(low[p], low[q]);
            }
            if (deeper) continue;
            path.len--;
            if (path.len && c->of[p] == NET_NONE) low[vec_last(&path)] = MIN(low[vec_last(&path)], low[p]);
            if (low[p] != index[p]) continue;
            uint32_t member;
            do {
                /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): p is among the open ones */
                member = vec_pop(&open);
                c->of[member] = c->n;
            } while (member != p);
            c->n++;
        }
    }
    g_free(index);
    g_free(low);
    g_free(next);
    vec_free(&path);
    vec_free(&open);
}

COMPARE_BY_BOTH(compare_edges, Edge, from, transition)

/* Fuses the members of a component (two or more) into the first. They fit. */
static void fuse(Rnet *rnet, const uint32_t *members, size_t n, const Components *c)
{
    LiftStep *step = lift_push(&rnet->lift, LIFT_MOVE, (uint32_t)rnet->transitions.len);
    g_autoptr(GHashTable) local = g_hash_table_new(NULL, NULL);
    for (size_t i = 0; i < n; i++)
        g_hash_table_insert(local, GUINT_TO_POINTER(members[i] + 1), GUINT_TO_POINTER(i + 1));
    for (size_t i = 0; i < n; i++) {
        uint32_t p = members[i];
        vec_push(&step->tokens, rnet->places[p].tokens);
        const VecU32 *touching = rnet_touching(rnet, p);
        for (size_t k = 0; k < touching->len; k++) {
            const RArc *arc = rnet_arc(rnet, touching->data[k], p);
            vec_push(&step->arcs, ((LiftArc){touching->data[k], (uint32_t)i, arc->need, arc->delta}));
        }
        for (size_t e = c->first[p]; e < c->first[p + 1]; e++) {
            uint32_t to = GPOINTER_TO_UINT(g_hash_table_lookup(local, GUINT_TO_POINTER(c->edges[e].to + 1)));
            if (to) vec_push(&step->moves, ((LiftMove){(uint32_t)i, to - 1, c->edges[e].transition}));
        }
    }
    lift_complete(step);
    rnet_fuse(rnet, members, n);
}

uint32_t rule_component(Rnet *rnet, Budget *budget)
{
    if (rnet->safe) return 0;
    VEC(Edge) edges = {0};
    uint32_t changes = 0;
    Edge edge;
    for (uint32_t t = 0; t < rnet->transitions.len; t++)
        if (is_move(rnet, t, &edge) && !rnet_inhibits(rnet, edge.from) && !rnet_inhibits(rnet, edge.to))
            vec_push(&edges, edge);
    if (edges.len) qsort(edges.data, edges.len, sizeof *edges.data, compare_edges);
    Components c = {.edges = edges.data, .first = g_new0(size_t, rnet->n_places + 1)};
    for (size_t i = 0; i < edges.len; i++) c.first[edges.data[i].from + 1]++;
    for (uint32_t p = 0; p < rnet->n_places; p++) c.first[p + 1] += c.first[p];
    if (edges.len) {
        find_components(rnet->n_places, &c);
        VEC(Keyed) members = {0};
        for (uint32_t p = 0; p < rnet->n_places; p++)
            if (rnet->places[p].alive) vec_push(&members, ((Keyed){c.of[p], p}));
        if (members.len) qsort(members.data, members.len, sizeof *members.data, compare_keyed);
        VecU32 group = {0};
        for (size_t from = 0, to; from < members.len && !budget_spent(budget); from = to) {
            vec_clear(&group);
            for (to = from; to < members.len && members.data[to].key == members.data[from].key; to++)
                vec_push(&group, members.data[to].id);
            if (group.len < 2 || !rnet_fits_fused(rnet, group.data, group.len)) continue;
            fuse(rnet, group.data, group.len, &c);
            changes++;
        }
        vec_free(&group);
        vec_free(&members);
    }
    g_free(c.of);
    g_free(c.first);
    vec_free(&edges);
    return changes;
}
