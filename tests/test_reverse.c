#include "test.h"

#include "breadth.h"
#include "explore/crew.h"
#include "explore/netexplore.h"
#include "net/builder.h"
#include "net/gen.h"
#include "program_net.h"
#include "thread_net.h"
#include "traces_found.h"

/* Reverse search by threads, in parts and within bounds, against all runs. test_dpor.c has it among the other
 * algorithms. */

static const Relation STRUCTURAL[] = {RELATION_NONE, RELATION_CLASSIC, RELATION_READ, RELATION_LOOPS};

typedef struct Seen {
    Leaves leaves;
    uint64_t maximal, bound;
} Seen;

static void note(void *data, LeafKind kind, const Config *c)
{
    Seen *seen = data;
    seen->maximal += kind == LEAF_MAXIMAL;
    seen->bound += kind == LEAF_BOUND;
    ck_assert(kind == LEAF_MAXIMAL || kind == LEAF_BOUND);
    note_leaf(&seen->leaves, LEAF_MAXIMAL, c);
}

static Seen seen_new(const Indep *indep)
{
    return (Seen){.leaves = {.indep = indep, .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)}};
}

static void seen_all(Seen *seen, GHashTable *traces)
{
    ck_assert_uint_eq(seen->leaves.twice, 0);
    ck_assert(same_strings(seen->leaves.seen, traces));
    g_hash_table_destroy(seen->leaves.seen);
}

/* What starts again, with wider counters, has found nothing yet. */
static void forget(void *data)
{
    Seen *seen = data;
    g_hash_table_remove_all(seen->leaves.seen);
    seen->maximal = seen->leaves.twice = 0;
}

/* Every third one is like a program, with many races; the others are of random arcs. */
static Net *some_net(Rng *rng, guint round, unsigned kinds)
{
    return round % 3 ? random_net(rng, round / 3 % kinds, true) : thread_net(rng);
}

/* What several threads tell together is what one tells: figures, and to each dead marking the same run. */
static void told_like_one_thread(const DporRun *many, const Net *net, const Indep *indep)
{
    DporOptions options = {.algorithm = ALGORITHM_REVERSE};
    Budget budget = budget_unlimited();
    DporRun one;
    dpor_run(&one, net, indep, &options, &budget);
    const Outcome *a = &one.outcome, *b = &many->outcome;
    for (int kind = 0; kind < N_LEAF_KINDS; kind++) ck_assert_uint_eq(a->stats.leaves[kind], b->stats.leaves[kind]);
    ck_assert_uint_eq(a->stats.deepest, b->stats.deepest);
    ck_assert_uint_eq(one.stats.races, many->stats.races);
    ck_assert_uint_eq(one.stats.inserted, many->stats.inserted);
    ck_assert_uint_eq(one.stats.covered, many->stats.covered);
    ck_assert_uint_ge(b->stats.nodes, a->stats.nodes); /* who takes a run from another goes all the way to it */
    ck_assert_uint_eq(a->dead.len, b->dead.len);
    for (size_t i = 0; i < a->dead.len; i++) {
        const ExploreDead *x = &a->dead.data[i], *y = &b->dead.data[i];
        ck_assert_uint_eq(x->length, y->length);
        ck_assert(memcmp(x->run, y->run, x->length * sizeof *x->run) == 0);
        if (!i) continue;
        const ExploreDead *before = &b->dead.data[i - 1]; /* short ones first, then by labels */
        ck_assert(before->length < y->length || (before->length == y->length && before->run[0] <= y->run[0]));
    }
    dpor_clear(&one);
}

