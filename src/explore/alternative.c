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

/* The sleeping actions an alternative has to avoid; for k-partial ones the k most recent. */
static void choose_sleepers(Explorer *x, uint32_t node)
{
    vec_clear(&x->sleepers);
    if (x->options.alternatives == ALTERNATIVES_SOURCE) {
        vec_push(&x->sleepers, x->events.event.data[explorer_node(x, node)->event].label);
        return;
    }
    for (uint32_t w = 0; w < x->label_words; w++)
        for (uint64_t rest = x->asleep[w]; rest; rest &= rest - 1)
            vec_push(&x->sleepers, w * 64 + (uint32_t)__builtin_ctzll(rest));
    if (x->options.alternatives == ALTERNATIVES_PARTIAL && x->sleepers.len > x->options.k) {
        g_qsort_with_data(x->sleepers.data, (gint)x->sleepers.len, sizeof(uint32_t), compare_depth, x);
        assert(node_of(x, x->sleepers.data[0]) == node);
        x->sleepers.len = x->options.k;
    }
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
    choose_sleepers(x, node);
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
