/* Random state formulas over a net, as text of the expression language. */
#pragma once
#include "base/rng.h"
#include "net/net.h"

static void random_formula_atom(Rng *rng, const Net *net, GString *out)
{
    if (net->n_transitions && rng_chance(rng, 3)) {
        g_string_append_printf(out, "fireable(\"%s\"",
                               net_transition_id(net, (uint32_t)rng_below(rng, net->n_transitions)));
        if (rng_chance(rng, 3))
            g_string_append_printf(out, ", \"%s\"",
                                   net_transition_id(net, (uint32_t)rng_below(rng, net->n_transitions)));
        g_string_append_c(out, ')');
        return;
    }
    if (rng_chance(rng, 8) || net->n_places == 0) {
        g_string_append(out, "deadlock");
        return;
    }
    uint64_t terms = 1 + rng_below(rng, 4);
    for (uint64_t i = 0; i < terms; i++) {
        const char *place = net_place_id(net, (uint32_t)rng_below(rng, net->n_places));
        unsigned factor = 1 + (unsigned)rng_below(rng, 3);
        const char *sign = i == 0 ? "" : rng_chance(rng, 3) ? " - " : " + ";
        g_string_append_printf(out, "%s%u*\"%s\"", sign, factor, place);
    }
    static const char *const signs[] = {"<=", ">=", "==", "!=", "<", ">"};
    unsigned bound = (unsigned)rng_below(rng, 5);
    g_string_append_printf(out, " %s %u", signs[rng_below(rng, 6)], bound);
}

static void random_formula(Rng *rng, const Net *net, int depth, GString *out)
{
    if (depth == 0 || rng_chance(rng, 4)) {
        random_formula_atom(rng, net, out);
        return;
    }
    if (rng_chance(rng, 4)) g_string_append_c(out, '!');
    g_string_append_c(out, '(');
    random_formula(rng, net, depth - 1, out);
    g_string_append(out, rng_chance(rng, 2) ? " && " : " || ");
    random_formula(rng, net, depth - 1, out);
    g_string_append_c(out, ')');
}
