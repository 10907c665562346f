#include "explore/dpor.h"

#include "base/hash.h"
#include "explore/race.h"
#include "explore/wakeup.h"
#include "lts/commute.h"

#include <assert.h>

/* A node of the current path: the run of its depth. */
typedef struct Frame {
    uint32_t label;     /* of the branch being explored */
    uint32_t tree;      /* odpor: its node of the wakeup tree */
    bool fresh;         /* no branch was chosen yet */
    size_t undo, races; /* lengths before the run's last event was added */
} Frame;

typedef struct Dpor {
    const Lts *lts;
    const Indep *indep;
    const DporOptions *options;
    Outcome *outcome;
    DporStats *stats;
    Events events; /* COUNT_EXACT only */
    Sketch *sketch;
    VecU64 names; /* by position, COUNT_SKETCH only: a hash of the event */
    Config config;
    Extend *extend;
    Races races;
    Wakeup tree;
    VEC(Frame) frame;
    VecU64 sleep, branches; /* rows of label_words, one per frame */
    uint32_t label_words;
    uint64_t *enabled;
    VecU32 undo;  /* labels that were enabled before the run's events disabled them */
    uint64_t met; /* extensions, over and over */
    VecU32 sequence;
    VecU64 kept, scratch;
} Dpor;

/* ---- the run ---- */

/* A hash of the event <label, H> whose H has its maximal events in config->maximal. */
HASH_WRAPS static uint64_t name_of(const Dpor *x, uint32_t label)
{
    uint64_t name = label + 1;
    for (size_t i = 0; i < x->config.maximal.len; i++) name += hash_mix(x->names.data[x->config.maximal.data[i]]);
    return hash_mix(name);
}

static bool is_event(Dpor *x, uint32_t label, const uint64_t *history)
{
    bool fresh;
    if (x->config.events) return config_intern(&x->config, label, history, &fresh) != EVENT_NONE;
    if (!config_is_event(&x->config, label, history)) return false;
    if (x->sketch) sketch_add(x->sketch, name_of(x, label));
    return true;
}

static void found(void *data, uint32_t label, const uint64_t *history)
{
    Dpor *x = data;
    if (!is_event(x, label, history)) return;
    x->met++;
    uint32_t conflict = config_first_conflict(&x->config, label, history);
    if (conflict != EVENT_NONE) {
        if (x->options->algorithm != ALGORITHM_SLEEP) races_add(&x->races, &x->config, label, history, conflict);
        return;
    }
    assert(!bitset_get(x->enabled, label));
    bitset_set(x->enabled, label);
}

static bool pairs_commute(Dpor *x)
{
    if (!x->indep->doubt_start) return true;
    uint32_t a, b;
    vec_reserve(&x->scratch, 2 * x->lts->state_words);
    switch (commute_check(x->lts, x->indep, x->config.state, x->scratch.data, &a, &b)) {
    case COMMUTE_YES: return true;
    case COMMUTE_UNKNOWN: outcome_overflow(x->outcome); return false;
    default: x->outcome->end = ENDING_REFUTED; return false;
    }
}

/* Extends the run by an enabled action. */
static bool push(Dpor *x, uint32_t label)
{
    uint32_t position = x->config.n;
    if (!bitset_get(x->enabled, label)) {
        assert(x->indep->doubt_start); /* a right relation keeps reversed sequences executable */
        x->outcome->end = ENDING_REFUTED;
        return false;
    }
    if (!config_push_next(&x->config, label)) {
        outcome_overflow(x->outcome);
        return false;
    }
    if (x->sketch) {
        config_causes(&x->config, position);
        x->names.len = position;
        vec_push(&x->names, name_of(x, label));
    }
    extend_pushed(x->extend);
    for (BITSET_EACH(u, x->enabled, x->label_words)) { /* few, where an action has hundreds that depend on it */
        if (!indep_dependent(x->indep, label, (uint32_t)u)) continue;
        vec_push(&x->undo, (uint32_t)u);
        bitset_clear(x->enabled, u);
        if (u != label && x->options->algorithm != ALGORITHM_SLEEP)
            races_add_disabled(&x->races, (uint32_t)u, position);
    }
    return pairs_commute(x) && extend_newest(x->extend, found, x);
}

/* Takes the last event back; the frame is the one it led to. */
static void pop(Dpor *x, const Frame *frame)
{
    uint32_t label = vec_last(&x->config.label);
    for (BITSET_EACH(u, x->enabled, x->label_words))
        if (indep_dependent(x->indep, label, (uint32_t)u)) bitset_clear(x->enabled, u);
    while (x->undo.len > frame->undo) {
        uint32_t u = vec_pop(&x->undo);
        assert(!bitset_get(x->enabled, u));
        bitset_set(x->enabled, u);
    }
    races_cut(&x->races, frame->races);
    extend_popping(x->extend);
    config_pop(&x->config);
}

/* ---- races ---- */

/* Is some action asleep at the node before the race a weak initial of the reversing sequence? Such an
 * action is not in the run, so only positions and the last action can depend on it. */