START_TEST(threads_find_the_same)
{
    Rng rng = {11};
    guint rounds = test_rounds(3000, 20000), checked = 0, many = 0;
    for (guint round = 0; round < rounds; round++) {
        g_autoptr(Net) net = some_net(&rng, round, N_KINDS);
        g_autoptr(Indep) indep = indep_new(net, RELATIONS[rng_below(&rng, G_N_ELEMENTS(RELATIONS))]);
        Traces *traces = traces_make(net, indep, 400, true);
        if (traces->complete) {
            Seen seen = seen_new(indep);
            DporOptions options = {.algorithm = ALGORITHM_REVERSE,
                                   .threads = 2 + (unsigned)rng_below(&rng, 3),
                                   .start = forget,
                                   .leaf = note,
                                   .data = &seen};
            Budget budget = budget_unlimited();
            DporRun run;
            dpor_run(&run, net, indep, &options, &budget);
            ck_assert_int_eq(run.outcome.end, ENDING_COMPLETE);
            ck_assert_uint_eq(run.outcome.stats.leaves[LEAF_MAXIMAL], g_hash_table_size(traces->maximal));
            same_dead(net, run.lts, run.outcome.dead.data, run.outcome.dead.len, traces->dead);
            seen_all(&seen, traces->maximal);
            told_like_one_thread(&run, net, indep);
            dpor_clear(&run);
            checked++;
            many += g_hash_table_size(traces->maximal) > 20;
        }
        traces_free(traces);
    }
    printf("%u of %u nets compared with threads\n", checked, rounds);
    ck_assert_uint_gt(checked, rounds / 3);
    ck_assert_uint_gt(many, rounds / 10);
}
END_TEST

/* ---- parts ---- */

static void add_piece(Seen *all, GHashTable *dead, Seen *piece, const DporRun *run)
{
    ck_assert_uint_eq(piece->leaves.twice, 0);
    ck_assert_uint_eq(run->outcome.stats.leaves[LEAF_MAXIMAL], piece->maximal);
    GHashTableIter i;
    gpointer key;
    g_hash_table_iter_init(&i, piece->leaves.seen);
    while (g_hash_table_iter_next(&i, &key, NULL))
        all->leaves.twice += !g_hash_table_add(all->leaves.seen, g_strdup(key));
    all->maximal += piece->maximal;
    uint32_t places = run->lts->net->n_places;
    g_autofree uint64_t *marking = g_new0(uint64_t, MAX(places, 1));
    for (size_t k = 0; k < run->outcome.dead.len; k++) {
        netlts_unpack(run->lts, run->outcome.dead.data[k].state, marking);
        g_hash_table_add(dead, g_bytes_new(marking, places * sizeof *marking));
    }
    g_hash_table_destroy(piece->leaves.seen);
}

/* Visits everything in pieces: some are split, some end by a limit, some have threads, until nothing is left. Returns
 * the number of pieces. */
static guint in_pieces(const Net *net, const Indep *indep, Rng *rng, Seen *seen, GHashTable *dead)
{
    Backlog open = {0};
    backlog_push(&open, NULL, 0);
    guint pieces = 0;
    VecU32 one = {0};
    while (backlog_len(&open)) {
        Backlog piece = {0};
        for (uint64_t n = 1 + rng_below(rng, 3); n && backlog_len(&open); n--) {
            if (rng_chance(rng, 2))
                backlog_take_oldest(&open, &one);
            else
                backlog_take_newest(&open, &one);
            backlog_push(&piece, one.data, one.len);
        }
        unsigned way = (unsigned)rng_below(rng, 4);
        Budget budget = budget_new(0, 0, way % 3 == 0 ? 1 + rng_below(rng, 100) : 0);
        Seen found = seen_new(indep);
        DporOptions options = {.algorithm = ALGORITHM_REVERSE,
                               .from = &piece,
                               .threads = way < 2 ? 1 : way + 1,
                               .split = way == 1 ? 1 + rng_below(rng, 6) : 0,
                               .start = forget,
                               .leaf = note,
                               .data = &found};
        DporRun run;
        dpor_run(&run, net, indep, &options, &budget);
        ck_assert(run.outcome.end == ENDING_COMPLETE || run.outcome.end == ENDING_EVENTS);
        if (way == 1) ck_assert(!backlog_len(&run.rest) || backlog_len(&run.rest) >= options.split);
        backlog_append(&open, &run.rest);
        add_piece(seen, dead, &found, &run);
        backlog_clear(&piece);
        dpor_clear(&run);
        pieces++;
    }
    vec_free(&one);
    backlog_clear(&open);
    return pieces;
}

