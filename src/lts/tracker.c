#include "lts/tracker.h"

#include "base/vec.h"

#include <assert.h>

/* Tests looked at in a unit of work. */
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

static const ArcKind testing[] = {ARC_PRE, ARC_READ, ARC_INHIBIT};

static void compile_guards(Tracker *k)
{
    const Net *net = k->net;
    VEC(TrackerTest) guards = {0};
    k->guard_start = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        for (size_t i = 0; i < G_N_ELEMENTS(testing); i++) {
            NetRow row = net_places(net, testing[i], t);
            for (uint32_t j = 0; j < row.len; j++)
                vec_push(&guards, ((TrackerTest){row.node[j], testing[i] == ARC_INHIBIT, net_weight(row, j)}));
        }
        k->guard_start[t + 1] = (uint32_t)guards.len;
    }
    k->guards = guards.data;
}

/* The guards, sorted by place. */
static void compile_tests(Tracker *k)
{
    const Net *net = k->net;
    uint32_t n_guards = k->guard_start[net->n_transitions];
    k->test_start = g_new0(uint32_t, (size_t)net->n_places + 2);
    k->threshold = g_new0(uint64_t, (size_t)net->n_places + 1);
    k->inhibiting = g_new0(bool, (size_t)net->n_places + 1);
    k->tests = g_new(TrackerTest, (size_t)n_guards + 1);
    for (uint32_t i = 0; i < n_guards; i++) k->test_start[k->guards[i].node + 2]++;
    for (uint32_t p = 0; p < net->n_places; p++) k->test_start[p + 2] += k->test_start[p + 1];
    for (uint32_t t = 0; t < net->n_transitions; t++)
        for (uint32_t i = k->guard_start[t]; i < k->guard_start[t + 1]; i++) {
            TrackerTest guard = k->guards[i];
            k->tests[k->test_start[guard.node + 1]++] = (TrackerTest){t, guard.inhibits, guard.weight};
            k->threshold[guard.node] = MAX(k->threshold[guard.node], guard.weight);
            k->inhibiting[guard.node] |= guard.inhibits;
        }
}

static bool is_unmet(const TrackerTest *test, uint64_t count)
{
    return (count < test->weight) != test->inhibits;
}

static void enable(Tracker *k, uint32_t t)
{
    k->position[t] = k->n_enabled;
    k->enabled[k->n_enabled++] = t;
    k->watched[t] = NET_NONE;
    if (k->groups) k->fireable[k->groups->transition[t]]++;
}

static void watch(Tracker *k, uint32_t t, uint32_t p)
{
    k->watched[t] = p;
    k->sibling[t] = k->watcher[p];
    k->watcher[p] = t;
}

/* Because of p. */
static void disable(Tracker *k, uint32_t t, uint32_t p)
{
    watch(k, t, p);
    uint32_t last = k->enabled[--k->n_enabled];
    k->enabled[k->position[t]] = last;
    k->position[last] = k->position[t];
    if (k->groups) k->fireable[k->groups->transition[t]]--;
}

/* A disabled one that is on no list: it becomes enabled, or watches what keeps it from that. */
static void look_again(Tracker *k, uint32_t t)
{
    for (uint32_t i = k->guard_start[t]; i < k->guard_start[t + 1]; i++) {
        k->looks++;
        if (!is_unmet(&k->guards[i], k->marking[k->guards[i].node])) continue;
        watch(k, t, k->guards[i].node);
        return;
    }
    enable(k, t);
}

Tracker *tracker_new(const Net *net)
{
    Tracker *k = g_new0(Tracker, 1);
    k->net = net;
    compile_changes(k);
    compile_guards(k);
    compile_tests(k);
    k->marking = g_new(uint64_t, (size_t)net->n_places + 1);
    k->watched = g_new(uint32_t, (size_t)net->n_transitions + 1);
    k->sibling = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    k->watcher = g_new(uint32_t, (size_t)net->n_places + 1);
    k->enabled = g_new(uint32_t, (size_t)net->n_transitions + 1);
    k->position = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    memcpy(k->marking, net->initial, net->n_places * sizeof *k->marking);
    memset(k->watcher, 0xff, net->n_places * sizeof *k->watcher);
    for (uint32_t t = 0; t < net->n_transitions; t++) look_again(k, t);
    return k;
}

void tracker_count_groups(Tracker *k, const TrackerGroups *groups)
{
    k->groups = groups;
    k->tokens = g_new0(Total, (size_t)groups->n_places + 1);
    k->fireable = g_new0(uint32_t, (size_t)groups->n_transitions + 1);
    for (uint32_t p = 0; p < k->net->n_places; p++) k->tokens[groups->place[p]] += k->marking[p]; /* fits a Total */
    assert(k->n_enabled <= k->net->n_transitions);
    /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): those before n_enabled are set */
    for (uint32_t i = 0; i < k->n_enabled; i++) k->fireable[groups->transition[k->enabled[i]]]++;
}

