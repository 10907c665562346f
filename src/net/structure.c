#include "net/structure.h"

#include <string.h>

static bool is_equal(NetRow a, NetRow b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.node, b.node, a.len * sizeof *a.node) == 0);
}

static uint64_t count_loops(const Net *net)
{
    uint64_t loops = 0;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        NetRow pre = net_places(net, ARC_PRE, t), post = net_places(net, ARC_POST, t);
        for (uint32_t i = 0, j = 0; i < pre.len && j < post.len;) {
            if (pre.node[i] == post.node[j])
                loops++, i++, j++;
            else if (pre.node[i] < post.node[j])
                i++;
            else
                j++;
        }
    }
    return loops;
}

static uint64_t row_sum(NetRow row)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < row.len; i++)
        if (__builtin_add_overflow(sum, net_weight(row, i), &sum)) return UINT64_MAX;
    return sum;
}

static void count_nodes(const Net *net, StructureFacts *facts)
{
    facts->conservative = true;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        NetRow pre = net_places(net, ARC_PRE, t), post = net_places(net, ARC_POST, t);
        facts->source_transitions += pre.len == 0;
        facts->sink_transitions += post.len == 0;
        uint64_t in = row_sum(pre), out = row_sum(post);
        if (in != out || in == UINT64_MAX) facts->conservative = false;
    }
    for (uint32_t p = 0; p < net->n_places; p++) {
        uint32_t out = net_transitions(net, ARC_PRE, p).len, in = net_transitions(net, ARC_POST, p).len;
        uint32_t other = net_transitions(net, ARC_READ, p).len + net_transitions(net, ARC_INHIBIT, p).len;
        facts->isolated_places += !in && !out && !other;
        facts->source_places += !in && (out || other);
        facts->sink_places += in && !out && !other;
        if (__builtin_add_overflow(facts->initial_tokens, net->initial[p], &facts->initial_tokens))
            facts->initial_tokens = UINT64_MAX;
    }
}

static void classify(const Net *net, StructureFacts *facts)
{
    facts->state_machine = facts->marked_graph = facts->free_choice = facts->extended_free_choice = true;
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (net_places(net, ARC_PRE, t).len != 1 || net_places(net, ARC_POST, t).len != 1) facts->state_machine = false;
    for (uint32_t p = 0; p < net->n_places; p++) {
        NetRow out = net_transitions(net, ARC_PRE, p);
        if (out.len > 1 || net_transitions(net, ARC_POST, p).len > 1) facts->marked_graph = false;
        if (out.len < 2) continue;
        NetRow first = net_places(net, ARC_PRE, out.node[0]);
        for (uint32_t i = 0; i < out.len; i++) {
            NetRow pre = net_places(net, ARC_PRE, out.node[i]);
            if (pre.len != 1) facts->free_choice = false;
            if (!is_equal(pre, first)) facts->extended_free_choice = false;
        }
    }
}

StructureFacts structure_facts(const Net *net)
{
    StructureFacts facts = {.max_weight = net_max_weight(net), .loops = count_loops(net)};
    count_nodes(net, &facts);
    facts.ordinary = net_is_ordinary(net);
    facts.pure = facts.loops == 0;
    if (facts.ordinary && net_arc_count(net, ARC_READ) == 0) classify(net, &facts);
    return facts;
}