static bool same_markings(GHashTable *a, GHashTable *b)
{
    GHashTableIter i;
    gpointer key;
    g_hash_table_iter_init(&i, a);
    while (g_hash_table_iter_next(&i, &key, NULL))
        if (!g_hash_table_contains(b, key)) return false;
    return g_hash_table_size(a) == g_hash_table_size(b);
}

START_TEST(parts_add_up)
{
    Rng rng = {12};
    guint rounds = test_rounds(4000, 40000), checked = 0, pieces = 0;
    for (guint round = 0; round < rounds; round++) {
        g_autoptr(Net) net = some_net(&rng, round, N_KINDS);
        g_autoptr(Indep) indep = indep_new(net, RELATIONS[rng_below(&rng, G_N_ELEMENTS(RELATIONS))]);
        Traces *traces = traces_make(net, indep, 400, true);
        if (traces->complete) {
            Seen seen = seen_new(indep);
            GHashTable *dead = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
            pieces += in_pieces(net, indep, &rng, &seen, dead);
            ck_assert_uint_eq(seen.maximal, g_hash_table_size(traces->maximal));
            ck_assert(same_markings(dead, traces->dead));
            g_hash_table_destroy(dead);
            seen_all(&seen, traces->maximal);
            checked++;
        }
        traces_free(traces);
    }
    printf("%u of %u nets compared in %u pieces\n", checked, rounds, pieces);
    ck_assert_uint_gt(checked, rounds / 3);
    ck_assert_uint_gt(pieces, 2 * checked);
}
END_TEST

/* A system in which a budget ends at some firing, in the middle of whatever is being done. */
typedef struct Clock {
    NetLts lts;
    bool (*fire)(const Lts *lts, uint64_t *state, uint32_t action);
    Budget *budget;
    uint64_t *left;
} Clock;

static bool fire_and_count(const Lts *lts, uint64_t *state, uint32_t action)
{
    const Clock *clock = (const Clock *)lts;
    if (!--*clock->left) budget_exhaust(clock->budget, ENDING_TIME);
    return clock->fire(lts, state, action);
}

/* How often it was ended. */
static guint with_interruptions(const NetLts *lts, const Indep *indep, Rng *rng, Seen *seen)
{
    DporOptions options = {.algorithm = ALGORITHM_REVERSE, .leaf = note, .data = seen};
    Backlog todo = {0};
    backlog_push(&todo, NULL, 0);
    guint ended = 0;
    while (backlog_len(&todo)) {
        Budget budget = budget_unlimited();
        uint64_t left = 1 + 10 * ended + rng_below(rng, 60); /* also in the middle of the very first run */
        Clock clock = {.lts = *lts, .fire = lts->lts.fire, .budget = &budget, .left = &left};
        clock.lts.lts.fire = fire_and_count;
        Outcome o;
        DporStats stats;
        crew_explore(&o, &stats, &clock.lts.lts, &clock.lts, indep, &options, &todo, &budget);
        ck_assert_int_eq(o.end, backlog_len(&todo) ? ENDING_TIME : budget_ending(&budget));
        ended += backlog_len(&todo) > 0;
        outcome_clear(&o);
    }
    backlog_clear(&todo);
    return ended;
}

START_TEST(limits_lose_nothing)
{
    Rng rng = {15};
    guint rounds = test_rounds(600, 10000), ended = 0;
    for (guint round = 0; round < rounds; round++) {
        g_autoptr(Net) net = round % 2 ? thread_net(&rng) : random_net(&rng, round % N_KINDS, true);
        g_autoptr(Indep) indep = indep_new(net, RELATIONS[rng_below(&rng, G_N_ELEMENTS(RELATIONS))]);
        g_autoptr(NetLts) lts = netlts_new(net, 64);
        Traces *traces = traces_make(net, indep, 400, true);
        if (traces->complete) {
            Seen seen = seen_new(indep);
            ended += with_interruptions(lts, indep, &rng, &seen);
            seen_all(&seen, traces->maximal);
        }
        traces_free(traces);
    }
    ck_assert_uint_gt(ended, rounds / 2);
}
END_TEST

