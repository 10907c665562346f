#include "net/gen.h"

#include "net/builder.h"

#include <assert.h>

static uint32_t drawn(Rng *rng, uint32_t given, uint32_t low, uint32_t high)
{
    return given ? given : low + (uint32_t)rng_below(rng, high - low + 1);
}

static bool percent(Rng *rng, unsigned chance)
{
    return rng_below(rng, 100) < chance;
}

/* k different members of 0..n-1 at the front of a permutation. */
static void shuffle(Rng *rng, uint32_t *items, uint32_t n, uint32_t k)
{
    for (uint32_t i = 0; i < n; i++) items[i] = i;
    for (uint32_t i = 0; i < k; i++) {
        uint32_t j = i + (uint32_t)rng_below(rng, n - i), x = items[i];
        items[i] = items[j];
        items[j] = x;
    }
}

/* ---- safe ---- */

typedef struct SafeDraw {
    Rng *rng;
    const GenRandom *options;
    NetBuilder *builder;
    uint32_t components, states;
    uint32_t lock;   /* place of a mutex, or NET_NONE */
    uint32_t *order; /* components in random order */
    bool *entered;   /* states that an earlier transition leads to: makes transitions likely to be fireable */
} SafeDraw;

static uint32_t state_place(const SafeDraw *d, uint32_t component, uint32_t state)
{
    return component * d->states + state;
}

static uint32_t source_state(SafeDraw *d, uint32_t component, uint32_t below)
{
    for (int tries = 0; tries < 8; tries++) {
        uint32_t s = (uint32_t)rng_below(d->rng, below);
        if (d->entered[state_place(d, component, s)]) return s;
    }
    return (uint32_t)rng_below(d->rng, below);
}

static uint32_t target_state(SafeDraw *d, uint32_t from, bool advance)
{
    if (d->options->acyclic) {
        uint32_t low = advance || !d->options->loops ? from + 1 : from;
        if (low >= d->states) return from;
        return low + (uint32_t)rng_below(d->rng, d->states - low);
    }
    if (d->options->loops && percent(d->rng, 15)) return from;
    return (from + 1 + (uint32_t)rng_below(d->rng, d->states - 1)) % d->states;
}

static void move_component(SafeDraw *d, uint32_t t, uint32_t c, bool first)
{
    uint32_t from = source_state(d, c, d->options->acyclic && first ? d->states - 1 : d->states);
    uint32_t to = target_state(d, from, first);
    /* Without loops a last state can only be left for good. */
    bool sink = (d->options->sinks && percent(d->rng, 6)) || (to == from && !d->options->loops);
    net_builder_arc(d->builder, ARC_PRE, state_place(d, c, from), t, 1);
    if (sink) return;
    net_builder_arc(d->builder, ARC_POST, state_place(d, c, to), t, 1);
    d->entered[state_place(d, c, to)] = true;
}

static void test_components(SafeDraw *d, uint32_t t, ArcKind kind, uint32_t from, uint32_t most)
{
    uint32_t n = 1 + (uint32_t)rng_below(d->rng, most);
    n = MIN(n, d->components - from);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = d->order[from + i];
        net_builder_arc(d->builder, kind, state_place(d, c, source_state(d, c, d->states)), t, 1);
    }
}

static void safe_transition(SafeDraw *d, uint32_t number)
{
    char id[16];
    g_snprintf(id, sizeof id, "t%u", number);
    uint32_t t = net_builder_transition(d->builder, id, NULL);
    static const uint8_t spread[] = {1, 1, 1, 2, 2, 3};
    uint32_t moves = spread[rng_below(d->rng, sizeof spread)];
    moves = MIN(moves, d->components);
    shuffle(d->rng, d->order, d->components, d->components);
    for (uint32_t i = 0; i < moves; i++) move_component(d, t, d->order[i], i == 0);
    if (d->lock != NET_NONE && percent(d->rng, 30)) {
        net_builder_arc(d->builder, ARC_PRE, d->lock, t, 1);
        net_builder_arc(d->builder, ARC_POST, d->lock, t, 1);
    }
    if (d->options->reads && percent(d->rng, 60)) test_components(d, t, ARC_READ, moves, 2);
    if (d->options->inhibitors && percent(d->rng, 30)) test_components(d, t, ARC_INHIBIT, moves, 1);
}