static bool sleeper_covers(const Dpor *x, const Race *race)
{
    uint32_t used = (x->config.n + 63) / 64;
    assert(race->first < x->config.n);
    for (BITSET_EACH(p, bitset_row(x->sleep.data, race->first, x->label_words), x->label_words)) {
        if (p != race->label && indep_dependent(x->indep, (uint32_t)p, race->label)) continue;
        if (!bitset_meets(config_touch(&x->config, (uint32_t)p), x->kept.data, used)) return true;
    }
    return false;
}

static bool insert_sequence(Dpor *x, const Race *race)
{
    if (sleeper_covers(x, race)) return false;
    return wakeup_insert(&x->tree, x->frame.data[race->first].tree, true, x->sequence.data, x->sequence.len);
}

/* Source sets: some initial of the sequence must be a branch; its first action is added when none is.
 * When the event itself sleeps (nothing else of the sequence can), other nodes see to it. */
static bool add_branch(Dpor *x, const Race *race)
{
    uint64_t *branches = bitset_row(x->branches.data, race->first, x->label_words),
             *sleep = bitset_row(x->sleep.data, race->first, x->label_words);
    const VecU32 *v = &x->sequence;
    assert(v->len && vec_last(v) == race->label);
    for (size_t i = 0; i < v->len; i++) {
        if (!bitset_get(branches, v->data[i]) && !bitset_get(sleep, v->data[i])) continue;
        bool initial = true;
        for (size_t j = 0; j < i && initial; j++) initial = !indep_dependent(x->indep, v->data[j], v->data[i]);
        if (initial) return false;
    }
    assert(!bitset_get(sleep, v->data[0]));
    bitset_set(branches, v->data[0]);
    return true;
}

static void reverse_races(Dpor *x)
{
    if (x->options->algorithm == ALGORITHM_SLEEP) return;
    vec_reserve(&x->kept, x->config.words);
    for (size_t i = 0; i < x->races.race.len && !budget_spent(x->outcome->budget); i++) {
        const Race *race = &x->races.race.data[i];
        races_reverse(&x->races, race, &x->config, &x->sequence, x->kept.data);
        x->stats->races++;
        bool added = x->options->algorithm == ALGORITHM_ODPOR ? insert_sequence(x, race) : add_branch(x, race);
        x->stats->inserted += added;
    }
}

/* ---- the search ---- */

/* The next branch of the current node, or EVENT_NONE. */
static uint32_t next_branch(Dpor *x)
{
    size_t n = x->frame.len - 1;
    Frame *frame = &vec_last(&x->frame);
    uint64_t *sleep = bitset_row(x->sleep.data, n, x->label_words),
             *branches = bitset_row(x->branches.data, n, x->label_words);
    uint32_t label = EVENT_NONE;
    bool fresh = frame->fresh;
    frame->fresh = false;
    if (x->options->algorithm == ALGORITHM_ODPOR) {
        uint32_t child = x->tree.node.data[frame->tree].first;
        if (child != WAKEUP_NONE) return x->tree.node.data[child].label;
        if (fresh) label = bitset_least_outside(x->enabled, sleep, x->label_words);
        if (label != EVENT_NONE) wakeup_grow(&x->tree, frame->tree, label);
        return label;
    }
    if (x->options->algorithm == ALGORITHM_SLEEP) return bitset_least_outside(x->enabled, sleep, x->label_words);
    if (fresh && (label = bitset_least_outside(x->enabled, sleep, x->label_words)) != EVENT_NONE)
        bitset_set(branches, label);
    return bitset_least_outside(branches, sleep, x->label_words);
}

static void leaf(Dpor *x, bool bound)
{
    LeafKind kind = !bitset_any(x->enabled, x->label_words) ? LEAF_MAXIMAL : bound ? LEAF_BOUND : LEAF_BLOCKED;
    assert(kind != LEAF_BLOCKED || x->options->algorithm != ALGORITHM_ODPOR || x->indep->doubt_start);
    outcome_leaf(x->outcome, kind, x->config.state, x->config.label.data, x->config.n);
    if (x->options->leaf) x->options->leaf(x->options->data, kind, &x->config);
    reverse_races(x);
}

static void push_frame(Dpor *x, uint32_t tree, size_t undo, size_t races)
{
    vec_push(&x->frame, ((Frame){.label = EVENT_NONE, .tree = tree, .fresh = true, .undo = undo, .races = races}));
    vec_reserve(&x->sleep, x->frame.len * x->label_words);
    vec_reserve(&x->branches, x->frame.len * x->label_words);
    memset(bitset_row(x->branches.data, x->frame.len - 1, x->label_words), 0, x->label_words * sizeof(uint64_t));
}

