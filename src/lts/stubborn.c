#include "lts/stubborn.h"

#include <assert.h>

/* Sets tried per marking, each grown from another enabled transition; after PATIENCE without a smaller one, enough. */
enum { TRIES = 32, PATIENCE = 6, LONG_ROW = 24 };

/* ---- rows ---- */

typedef struct Pairs {
    VecU32 row, item;
} Pairs;

static void pair(Pairs *pairs, uint32_t row, uint32_t item)
{
    vec_push(&pairs->row, row);
    vec_push(&pairs->item, item);
}

static StubbornRows rows_of(Pairs *pairs, uint32_t n)
{
    StubbornRows rows = {g_new0(uint32_t, (size_t)n + 2), g_new(uint32_t, pairs->item.len + 1)};
    for (size_t i = 0; i < pairs->row.len; i++) rows.start[pairs->row.data[i] + 2]++;
    for (uint32_t r = 0; r < n; r++) rows.start[r + 2] += rows.start[r + 1];
    for (size_t i = 0; i < pairs->row.len; i++) rows.item[rows.start[pairs->row.data[i] + 1]++] = pairs->item.data[i];
    vec_free(&pairs->row);
    vec_free(&pairs->item);
    return rows;
}

static void collect_tests(const Net *net, uint32_t t, Pairs *needers, Pairs *inhibited)
{
    NetRow pre = net_places(net, ARC_PRE, t), read = net_places(net, ARC_READ, t);
    NetRow inhibit = net_places(net, ARC_INHIBIT, t);
    for (uint32_t i = 0; i < pre.len; i++) pair(needers, pre.node[i], t);
    for (uint32_t i = 0; i < read.len; i++)
        if (!net_arc_weight(net, ARC_PRE, t, read.node[i])) pair(needers, read.node[i], t);
    for (uint32_t i = 0; i < inhibit.len; i++) pair(inhibited, inhibit.node[i], t);
}

static void compile(Stubborn *s)
{
    const Net *net = s->net;
    Pairs of_place[STUBBORN_ROWS] = {0}, raised = {0}, lowered = {0};
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        collect_tests(net, t, &of_place[STUBBORN_NEEDERS], &of_place[STUBBORN_INHIBITED]);
        NetRow pre = net_places(net, ARC_PRE, t), post = net_places(net, ARC_POST, t);
        for (uint32_t i = 0; i < pre.len; i++)
            if (net_weight(pre, i) > net_arc_weight(net, ARC_POST, t, pre.node[i])) {
                pair(&of_place[STUBBORN_LOWERERS], pre.node[i], t);
                pair(&lowered, t, pre.node[i]);
            }
        for (uint32_t i = 0; i < post.len; i++)
            if (net_weight(post, i) > net_arc_weight(net, ARC_PRE, t, post.node[i])) {
                pair(&of_place[STUBBORN_RAISERS], post.node[i], t);
                pair(&raised, t, post.node[i]);
            }
    }
    for (int row = 0; row < STUBBORN_ROWS; row++) s->of_place[row] = rows_of(&of_place[row], net->n_places);
    s->raised = rows_of(&raised, net->n_transitions);
    s->lowered = rows_of(&lowered, net->n_transitions);
}

Stubborn *stubborn_new(const Net *net, const ExclusivePlaces *exclusive)
{
    Stubborn *s = g_new0(Stubborn, 1);
    s->net = net;
    s->exclusive = exclusive && exclusive->n_groups ? exclusive : NULL;
    if (s->exclusive) {
        s->frozen_at = g_new0(uint32_t, exclusive->n_groups);
        s->frozen = g_new0(uint32_t, exclusive->n_groups);
    }
    compile(s);
    s->enabled_at = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    s->in_set = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    s->best = g_new(uint32_t, (size_t)net->n_transitions + 1);
    s->last_size = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    for (int row = 0; row < STUBBORN_ROWS; row++) s->done[row] = g_new0(uint32_t, (size_t)net->n_places + 1);
    return s;
}

static void free_rows(StubbornRows *rows)
{
    g_free(rows->start);
    g_free(rows->item);
}

