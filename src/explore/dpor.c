#include "explore/dpor.h"

#include "explore/choice.h"
#include "explore/crew.h"
#include "explore/trail.h"
#include "explore/wakeup.h"

#include <assert.h>

/* A node of the current path: the run of its depth. */
typedef struct Frame {
    uint32_t label; /* of the branch being explored */
    uint32_t tree;  /* odpor: its node of the wakeup tree */
    bool fresh;     /* no branch was chosen yet */
} Frame;

typedef struct Dpor {
    Trail trail;
    const DporOptions *options;
    Outcome *outcome;
    DporStats *stats;
    Choice choice; /* odpor */
    Wakeup tree;
    VEC(Frame) frame;
    VecU64 sleep, branches; /* rows of label_words, one per frame */
    uint32_t label_words;
    VecU32 sequence;
    VecU64 kept;
} Dpor;

/* ---- races ---- */

/* Is some action asleep at the node before the race a weak initial of the reversing sequence? Such an
 * action is not in the run, so only positions and the last action can depend on it. */
static bool sleeper_covers(const Dpor *x, const Race *race)
{
    uint32_t used = (x->trail.config.n + 63) / 64;
    assert(race->first < x->trail.config.n);
    for (BITSET_EACH(p, bitset_row(x->sleep.data, race->first, x->label_words), x->label_words)) {
        if (p != race->label && indep_dependent(x->trail.indep, (uint32_t)p, race->label)) continue;
        if (!bitset_meets(config_touch(&x->trail.config, (uint32_t)p), x->kept.data, used)) return true;
    }
    return false;
}

/* The same by definition. */
static G_GNUC_UNUSED bool sleeper_is_initial(const Dpor *x, const Race *race)
{
    for (BITSET_EACH(p, bitset_row(x->sleep.data, race->first, x->label_words), x->label_words))
        if (wakeup_weak_initial(x->trail.indep, (uint32_t)p, x->sequence.data, x->sequence.len)) return true;
    return false;
}

static bool insert_sequence(Dpor *x, const Race *race)
{
    bool covered = sleeper_covers(x, race);
    assert(covered == sleeper_is_initial(x, race));
    if (covered) return false;
    return wakeup_insert(&x->tree, x->frame.data[race->first].tree, true, x->sequence.data, x->sequence.len,
                         bitset_row(x->sleep.data, race->first, x->label_words));
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
        for (size_t j = 0; j < i && initial; j++) initial = !indep_dependent(x->trail.indep, v->data[j], v->data[i]);
        if (initial) return false;
    }
    assert(!bitset_get(sleep, v->data[0]));
    bitset_set(branches, v->data[0]);
    return true;
}

static void reverse_races(Dpor *x)
{
    if (x->options->algorithm == ALGORITHM_SLEEP) return;
    vec_reserve(&x->kept, x->trail.config.words);
    for (size_t i = 0; i < x->trail.races.race.len && !budget_spent(x->outcome->budget); i++) {
        const Race *race = &x->trail.races.race.data[i];
        races_reverse(&x->trail.races, race, &x->trail.config, &x->sequence, x->kept.data);
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
        assert(!fresh || !bitset_any(sleep, x->label_words)); /* whoever comes to a leaf of the tree is free to go on */
        if (fresh) label = choice_next(&x->choice, &x->trail.config, x->trail.enabled, sleep);
        if (label != EVENT_NONE) wakeup_grow(&x->tree, frame->tree, label);
        return label;
    }
    if (x->options->algorithm == ALGORITHM_SLEEP) return bitset_least_outside(x->trail.enabled, sleep, x->label_words);
    if (fresh && (label = bitset_least_outside(x->trail.enabled, sleep, x->label_words)) != EVENT_NONE)
        bitset_set(branches, label);
    return bitset_least_outside(branches, sleep, x->label_words);
}

static void leaf(Dpor *x, bool bound)
{
    LeafKind kind = trail_leaf(&x->trail);
    if (kind == LEAF_BLOCKED && bound) kind = LEAF_BOUND;
    assert(kind != LEAF_BLOCKED || x->options->algorithm != ALGORITHM_ODPOR || x->trail.indep->doubt_start);
    outcome_leaf(x->outcome, kind, x->trail.config.state, x->trail.config.label.data, x->trail.config.n);
    if (x->options->leaf) x->options->leaf(x->options->data, kind, &x->trail.config);
    reverse_races(x);
}

/* For one more frame. While rows are moved, old and new ones are there together. */
static bool has_room(const Dpor *x)
{
    size_t n = (x->frame.len + 1) * x->label_words;
    return n <= x->sleep.cap || budget_allows(x->outcome->budget, 2 * n * sizeof(uint64_t));
}

static void push_frame(Dpor *x, uint32_t tree)
{
    vec_push(&x->frame, ((Frame){.label = EVENT_NONE, .tree = tree, .fresh = true}));
    vec_reserve(&x->sleep, x->frame.len * x->label_words);
    vec_reserve(&x->branches, x->frame.len * x->label_words);
    memset(bitset_row(x->branches.data, x->frame.len - 1, x->label_words), 0, x->label_words * sizeof(uint64_t));
}

