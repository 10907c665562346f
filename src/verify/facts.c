#include "verify/facts.h"

/* Of making a trap small: transitions looked at. */
enum { MOST_EFFORT = 1000 * 1000 };

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

/* Transitions whose token in the set may have been the one in p. */
static void push_affected(const Net *net, uint32_t p, VecU32 *check)
{
    NetRow producers = net_transitions(net, ARC_POST, p), readers = net_transitions(net, ARC_READ, p);
    vec_append(check, producers.node, producers.len);
    vec_append(check, readers.node, readers.len);
}

/* Leaves the largest trap within the set; what goes is appended to `gone`. Adds its steps to *effort. */
static void shrink_to_trap(const Net *net, bool *set, VecU32 *check, VecU32 *gone, uint64_t *effort)
{
    while (check->len) {
        uint32_t t = vec_pop(check);
        ++*effort;
        if (leaves_token(net, t, set)) continue;
        NetRow pre = net_places(net, ARC_PRE, t);
        for (uint32_t i = 0; i < pre.len; i++) {
            uint32_t p = pre.node[i];
            if (!set[p]) continue;
            set[p] = false;
            vec_push(gone, p);
            push_affected(net, p, check);
        }
    }
}

static size_t read_set(const Net *net, const bool *set, VecU32 *places)
{
    size_t with_token = 0;
    vec_clear(places);
    for (uint32_t p = 0; p < net->n_places; p++) {
        if (!set[p]) continue;
        vec_push(places, p);
        with_token += net->initial[p] > 0;
    }
    return with_token;
}

bool facts_trap(const Net *net, const bool *marked, VecU32 *places)
{
    g_autofree bool *set = g_new(bool, net->n_places + 1);
    VecU32 check = {0}, gone = {0};
    uint64_t effort = 0;
    for (uint32_t p = 0; p < net->n_places; p++) set[p] = !marked[p];
    for (uint32_t t = 0; t < net->n_transitions; t++) vec_push(&check, t);
    shrink_to_trap(net, set, &check, &gone, &effort);
    vec_free(&check);
    vec_free(&gone);
    return read_set(net, set, places) > 0;
}

void facts_smaller_trap(const Net *net, VecU32 *places)
{
    g_autofree bool *set = g_new0(bool, net->n_places + 1);
    VecU32 check = {0}, gone = {0};
    uint64_t effort = 0;
    size_t with_token = 0;
    for (size_t i = 0; i < places->len; i++) {
        set[places->data[i]] = true;
        with_token += net->initial[places->data[i]] > 0;
    }
    for (size_t i = 0; i < places->len && effort < MOST_EFFORT; i++) {
        uint32_t p = places->data[i];
        if (!set[p]) continue;
        vec_clear(&gone);
        set[p] = false;
        vec_push(&gone, p);
        push_affected(net, p, &check);
        shrink_to_trap(net, set, &check, &gone, &effort);
        size_t lost = 0;
        for (size_t k = 0; k < gone.len; k++) lost += net->initial[gone.data[k]] > 0;
        if (lost < with_token) {
            with_token -= lost;
            continue;
        }
        for (size_t k = 0; k < gone.len; k++) set[gone.data[k]] = true;
    }
    vec_free(&check);
    vec_free(&gone);
    read_set(net, set, places);
}

static void push_firing(const Net *net, ArcKind kind, uint32_t p, const bool *fires, VecU32 *check)
{
    NetRow row = net_transitions(net, kind, p);
    for (uint32_t i = 0; i < row.len; i++)
        if (fires[row.node[i]]) vec_push(check, row.node[i]);
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

/* What can fire because nothing it needs is unfed feeds its places, and so on. */
void facts_unfed(const Net *net, const bool *fires, bool *unfed)
{
    VecU32 check = {0};
    for (uint32_t p = 0; p < net->n_places; p++) unfed[p] = net->initial[p] == 0;
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (fires[t]) vec_push(&check, t);
    while (check.len) {
        uint32_t t = vec_pop(&check);
        if (!facts_feeds(net, t, unfed) || facts_needs(net, t, unfed)) continue;
        NetRow post = net_places(net, ARC_POST, t);
        for (uint32_t i = 0; i < post.len; i++) {
            uint32_t p = post.node[i];
            if (!unfed[p]) continue;
            unfed[p] = false;
            push_firing(net, ARC_PRE, p, fires, &check);
            push_firing(net, ARC_READ, p, fires, &check);
        }
    }
    vec_free(&check);
}