Net *gen_random_safe(Rng *rng, const GenRandom *options)
{
    SafeDraw d = {
        .rng = rng,
        .options = options,
        .builder = net_builder_new("random-safe"),
        .components = drawn(rng, options->components, 2, 4),
        .states = drawn(rng, options->states, 2, 4),
        .lock = NET_NONE,
    };
    d.states = MAX(d.states, 2);
    uint32_t transitions = drawn(rng, options->transitions, 3, 8);
    d.order = g_new(uint32_t, d.components);
    d.entered = g_new0(bool, (size_t)d.components *d.states);
    for (uint32_t c = 0; c < d.components; c++)
        for (uint32_t s = 0; s < d.states; s++) {
            char id[32];
            g_snprintf(id, sizeof id, "p%u_%u", c, s);
            net_builder_place(d.builder, id, NULL, s == 0);
            d.entered[state_place(&d, c, s)] = s == 0;
        }
    if (options->loops && percent(rng, 40)) d.lock = net_builder_place(d.builder, "lock", NULL, 1);
    for (uint32_t i = 0; i < transitions; i++) safe_transition(&d, i);
    Net *net = net_builder_finish(d.builder, NULL);
    assert(net);
    net_builder_free(d.builder);
    g_free(d.order);
    g_free(d.entered);
    return net;
}

/* ---- bounded ---- */

typedef struct BoundedDraw {
    Rng *rng;
    const GenRandom *options;
    NetBuilder *builder;
    uint32_t places;
    uint32_t *order, *value;
    bool *entered; /* marked at first or by an earlier transition: makes transitions likely to be fireable */
} BoundedDraw;

static uint32_t arc_weight(BoundedDraw *d)
{
    uint32_t most = MAX(d->options->weight, 1);
    return percent(d->rng, 70) ? 1 : 1 + (uint32_t)rng_below(d->rng, most);
}

/* Puts an entered place at position i of the order, mostly. */
static void prefer_entered(BoundedDraw *d, uint32_t i)
{
    if (percent(d->rng, 10)) return;
    for (uint32_t k = i; k < d->places; k++) {
        if (!d->entered[d->order[k]]) continue;
        uint32_t p = d->order[k];
        d->order[k] = d->order[i];
        d->order[i] = p;
        return;
    }
}

static void bounded_transition(BoundedDraw *d, uint32_t number)
{
    char id[16];
    g_snprintf(id, sizeof id, "t%u", number);
    uint32_t t = net_builder_transition(d->builder, id, NULL);
    uint32_t inputs = 1 + (uint32_t)rng_below(d->rng, 2);
    inputs = MIN(inputs, d->places);
    shuffle(d->rng, d->order, d->places, d->places);
    for (uint32_t i = 0; i < inputs; i++) prefer_entered(d, i);
    uint64_t left = 0;
    for (uint32_t i = 0; i < inputs; i++) {
        uint32_t w = arc_weight(d);
        net_builder_arc(d->builder, ARC_PRE, d->order[i], t, w);
        left += (uint64_t)w * d->value[d->order[i]];
    }
    if (d->options->acyclic) left--;
    if (d->options->sinks && percent(d->rng, 10)) left = 0;
    for (int tries = 0; tries < 8 && left; tries++) {
        uint32_t k = (uint32_t)rng_below(d->rng, d->places), p = d->order[k];
        uint32_t w = arc_weight(d);
        if ((k < inputs && !d->options->loops) || (uint64_t)w * d->value[p] > left) continue;
        net_builder_arc(d->builder, ARC_POST, p, t, w);
        d->entered[p] = true;
        left -= (uint64_t)w * d->value[p];
    }
    if (d->options->reads && percent(d->rng, 40)) {
        uint32_t k = (uint32_t)rng_below(d->rng, d->places);
        prefer_entered(d, k);
        net_builder_arc(d->builder, ARC_READ, d->order[k], t, arc_weight(d));
    }
    if (d->options->inhibitors && percent(d->rng, 30)) {
        uint64_t weight = arc_weight(d); /* drawn one after the other: compilers order arguments as they like */
        net_builder_arc(d->builder, ARC_INHIBIT, d->order[rng_below(d->rng, d->places)], t, weight);
    }
}

Net *gen_random_bounded(Rng *rng, const GenRandom *options)
{
    BoundedDraw d = {
        .rng = rng,
        .options = options,
        .builder = net_builder_new(options->inhibitors ? "random-inhibitor" : "random-bounded"),
        .places = drawn(rng, options->places, 2, 7),
    };
    uint32_t transitions = drawn(rng, options->transitions, 2, 6);
    uint32_t tokens = options->tokens ? options->tokens : 3;
    d.order = g_new(uint32_t, d.places);
    d.value = g_new(uint32_t, d.places);
    d.entered = g_new(bool, d.places);
    for (uint32_t p = 0; p < d.places; p++) {
        char id[16];
        g_snprintf(id, sizeof id, "p%u", p);
        d.entered[p] = p == 0 || percent(rng, 40);
        net_builder_place(d.builder, id, NULL, d.entered[p] ? 1 + rng_below(rng, tokens) : 0);
        d.value[p] = percent(rng, 60) ? 1 : 1 + (uint32_t)rng_below(rng, 3);
    }
    for (uint32_t i = 0; i < transitions; i++) bounded_transition(&d, i);
    Net *net = net_builder_finish(d.builder, NULL);
    assert(net);
    net_builder_free(d.builder);
    g_free(d.order);
    g_free(d.value);
    g_free(d.entered);
    return net;
}
