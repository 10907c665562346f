/* Nets as no generator of ours makes them: sources and sinks, transitions without any arc, dead and isolated nodes,
 * read arcs of weight above 1, reading, consuming, producing and inhibiting on one place, weights up to 2^64 - 1, and
 * units that say more than is true. Bounded or not; often safe. */
#pragma once
#include "extreme.h"

typedef struct OddShape {
    bool safe;   /* most arcs move a token along a line of places */
    bool tame;   /* weights and counts stay small */
    bool wild;   /* may produce more than it consumes */
    bool reads;  /* read arcs and loops */
    bool guards; /* inhibitor arcs */
    uint32_t ballast;
} OddShape;

/* Nodes are counted behind the ballast. */
static inline void odd_arc(const OddShape *shape, NetBuilder *builder, ArcKind kind, uint32_t p, uint32_t t,
                           uint64_t weight)
{
    net_builder_arc(builder, kind, shape->ballast + p, shape->ballast + t, weight);
}

static inline OddShape odd_shape(Rng *rng)
{
    return (OddShape){.safe = rng_chance(rng, 2),
                      .tame = !rng_chance(rng, 3),
                      .wild = rng_chance(rng, 4),
                      .reads = rng_chance(rng, 2),
                      .guards = rng_chance(rng, 3)};
}

static inline uint64_t odd_weight(Rng *rng, const OddShape *shape)
{
    if (shape->safe || !rng_chance(rng, 3)) return 1;
    return shape->tame || rng_chance(rng, 2) ? 1 + rng_below(rng, 3) : extreme_factor(rng);
}

/* A run of places through which tokens go, now and then in two arms; sometimes from or to nowhere. */
static inline void odd_moves(Rng *rng, const OddShape *shape, NetBuilder *builder, uint32_t places, uint32_t t)
{
    uint32_t inputs = rng_chance(rng, 12) ? 0 : 1 + (uint32_t)rng_chance(rng, 3);
    uint32_t outputs = rng_chance(rng, 6) ? 0 : 1 + (uint32_t)rng_chance(rng, 3);
    if (!shape->wild && outputs > inputs) outputs = inputs;
    for (uint32_t i = 0; i < MAX(inputs, outputs); i++) {
        uint32_t from = (uint32_t)rng_below(rng, places), to = (uint32_t)rng_below(rng, places);
        uint64_t weight = odd_weight(rng, shape);
        if (i < inputs) odd_arc(shape, builder, ARC_PRE, from, t, weight);
        if (i < outputs) odd_arc(shape, builder, ARC_POST, to, t, shape->wild ? odd_weight(rng, shape) : weight);
    }
}

static inline void odd_tests(Rng *rng, const OddShape *shape, NetBuilder *builder, uint32_t places, uint32_t t)
{
    uint32_t p = (uint32_t)rng_below(rng, places);
    if (shape->reads && rng_chance(rng, 2)) {
        odd_arc(shape, builder, ARC_READ, p, t, shape->safe && !rng_chance(rng, 6) ? 1 : 1 + rng_below(rng, 3));
        if (rng_chance(rng, 3)) odd_arc(shape, builder, ARC_PRE, p, t, odd_weight(rng, shape));
        if (rng_chance(rng, 3)) odd_arc(shape, builder, ARC_POST, p, t, odd_weight(rng, shape));
    }
    if (shape->reads && rng_chance(rng, 3)) { /* the same token, which nobody else may hold meanwhile */
        uint32_t held = (uint32_t)rng_below(rng, places);
        odd_arc(shape, builder, ARC_PRE, held, t, 1);
        odd_arc(shape, builder, ARC_POST, held, t, 1);
    }
    if (shape->guards && rng_chance(rng, 2)) {
        uint64_t weight = odd_weight(rng, shape), more = rng_chance(rng, 3);
        odd_arc(shape, builder, ARC_INHIBIT, (uint32_t)rng_below(rng, places), t, MAX(weight + more, 1));
    }
}

/* One unit per place or all in one, called safe whether or not that is so. */
static inline NetNupn *odd_units(Rng *rng, uint32_t places)
{
    NetNupn *nupn = g_new0(NetNupn, 1);
    uint32_t n = rng_chance(rng, 2) ? 2 : 1 + places;
    *nupn = (NetNupn){.units = g_new0(NetUnit, n), .n_units = n, .safe = true};
    nupn->units[0] = (NetUnit){.id = g_strdup("root"), .subunits = g_new0(uint32_t, n), .n_subunits = n - 1};
    for (uint32_t u = 1; u < n; u++) {
        uint32_t held = n == 2 ? places : 1;
        nupn->units[0].subunits[u - 1] = u;
        nupn->units[u] = (NetUnit){.id = g_strdup_printf("u%u", u), .places = g_new0(uint32_t, held), .n_places = held};
        for (uint32_t i = 0; i < held; i++) nupn->units[u].places[i] = n == 2 ? i : u - 1;
    }
    return nupn;
}

/* Dead transitions, each on an empty place. */
static inline void odd_ballast(NetBuilder *builder, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char id[16];
        g_snprintf(id, sizeof id, "b%u", i);
        net_builder_place(builder, id, NULL, i % 2);
        net_builder_transition(builder, id, NULL);
        net_builder_arc(builder, ARC_PRE, i & ~UINT32_C(1), i, 1 + i % 2);
    }
}

/* NULL: parallel arcs together pass 2^64 - 1. */
static inline Net *odd_net_try(Rng *rng, uint32_t ballast)
{
    OddShape shape = odd_shape(rng);
    shape.ballast = ballast;
    uint32_t places = 1 + (uint32_t)rng_below(rng, 7), transitions = 1 + (uint32_t)rng_below(rng, 7);
    g_autoptr(NetBuilder) builder = net_builder_new("odd");
    odd_ballast(builder, ballast);
    for (uint32_t p = 0; p < places; p++) {
        char id[16];
        g_snprintf(id, sizeof id, "p%u", p);
        uint64_t some = shape.safe ? 1 : odd_weight(rng, &shape) + rng_below(rng, 2);
        net_builder_place(builder, id, NULL, rng_chance(rng, 2) ? some : 0);
    }
    for (uint32_t t = 0; t < transitions; t++) {
        char id[16];
        g_snprintf(id, sizeof id, "t%u", t);
        net_builder_transition(builder, id, NULL);
        if (!rng_chance(rng, 30)) odd_moves(rng, &shape, builder, places, t);
        odd_tests(rng, &shape, builder, places, t);
    }
    if (rng_chance(rng, 4)) net_builder_set_nupn(builder, odd_units(rng, ballast + places));
    return net_builder_finish(builder, NULL);
}

/* The same net for every number of ballast nodes: so many dead transitions and unmoved places come first. */
static inline Net *odd_net(Rng *rng, uint32_t ballast)
{
    Net *net = NULL;
    while (!net) net = odd_net_try(rng, ballast);
    return net;
}