/* ---- bounds ---- */

/* Each transition takes one of so many tokens of a place of its own: what depends on what stays as it is. */
static Net *with_counters(const Net *net, uint32_t times)
{
    g_autoptr(NetBuilder) b = net_builder_new("bounded");
    for (uint32_t p = 0; p < net->n_places; p++) net_builder_place(b, net_place_id(net, p), NULL, net->initial[p]);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        net_builder_transition(b, net_transition_id(net, t), NULL);
        g_autofree char *id = g_strdup_printf("times of %u", t);
        net_builder_arc(b, ARC_PRE, net_builder_place(b, id, NULL, times), t, 1);
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
            NetRow row = net_places(net, kind, t);
            for (uint32_t i = 0; i < row.len; i++) net_builder_arc(b, kind, row.node[i], t, net_weight(row, i));
        }
    }
    GError *error = NULL;
    Net *bounded = net_builder_finish(b, &error);
    ck_assert_msg(bounded != NULL, "%s", error ? error->message : "");
    return bounded;
}

typedef struct Cut {
    const Net *net;
    bool any;
} Cut;

/* Does only its counter keep a transition from firing? The places of the net come first, then the counters. */
static bool look_for_cut(const uint64_t *marking, void *data)
{
    Cut *cut = data;
    for (uint32_t t = 0; t < cut->net->n_transitions; t++)
        cut->any |= !marking[cut->net->n_places + t] && net_enabled(cut->net, marking, t);
    return cut->any;
}

static bool cuts_something(const Net *net, const Net *twin)
{
    Cut cut = {.net = net};
    VecU32 unused = {0};
    ck_assert(naive_search(twin, 100000, look_for_cut, &cut, &unused) != NAIVE_TOO_MANY);
    vec_free(&unused);
    return cut.any;
}

/* The same by upor, with its usual cache or none. */
static void upor_unrolled(const Net *net, const Indep *indep, const Traces *traces, uint32_t times, size_t cache,
                          bool cut)
{
    Seen seen = seen_new(indep);
    ExploreOptions options = {.unroll = times, .cache = cache, .leaf = note, .data = &seen};
    Budget budget = budget_unlimited();
    NetExplore run;
    netexplore_run(&run, net, indep, &options, true, &budget);
    ck_assert_int_eq(run.end, ENDING_COMPLETE);
    ck_assert_int_eq(netexplore_complete(&run), !cut);
    seen_all(&seen, traces->maximal);
    netexplore_clear(&run);
}

