#include "explore/explore_internal.h"

#include <assert.h>

/* CACHE_USUAL without cutoffs. */
enum { FEW_EVENTS = 1 << 15 };

/* ---- the enabled events and the rivals found on the way ---- */

static uint64_t pair_key(uint32_t n, uint32_t f)
{
    return (uint64_t)n << 32 | f;
}

/* Depth-first, the nodes that list f lie on one path and f's mark is the deepest of them: whatever puts
 * f in conflict first now was there when f was listed below. Other search orders need a set of pairs. */
void explore_list(Explorer *x, uint32_t f, uint32_t n)
{
    Event *event = &x->events.event.data[f];
    assert(!event->dead && !event->cutoff); /* nothing follows a cutoff */
    if (event->asleep) return;              /* D is never part of an alternative below this node */
    if (x->listed) {
        uint64_t key = pair_key(n, f);
        if (g_hash_table_contains(x->listed, &key)) return;
        g_hash_table_add(x->listed, g_memdup2(&key, sizeof key));
    } else if (event->mark == n + 1) {
        return;
    }
    vec_push(&explore_node(x, n)->rivals, ((Rival){.f = f, .listed_before = event->mark, .watched = f}));
    event->mark = n + 1;
    event->refs++;
}

static Bounds bounds_of(const Explorer *x)
{
    return (Bounds){.times = x->options.unroll, .spins = x->cutoff ? NULL : x->options.spins};
}

static void found(void *data, uint32_t label, const uint64_t *history)
{
    Explorer *x = data;
    if (x->end != ENDING_COMPLETE) return;
    Bounds bounds = bounds_of(x);
    if (bounds_leave_out(&bounds, &x->config, label, history, 0, &x->stats.cut)) return;
    bool fresh;
    uint32_t e = config_intern(&x->config, label, history, &fresh);
    if (e == EVENT_NONE) return;
    events_ref(&x->events, e);
    if (fresh && x->cutoff) {
        bool overflow;
        x->events.event.data[e].cutoff = cutoff_decide(x->cutoff, &x->config, e, history, &overflow);
        x->stats.cutoffs += x->events.event.data[e].cutoff;
        if (overflow) x->end = x->indep->doubt_start ? ENDING_REFUTED : ENDING_OVERFLOW;
    }
    if (!x->events.event.data[e].cutoff) {
        if (fresh && x->trees) trees_add(x->trees, e);
        uint32_t conflict = config_first_conflict(&x->config, label, history);
        if (conflict == EVENT_NONE) {
            assert(x->enabled_event[label] == EVENT_NONE);
            x->enabled_event[label] = e;
            bitset_set(x->enabled, label);
            return; /* keeps the reference */
        }
        explore_list(x, e, x->node_at.data[conflict]);
    }
    events_unref(&x->events, e);
}

static void forget(void *data, uint32_t e)
{
    Explorer *x = data;
    if (x->events.event.data[e].cutoff) return;
    if (x->trees) trees_forget(x->trees, e);
    if (x->cutoff) cutoff_forget(x->cutoff, e);
}

bool explore_adds(Explorer *x, uint32_t e)
{
    if (config_is_full(&x->config) && !budget_allows(x->budget, config_growth(&x->config))) return false;
    if (config_push(&x->config, e)) return true;
    bool enabled = x->lts->enabled(x->lts, x->config.state, x->events.event.data[e].label);
    x->end = enabled ? ENDING_OVERFLOW : ENDING_REFUTED;
    return false;
}

/* Pairs that somebody claims independent are tried at every state met. */
static bool pairs_commute(Explorer *x)
{
    if (!x->indep->doubt_start) return true;
    vec_reserve(&x->scratch, 2 * x->lts->state_words);
    x->violation = commute_check(x->lts, x->indep, x->config.state, x->scratch.data, &x->pair[0], &x->pair[1]);
    if (x->violation == COMMUTE_YES) return true;
    x->end = x->violation == COMMUTE_UNKNOWN ? ENDING_OVERFLOW : ENDING_REFUTED;
    return false;
}

