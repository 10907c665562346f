/* Random nets on which reductions have something to do, and goals for them. */
#pragma once
#include "test.h"

#include "net/builder.h"
#include "prop/formula.h"
#include "random_net.h"

static inline uint64_t sparse_weight(Rng *rng, bool heavy)
{
    return heavy && rng_chance(rng, 3) ? 2 + rng_below(rng, 2) : 1;
}

static inline void sparse_arc(Rng *rng, NetBuilder *b, ArcKind kind, uint32_t places, uint32_t t)
{
    uint64_t weight = 1 + rng_below(rng, 2);
    net_builder_arc(b, kind, (uint32_t)rng_below(rng, places), t, weight);
}

/* Sparse nets, where places have few neighbours, are what the rules like. */
static inline Net *sparse_net(Rng *rng)
{
    g_autoptr(NetBuilder) b = net_builder_new("sparse");
    uint32_t places = 2 + (uint32_t)rng_below(rng, 7), transitions = 1 + (uint32_t)rng_below(rng, 8);
    bool odd = rng_chance(rng, 3), heavy = rng_chance(rng, 4);
    char name[16];
    for (uint32_t p = 0; p < places; p++) {
        g_snprintf(name, sizeof name, "p%u", p);
        net_builder_place(b, name, NULL, rng_chance(rng, 3) ? 1 + rng_below(rng, heavy ? 4 : 2) : 0);
    }
    for (uint32_t t = 0; t < transitions; t++) {
        g_snprintf(name, sizeof name, "t%u", t);
        net_builder_transition(b, name, NULL);
        uint32_t in = rng_chance(rng, 12) ? 0 : 1 + (uint32_t)rng_chance(rng, 4);
        uint32_t out = rng_chance(rng, 8) ? 0 : 1 + (uint32_t)rng_chance(rng, 5);
        for (uint32_t i = 0; i < in + out; i++) {
            uint64_t weight = sparse_weight(rng, heavy);
            net_builder_arc(b, i < in ? ARC_PRE : ARC_POST, (uint32_t)rng_below(rng, places), t, weight);
        }
        if (odd && rng_chance(rng, 4)) sparse_arc(rng, b, ARC_READ, places, t);
        if (odd && rng_chance(rng, 6)) sparse_arc(rng, b, ARC_INHIBIT, places, t);
    }
    return net_builder_finish(b, NULL);
}

/* Tokens go along a line of places, in portions that need not fit each other, and now and then leave it. */
static inline Net *line_net(Rng *rng)
{
    g_autoptr(NetBuilder) b = net_builder_new("line");
    uint32_t steps = 2 + (uint32_t)rng_below(rng, 3);
    char name[16];
    for (uint32_t p = 0; p <= steps; p++) {
        g_snprintf(name, sizeof name, "p%u", p);
        net_builder_place(b, name, NULL, p == 0 ? 1 + rng_below(rng, 6) : (uint64_t)rng_chance(rng, 6));
    }
    for (uint32_t t = 0; t < steps; t++) {
        g_snprintf(name, sizeof name, "t%u", t);
        net_builder_transition(b, name, NULL);
        net_builder_arc(b, ARC_PRE, t, t, 1 + rng_below(rng, 3));
        net_builder_arc(b, ARC_POST, t + 1, t, 1 + rng_below(rng, 3));
        if (rng_chance(rng, 8)) net_builder_arc(b, ARC_POST, (uint32_t)rng_below(rng, t + 1), t, 1);
    }
    if (rng_chance(rng, 3)) {
        net_builder_transition(b, "leave", NULL);
        sparse_arc(rng, b, ARC_PRE, steps + 1, steps);
    }
    return net_builder_finish(b, NULL);
}

