#include "explore/explorer.h"

#include <assert.h>
#include <stdlib.h>

enum { COMB_PATIENCE = 10000 };

/* The comb of 000 sec. 5: one spike per sleeping event d that must be avoided, its events being the
 * rivals listed at the node that put d to sleep. A combination is built on the configuration itself:
 * [f] is pushed on top of C, so that the next spike is tested against both at once. */

static uint32_t node_of(const Explorer *x, uint32_t label)
{
    return x->asleep_node[label];
}

static int compare_depth(gconstpointer a, gconstpointer b, gpointer data)
{
    const Explorer *x = data;
    uint32_t da = explorer_node(x, node_of(x, *(const uint32_t *)a))->depth;
    uint32_t db = explorer_node(x, node_of(x, *(const uint32_t *)b))->depth;
    return (da < db) - (da > db);
}

static void list_sleepers(Explorer *x)
{
    vec_clear(&x->sleepers);
    for (uint32_t w = 0; w < x->label_words; w++)
        for (uint64_t rest = x->asleep[w]; rest; rest &= rest - 1)
            vec_push(&x->sleepers, w * 64 + (uint32_t)__builtin_ctzll(rest));
}

/* Of the sleeping actions, latest first, leaves those an alternative has to avoid. */
static void choose_sleepers(Explorer *x)
{
    if (x->options.alternatives == ALTERNATIVES_SOURCE)
        x->sleepers.len = 1;
    else if (x->options.alternatives == ALTERNATIVES_PARTIAL && x->sleepers.len > x->options.k)
        x->sleepers.len = x->options.k;
}

/* Has something at or above position base already put this sleeper out of reach? */
static bool avoided(const Explorer *x, uint32_t label, uint32_t base)
{
    const uint64_t *touch = config_touch(&x->config, label);
    uint32_t w = base / 64, used = (x->config.n + 63) / 64;
    if (w >= used) return false;
    if (touch[w] >> (base % 64)) return true;
    while (++w < used)
        if (touch[w]) return true;
    return false;
}

/* The sleeper left with the shortest list; EVENT_NONE when all are avoided. */
static uint32_t next_sleeper(const Explorer *x, uint32_t base)
{
    uint32_t best = EVENT_NONE;
    size_t shortest = SIZE_MAX;
    for (size_t i = 0; i < x->sleepers.len; i++) {
        uint32_t label = x->sleepers.data[i];
        if (avoided(x, label, base)) continue;
        size_t len = explorer_node(x, node_of(x, label))->rivals.len;
        if (len < shortest) shortest = len, best = label;
    }
    return best;
}

static bool blocked(const Explorer *x, const Rival *rival)
{
    return rival->blocker < x->serial_at.len && x->serial_at.data[rival->blocker] == rival->blocker_serial;
}

/* Does C with [f], found to be a configuration just now, exclude the event d that is enabled at C? */
static bool excludes(const Explorer *x, uint32_t d)
{
    const Config *c = &x->config;
    const Event *event = x->events.event.data;
    bool dependent = false;
    for (size_t i = 0; i < c->outside.len; i++) {
        uint32_t g = c->outside.data[i];
        if (g == d) return false;
        dependent |= indep_dependent(x->indep, event[g].label, event[d].label);
    }
    return dependent;
}

/* Lists the rivals of one sleeper that exclude d, the event of node n, too. */
static void inherit_from(Explorer *x, uint32_t older, uint32_t n)
{
    uint32_t d = explorer_node(x, n)->event;
    for (size_t i = 0; i < explorer_node(x, older)->rivals.len; i++) {
        Rival *rival = &explorer_node(x, older)->rivals.data[i];
        const Event *f = &x->events.event.data[rival->f];
        if (blocked(x, rival) || f->position != EVENT_NONE || (!x->listed && f->mark == n + 1)) continue;
        uint32_t conflict = config_fits(&x->config, rival->f);
        if (conflict != EVENT_NONE) {
            rival->blocker = conflict;
            rival->blocker_serial = x->serial_at.data[conflict];
        } else if (excludes(x, d)) {
            explorer_list(x, rival->f, n);
        }
    }
}