bool explore_push(Explorer *x, uint32_t e, uint32_t n)
{
    uint32_t label = x->events.event.data[e].label;
    size_t from = x->undo.len;
    assert(x->enabled_event[label] == e && !x->events.event.data[e].asleep);
    assert(x->undo_start.len == x->config.n && x->node_at.len == x->config.n);
    vec_push(&x->undo_start, (uint32_t)from);
    for (INDEP_EACH(u, x->indep, label, x->enabled, x->label_words)) {
        vec_push(&x->undo, ((Undo){(uint32_t)u, x->enabled_event[u], bitset_get(x->asleep, u)}));
        x->enabled_event[u] = EVENT_NONE;
        bitset_clear(x->enabled, u);
        bitset_clear(x->asleep, u);
    }
    if (!explore_adds(x, e)) return false;
    extend_pushed(x->extend);
    vec_push(&x->node_at, n);
    explore_node(x, n)->pushed = ++x->clock;
    for (size_t i = from; i < x->undo.len; i++)
        if (x->undo.data[i].event != e) explore_list(x, x->undo.data[i].event, n);
    if (x->config.n > x->stats.deepest) x->stats.deepest = x->config.n;
    return pairs_commute(x) && extend_newest(x->extend, found, x) && x->end == ENDING_COMPLETE;
}

/* The node's event leaves C or D. */
static void unpark(Explorer *x, uint32_t n)
{
    for (Node *node = explore_node(x, n); node->parked.len;) {
        Parked back = vec_pop(&node->parked);
        assert(explore_node(x, back.owner)->depth < node->depth);
        vec_push(&explore_node(x, back.owner)->rivals, back.rival);
    }
}

void explore_pop(Explorer *x)
{
    assert(x->config.n && x->undo_start.len == x->config.n && x->node_at.len == x->config.n);
    uint32_t label = vec_last(&x->config.label);
    for (INDEP_EACH(u, x->indep, label, x->enabled, x->label_words)) {
        assert(!bitset_get(x->asleep, u));
        events_unref(&x->events, x->enabled_event[u]);
        x->enabled_event[u] = EVENT_NONE;
        bitset_clear(x->enabled, u);
    }
    for (uint32_t from = vec_pop(&x->undo_start); x->undo.len > from;) {
        Undo undo = vec_pop(&x->undo);
        assert(x->enabled_event[undo.label] == EVENT_NONE);
        x->enabled_event[undo.label] = undo.event;
        bitset_set(x->enabled, undo.label);
        if (undo.asleep) bitset_set(x->asleep, undo.label);
    }
    extend_popping(x->extend);
    config_pop(&x->config);
    uint32_t n = vec_pop(&x->node_at);
    if (explore_node(x, n)->parked.len) unpark(x, n);
}

/* ---- nodes ---- */

uint32_t explore_new_node(Explorer *x, uint32_t parent, bool right)
{
    uint32_t n;
    if (x->free_nodes.len) {
        n = vec_pop(&x->free_nodes);
    } else {
        n = (uint32_t)x->node.len;
        vec_push(&x->node, ((Node){0}));
    }
    Node *node = explore_node(x, n);
    node->event = EVENT_NONE;
    node->parent = parent;
    node->left = node->right = NODE_NONE;
    node->depth = parent == NODE_NONE ? 0 : explore_node(x, parent)->depth + 1;
    node->size = x->config.n;
    node->add = NULL;
    node->add_len = 0;
    node->waiting = false;
    node->is_right = right;
    node->scanned = 0;
    node->fitted = 0;
    assert(node->rivals.len == 0 && node->parked.len == 0);
    x->stats.nodes++;
    return n;
}

void explore_free_node(Explorer *x, uint32_t n)
{
    Node *node = explore_node(x, n);
    assert(!node->waiting && node->parked.len == 0);
    while (node->rivals.len) {
        Rival rival = vec_pop(&node->rivals);
        uint64_t key = pair_key(n, rival.f);
        if (x->listed) g_hash_table_remove(x->listed, &key);
        x->events.event.data[rival.f].mark = rival.listed_before;
        events_unref(&x->events, rival.f);
    }
    if (node->event != EVENT_NONE) events_unref(&x->events, node->event);
    if (node->is_right) g_free(node->add);
    node->add = NULL;
    vec_push(&x->free_nodes, n);
    if (x->options.cache == CACHE_UNLIMITED || x->events.live <= x->few_events) return;
    x->few_events = 0;
    if (events_waiting(&x->events) > x->options.cache) events_trim(&x->events, x->options.cache, forget, x);
}

void explore_sleep(Explorer *x, uint32_t n)
{
    Node *node = explore_node(x, n);
    Event *event = &x->events.event.data[node->event];
    assert(x->enabled_event[event->label] == node->event && !event->asleep);
    node->asleep_before = x->asleep_node[event->label];
    x->asleep_node[event->label] = n;
    bitset_set(x->asleep, event->label);
    event->asleep = true;
}

void explore_wake(Explorer *x, uint32_t n)
{
    Node *node = explore_node(x, n);
    Event *event = &x->events.event.data[node->event];
    assert(event->asleep && x->asleep_node[event->label] == n);
    x->asleep_node[event->label] = node->asleep_before;
    bitset_clear(x->asleep, event->label);
    event->asleep = false;
    unpark(x, n);
}

