#include "explore/explore_internal.h"

#include <assert.h>
#include <stdlib.h>

enum { COMB_PATIENCE = 10000 };

/* The comb of [DPU18] sec. 5: one spike per sleeping event d that must be avoided, its events being the
 * rivals listed at the node that put d to sleep. A combination is built on the configuration itself:
 * [f] is pushed on top of C, so that the next spike is tested against both at once. */

static uint32_t node_of(const Explorer *x, uint32_t label)
{
    assert(x->asleep_node[label] != NODE_NONE);
    return x->asleep_node[label];
}

static uint32_t depth_of(const Explorer *x, uint32_t label)
{
    return explore_node(x, node_of(x, label))->depth;
}

/* The sleeping actions, latest first. */
static void list_sleepers(Explorer *x)
{
    vec_clear(&x->sleepers);
    for (BITSET_EACH(label, x->asleep, x->label_words)) {
        vec_push(&x->sleepers, (uint32_t)label);
        uint32_t *at = &vec_last(&x->sleepers), depth = depth_of(x, (uint32_t)label);
        for (; at > x->sleepers.data && depth_of(x, at[-1]) < depth; at--) *at = at[-1];
        *at = (uint32_t)label;
    }
}

/* Of the sleeping actions, latest first, leaves those an alternative has to avoid. */
static void choose_sleepers(Explorer *x)
{
    assert(x->sleepers.len);
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
        size_t len = explore_node(x, node_of(x, label))->rivals.len;
        if (len < shortest) shortest = len, best = label;
    }
    return best;
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

/* The node that put this event to sleep. */
static uint32_t sleeping_since(const Explorer *x, uint32_t e)
{
    assert(x->events.event.data[e].asleep);
    uint32_t n = node_of(x, x->events.event.data[e].label);
    while (explore_node(x, n)->event != e) n = explore_node(x, n)->asleep_before;
    return n;
}

/* Does [f] fit C and is [f] \ C free of sleeping events? If not, *blocker is the node whose event has to leave C or D
 * first, or NODE_NONE when that is no event of C below base, but of a combination being tried. Most of the time one
 * event that [f] needs next tells. */
static bool fits(Explorer *x, Rival *rival, uint32_t base, uint32_t *blocker)
{
    const Event *event = x->events.event.data;
    uint32_t conflict = EVENT_NONE, asleep = EVENT_NONE, from = rival->watched;
    rival->watched = config_descend(&x->config, event[from].position == EVENT_NONE ? from : rival->f);
    if (event[rival->watched].asleep)
        asleep = rival->watched;
    else
        conflict = config_conflict_of(&x->config, rival->watched);
    *blocker = NODE_NONE;
    if (asleep == EVENT_NONE && conflict == EVENT_NONE) {
        x->stats.alternative_steps++;
        if (config_fits(&x->config, rival->f, &conflict, &asleep)) return true;
        if (asleep != EVENT_NONE) rival->watched = asleep;
    }
    if (conflict < base)
        *blocker = x->node_at.data[conflict];
    else if (asleep != EVENT_NONE)
        *blocker = sleeping_since(x, asleep);
    return false;
}

/* Takes a rival out of its list until the blocker's event leaves. */
static void park(Explorer *x, uint32_t owner, size_t i, uint32_t blocker)
{
    Node *node = explore_node(x, owner);
    assert(i < node->rivals.len && explore_node(x, blocker)->depth > node->depth);
    vec_push(&explore_node(x, blocker)->parked, ((Parked){node->rivals.data[i], owner}));
    node->rivals.data[i] = vec_last(&node->rivals);
    node->rivals.len--;
    if (node->fitted > node->rivals.len) node->fitted--;
}

/* Lists the rivals of one sleeper that exclude d, the event of node n, too. Parks those that do not fit. Depth first,
 * if that was done since d was added to C, those that exclude d were parked at n and are the last ones now. */
static void inherit_from(Explorer *x, uint32_t older, uint32_t n)
{
    uint32_t d = explore_node(x, n)->event, blocker;
    Node *node = explore_node(x, older);
    bool again = !x->listed && node->scanned > explore_node(x, n)->pushed;
    for (uint32_t i = again ? node->fitted : 0; i < node->rivals.len;) {
        uint32_t f = node->rivals.data[i].f;
        const Event *event = &x->events.event.data[f];
        if (event->position == EVENT_NONE && (x->listed || event->mark != n + 1)) {
            if (fits(x, &node->rivals.data[i], x->config.n, &blocker)) {
                if (excludes(x, d)) explore_list(x, f, n);
            } else if (blocker != n) {
                park(x, older, i, blocker);
                continue;
            }
        }
        i++;
    }
    node->scanned = ++x->clock;
    node->fitted = (uint32_t)node->rivals.len;
}

/* The left part of a node's tree shows the rivals of its event d in runs without the older sleepers. An
 * alternative may need another one: of all events that exclude d, it may have those alone that exclude
 * an older sleeper as well and were found when that was explored. Depth first, the lists of older nodes
 * are final when a node's own begins to be used; else they are looked at again. */
static void inherit_rivals(Explorer *x, uint32_t node)
{
    size_t n = x->sleepers.len;
    assert(n && node_of(x, x->sleepers.data[0]) == node);
    (void)node;
    for (size_t to = x->listed ? n : 1; to--;)
        for (size_t from = n; --from > to;)
            inherit_from(x, node_of(x, x->sleepers.data[from]), node_of(x, x->sleepers.data[to]));
}

/* Pushes [f] \ C when it fits; blocker as for fits(). */
static bool take(Explorer *x, Rival *rival, uint32_t base, uint32_t *blocker)
{
    Config *c = &x->config;
    *blocker = NODE_NONE;
    if (c->events->event.data[rival->f].position != EVENT_NONE) return true;
    if (!fits(x, rival, base, blocker)) return false;
    for (size_t i = 0; i < c->outside.len; i++)
        if (!explore_adds(x, c->outside.data[i])) return false;
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
    assert(vec_last(&x->comb).label != EVENT_NONE); /* nothing above base avoids one yet */
    while (x->comb.len) {
        CombLevel *level = &vec_last(&x->comb);
        drop_to(x, level->base);
        if (x->end != ENDING_COMPLETE || budget_spent(x->budget)) return false;
        if (x->stats.alternative_steps >= last_step) {
            drop_to(x, base);
            return alternative_by_sat(x);
        }
        uint32_t owner = node_of(x, level->label), blocker;
        const Node *node = explore_node(x, owner);
        bool taken = false;
        while (!taken && level->next < node->rivals.len) {
            taken = take(x, &node->rivals.data[level->next], base, &blocker);
            if (blocker == NODE_NONE)
                level->next++;
            else
                park(x, owner, level->next, blocker);
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
    assert(x->events.event.data[explore_node(x, node)->event].asleep);
    list_sleepers(x);
    inherit_rivals(x, node);
    if (!explore_node(x, node)->rivals.len) return NULL;
    choose_sleepers(x);
    x->stats.alternatives++;
    if (search(x, base) && !budget_ended(x->budget)) {
        *n = x->config.n - base;
        assert(*n);
        if (x->options.alternatives == ALTERNATIVES_SOURCE) *n = 1;
        assert(!x->events.event.data[x->config.event.data[base]].asleep);
        add = g_memdup2(x->config.event.data + base, *n * sizeof *add);
    }
    drop_to(x, base);
    return add;
}
