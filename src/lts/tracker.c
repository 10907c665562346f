#include "lts/tracker.h"

#include "base/vec.h"

#include <assert.h>

/* Tests of a place looked at in a unit of work. */
enum { LOOKS_PER_UNIT = 5 };

static void compile_changes(Tracker *k)
{
    const Net *net = k->net;
    VEC(TrackerChange) changes = {0};
    k->change_start = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        NetRow pre = net_places(net, ARC_PRE, t), post = net_places(net, ARC_POST, t);
        /* Rows are sorted: merge them. */
        for (uint32_t i = 0, j = 0; i < pre.len || j < post.len;) {
            uint32_t p = MIN(i < pre.len ? pre.node[i] : NET_NONE, j < post.len ? post.node[j] : NET_NONE);
            uint64_t take = i < pre.len && pre.node[i] == p ? net_weight(pre, i++) : 0;
            uint64_t put = j < post.len && post.node[j] == p ? net_weight(post, j++) : 0;
            if (take != put) vec_push(&changes, ((TrackerChange){p, put > take, put > take ? put - take : take - put}));
        }
        k->change_start[t + 1] = (uint32_t)changes.len;
    }
    k->changes = changes.data;
}

static void compile_tests(Tracker *k)
{
    const Net *net = k->net;
    static const ArcKind kinds[] = {ARC_PRE, ARC_READ, ARC_INHIBIT};
    k->test_start = g_new0(uint32_t, (size_t)net->n_places + 2);
    k->threshold = g_new0(uint64_t, (size_t)net->n_places + 1);
    for (int i = 0; i < 3; i++)
        for (uint32_t p = 0; p < net->n_places; p++) k->test_start[p + 2] += net_transitions(net, kinds[i], p).len;
    for (uint32_t p = 0; p < net->n_places; p++) k->test_start[p + 2] += k->test_start[p + 1];
    k->tests = g_new(TrackerTest, (size_t)k->test_start[net->n_places + 1] + 1);
    for (int i = 0; i < 3; i++)
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            NetRow row = net_places(net, kinds[i], t);
            for (uint32_t j = 0; j < row.len; j++) {
                uint32_t p = row.node[j];
                uint64_t w = net_weight(row, j);
                k->tests[k->test_start[p + 1]++] = (TrackerTest){t, kinds[i] == ARC_INHIBIT, w};
                k->threshold[p] = MAX(k->threshold[p], w);
            }
        }
}

static void enable(Tracker *k, uint32_t t)
{
    k->position[t] = k->n_enabled;
    k->enabled[k->n_enabled++] = t;
    if (k->groups) k->fireable[k->groups->transition[t]]++;
}

static void disable(Tracker *k, uint32_t t)
{
    uint32_t last = k->enabled[--k->n_enabled];
    k->enabled[k->position[t]] = last;
    k->position[last] = k->position[t];
    if (k->groups) k->fireable[k->groups->transition[t]]--;
}

Tracker *tracker_new(const Net *net)
{
    Tracker *k = g_new0(Tracker, 1);
    k->net = net;
    compile_changes(k);
    compile_tests(k);
    k->marking = g_new(uint64_t, (size_t)net->n_places + 1);
    k->unmet = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    k->enabled = g_new(uint32_t, (size_t)net->n_transitions + 1);
    k->position = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    memcpy(k->marking, net->initial, net->n_places * sizeof *k->marking);
    for (uint32_t p = 0; p < net->n_places; p++)
        for (uint32_t i = k->test_start[p]; i < k->test_start[p + 1]; i++)
            k->unmet[k->tests[i].transition] += (net->initial[p] < k->tests[i].weight) != k->tests[i].inhibits;
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (!k->unmet[t]) enable(k, t);
    return k;
}

void tracker_count_groups(Tracker *k, const TrackerGroups *groups)
{
    k->groups = groups;
    k->tokens = g_new0(Total, (size_t)groups->n_places + 1);
    k->fireable = g_new0(uint32_t, (size_t)groups->n_transitions + 1);
    for (uint32_t p = 0; p < k->net->n_places; p++) k->tokens[groups->place[p]] += k->marking[p]; /* fits a Total */
    for (uint32_t i = 0; i < k->n_enabled; i++) k->fireable[groups->transition[k->enabled[i]]]++;
}