/* The next event of a node: the first of A, else one that is enabled and not in D. */
static uint32_t choose(Explorer *x, const Node *node)
{
    if (node->add_len) {
        uint32_t e = node->add[0];
        assert(x->enabled_event[x->events.event.data[e].label] == e && !x->events.event.data[e].asleep);
        return e;
    }
    uint32_t label = choice_next(&x->choice, &x->config, x->enabled, x->asleep);
    uint32_t e = label == EVENT_NONE ? EVENT_NONE : x->enabled_event[label];
    assert(e == EVENT_NONE || !x->events.event.data[e].asleep);
    return e;
}

/* ---- leaves ---- */

static void note_dead(Explorer *x)
{
    bool fresh;
    uint32_t i =
        store_add(&x->dead_store, x->config.state, store_hash(&x->dead_store, x->config.state), &fresh, x->budget);
    if (i == STORE_NONE || !fresh) return;
    ExploreDead dead = {.length = x->config.n};
    dead.state = g_memdup2(x->config.state, x->lts->state_words * sizeof(uint64_t));
    dead.run = g_memdup2(x->config.label.data, x->config.n * sizeof(uint32_t));
    vec_push(&x->dead, dead);
}

static LeafKind leaf_kind(const Explorer *x)
{
    Bounds bounds = bounds_of(x);
    if (bitset_any(x->enabled, x->label_words)) return LEAF_BLOCKED;
    if (!x->cutoff) return bounds_leaf(&bounds, &x->config, x->net);
    for (uint32_t t = 0; t < x->lts->n_actions; t++)
        if (x->lts->enabled(x->lts, x->config.state, t)) return LEAF_CUTOFF;
    return LEAF_MAXIMAL;
}

static void leaf(Explorer *x, bool bound)
{
    LeafKind kind = bound ? LEAF_BOUND : leaf_kind(x);
    /* an optimal alternative leads to a maximal configuration */
    assert(kind != LEAF_BLOCKED || x->options.alternatives != ALTERNATIVES_OPTIMAL || x->indep->doubt_start);
    x->stats.leaves[kind]++;
    if (kind == LEAF_MAXIMAL) note_dead(x);
    if (x->options.leaf) x->options.leaf(x->options.data, kind, &x->config);
}

bool explore_repeats(const Explorer *x)
{
    const Config *c = &x->config;
    Store seen;
    store_init(&seen, x->lts->state_words);
    uint64_t *state = g_new(uint64_t, x->lts->state_words);
    Budget unlimited = budget_unlimited();
    bool again = false;
    x->lts->initial(x->lts, state);
    for (uint32_t i = 0; i <= c->n && !again; i++) {
        bool fresh;
        store_add(&seen, state, store_hash(&seen, state), &fresh, &unlimited);
        again = !fresh;
        if (i < c->n) x->lts->fire(x->lts, state, c->label.data[i]);
    }
    g_free(state);
    store_clear(&seen);
    return again;
}

uint32_t explore_descend(Explorer *x, uint32_t n)
{
    assert(explore_node(x, n)->event == EVENT_NONE && explore_node(x, n)->size == x->config.n);
    if (x->options.node) x->options.node(x->options.data, n, x);
    bool bound = x->options.depth && x->config.n >= x->options.depth;
    uint32_t e = choose(x, explore_node(x, n));
    if (e == EVENT_NONE || bound) {
        leaf(x, e != EVENT_NONE);
        return NODE_NONE;
    }
    events_ref(&x->events, e);
    explore_node(x, n)->event = e;
    if (!explore_push(x, e, n)) return NODE_NONE;
    uint32_t left = explore_new_node(x, n, false);
    Node *node = explore_node(x, n), *child = explore_node(x, left);
    if (node->add_len) {
        child->add = node->add + 1;
        child->add_len = node->add_len - 1;
    }
    return left;
}

bool explore_out_of_budget(Explorer *x)
{
    if (x->events.live > x->stats.most_events) x->stats.most_events = x->events.live;
    if (budget_max_events(x->budget) && x->events.created > budget_max_events(x->budget))
        budget_exhaust(x->budget, ENDING_EVENTS);
    return budget_spent(x->budget) || budget_ended(x->budget);
}

/* ---- life ---- */