void stubborn_free(Stubborn *s)
{
    if (!s) return;
    for (int row = 0; row < STUBBORN_ROWS; row++) {
        free_rows(&s->of_place[row]);
        g_free(s->done[row]);
    }
    free_rows(&s->raised);
    free_rows(&s->lowered);
    g_free(s->enabled_at);
    g_free(s->in_set);
    g_free(s->frozen_at);
    g_free(s->frozen);
    g_free(s->best);
    g_free(s->last_size);
    vec_free(&s->open);
    g_free(s);
}

/* ---- closing ---- */

void stubborn_at(Stubborn *s, const NetLts *lts, const uint64_t *state, const uint32_t *enabled, uint32_t n)
{
    s->lts = lts;
    s->state = state;
    if (++s->now == 0) {
        memset(s->enabled_at, 0, ((size_t)s->net->n_transitions + 1) * sizeof *s->enabled_at);
        s->now = 1;
    }
    for (uint32_t i = 0; i < n; i++) s->enabled_at[enabled[i]] = s->now;
}

void stubborn_start(Stubborn *s, uint32_t limit)
{
    if (++s->round == 0) {
        memset(s->in_set, 0, ((size_t)s->net->n_transitions + 1) * sizeof *s->in_set);
        for (int row = 0; row < STUBBORN_ROWS; row++)
            memset(s->done[row], 0, ((size_t)s->net->n_places + 1) * sizeof *s->done[row]);
        if (s->exclusive) memset(s->frozen_at, 0, s->exclusive->n_groups * sizeof *s->frozen_at);
        s->round = 1;
    }
    vec_clear(&s->open);
    s->n_enabled = 0;
    s->limit = limit;
}

static bool needs_frozen_out(const Stubborn *s, NetRow row)
{
    const ExclusivePlaces *exclusive = s->exclusive;
    for (uint32_t i = 0; i < row.len; i++) {
        uint32_t p = row.node[i];
        for (uint32_t k = exclusive->start[p]; k < exclusive->start[p + 1]; k++)
            if (s->frozen_at[exclusive->group[k]] == s->round && s->frozen[exclusive->group[k]] != p) return true;
    }
    return false;
}

/* A marked place of each group at most, so a second call finds the same place. */
static void freeze(Stubborn *s, uint32_t p)
{
    if (!s->exclusive || !netlts_count(s->lts, s->state, p)) return;
    for (uint32_t k = s->exclusive->start[p]; k < s->exclusive->start[p + 1]; k++) {
        s->frozen_at[s->exclusive->group[k]] = s->round;
        s->frozen[s->exclusive->group[k]] = p;
    }
}

void stubborn_add(Stubborn *s, uint32_t t)
{
    if (stubborn_has(s, t)) return;
    if (s->exclusive && !stubborn_enabled(s, t) &&
        (needs_frozen_out(s, net_places(s->net, ARC_PRE, t)) || needs_frozen_out(s, net_places(s->net, ARC_READ, t))))
        return;
    s->in_set[t] = s->round;
    s->n_enabled += stubborn_enabled(s, t);
    vec_push(&s->open, t);
}

static void add_row(Stubborn *s, int row, uint32_t place)
{
    if (s->done[row][place] == s->round) return;
    s->done[row][place] = s->round;
    s->effort++;
    if (row == STUBBORN_NEEDERS || row == STUBBORN_LOWERERS) freeze(s, place);
    const StubbornRows *rows = &s->of_place[row];
    for (uint32_t i = rows->start[place]; i < rows->start[place + 1] && s->n_enabled < s->limit; i++)
        stubborn_add(s, rows->item[i]);
}

void stubborn_add_disablers(Stubborn *s, uint32_t t)
{
    NetRow pre = net_places(s->net, ARC_PRE, t), read = net_places(s->net, ARC_READ, t);
    NetRow inhibit = net_places(s->net, ARC_INHIBIT, t);
    for (uint32_t i = 0; i < pre.len; i++) add_row(s, STUBBORN_LOWERERS, pre.node[i]);
    for (uint32_t i = 0; i < read.len; i++) add_row(s, STUBBORN_LOWERERS, read.node[i]);
    for (uint32_t i = 0; i < inhibit.len; i++) add_row(s, STUBBORN_RAISERS, inhibit.node[i]);
}