/* The left part of a node's tree shows the rivals of its event d in runs without the older sleepers. An
 * alternative may need another one: of all events that exclude d, it may have those alone that exclude
 * an older sleeper as well and were found when that was explored. Depth first, the lists of older nodes
 * are final when a node's own begins to be used; else they are looked at again. */
static void inherit_rivals(Explorer *x, uint32_t node)
{
    size_t n = x->sleepers.len;
    g_qsort_with_data(x->sleepers.data, (gint)n, sizeof(uint32_t), compare_depth, x);
    assert(n && node_of(x, x->sleepers.data[0]) == node);
    (void)node;
    for (size_t to = x->listed ? n : 1; to--;)
        for (size_t from = n; --from > to;)
            inherit_from(x, node_of(x, x->sleepers.data[from]), node_of(x, x->sleepers.data[to]));
}

/* Pushes [f] \ C when it fits and is free of sleeping events. */
static bool take(Explorer *x, Rival *rival, uint32_t base)
{
    Config *c = &x->config;
    if (c->events->event.data[rival->f].position != EVENT_NONE) return true;
    x->stats.alternative_steps++;
    uint32_t conflict = config_fits(c, rival->f);
    if (conflict != EVENT_NONE) {
        if (conflict < base) {
            rival->blocker = conflict;
            rival->blocker_serial = x->serial_at.data[conflict];
        }
        return false;
    }
    for (size_t i = 0; i < c->outside.len; i++)
        if (c->events->event.data[c->outside.data[i]].asleep) return false;
    for (size_t i = 0; i < c->outside.len; i++)
        if (!explorer_adds(x, c->outside.data[i])) return false;
    return true;
}

static void drop_to(Explorer *x, uint32_t n)
{
    while (x->config.n > n) config_pop(&x->config);
}

/* Goes through the combinations; true when the configuration holds one. The formula takes over when
 * many were tried in vain. */
static bool search(Explorer *x, uint32_t base)
{
    uint64_t patience = x->options.comb_patience ? x->options.comb_patience : COMB_PATIENCE;
    uint64_t last_step = x->stats.alternative_steps + patience;
    vec_clear(&x->comb);
    vec_push(&x->comb, ((CombLevel){next_sleeper(x, base), 0, base}));
    while (x->comb.len) {
        CombLevel *level = &vec_last(&x->comb);
        drop_to(x, level->base);
        if (x->end != EXPLORE_DONE || budget_spent(x->budget)) return false;
        if (x->stats.alternative_steps >= last_step) {
            drop_to(x, base);
            return alternative_by_sat(x);
        }
        Node *node = explorer_node(x, node_of(x, level->label));
        bool taken = false;
        while (!taken && level->next < node->rivals.len) {
            Rival *rival = &node->rivals.data[level->next++];
            taken = !blocked(x, rival) && take(x, rival, base);
        }
        if (!taken) {
            drop_to(x, level->base);
            x->comb.len--;
            continue;
        }
        uint32_t next = next_sleeper(x, base);
        if (next == EVENT_NONE) return true;
        vec_push(&x->comb, ((CombLevel){next, 0, x->config.n}));
    }
    return false;
}

uint32_t *alternative_find(Explorer *x, uint32_t node, uint32_t *n)
{
    uint32_t base = x->config.n, *add = NULL;
    list_sleepers(x);
    inherit_rivals(x, node);
    if (!explorer_node(x, node)->rivals.len) return NULL;
    choose_sleepers(x);
    x->stats.alternatives++;
    if (search(x, base)) {
        *n = x->config.n - base;
        assert(*n);
        if (x->options.alternatives == ALTERNATIVES_SOURCE) *n = 1;
        add = g_memdup2(x->config.event.data + base, *n * sizeof *add);
    }
    drop_to(x, base);
    return add;
}
