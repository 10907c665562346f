#include "certify/last_firing.h"

#include "certify/wide.h"

static bool has_effect(const Net *net, uint32_t t)
{
    for (int k = 0; k < 2; k++) {
        NetRow row = net_places(net, k ? ARC_POST : ARC_PRE, t);
        for (uint32_t i = 0; i < row.len; i++)
            if (net_arc_weight(net, ARC_PRE, t, row.node[i]) != net_arc_weight(net, ARC_POST, t, row.node[i]))
                return true;
    }
    return false;
}

/* p has at least so many tokens, or (not) fewer. */
static void push_test(Cnf *cnf, const CnfTests *tests, uint32_t p, Int128 count, bool least, VecI32 *parts)
{
    if (count > (Int128)UINT64_MAX) return;
    int32_t there = count > 0 ? tests->tokens(cnf, p, (uint64_t)count, tests->data) : cnf->truth;
    vec_push(parts, least ? there : -there);
}

/* A literal for: t may have fired last. */
static int32_t left_by(const Net *net, uint32_t t, Cnf *cnf, const CnfTests *tests)
{
    static const ArcKind kinds[] = {ARC_POST, ARC_READ, ARC_INHIBIT};
    VecI32 parts = {0};
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        NetRow row = net_places(net, kinds[k], t);
        for (uint32_t i = 0; i < row.len; i++) {
            uint32_t p = row.node[i];
            Int128 takes = net_arc_weight(net, ARC_PRE, t, p), reads = net_arc_weight(net, ARC_READ, t, p);
            Int128 effect = (Int128)net_arc_weight(net, ARC_POST, t, p) - takes;
            bool least = kinds[k] != ARC_INHIBIT;
            push_test(cnf, tests, p, effect + (least ? MAX(takes, reads) : (Int128)net_weight(row, i)), least, &parts);
        }
    }
    int32_t result = cnf_and(cnf, parts.data, parts.len);
    vec_free(&parts);
    return result;
}

static int32_t is_initial(const Net *net, Cnf *cnf, const CnfTests *tests)
{
    VecI32 parts = {0};
    for (uint32_t p = 0; p < net->n_places && !cnf->stopped; p++) {
        push_test(cnf, tests, p, (Int128)net->initial[p], true, &parts);
        push_test(cnf, tests, p, (Int128)net->initial[p] + 1, false, &parts);
    }
    int32_t result = cnf_and(cnf, parts.data, parts.len);
    vec_free(&parts);
    return result;
}

void last_firing_clauses(const Net *net, Cnf *cnf, const CnfTests *tests)
{
    VecI32 ways = {0};
    vec_push(&ways, is_initial(net, cnf, tests));
    for (uint32_t t = 0; t < net->n_transitions && !cnf->stopped; t++)
        if (has_effect(net, t)) vec_push(&ways, left_by(net, t, cnf, tests));
    cnf_clause(cnf, ways.data, ways.len);
    vec_free(&ways);
}