/* What bringing a row would cost: enabled newcomers count most. */
static uint32_t row_cost(const Stubborn *s, int row, uint32_t place)
{
    if (s->done[row][place] == s->round) return 0;
    const StubbornRows *rows = &s->of_place[row];
    uint32_t from = rows->start[place], to = rows->start[place + 1], cost = 1;
    if (to - from > LONG_ROW) return (to - from) * 16;
    for (uint32_t i = from; i < to; i++) {
        if (stubborn_has(s, rows->item[i])) continue;
        cost += stubborn_enabled(s, rows->item[i]) ? 64 : 1;
    }
    return cost;
}

typedef struct Scapegoat {
    int row;
    uint32_t place, cost;
} Scapegoat;

static void consider(const Stubborn *s, Scapegoat *goat, ArcKind kind, uint32_t t)
{
    NetRow arcs = net_places(s->net, kind, t);
    int row = kind == ARC_INHIBIT ? STUBBORN_LOWERERS : STUBBORN_RAISERS;
    for (uint32_t i = 0; i < arcs.len && goat->cost; i++) {
        uint64_t count = netlts_count(s->lts, s->state, arcs.node[i]);
        if ((count < net_weight(arcs, i)) == (kind == ARC_INHIBIT)) continue;
        uint32_t cost = row_cost(s, row, arcs.node[i]);
        if (cost < goat->cost) *goat = (Scapegoat){row, arcs.node[i], cost};
    }
}

void stubborn_add_enablers(Stubborn *s, uint32_t t)
{
    assert(!stubborn_enabled(s, t));
    Scapegoat goat = {0, NET_NONE, UINT32_MAX};
    consider(s, &goat, ARC_PRE, t);
    consider(s, &goat, ARC_READ, t);
    consider(s, &goat, ARC_INHIBIT, t);
    assert(goat.place != NET_NONE);
    add_row(s, goat.row, goat.place);
}

static void add_disabled_by(Stubborn *s, uint32_t t)
{
    for (uint32_t i = s->lowered.start[t]; i < s->lowered.start[t + 1]; i++)
        add_row(s, STUBBORN_NEEDERS, s->lowered.item[i]);
    for (uint32_t i = s->raised.start[t]; i < s->raised.start[t + 1]; i++)
        add_row(s, STUBBORN_INHIBITED, s->raised.item[i]);
}

bool stubborn_close(Stubborn *s)
{
    while (s->open.len && s->n_enabled < s->limit) {
        uint32_t t = vec_pop(&s->open);
        s->effort++;
        if (stubborn_enabled(s, t))
            add_disabled_by(s, t);
        else
            stubborn_add_enablers(s, t);
    }
    return s->n_enabled < s->limit;
}

/* Moves the key that did best so far to position i. */
static void choose_key(const Stubborn *s, uint32_t *keys, uint32_t i, uint32_t n)
{
    uint32_t best = i;
    for (uint32_t k = i + 1; k < n; k++)
        if (s->last_size[keys[k]] < s->last_size[keys[best]]) best = k;
    uint32_t key = keys[best];
    keys[best] = keys[i];
    keys[i] = key;
}

uint32_t stubborn_deadlock(Stubborn *s, uint32_t *enabled, uint32_t n)
{
    uint32_t least = n, tries = MIN(n, TRIES), since = 0;
    for (uint32_t i = 0; i < tries && least > 1 && since < PATIENCE; i++) {
        choose_key(s, enabled, i, n);
        uint32_t key = enabled[i];
        stubborn_start(s, least);
        stubborn_add(s, key);
        stubborn_add_disablers(s, key);
        since++;
        bool closed = stubborn_close(s);
        s->last_size[key] = s->n_enabled;
        if (!closed) continue;
        since = least = 0;
        for (uint32_t k = 0; k < n; k++)
            if (stubborn_has(s, enabled[k])) s->best[least++] = enabled[k];
        assert(least == s->n_enabled && least > 0);
    }
    if (least < n) memcpy(enabled, s->best, least * sizeof *enabled);
    return least;
}