void tracker_assign(Tracker *to, const Tracker *from)
{
    const Net *net = from->net;
    memcpy(to->marking, from->marking, net->n_places * sizeof *to->marking);
    memcpy(to->watched, from->watched, net->n_transitions * sizeof *to->watched);
    memcpy(to->sibling, from->sibling, net->n_transitions * sizeof *to->sibling);
    memcpy(to->watcher, from->watcher, net->n_places * sizeof *to->watcher);
    memcpy(to->enabled, from->enabled, from->n_enabled * sizeof *to->enabled);
    for (uint32_t i = 0; i < from->n_enabled; i++) to->position[from->enabled[i]] = i;
    to->n_enabled = from->n_enabled;
    assert(!to->groups == !from->groups);
    if (!from->groups) return;
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
    g_free(k->watched);
    g_free(k->watcher);
    g_free(k->sibling);
    g_free(k->enabled);
    g_free(k->position);
    g_free(k->change_start);
    g_free(k->changes);
    g_free(k->test_start);
    g_free(k->tests);
    g_free(k->guard_start);
    g_free(k->guards);
    g_free(k->threshold);
    g_free(k->inhibiting);
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
}

static bool place_keeps(const Tracker *k, uint32_t t, uint32_t p)
{
    for (uint32_t i = k->guard_start[t]; i < k->guard_start[t + 1]; i++)
        if (k->guards[i].node == p && is_unmet(&k->guards[i], k->marking[p])) return true;
    return false;
}

/* Those that cannot fire any more because of the count at p. */
static void disable_some(Tracker *k, uint32_t p)
{
    enum { GUARDS = 4 }; /* of a transition, about: so much is looked at per enabled one */
    uint32_t from = k->test_start[p], to = k->test_start[p + 1];
    if ((to - from) / GUARDS > k->n_enabled) {
        k->looks += (uint64_t)GUARDS * k->n_enabled;
        for (uint32_t i = k->n_enabled; i-- > 0;) /* the one that takes its place was looked at */
            if (place_keeps(k, k->enabled[i], p)) disable(k, k->enabled[i], p);
        return;
    }
    k->looks += to - from;
    for (uint32_t i = from; i < to; i++)
        if (is_unmet(&k->tests[i], k->marking[p]) && tracker_is_enabled(k, k->tests[i].node))
            disable(k, k->tests[i].node, p);
}

/* Those that watch p. */
static void enable_some(Tracker *k, uint32_t p)
{
    uint32_t t = k->watcher[p];
    k->watcher[p] = NET_NONE;
    while (t != NET_NONE) {
        uint32_t next = k->sibling[t];
        look_again(k, t);
        t = next;
    }
}

uint32_t tracker_unmet(const Tracker *k, uint32_t t)
{
    uint32_t n = 0;
    for (uint32_t i = k->guard_start[t]; i < k->guard_start[t + 1]; i++)
        if (is_unmet(&k->guards[i], k->marking[k->guards[i].node])) n++;
    return n;
}

uint32_t tracker_next_enabled(const Tracker *k, uint32_t from, uint32_t to, uint32_t last)
{
    assert(from <= last && last < to && to <= k->net->n_transitions);
    uint32_t t = last;
    for (uint32_t looks = MIN(to - from, TRACKER_LOOKS); looks > 0; looks--) {
        t = t + 1 == to ? from : t + 1;
        if (tracker_is_enabled(k, t)) return t;
    }
    return NET_NONE;
}

/* Of the changes, all counts first: what is looked at is where the firing leads. */
static void change(Tracker *k, uint32_t t, bool back)
{
    uint32_t n = k->change_start[t + 1] - k->change_start[t];
    if (!n) return;
    const TrackerChange *from = k->changes + k->change_start[t], *to = from + n;
    k->looks += (uint64_t)n * 2;
    for (const TrackerChange *c = from; c < to; c++) {
        uint64_t count = k->marking[c->place];
        set_count(k, c->place, c->grows != back ? count + c->by : count - c->by);
    }
    for (const TrackerChange *c = from; c < to; c++)
        if (k->inhibiting[c->place] || (c->grows == back && k->marking[c->place] < k->threshold[c->place]))
            disable_some(k, c->place);
    for (const TrackerChange *c = from; c < to; c++)
        if (k->inhibiting[c->place] || c->grows != back) enable_some(k, c->place);
}

bool tracker_fire(Tracker *k, uint32_t t)
{
    assert(tracker_is_enabled(k, t));
    for (uint32_t i = k->change_start[t]; i < k->change_start[t + 1]; i++)
        if (k->changes[i].grows && k->marking[k->changes[i].place] > UINT64_MAX - k->changes[i].by) return false;
    change(k, t, false);
    return true;
}

void tracker_unfire(Tracker *k, uint32_t t)
{
    change(k, t, true);
}

uint32_t tracker_units(const Tracker *k, uint64_t before)
{
    return (uint32_t)MIN((k->looks - before) / LOOKS_PER_UNIT, UINT32_MAX / 4);
}