static bool descend(Dpor *x, uint32_t label)
{
    size_t n = x->frame.len - 1, undo = x->undo.len, races = x->races.race.len;
    assert(n == x->config.n);
    x->frame.data[n].label = label;
    uint32_t tree = x->options->algorithm == ALGORITHM_ODPOR ? x->tree.node.data[x->frame.data[n].tree].first : 0;
    push_frame(x, tree, undo, races);
    uint64_t *sleep = bitset_row(x->sleep.data, n + 1, x->label_words);
    memcpy(sleep, bitset_row(x->sleep.data, n, x->label_words), x->label_words * sizeof *sleep);
    assert(!bitset_get(sleep, label));
    for (BITSET_EACH(u, sleep, x->label_words))
        if (indep_dependent(x->indep, label, (uint32_t)u)) bitset_clear(sleep, u);
    return push(x, label) && outcome_enter(x->outcome, x->config.n, x->config.state);
}

static void ascend(Dpor *x)
{
    Frame below = vec_pop(&x->frame);
    pop(x, &below);
    size_t n = x->frame.len - 1;
    assert(n == x->config.n && x->frame.data[n].label != EVENT_NONE);
    bitset_set(bitset_row(x->sleep.data, n, x->label_words), x->frame.data[n].label);
    if (x->options->algorithm == ALGORITHM_ODPOR) wakeup_drop_first(&x->tree, x->frame.data[n].tree);
}

static bool over_limit(Dpor *x)
{
    Budget *budget = x->outcome->budget;
    if (budget_max_events(budget) && x->met > budget_max_events(budget)) budget_exhaust(budget, ENDING_EVENTS);
    return budget_spent(budget) || outcome_stopped(x->outcome);
}

static void search(Dpor *x)
{
    push_frame(x, 0, 0, 0);
    memset(bitset_row(x->sleep.data, 0, x->label_words), 0, x->label_words * sizeof(uint64_t));
    if (!outcome_enter(x->outcome, 0, x->config.state)) return;
    while (!over_limit(x)) {
        bool fresh = vec_last(&x->frame).fresh, bound = x->options->depth && x->config.n >= x->options->depth;
        uint32_t label = bound ? EVENT_NONE : next_branch(x);
        if (label != EVENT_NONE) {
            if (!descend(x, label)) return;
            continue;
        }
        if (fresh) leaf(x, bound);
        if (x->frame.len == 1) return;
        ascend(x);
    }
}

void dpor_explore(Outcome *outcome, DporStats *stats, const Lts *lts, const NetLts *net, const Indep *indep,
                  const DporOptions *options, Budget *budget)
{
    Dpor *x = g_new0(Dpor, 1);
    uint32_t n = lts->n_actions;
    assert(indep->n == n && (!net || &net->lts == lts));
    assert(options->algorithm != ALGORITHM_UPOR && options->algorithm != ALGORITHM_CDPOR);
    *stats = (DporStats){0};
    *x = (Dpor){.lts = lts, .indep = indep, .options = options, .outcome = outcome, .stats = stats};
    outcome_init(outcome, lts, budget);
    if (options->count == COUNT_EXACT) events_init(&x->events, false);
    if (options->count == COUNT_SKETCH) x->sketch = g_new0(Sketch, 1);
    config_init(&x->config, lts, indep, options->count == COUNT_EXACT ? &x->events : NULL, CONFIG_STANDBY_STEP);
    x->extend = extend_new(&x->config, net, options->extend, budget);
    wakeup_init(&x->tree, indep);
    x->label_words = MAX((n + 63) / 64, 1);
    x->enabled = g_new0(uint64_t, x->label_words);
    if (pairs_commute(x) && extend_newest(x->extend, found, x)) search(x);
    outcome_end(outcome);
    outcome->stats.events = x->sketch ? sketch_estimate(x->sketch) : x->events.created;
    outcome->stats.most_events = MAX(x->events.live, outcome->stats.deepest);
    outcome->stats.extend = *extend_stats(x->extend);
    stats->covered = x->tree.covered;
    stats->most_tree = x->tree.most;
    vec_free(&x->frame);
    vec_free(&x->sleep);
    vec_free(&x->branches);
    vec_free(&x->undo);
    vec_free(&x->sequence);
    vec_free(&x->kept);
    vec_free(&x->scratch);
    vec_free(&x->names);
    g_free(x->sketch);
    g_free(x->enabled);
    races_clear(&x->races);
    wakeup_clear(&x->tree);
    extend_free(x->extend);
    config_clear(&x->config);
    if (options->count == COUNT_EXACT) events_clear(&x->events);
    g_free(x);
}

void dpor_run(DporRun *run, const Net *net, const Indep *indep, const DporOptions *options, Budget *budget)
{
    *run = (DporRun){0};
    for (unsigned width = netlts_initial_width(net); width <= 64; width *= 2) {
        dpor_clear(run);
        run->lts = netlts_new(net, width);
        run->starts++;
        if (options->start) options->start(options->data);
        dpor_explore(&run->outcome, &run->stats, &run->lts->lts, run->lts, indep, options, budget);
        if (run->outcome.end != ENDING_OVERFLOW) return;
    }
}

void dpor_clear(DporRun *run)
{
    outcome_clear(&run->outcome);
    netlts_free(run->lts);
    run->lts = NULL;
}