START_TEST(unrolled_like_counters)
{
    static const Algorithm ALGORITHMS[] = {ALGORITHM_REVERSE, ALGORITHM_ODPOR, ALGORITHM_SDPOR, ALGORITHM_SLEEP};
    Rng rng = {13};
    guint rounds = test_rounds(1200, 20000), checked = 0, cut = 0, ended_elsewhere = 0;
    for (guint round = 0; round < rounds; round++) {
        g_autoptr(Net) net = random_net(&rng, round % 3, rng_chance(&rng, 4));
        Relation relation = STRUCTURAL[rng_below(&rng, G_N_ELEMENTS(STRUCTURAL))];
        uint32_t times = 1 + (uint32_t)rng_below(&rng, 2);
        g_autoptr(Net) twin = with_counters(net, times);
        g_autoptr(Indep) indep = indep_new(net, relation), twins = indep_new(twin, relation);
        Traces *traces = traces_new(twin, twins, 300);
        bool cuts = traces->complete && cuts_something(net, twin);
        for (size_t k = 0; traces->complete && k < G_N_ELEMENTS(ALGORITHMS); k++) {
            Leaves leaves = {.indep = indep, .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
            Seen seen = {.leaves = leaves};
            bool blocks = ALGORITHMS[k] == ALGORITHM_SLEEP || ALGORITHMS[k] == ALGORITHM_SDPOR;
            DporOptions options = {
                .algorithm = ALGORITHMS[k], .unroll = times, .leaf = blocks ? NULL : note, .data = &seen};
            Budget budget = budget_unlimited();
            DporRun run;
            dpor_run(&run, net, indep, &options, &budget);
            const ExploreStats *s = &run.outcome.stats;
            ck_assert_int_eq(run.outcome.end, ENDING_COMPLETE);
            ck_assert_uint_eq(s->leaves[LEAF_MAXIMAL] + s->leaves[LEAF_BOUND], g_hash_table_size(traces->maximal));
            ck_assert_int_eq(outcome_reason(&run.outcome) != NULL, cuts);
            cut += cuts;
            ended_elsewhere += cuts && !s->leaves[LEAF_BOUND];
            if (blocks)
                g_hash_table_destroy(leaves.seen);
            else
                seen_all(&seen, traces->maximal);
            dpor_clear(&run);
            checked++;
        }
        if (traces->complete) upor_unrolled(net, indep, traces, times, round % 2 ? 0 : CACHE_USUAL, cuts);
        traces_free(traces);
    }
    ck_assert_uint_gt(checked, rounds);
    ck_assert_uint_gt(cut, rounds / 4);
    ck_assert_uint_gt(ended_elsewhere, 0);
}
END_TEST

/* All runs of events with fewer causes than that, one by one; those that cannot go on are added by their normal forms.
 */
static void shallow_runs(const Net *net, const Indep *indep, guint depth, GArray *run, const uint64_t *marking,
                         GHashTable *met, GHashTable *ends)
{
    bool any = false;
    g_autofree uint64_t *next = g_new0(uint64_t, net->n_places + 1);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        memcpy(next, marking, net->n_places * sizeof *marking);
        if (!net_enabled(net, next, t) || !net_fire(net, next, t)) continue;
        g_array_append_val(run, t);
        uint32_t *labels = (uint32_t *)(void *)run->data;
        g_autofree char *event = traces_event(indep, labels, run->len);
        guint causes = 0;
        for (const char *c = event; *c; c = g_utf8_next_char(c)) causes += *c != '|';
        if (causes <= depth) {
            any = true;
            if (g_hash_table_add(met, traces_foata(indep, labels, run->len, NULL)))
                shallow_runs(net, indep, depth, run, next, met, ends);
        }
        g_array_set_size(run, run->len - 1);
    }
    if (!any) g_hash_table_add(ends, traces_foata(indep, (uint32_t *)(void *)run->data, run->len, NULL));
}

START_TEST(shallow_like_all_runs)
{
    Rng rng = {14};
    guint rounds = test_rounds(300, 5000), cut = 0;
    for (guint round = 0; round < rounds; round++) {
        g_autoptr(Net) net = random_net(&rng, round % 3, rng_chance(&rng, 3));
        g_autoptr(Indep) indep = indep_new(net, STRUCTURAL[1 + rng_below(&rng, G_N_ELEMENTS(STRUCTURAL) - 1)]);
        guint depth = 1 + (guint)rng_below(&rng, 4);
        GHashTable *met = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                   *ends = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        GArray *walk = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        shallow_runs(net, indep, depth, walk, net->initial, met, ends);
        Seen seen = seen_new(indep);
        DporOptions options = {
            .algorithm = ALGORITHM_REVERSE, .depth = depth, .threads = 1 + round % 2, .leaf = note, .data = &seen};
        Budget budget = budget_unlimited();
        DporRun run;
        dpor_run(&run, net, indep, &options, &budget);
        ck_assert_int_eq(run.outcome.end, ENDING_COMPLETE);
        cut += run.outcome.stats.leaves[LEAF_BOUND] > 0;
        ck_assert_uint_eq(run.outcome.stats.leaves[LEAF_BOUND], seen.bound);
        ck_assert_int_eq(run.outcome.stats.leaves[LEAF_MAXIMAL], seen.maximal);
        seen_all(&seen, ends);
        dpor_clear(&run);
        g_array_free(walk, TRUE);
        g_hash_table_destroy(met);
        g_hash_table_destroy(ends);
    }
    ck_assert_uint_gt(cut, rounds / 4);
}
END_TEST

