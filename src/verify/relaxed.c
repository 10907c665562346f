#include "verify/relaxed.h"

Relaxed *relaxed_new(const Tracker *here)
{
    const Net *net = here->net;
    size_t n = (size_t)net->n_transitions + 1, facts = 2 * (size_t)net->n_places + 1;
    Relaxed *r = g_new0(Relaxed, 1);
    r->here = here;
    r->price = g_new(uint32_t, n);
    r->cost = g_new0(uint32_t, n);
    r->lacking = g_new0(uint32_t, n);
    r->fact = g_new0(uint32_t, facts);
    r->supporter = g_new0(uint32_t, facts);
    r->gain = g_new0(uint64_t, facts);
    for (size_t t = 0; t < n; t++) r->price[t] = 1;
    return r;
}

void relaxed_free(Relaxed *r)
{
    if (!r) return;
    g_free(r->price);
    g_free(r->cost);
    g_free(r->lacking);
    g_free(r->fact);
    g_free(r->supporter);
    g_free(r->gain);
    vec_free(&r->open);
    g_free(r);
}

uint32_t relaxed_units(const Relaxed *r)
{
    const Tracker *k = r->here;
    uint64_t arcs = 2 * (uint64_t)k->guard_start[k->net->n_transitions] + k->change_start[k->net->n_transitions];
    return (uint32_t)MIN(arcs / 4 + k->net->n_places + k->net->n_transitions / 4, UINT32_MAX / 4);
}

bool relaxed_lacks(const Relaxed *r, uint32_t place, const TrackerTest *test, uint32_t *fact, uint64_t *tokens)
{
    uint64_t count = r->here->marking[place];
    if ((count < test->weight) == test->inhibits) return false;
    *fact = test->inhibits ? relaxed_fewer(place) : relaxed_more(place);
    *tokens = test->inhibits ? count - test->weight + 1 : test->weight - count;
    return true;
}

/* Does any transition lack it? */
static bool is_lacked(const Tracker *k, uint32_t fact)
{
    uint32_t place = fact / 2;
    return fact % 2 ? k->inhibiting[place] : k->marking[place] < k->threshold[place];
}

/* t lacks nothing any more: what it brings about. */
static void offer(Relaxed *r, uint32_t t)
{
    const Tracker *k = r->here;
    uint32_t cost = r->cost[t];
    for (uint32_t i = k->change_start[t]; i < k->change_start[t + 1]; i++) {
        const TrackerChange *change = &k->changes[i];
        uint32_t fact = change->grows ? relaxed_more(change->place) : relaxed_fewer(change->place);
        if (cost >= r->fact[fact]) continue;
        r->fact[fact] = cost;
        r->supporter[fact] = t;
        r->gain[fact] = change->by;
        if (is_lacked(k, fact)) queue_push(&r->open, cost, fact);
    }
}

static void spread(Relaxed *r, uint32_t fact)
{
    const Tracker *k = r->here;
    uint32_t place = fact / 2, mended;
    uint64_t tokens;
    for (uint32_t i = k->test_start[place]; i < k->test_start[place + 1]; i++) {
        const TrackerTest *test = &k->tests[i];
        uint32_t t = test->node;
        if (!relaxed_lacks(r, place, test, &mended, &tokens) || mended != fact) continue;
        r->cost[t] = relaxed_sum(r->cost[t], r->fact[fact], relaxed_times(r, fact, tokens));
        if (--r->lacking[t] == 0) offer(r, t);
    }
}

static uint32_t count_lacking(const Tracker *k, uint32_t t)
{
    return tracker_is_enabled(k, t) ? 0 : tracker_unmet(k, t);
}

void relaxed_look(Relaxed *r)
{
    const Tracker *k = r->here;
    const Net *net = k->net;
    for (uint32_t f = 0; f < 2 * net->n_places; f++) r->fact[f] = RELAXED_NEVER;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        r->lacking[t] = count_lacking(k, t);
        r->cost[t] = r->price[t];
    }
    vec_clear(&r->open);
    for (uint32_t i = 0; i < k->n_enabled; i++) offer(r, k->enabled[i]);
    while (r->open.len) {
        QueueItem next = queue_pop(&r->open);
        if (next.key == r->fact[next.item]) spread(r, next.item);
    }
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (r->lacking[t]) r->cost[t] = RELAXED_NEVER;
}