/* Components that are copies of each other, between places they share; now and then one arc of one copy is another. */
static inline Net *copies_net(Rng *rng)
{
    enum { MOST_ARCS = 4 };
    g_autoptr(NetBuilder) b = net_builder_new("copies");
    uint32_t copies = 2 + (uint32_t)rng_below(rng, 2), own = 1 + (uint32_t)rng_below(rng, 3), t = 0;
    uint32_t shared = (uint32_t)rng_below(rng, 3), kinds = 1 + (uint32_t)rng_below(rng, 4);
    bool safe = rng_chance(rng, 2), odd = rng_chance(rng, 3);
    char name[16];
    for (uint32_t p = 0; p < shared + copies * own; p++) {
        g_snprintf(name, sizeof name, "p%u", p);
        net_builder_place(b, name, NULL, rng_chance(rng, 2) ? 1 + (safe ? 0 : rng_below(rng, 2)) : 0);
    }
    uint32_t in = 0, arcs = 0, place[MOST_ARCS];
    for (uint32_t kind = 0; kind < kinds; kind++) {
        /* Places below `shared` are shared, others are a copy's own. The same once more is a kind, too. */
        if (!kind || !rng_chance(rng, 4)) {
            in = rng_chance(rng, 12) ? 0 : 1 + (uint32_t)rng_chance(rng, 2);
            arcs = in + (uint32_t)rng_below(rng, 3);
            for (uint32_t a = 0; a < arcs; a++) place[a] = (uint32_t)rng_below(rng, shared + own);
        }
        for (uint32_t copy = 0; copy < copies; copy++, t++) {
            g_snprintf(name, sizeof name, "t%u", t);
            net_builder_transition(b, name, NULL);
            for (uint32_t a = 0; a < arcs; a++) {
                uint32_t p = place[a] < shared ? place[a] : place[a] + copy * own;
                if (odd && rng_chance(rng, 12)) p = (uint32_t)rng_below(rng, shared + copies * own);
                net_builder_arc(b, a < in ? ARC_PRE : ARC_POST, p, t, 1);
            }
        }
    }
    return net_builder_finish(b, NULL);
}

static inline Net *reducible_net(Rng *rng)
{
    GenRandom options = random_kind(rng, 5, 2);
    switch (rng_below(rng, 7)) {
    case 0: return gen_random_safe(rng, &options);
    case 1: return gen_random_bounded(rng, &options);
    case 2: return line_net(rng);
    case 3: return copies_net(rng);
    default: return sparse_net(rng);
    }
}

static inline FormulaId reducible_atom(Rng *rng, FormulaStore *store)
{
    const Net *net = store->net;
    if (rng_chance(rng, 4) && net->n_transitions) {
        uint32_t t = (uint32_t)rng_below(rng, net->n_transitions);
        FormulaId id = formula_fireable(store, &t, 1);
        return rng_chance(rng, 2) ? formula_not(store, id) : id;
    }
    FormulaTerm terms[2];
    size_t n = 1 + (size_t)rng_chance(rng, 3);
    for (size_t i = 0; i < n; i++)
        terms[i] = (FormulaTerm){(uint32_t)rng_below(rng, net->n_places), rng_chance(rng, 2) ? 1 : -1};
    FormulaId id;
    ck_assert(formula_at_most(store, terms, n, (int64_t)rng_below(rng, 7) - 4, &id, NULL));
    return id;
}

static inline FormulaId reducible_goal(Rng *rng, FormulaStore *store)
{
    if (rng_chance(rng, 2)) {
        FormulaId dead = formula_deadlock(store), atom = reducible_atom(rng, store), both[] = {dead, atom};
        if (rng_chance(rng, 4)) return formula_and(store, both, 2);
        return rng_chance(rng, 6) ? formula_or(store, both, 2) : dead;
    }
    FormulaId parts[2] = {reducible_atom(rng, store), reducible_atom(rng, store)};
    if (rng_chance(rng, 3)) return parts[0];
    return rng_chance(rng, 3) ? formula_or(store, parts, 2) : formula_and(store, parts, 2);
}