/* ---- memory ---- */

/* MPAT(k) has 2^k k! traces; what waits to be visited stays as few as the ancestors of one trace have children. */
START_TEST(few_runs_wait)
{
    uint32_t most[2];
    for (int k = 4; k <= 5; k++) {
        g_autoptr(Net) net = program_net("mpat", k == 4 ? "K=4" : "K=5");
        g_autoptr(Indep) indep = indep_new(net, RELATION_CLASSIC);
        DporOptions options = {.algorithm = ALGORITHM_REVERSE};
        Budget budget = budget_unlimited();
        DporRun run;
        dpor_run(&run, net, indep, &options, &budget);
        ck_assert_uint_eq(run.outcome.stats.leaves[LEAF_MAXIMAL], k == 4 ? 384 : 3840);
        ck_assert_uint_eq(run.stats.inserted + 1, run.outcome.stats.leaves[LEAF_MAXIMAL]);
        most[k - 4] = run.stats.most_tree;
        dpor_clear(&run);
    }
    ck_assert_uint_le(most[1], 2 * most[0]);
}
END_TEST

/* Lets other threads go on, so that all have something to do, whatever the machine is. */
static void wait_a_moment(void *data, LeafKind kind, const Config *config)
{
    (void)data, (void)kind, (void)config;
    g_usleep(100);
}

/* A limit that one of several threads meets ends all of them. What each had before itself is told, so that the next
 * ones go on with it and nothing is found twice; and the limit is what it ended by, whoever met it. */
START_TEST(limits_of_threads)
{
    Rng rng = {16};
    guint rounds = test_rounds(12, 100), ended = 0;
    g_autoptr(Net) net = program_net("mpat", "K=4");
    g_autoptr(Indep) indep = indep_new(net, RELATION_CLASSIC);
    for (guint round = 0; round < rounds; round++) {
        Backlog open = {0};
        backlog_push(&open, NULL, 0);
        uint64_t traces = 0;
        while (backlog_len(&open)) {
            uint64_t limit = 600 + rng_below(&rng, 600);
            Budget budget = budget_new(0, 0, limit);
            DporOptions options = {.algorithm = ALGORITHM_REVERSE, .threads = 4, .from = &open, .leaf = wait_a_moment};
            DporRun run;
            dpor_run(&run, net, indep, &options, &budget);
            size_t left = backlog_len(&run.rest);
            ck_assert(run.outcome.end == ENDING_EVENTS || (run.outcome.end == ENDING_COMPLETE && !left));
            ck_assert(!left || run.outcome.stats.extend.found > limit);
            ck_assert_uint_lt(run.outcome.stats.extend.found, limit + 1000); /* of all threads together */
            traces += run.outcome.stats.leaves[LEAF_MAXIMAL];
            ended += left > 0;
            backlog_empty(&open);
            backlog_append(&open, &run.rest);
            dpor_clear(&run);
        }
        ck_assert_uint_eq(traces, 384);
        backlog_clear(&open);
    }
    ck_assert_uint_gt(ended, rounds);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reverse");
    TEST_CASE(suite, threads_find_the_same);
    TEST_CASE(suite, parts_add_up);
    TEST_CASE(suite, limits_lose_nothing);
    TEST_CASE(suite, limits_of_threads);
    TEST_CASE(suite, unrolled_like_counters);
    TEST_CASE(suite, shallow_like_all_runs);
    TEST_CASE(suite, few_runs_wait);
    return test_run(suite);
}