static bool descend(Dpor *x, uint32_t label)
{
    size_t n = x->frame.len - 1;
    assert(n == x->trail.config.n);
    if (!has_room(x)) return false;
    x->frame.data[n].label = label;
    uint32_t tree = x->options->algorithm == ALGORITHM_ODPOR ? x->tree.node.data[x->frame.data[n].tree].first : 0;
    push_frame(x, tree);
    uint64_t *sleep = bitset_row(x->sleep.data, n + 1, x->label_words);
    memcpy(sleep, bitset_row(x->sleep.data, n, x->label_words), x->label_words * sizeof *sleep);
    assert(!bitset_get(sleep, label));
    for (INDEP_EACH(u, x->trail.indep, label, sleep, x->label_words)) bitset_clear(sleep, u);
    return trail_push(&x->trail, label);
}

static void ascend(Dpor *x)
{
    x->frame.len--;
    trail_pop(&x->trail);
    size_t n = x->frame.len - 1;
    assert(n == x->trail.config.n && x->frame.data[n].label != EVENT_NONE);
    bitset_set(bitset_row(x->sleep.data, n, x->label_words), x->frame.data[n].label);
    if (x->options->algorithm == ALGORITHM_ODPOR) wakeup_drop_first(&x->tree, x->frame.data[n].tree);
}

static bool over_limit(Dpor *x)
{
    Budget *budget = x->outcome->budget;
    if (budget_max_events(budget) && x->trail.met > budget_max_events(budget)) budget_exhaust(budget, ENDING_EVENTS);
    return budget_spent(budget) || outcome_stopped(x->outcome);
}

static void search(Dpor *x)
{
    push_frame(x, 0);
    memset(bitset_row(x->sleep.data, 0, x->label_words), 0, x->label_words * sizeof(uint64_t));
    while (!over_limit(x)) {
        bool fresh = vec_last(&x->frame).fresh, bound = x->options->depth && x->trail.config.n >= x->options->depth;
        uint32_t label = bound ? EVENT_NONE : next_branch(x);
        if (label != EVENT_NONE) {
            if (!descend(x, label)) return;
            continue;
        }
        if (bound && x->options->algorithm == ALGORITHM_ODPOR) wakeup_cut(&x->tree, vec_last(&x->frame).tree);
        if (fresh) leaf(x, bound);
        if (x->frame.len == 1) return;
        ascend(x);
    }
}

void dpor_explore(Outcome *outcome, DporStats *stats, const Lts *lts, const NetLts *net, const Indep *indep,
                  const DporOptions *options, Budget *budget)
{
    assert(options->algorithm != ALGORITHM_UPOR && options->algorithm != ALGORITHM_CDPOR);
    *stats = (DporStats){0};
    outcome_init(outcome, lts, budget);
    Dpor x = {.options = options, .outcome = outcome, .stats = stats};
    trail_init(&x.trail, lts, net, indep, options->extend, options->count, options->algorithm != ALGORITHM_SLEEP,
               (Bounds){.times = options->unroll, .spins = options->spins}, outcome);
    outcome->bounded |= options->depth > 0;
    choice_init(&x.choice, lts, net, false);
    wakeup_init(&x.tree, indep);
    x.label_words = x.trail.label_words;
    if (trail_begin(&x.trail)) search(&x);
    outcome_end(outcome);
    stats->covered = x.tree.covered;
    stats->most_tree = x.tree.most;
    dpor_note_races(stats, &x.trail.races);
    vec_free(&x.frame);
    vec_free(&x.sleep);
    vec_free(&x.branches);
    vec_free(&x.sequence);
    vec_free(&x.kept);
    choice_clear(&x.choice);
    wakeup_clear(&x.tree);
    trail_clear(&x.trail);
}

void dpor_note_races(DporStats *stats, const Races *races)
{
    stats->most_races = (uint32_t)MIN(races->most, UINT32_MAX);
    stats->race_words = races->most_words;
}

static void explore(DporRun *run, const Indep *indep, const DporOptions *options, Budget *budget)
{
    const Lts *lts = &run->lts->lts;
    if (options->algorithm != ALGORITHM_REVERSE) {
        dpor_explore(&run->outcome, &run->stats, lts, run->lts, indep, options, budget);
        return;
    }
    backlog_empty(&run->rest);
    if (options->from)
        backlog_append(&run->rest, options->from);
    else
        backlog_push(&run->rest, NULL, 0);
    crew_explore(&run->outcome, &run->stats, lts, run->lts, indep, options, &run->rest, budget);
}

void dpor_run(DporRun *run, const Net *net, const Indep *indep, const DporOptions *options, Budget *budget)
{
    DporOptions how = *options;
    *run = (DporRun){0};
    if (options->spins_late) how.spins = NULL;
    for (unsigned width = netlts_initial_width(net); width <= 64;) {
        dpor_clear(run);
        run->lts = netlts_new(net, width);
        run->starts++;
        if (options->start) options->start(options->data);
        explore(run, indep, &how, budget);
        if (run->outcome.end == ENDING_ENDLESS && how.spins != options->spins)
            how.spins = options->spins;
        else if (run->outcome.end == ENDING_OVERFLOW)
            width *= 2;
        else
            return;
    }
}

void dpor_clear(DporRun *run)
{
    outcome_clear(&run->outcome);
    netlts_free(run->lts);
    run->lts = NULL;
    backlog_clear(&run->rest);
}
