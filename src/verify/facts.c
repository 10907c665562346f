#include "verify/facts.h"

/* Does t leave a token in a place of the set whenever it takes one from it? */
static bool leaves_token(const Net *net, uint32_t t, const bool *set)
{
    NetRow post = net_places(net, ARC_POST, t), read = net_places(net, ARC_READ, t);
    for (uint32_t i = 0; i < post.len; i++)
        if (set[post.node[i]]) return true;
    for (uint32_t i = 0; i < read.len; i++)
        if (set[read.node[i]] && net_weight(read, i) > net_arc_weight(net, ARC_PRE, t, read.node[i])) return true;
    return false;
}

bool facts_trap(const Net *net, const bool *marked, VecU32 *places)
{
    g_autofree bool *set = g_new(bool, net->n_places + 1);
    VecU32 check = {0};
    for (uint32_t p = 0; p < net->n_places; p++) set[p] = !marked[p];
    for (uint32_t t = 0; t < net->n_transitions; t++) vec_push(&check, t);
    while (check.len) {
        uint32_t t = vec_pop(&check);
        if (leaves_token(net, t, set)) continue;
        NetRow pre = net_places(net, ARC_PRE, t);
        for (uint32_t i = 0; i < pre.len; i++) {
            uint32_t p = pre.node[i];
            if (!set[p]) continue;
            set[p] = false;
            NetRow producers = net_transitions(net, ARC_POST, p), readers = net_transitions(net, ARC_READ, p);
            vec_append(&check, producers.node, producers.len);
            vec_append(&check, readers.node, readers.len);
        }
    }
    vec_free(&check);
    vec_clear(places);
    bool token = false;
    for (uint32_t p = 0; p < net->n_places; p++) {
        if (!set[p]) continue;
        vec_push(places, p);
        token |= net->initial[p] > 0;
    }
    return token;
}

bool facts_needs(const Net *net, uint32_t t, const bool *set)
{
    for (int k = 0; k < 2; k++) {
        NetRow row = net_places(net, k ? ARC_READ : ARC_PRE, t);
        for (uint32_t i = 0; i < row.len; i++)
            if (set[row.node[i]]) return true;
    }
    return false;
}

bool facts_feeds(const Net *net, uint32_t t, const bool *set)
{
    NetRow post = net_places(net, ARC_POST, t);
    for (uint32_t i = 0; i < post.len; i++)
        if (set[post.node[i]]) return true;
    return false;
}

void facts_unfed(const Net *net, const bool *fires, bool *unfed)
{
    bool changed = true;
    for (uint32_t p = 0; p < net->n_places; p++) unfed[p] = net->initial[p] == 0;
    while (changed) {
        changed = false;
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            if (!fires[t] || !facts_feeds(net, t, unfed) || facts_needs(net, t, unfed)) continue;
            NetRow post = net_places(net, ARC_POST, t);
            for (uint32_t i = 0; i < post.len; i++) unfed[post.node[i]] = false;
            changed = true;
        }
    }
}
