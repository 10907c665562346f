#include "net/safeness.h"

#include "base/bitset.h"
#include "base/rng.h"

#include <string.h>

static void use_invariants(const Invariants *invariants, uint64_t *bounded)
{
    for (uint32_t k = 0; invariants && k < invariants->n; k++) {
        const Invariant *y = &invariants->item[k];
        if (y->tokens == UINT64_MAX) continue;
        for (uint32_t i = 0; i < y->len; i++)
            if (y->tokens / y->weight[i] <= 1) bitset_set(bounded, y->place[i]);
    }
}

/* The tokens that transition t moves on arcs of one kind with the places of unit u; 2 stands for more. */
static unsigned count_in_unit(const Net *net, ArcKind kind, uint32_t t, const uint32_t *unit_of, uint32_t u)
{
    NetRow row = net_places(net, kind, t);
    unsigned sum = 0;
    for (uint32_t i = 0; i < row.len && sum < 2; i++)
        if (unit_of[row.node[i]] == u) sum += net_weight(row, i) > 1 ? 2 : 1;
    return MIN(sum, 2);
}

static void use_units(const Net *net, uint64_t *bounded)
{
    const NetNupn *nupn = net->nupn;
    g_autofree uint32_t *unit_of = g_new(uint32_t, (size_t)net->n_places + 1);
    g_autofree uint8_t *bad = g_new0(uint8_t, (size_t)nupn->n_units + 1);
    for (uint32_t u = 0; u < nupn->n_units; u++) {
        uint64_t tokens = 0;
        for (uint32_t i = 0; i < nupn->units[u].n_places; i++) {
            uint32_t p = nupn->units[u].places[i];
            unit_of[p] = u;
            if (net->initial[p] > 1 || (tokens += net->initial[p]) > 1) bad[u] = 1; /* fits: 0 or 1 each */
        }
    }
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        NetRow post = net_places(net, ARC_POST, t);
        for (uint32_t i = 0; i < post.len; i++) {
            uint32_t u = unit_of[post.node[i]];
            unsigned in = count_in_unit(net, ARC_PRE, t, unit_of, u), out = count_in_unit(net, ARC_POST, t, unit_of, u);
            /* A transition that needs two tokens of the unit can never fire while the sum is at most 1. */
            if (in < 2 && out > in) bad[u] = 1;
        }
    }
    for (uint32_t p = 0; p < net->n_places; p++)
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): every place is in a unit */
        if (!bad[unit_of[p]]) bitset_set(bounded, p);
}

static bool is_unsafe(const Net *net, const uint64_t *marking)
{
    for (uint32_t p = 0; p < net->n_places; p++)
        if (marking[p] > 1) return true;
    return false;
}

/* Firings are chosen round-robin from a random start, restarted now and then; the number of arcs looked at is
 * limited so that large nets do not take long. */
static bool walk_is_unsafe(const Net *net)
{
    enum { MAX_STEPS = 2000, RUN = 400, MAX_LOOKS = 4000000 };
    if (is_unsafe(net, net->initial)) return true;
    g_autofree uint64_t *marking = g_new(uint64_t, (size_t)net->n_places + 1);
    Rng rng = {1};
    uint64_t looks = 0;
    for (uint32_t step = 0; step < MAX_STEPS && looks < MAX_LOOKS && net->n_transitions; step++) {
        if (step % RUN == 0 && net->n_places) memcpy(marking, net->initial, net->n_places * sizeof *marking);
        uint32_t t = (uint32_t)rng_below(&rng, net->n_transitions), tried = 0;
        while (tried < net->n_transitions && !net_enabled(net, marking, t)) {
            t = t + 1 < net->n_transitions ? t + 1 : 0;
            tried++;
        }
        looks += tried + 1;
        if (tried == net->n_transitions) {
            step += RUN - step % RUN - 1;
            continue;
        }
        if (!net_fire(net, marking, t)) return true;
        NetRow post = net_places(net, ARC_POST, t);
        for (uint32_t i = 0; i < post.len; i++)
            if (marking[post.node[i]] > 1) return true;
    }
    return false;
}

SafeAnswer safeness_decide(const Net *net, const Invariants *invariants, const char **reason)
{
    const char *ignored;
    if (!reason) reason = &ignored;
    size_t words = bitset_words(net->n_places);
    g_autofree uint64_t *bounded = g_new0(uint64_t, words + 1);
    *reason = "NUPN units that no transition fills up";
    if (net->nupn) use_units(net, bounded);
    if (bitset_count(bounded, words) == net->n_places) return SAFE_YES;
    *reason = "place invariants";
    use_invariants(invariants, bounded);
    if (bitset_count(bounded, words) == net->n_places) return SAFE_YES;
    *reason = "a walk put two tokens in a place";
    if (walk_is_unsafe(net)) return SAFE_NO;
    *reason = "not decided by structure";
    return SAFE_UNKNOWN;
}