Explorer *explore_new(const Lts *lts, const NetLts *net, const Indep *indep, const ExploreOptions *options,
                      Budget *budget)
{
    Explorer *x = g_new0(Explorer, 1);
    uint32_t n = lts->n_actions;
    assert(indep->n == n && (net ? &net->lts == lts : !options->spins));
    assert(!options->cutoffs || !options->unroll);
    x->lts = lts;
    x->net = net;
    x->indep = indep;
    x->options = *options;
    if (options->cache == CACHE_USUAL) {
        x->options.cache = options->cutoffs ? CACHE_UNLIMITED : 0;
        x->few_events = FEW_EVENTS;
    }
    x->budget = budget;
    x->rng.state = options->seed;
    events_init(&x->events, x->options.cache != CACHE_UNLIMITED);
    uint32_t standby = options->standby == STANDBY_NONE ? 0 : options->standby ? options->standby : CONFIG_STANDBY_STEP;
    config_init(&x->config, lts, indep, &x->events, standby);
    if (options->skip_step) {
        x->trees = trees_new(&x->events, indep, options->skip_step);
        config_use_trees(&x->config, x->trees);
    }
    x->extend = extend_new(&x->config, net, options->extend, budget);
    x->label_words = (uint32_t)bitset_words(n);
    x->enabled_event = g_new(uint32_t, MAX(n, 1));
    x->asleep_node = g_new(uint32_t, MAX(n, 1));
    memset(x->enabled_event, 0xff, n * sizeof(uint32_t));
    memset(x->asleep_node, 0xff, n * sizeof(uint32_t));
    x->enabled = g_new0(uint64_t, MAX(x->label_words, 1));
    x->asleep = g_new0(uint64_t, MAX(x->label_words, 1));
    choice_init(&x->choice, lts, net, options->cutoffs || options->alternatives != ALTERNATIVES_OPTIMAL);
    if (options->search != SEARCH_DFS) x->listed = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    if (options->cutoffs)
        x->cutoff = cutoff_new(lts, options->order, x->options.cache != CACHE_UNLIMITED,
                               options->print_bits ? options->print_bits : 64);
    store_init(&x->dead_store, lts->state_words);
    return x;
}

void explore_free(Explorer *x)
{
    if (!x) return;
    for (size_t i = 0; i < x->node.len; i++) {
        vec_free(&x->node.data[i].rivals);
        vec_free(&x->node.data[i].parked);
        if (x->node.data[i].is_right) g_free(x->node.data[i].add);
    }
    for (size_t i = 0; i < x->dead.len; i++) {
        g_free(x->dead.data[i].state);
        g_free(x->dead.data[i].run);
    }
    vec_free(&x->node);
    vec_free(&x->dead);
    vec_free(&x->free_nodes);
    vec_free(&x->undo);
    vec_free(&x->undo_start);
    vec_free(&x->node_at);
    vec_free(&x->sleepers);
    vec_free(&x->comb);
    vec_free(&x->scratch);
    if (x->listed) g_hash_table_destroy(x->listed);
    store_clear(&x->dead_store);
    cutoff_free(x->cutoff);
    g_free(x->enabled_event);
    g_free(x->asleep_node);
    g_free(x->enabled);
    g_free(x->asleep);
    choice_clear(&x->choice);
    extend_free(x->extend);
    config_clear(&x->config);
    trees_free(x->trees);
    events_clear(&x->events);
    g_free(x);
}

Ending explore_run(Explorer *x)
{
    if (pairs_commute(x) && extend_newest(x->extend, found, x)) search_run(x);
    x->stats.events = x->events.created;
    x->stats.forgotten = x->events.forgotten;
    x->stats.event_bytes = events_bytes(&x->events) + (x->trees ? trees_bytes(x->trees) : 0);
    x->stats.extend = *extend_stats(x->extend);
    if (x->end == ENDING_COMPLETE) x->end = budget_ending(x->budget);
    assert(x->end != ENDING_COMPLETE || (x->config.n == 0 && x->undo.len == 0));
    return x->end;
}

const ExploreStats *explore_stats(const Explorer *x)
{
    return &x->stats;
}

void explore_progress(const Explorer *x, GString *line)
{
    uint64_t leaves = 0;
    for (int k = 0; k < N_LEAF_KINDS; k++) leaves += x->stats.leaves[k];
    double seconds = budget_now() - budget_started(x->budget);
    g_string_append_printf(line, "%" G_GUINT64_FORMAT " traces, %.0f/s, U %u, G %zu, depth %u", leaves,
                           seconds > 0 ? (double)leaves / seconds : 0.0, x->events.live, events_waiting(&x->events),
                           x->config.n);
}

const ExploreDead *explore_dead(const Explorer *x, size_t *n)
{
    *n = x->dead.len;
    return x->dead.data;
}

Commute explore_refutation(const Explorer *x, uint32_t pair[2])
{
    memcpy(pair, x->pair, sizeof x->pair);
    return x->violation;
}

const Config *explore_config(const Explorer *x)
{
    return &x->config;
}