void tracker_assign(Tracker *to, const Tracker *from)
{
    const Net *net = from->net;
    memcpy(to->marking, from->marking, net->n_places * sizeof *to->marking);
    memcpy(to->unmet, from->unmet, net->n_transitions * sizeof *to->unmet);
    memcpy(to->enabled, from->enabled, from->n_enabled * sizeof *to->enabled);
    for (uint32_t i = 0; i < from->n_enabled; i++) to->position[from->enabled[i]] = i;
    to->n_enabled = from->n_enabled;
    if (!to->groups) return;
    memcpy(to->tokens, from->tokens, from->groups->n_places * sizeof *to->tokens);
    memcpy(to->fireable, from->fireable, from->groups->n_transitions * sizeof *to->fireable);
}

Tracker *tracker_copy(const Tracker *from)
{
    Tracker *k = tracker_new(from->net);
    if (from->groups) tracker_count_groups(k, from->groups);
    tracker_assign(k, from);
    return k;
}

void tracker_free(Tracker *k)
{
    if (!k) return;
    g_free(k->marking);
    g_free(k->unmet);
    g_free(k->enabled);
    g_free(k->position);
    g_free(k->change_start);
    g_free(k->changes);
    g_free(k->test_start);
    g_free(k->tests);
    g_free(k->threshold);
    g_free(k->tokens);
    g_free(k->fireable);
    g_free(k);
}

static void set_count(Tracker *k, uint32_t p, uint64_t count)
{
    uint64_t old = k->marking[p];
    k->marking[p] = count;
    if (k->groups && count > old) k->tokens[k->groups->place[p]] += count - old; /* fits a Total */
    if (k->groups && count < old) k->tokens[k->groups->place[p]] -= old - count; /* fits: the group had it */
    if (MIN(old, count) >= k->threshold[p]) return;
    for (uint32_t i = k->test_start[p]; i < k->test_start[p + 1]; i++) {
        const TrackerTest *test = &k->tests[i];
        bool before = (old < test->weight) != test->inhibits, after = (count < test->weight) != test->inhibits;
        if (before == after) continue;
        uint32_t t = test->transition;
        if (after) {
            if (k->unmet[t]++ == 0) disable(k, t);
        } else if (--k->unmet[t] == 0) {
            enable(k, t);
        }
    }
}

uint32_t tracker_next_enabled(const Tracker *k, uint32_t from, uint32_t to, uint32_t last)
{
    assert(from <= last && last < to && to <= k->net->n_transitions);
    uint32_t t = last;
    for (uint32_t looks = MIN(to - from, TRACKER_LOOKS); looks > 0; looks--) {
        t = t + 1 == to ? from : t + 1;
        if (!k->unmet[t]) return t;
    }
    return NET_NONE;
}

bool tracker_fire(Tracker *k, uint32_t t)
{
    assert(tracker_is_enabled(k, t));
    uint32_t from = k->change_start[t], to = k->change_start[t + 1];
    for (uint32_t i = from; i < to; i++)
        if (k->changes[i].grows && k->marking[k->changes[i].place] > UINT64_MAX - k->changes[i].by) return false;
    for (uint32_t i = from; i < to; i++) {
        const TrackerChange *c = &k->changes[i];
        set_count(k, c->place, c->grows ? k->marking[c->place] + c->by : k->marking[c->place] - c->by);
    }
    return true;
}

void tracker_unfire(Tracker *k, uint32_t t)
{
    for (uint32_t i = k->change_start[t]; i < k->change_start[t + 1]; i++) {
        const TrackerChange *c = &k->changes[i];
        set_count(k, c->place, c->grows ? k->marking[c->place] - c->by : k->marking[c->place] + c->by);
    }
}

uint32_t tracker_units(const Tracker *k)
{
    uint64_t looks = 0, n = k->net->n_transitions;
    for (uint32_t i = 0; n && i < k->change_start[n]; i++) {
        uint32_t p = k->changes[i].place;
        looks += 2 + k->test_start[p + 1] - k->test_start[p];
    }
    return 2 + (uint32_t)(looks / MAX(n, 1) / LOOKS_PER_UNIT);
}
