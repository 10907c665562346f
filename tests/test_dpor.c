#include "test.h"

#include "explore/dpor.h"
#include "explore/estimate.h"
#include "explore/netexplore.h"
#include "explore/crew.h"
#include "net/builder.h"
#include "net/gen.h"
#include "program_net.h"
#include "small_net.h"
#include "thread_net.h"
#include "traces_found.h"

/* ---- every algorithm against all runs ---- */

static const Algorithm ALGORITHMS[] = {ALGORITHM_SLEEP, ALGORITHM_SDPOR, ALGORITHM_ODPOR, ALGORITHM_REVERSE};
enum { N_ALGORITHMS_HERE = G_N_ELEMENTS(ALGORITHMS) };

/* Returns the number of blocked leaves. */
static uint64_t like_traces(const Net *net, const Indep *indep, const Traces *traces, Algorithm algorithm)
{
    Leaves leaves = {.indep = indep, .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    DporOptions options = {.algorithm = algorithm, .leaf = note_leaf, .data = &leaves, .count = COUNT_EXACT};
    Budget budget = budget_unlimited();
    DporRun run;
    dpor_run(&run, net, indep, &options, &budget);
    const Outcome *o = &run.outcome;
    ck_assert_int_eq(o->end, ENDING_COMPLETE);
    ck_assert(same_strings(leaves.seen, traces->maximal));
    if (run.starts == 1) {
        ck_assert_uint_eq(leaves.twice, 0);
        ck_assert_uint_eq(o->stats.leaves[LEAF_MAXIMAL], g_hash_table_size(traces->maximal));
    }
    if (algorithm == ALGORITHM_ODPOR) ck_assert_uint_eq(o->stats.leaves[LEAF_BLOCKED], 0);
    ck_assert_uint_eq(o->stats.events, g_hash_table_size(traces->events));
    same_dead(net, run.lts, o->dead.data, o->dead.len, traces->dead);
    uint64_t blocked = o->stats.leaves[LEAF_BLOCKED];
    dpor_clear(&run);
    g_hash_table_destroy(leaves.seen);
    return blocked;
}

/* The same system known only through its Lts: no places, no counting, no SAT. */
static void like_traces_without_net(const Net *net, const Indep *indep, const Traces *traces, Algorithm algorithm)
{
    g_autoptr(NetLts) lts = netlts_new(net, 64);
    Leaves leaves = {.indep = indep, .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    DporOptions options = {.algorithm = algorithm, .leaf = note_leaf, .data = &leaves};
    Budget budget = budget_unlimited();
    Outcome o;
    DporStats stats;
    if (algorithm == ALGORITHM_REVERSE) {
        Backlog todo = {0};
        backlog_push(&todo, NULL, 0);
        crew_explore(&o, &stats, &lts->lts, NULL, indep, &options, &todo, &budget);
        ck_assert_uint_eq(backlog_len(&todo), 0);
        backlog_clear(&todo);
    } else {
        dpor_explore(&o, &stats, &lts->lts, NULL, indep, &options, &budget);
    }
    ck_assert_int_eq(o.end, ENDING_COMPLETE);
    ck_assert_uint_eq(leaves.twice, 0);
    ck_assert(same_strings(leaves.seen, traces->maximal));
    same_dead(net, lts, o.dead.data, o.dead.len, traces->dead);
    outcome_clear(&o);
    g_hash_table_destroy(leaves.seen);
}

START_TEST(every_trace_once_on_random_nets)
{
    Rng rng = {7};
    guint rounds = test_rounds(3000, 60000), checked = 0, branching = 0, of_kind[N_KINDS] = {0};
    uint64_t blocked[N_ALGORITHMS_HERE] = {0};
    for (guint round = 0; round < rounds; round++) {
        unsigned kind = round % N_KINDS;
        g_autoptr(Net) net = random_net(&rng, kind, true);
        g_autoptr(Indep) indep = indep_new(net, RELATIONS[rng_below(&rng, G_N_ELEMENTS(RELATIONS))]);
        Traces *traces = traces_new(net, indep, 400);
        if (traces->complete) {
            for (int k = 0; k < N_ALGORITHMS_HERE; k++) blocked[k] += like_traces(net, indep, traces, ALGORITHMS[k]);
            if (checked % 8 == 0)
                like_traces_without_net(net, indep, traces, ALGORITHMS[checked / 8 % N_ALGORITHMS_HERE]);
            checked++;
            branching += g_hash_table_size(traces->maximal) > 1;
            of_kind[kind]++;
        }
        traces_free(traces);
    }
    printf("%u of %u random nets compared\n", checked, rounds);
    ck_assert_uint_gt(checked, rounds / 3);
    ck_assert_uint_gt(branching, rounds / 5);
    for (int kind = 0; kind < N_KINDS; kind++) ck_assert_uint_gt(of_kind[kind], rounds / 40);
    ck_assert_uint_gt(blocked[0], 0);
}
END_TEST

/* upor with its usual cache or none. */
static void upor_like_traces(const Net *net, const Indep *indep, const Traces *traces, size_t cache)
{
    Leaves leaves = {.indep = indep, .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    ExploreOptions options = {.cache = cache, .leaf = note_leaf, .data = &leaves};
    Budget budget = budget_unlimited();
    NetExplore run;
    netexplore_run(&run, net, indep, &options, false, &budget);
    const ExploreStats *s = explore_stats(run.explorer);
    ck_assert_int_eq(run.end, ENDING_COMPLETE);
    ck_assert(same_strings(leaves.seen, traces->maximal));
    ck_assert_uint_eq(s->leaves[LEAF_BLOCKED], 0);
    if (run.starts == 1) ck_assert_uint_eq(leaves.twice, 0);
    netexplore_clear(&run);
    g_hash_table_destroy(leaves.seen);
}

/* A bound may cut what the wakeup tree still has to run: it finds some of the traces, none twice. */
static void odpor_bounded(const Net *net, const Indep *indep, const Traces *traces, uint32_t depth)
{
    Leaves leaves = {.indep = indep, .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    DporOptions options = {.algorithm = ALGORITHM_ODPOR, .depth = depth, .leaf = note_leaf, .data = &leaves};
    Budget budget = budget_unlimited();
    DporRun run;
    dpor_run(&run, net, indep, &options, &budget);
    if (run.starts == 1) ck_assert_uint_eq(leaves.twice, 0);
    ck_assert_uint_le(g_hash_table_size(leaves.seen), g_hash_table_size(traces->maximal));
    ck_assert_uint_le(run.outcome.stats.deepest, depth);
    dpor_clear(&run);
    g_hash_table_destroy(leaves.seen);
}

/* Larger nets than random arcs make, with more races: here it shows when a sequence that reverses a race wakes too few,
 * or when it is said to be covered because a part of it is. */
START_TEST(every_trace_once_with_threads)
{
    Rng rng = {3};
    guint rounds = test_rounds(600, 20000), limit = test_soak() ? 3000 : 1500, checked = 0, hundred = 0;
    for (guint round = 0; round < rounds; round++) {
        g_autoptr(Net) net = round % 2 ? thread_net(&rng) : large_thread_net(&rng);
        g_autoptr(Indep) indep = indep_new(net, RELATIONS[1 + rng_below(&rng, G_N_ELEMENTS(RELATIONS) - 1)]);
        Traces *traces = traces_make(net, indep, limit, true);
        if (traces->complete && g_hash_table_size(traces->maximal) > 5) {
            for (int k = 0; k < N_ALGORITHMS_HERE; k++) like_traces(net, indep, traces, ALGORITHMS[k]);
            upor_like_traces(net, indep, traces, CACHE_USUAL);
            upor_like_traces(net, indep, traces, 0);
            upor_like_traces(net, indep, traces, 1 + rng_below(&rng, 40));
            odpor_bounded(net, indep, traces, 1 + (uint32_t)rng_below(&rng, 8));
            checked++;
            hundred += g_hash_table_size(traces->maximal) >= 100;
        }
        traces_free(traces);
    }
    printf("%u of %u nets of threads compared, %u with a hundred traces or more\n", checked, rounds, hundred);
    ck_assert_uint_gt(checked, rounds / 3);
    ck_assert_uint_gt(hundred, rounds / 10);
}
END_TEST

/* ---- runs longer than a word of positions ---- */

/* The net behind a line of n firings; the last of them lets it begin. */
static Net *with_prologue(const Net *net, uint32_t n)
{
    g_autoptr(NetBuilder) b = net_builder_new("late");
    uint32_t begun = net->n_places, line = begun + 1, first = net->n_transitions;
    for (uint32_t p = 0; p < net->n_places; p++) net_builder_place(b, net_place_id(net, p), NULL, 0);
    net_builder_place(b, "begun", NULL, 0);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        net_builder_transition(b, net_transition_id(net, t), NULL);
        net_builder_arc(b, ARC_READ, begun, t, 1);
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
            NetRow row = net_places(net, kind, t);
            for (uint32_t i = 0; i < row.len; i++) net_builder_arc(b, kind, row.node[i], t, net_weight(row, i));
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        g_autofree char *place = g_strdup_printf("line %u", i), *step = g_strdup_printf("step %u", i);
        net_builder_place(b, place, NULL, i == 0);
        net_builder_transition(b, step, NULL);
        net_builder_arc(b, ARC_PRE, line + i, first + i, 1);
        if (i) net_builder_arc(b, ARC_POST, line + i, first + i - 1, 1);
    }
    net_builder_arc(b, ARC_POST, begun, first + n - 1, 1);
    for (uint32_t p = 0; p < net->n_places; p++)
        if (net->initial[p]) net_builder_arc(b, ARC_POST, p, first + n - 1, net->initial[p]);
    GError *error = NULL;
    Net *late = net_builder_finish(b, &error);
    ck_assert_msg(late != NULL, "%s", error ? error->message : "");
    return late;
}

/* The relation of the net, and the line before all of it. */
static Indep *behind_prologue(const Indep *indep, uint32_t n)
{
    VecU32 pairs = {0};
    for (uint32_t a = 0; a < indep->n; a++) {
        for (uint32_t k = indep->start[a]; k < indep->start[a + 1]; k++) {
            vec_push(&pairs, a);
            vec_push(&pairs, indep->dependent[k]);
        }
        vec_push(&pairs, a);
        vec_push(&pairs, indep->n + n - 1);
    }
    for (uint32_t i = 0; i + 1 < n; i++) {
        vec_push(&pairs, indep->n + i);
        vec_push(&pairs, indep->n + i + 1);
    }
    Indep *late = indep_from_pairs(indep->n + n, pairs.data, pairs.len / 2);
    vec_free(&pairs);
    return late;
}

/* Traces behind the line are those of the net. */
static void late_like_traces(const Net *net, const Indep *indep, const Traces *traces, uint32_t n)
{
    g_autoptr(Net) late = with_prologue(net, n);
    g_autoptr(Indep) later = behind_prologue(indep, n);
    for (int k = 0; k <= N_ALGORITHMS_HERE; k++) {
        Leaves leaves = {.indep = later, .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
        Budget budget = budget_unlimited();
        uint64_t blocked;
        uint32_t starts;
        if (k < N_ALGORITHMS_HERE) {
            DporOptions options = {.algorithm = ALGORITHMS[k], .leaf = note_leaf, .data = &leaves};
            DporRun run;
            dpor_run(&run, late, later, &options, &budget);
            ck_assert_int_eq(run.outcome.end, ENDING_COMPLETE);
            blocked = run.outcome.stats.leaves[LEAF_BLOCKED];
            starts = run.starts;
            dpor_clear(&run);
        } else {
            ExploreOptions options = {.cache = CACHE_USUAL, .leaf = note_leaf, .data = &leaves};
            NetExplore run;
            netexplore_run(&run, late, later, &options, false, &budget);
            ck_assert_int_eq(run.end, ENDING_COMPLETE);
            blocked = explore_stats(run.explorer)->leaves[LEAF_BLOCKED];
            starts = run.starts;
            netexplore_clear(&run);
        }
        if (starts == 1) ck_assert_uint_eq(leaves.twice, 0); /* else markings did not fit, and it began again */
        ck_assert_uint_eq(g_hash_table_size(leaves.seen), g_hash_table_size(traces->maximal));
        if (k >= 2) ck_assert_uint_eq(blocked, 0);
        g_hash_table_destroy(leaves.seen);
    }
}

START_TEST(every_trace_once_behind_a_line)
{
    Rng rng = {17};
    guint rounds = test_rounds(250, 2500), checked = 0;
    for (guint round = 0; round < rounds; round++) {
        g_autoptr(Net) net = round % 2 ? thread_net(&rng) : random_net(&rng, round / 2 % N_KINDS, true);
        g_autoptr(Indep) indep = indep_new(net, RELATIONS[1 + rng_below(&rng, G_N_ELEMENTS(RELATIONS) - 1)]);
        Traces *traces = traces_make(net, indep, 300, true);
        if (traces->complete && g_hash_table_size(traces->maximal) > 2) {
            late_like_traces(net, indep, traces, 50 + (uint32_t)rng_below(&rng, 30));
            checked++;
        }
        traces_free(traces);
    }
    printf("%u of %u nets compared behind a line\n", checked, rounds);
    ck_assert_uint_gt(checked, rounds / 3);
}
END_TEST

/* ---- known numbers ---- */

typedef struct Row {
    const char *program, *defines; /* "A=1 B=2" */
    uint64_t maximal;
} Row;

/* Under the relation read. */
static const Row ROWS[] = {
    {"readers", "N=1", 2},      {"readers", "N=2", 4},     {"readers", "N=8", 256},    {"readers", "N=13", 8192},
    {"lastzero", "N=2", 5},     {"lastzero", "N=3", 12},   {"lastzero", "N=7", 320},   {"lastzero", "N=10", 3328},
    {"filesystem", "N=14", 2},  {"filesystem", "N=16", 8}, {"filesystem", "N=18", 32}, {"filesystem", "N=19", 64},
    {"indexer", "N=12", 8},     {"indexer", "N=15", 4096}, {"example1", "", 4},        {"example2", "", 7},
    {"example2", "SHORT=1", 5}, {"fig1", "N=3", 6},        {"fig1", "N=8", 16},        {"fig1", "N=12", 24},
};

/* All events whose action is the last of the run: it behind each set of the others, by running them. */
static guint events_of_last(const Net *net, const Indep *indep, const uint32_t *run, uint32_t n)
{
    GHashTable *events = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree uint64_t *marking = g_new0(uint64_t, net->n_places + 1);
    for (uint32_t set = 0; set < 1u << (n - 1); set++) {
        uint32_t some[32], len = 0;
        memcpy(marking, net->initial, net->n_places * sizeof *marking);
        for (uint32_t i = 0; i < n; i++)
            if (i == n - 1 || set >> i & 1) {
                ck_assert(net_enabled(net, marking, run[i]) && net_fire(net, marking, run[i]));
                some[len++] = run[i];
            }
        g_hash_table_add(events, traces_event(indep, some, len));
    }
    guint n_events = g_hash_table_size(events);
    g_hash_table_destroy(events);
    return n_events;
}

/* N readers of what a writer writes: behind all of them it conflicts with itself behind each smaller set. Every one of
 * these events is looked at as a race, and nothing smaller than one sequence (or waiting run) for each is kept. */
START_TEST(readers_race_with_a_writer_in_every_set)
{
    for (uint32_t n = 2; n <= 9; n++) {
        Rules *r = rules_new("readers");
        uint32_t run[10];
        rules_place(r, 1, "x");
        for (uint32_t i = 0; i < n; i++) rules_place(r, 1, "r%u", i);
        rules_place(r, 1, "w");
        rules_add(r, "write: w x -> y"); /* in the order of reverse search the last one */
        for (uint32_t i = 0; i < n; i++) rules_add(r, "read%u: r%u ?x -> d%u", i, i, i);
        for (uint32_t i = 0; i < n; i++) rules_add(r, "late%u: r%u ?y -> d%u", i, i, i);
        g_autoptr(Net) net = rules_finish(r);
        g_autoptr(Indep) indep = indep_new(net, RELATION_READ);
        for (uint32_t i = 0; i <= n; i++) run[i] = i < n ? i + 1 : 0;
        ck_assert_uint_eq(events_of_last(net, indep, run, n + 1), 1u << n);
        uint64_t races = 0, sets = UINT64_C(1) << n, binomial = 1;
        for (uint64_t k = 0; k <= n; k++) { /* behind k readers: itself behind fewer, and the others before it */
            races += binomial * ((UINT64_C(1) << k) - 1 + (n - k));
            binomial = binomial * (n - k) / (k + 1);
        }
        for (size_t k = 0; k < G_N_ELEMENTS(ALGORITHMS); k++) {
            DporOptions options = {.algorithm = ALGORITHMS[k]};
            Budget budget = budget_unlimited();
            DporRun all;
            dpor_run(&all, net, indep, &options, &budget);
            ck_assert_uint_eq(all.outcome.stats.leaves[LEAF_MAXIMAL], sets);
            if (ALGORITHMS[k] != ALGORITHM_SLEEP) ck_assert_uint_eq(all.stats.races, races);
            if (ALGORITHMS[k] == ALGORITHM_REVERSE) ck_assert_uint_eq(all.stats.most_tree, sets - 1);
            if (ALGORITHMS[k] == ALGORITHM_ODPOR) ck_assert_uint_ge(all.stats.most_tree, sets);
            dpor_clear(&all);
        }
    }
}
END_TEST

static ExploreStats explore_program(const char *name, const char *defines, Algorithm algorithm, CountEvents count)
{
    g_autoptr(Net) net = program_net(name, defines);
    g_autoptr(Indep) indep = indep_new(net, RELATION_READ);
    DporOptions options = {.algorithm = algorithm, .count = count};
    Budget budget = budget_unlimited();
    DporRun run;
    dpor_run(&run, net, indep, &options, &budget);
    ck_assert_int_eq(run.outcome.end, ENDING_COMPLETE);
    ExploreStats stats = run.outcome.stats;
    dpor_clear(&run);
    return stats;
}

START_TEST(published_numbers)
{
    for (size_t i = 0; i < G_N_ELEMENTS(ROWS); i++) {
        const Row *row = &ROWS[i];
        ExploreStats optimal = explore_program(row->program, row->defines, ALGORITHM_ODPOR, COUNT_EXACT);
        ck_assert_msg(optimal.leaves[LEAF_MAXIMAL] == row->maximal, "%s %s", row->program, row->defines);
        ck_assert_uint_eq(optimal.leaves[LEAF_BLOCKED], 0);
        ExploreStats source = explore_program(row->program, row->defines, ALGORITHM_SDPOR, COUNT_EXACT);
        ck_assert_msg(source.leaves[LEAF_MAXIMAL] == row->maximal, "%s %s", row->program, row->defines);
        ck_assert_uint_eq(source.events, optimal.events);
        ExploreStats bare = explore_program(row->program, row->defines, ALGORITHM_ODPOR, COUNT_NOTHING);
        ck_assert(memcmp(bare.leaves, optimal.leaves, sizeof bare.leaves) == 0);
        ck_assert_uint_eq(bare.nodes, optimal.nodes);
        ck_assert_uint_eq(bare.events, 0);
        ck_assert_uint_eq(bare.most_events, bare.deepest); /* nothing but the run is kept */
        ExploreStats sketched = explore_program(row->program, row->defines, ALGORITHM_ODPOR, COUNT_SKETCH);
        double off = (double)sketched.events / (double)optimal.events - 1;
        ck_assert_msg(off > -0.04 && off < 0.04, "%s %s: %d events, about %d", row->program, row->defines,
                      (int)optimal.events, (int)sketched.events);
    }
}
END_TEST

/* [DPU18] Fig. 1: linear for wakeup trees, exponential for source sets. Source sets need exactly 4 runs on
 * readers(2), where persistent sets need 5. */
START_TEST(growth_of_figure_1)
{
    uint64_t before = 0;
    for (int n = 2; n <= 9; n++) {
        g_autofree char *define = g_strdup_printf("N=%d", n);
        ExploreStats source = explore_program("fig1", define, ALGORITHM_SDPOR, COUNT_NOTHING);
        uint64_t leaves = source.leaves[LEAF_MAXIMAL] + source.leaves[LEAF_BLOCKED];
        ck_assert_uint_ge(leaves, (uint64_t)1 << n);
        ck_assert_uint_ge(leaves, 2 * before);
        before = leaves;
    }
    ExploreStats readers = explore_program("readers", "N=2", ALGORITHM_SDPOR, COUNT_NOTHING);
    ck_assert_uint_eq(readers.leaves[LEAF_MAXIMAL] + readers.leaves[LEAF_BLOCKED], 4);
}
END_TEST

/* Source sets that overlook a branch or a sleeper that is an initial find all traces and try too much. These are the
 * leaves, blocked ones too, that are met when they overlook none. */
START_TEST(source_sets_try_no_more)
{
    static const Row rows[] = {{"lastzero", "N=5", 97},  {"lastzero", "N=7", 793}, {"mpat", "K=4", 384},
                               {"mpc", "P=2 W=3", 486},  {"pol", "N=5 K=2", 1120}, {"filesystem", "N=16", 8},
                               {"disp", "S=4 R=2", 600}, {"readers", "N=5", 32},   {"fig1", "N=5", 160},
                               {"example2", "", 12},     {"ssb", "", 36},          {"indexer", "N=12", 8}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        ExploreStats s = explore_program(rows[i].program, rows[i].defines, ALGORITHM_SDPOR, COUNT_NOTHING);
        ck_assert_msg(s.leaves[LEAF_MAXIMAL] + s.leaves[LEAF_BLOCKED] <= rows[i].maximal, "%s %s: %d leaves",
                      rows[i].program, rows[i].defines, (int)(s.leaves[LEAF_MAXIMAL] + s.leaves[LEAF_BLOCKED]));
    }
}
END_TEST

/* What must be remembered beside the run does not grow with the traces, on programs with mutexes: nodes of the wakeup
 * tree, and events that upor keeps without a cache. */
START_TEST(little_is_kept)
{
    static const Row rows[] = {{"mpat", "K=3", 48},      {"mpat", "K=4", 384},      {"mpat", "K=5", 3840},
                               {"disp", "S=5 R=2", 137}, {"disp", "S=5 R=3", 1482}, {"mpc", "P=3 W=5", 2958},
                               {"pol", "N=7 K=3", 2440}, {"pi", "N=6", 720}};
    guint large = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(Net) net = program_net(rows[i].program, rows[i].defines);
        g_autoptr(Indep) indep = indep_new(net, RELATION_CLASSIC);
        Budget budget = budget_unlimited();
        DporOptions options = {.algorithm = ALGORITHM_ODPOR};
        DporRun run;
        dpor_run(&run, net, indep, &options, &budget);
        ck_assert_uint_eq(run.outcome.stats.leaves[LEAF_MAXIMAL], rows[i].maximal);
        ck_assert_msg(run.stats.most_tree <= 2 * run.outcome.stats.deepest, "%s: %u nodes", rows[i].program,
                      run.stats.most_tree);
        dpor_clear(&run);
        NetExplore upor;
        netexplore_run(&upor, net, indep, &(ExploreOptions){.cache = 0}, false, &budget);
        const ExploreStats *s = explore_stats(upor.explorer);
        ck_assert_uint_eq(s->leaves[LEAF_MAXIMAL], rows[i].maximal);
        ck_assert_msg(s->most_events <= 2 * s->deepest, "%s: %u events", rows[i].program, s->most_events);
        netexplore_clear(&upor);
        netexplore_run(&upor, net, indep, &(ExploreOptions){.cache = CACHE_USUAL}, false, &budget);
        s = explore_stats(upor.explorer);
        ck_assert_uint_eq(s->leaves[LEAF_MAXIMAL], rows[i].maximal);
        large += s->forgotten > 0;
        netexplore_clear(&upor);
    }
    ck_assert_uint_gt(large, 0); /* the usual cache began to forget */
}
END_TEST

/* Small trees are visited whole, and probes of larger ones come close; the seed makes it the same every time. */
START_TEST(estimates)
{
    static const struct {
        Row row;
        bool exact;
    } rows[] = {{{"pi", "N=4", 24}, true},
                {{"mpat", "K=3", 48}, true},
                {{"pi", "N=7", 5040}, false},
                {{"mpat", "K=5", 3840}, false},
                {{"disp", "S=5 R=3", 1482}, false}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(Net) net = program_net(rows[i].row.program, rows[i].row.defines);
        g_autoptr(Indep) indep = indep_new(net, RELATION_CLASSIC);
        g_autoptr(NetLts) lts = netlts_new(net, netlts_initial_width(net));
        Budget budget = budget_unlimited();
        DporOptions options = {.algorithm = ALGORITHM_REVERSE};
        g_autoptr(Estimate) estimate = estimate_new(&lts->lts, lts, indep, &options, 1, &budget);
        double traces, low, high, truth = (double)rows[i].row.maximal;
        ck_assert(!estimate_get(estimate, &traces, &low, &high)); /* nothing was looked at yet */
        for (int step = 0; step < 20000 && estimate_step(estimate); step++) continue;
        ck_assert(estimate_get(estimate, &traces, &low, &high));
        ck_assert_int_eq(estimate_is_exact(estimate), rows[i].exact);
        if (rows[i].exact) ck_assert(traces == truth && low == truth && high == truth);
        ck_assert_msg(traces > truth / 1.5 && traces < truth * 1.5, "%s: %f", rows[i].row.program, traces);
        ck_assert(low <= traces && traces <= high);
    }
}
END_TEST

/* ---- small nets that break wrong adaptations ---- */

static DporRun explore_small(const char *text, Relation relation, Algorithm algorithm)
{
    Net *net = small_net(text);
    g_autoptr(Indep) indep = indep_new(net, relation);
    DporOptions options = {.algorithm = algorithm};
    Budget budget = budget_unlimited();
    DporRun run;
    dpor_run(&run, net, indep, &options, &budget);
    dpor_clear(&run);
    net_free(net);
    return run;
}

START_TEST(disabling)
{
    for (int k = 0; k < N_ALGORITHMS_HERE; k++) {
        /* the run "a" shows no race */
        ck_assert_uint_eq(explore_small("p | a: p -> x | b: p -> y", RELATION_CLASSIC, ALGORITHMS[k])
                              .outcome.stats.leaves[LEAF_MAXIMAL],
                          2);
        /* two locks in opposite order: one trace ends in the deadlock */
        DporRun run = explore_small("p q l m | a: p l -> p1 | b: p1 m -> p2 | c: p2 -> l m | d: q m -> q1 | "
                                    "e: q1 l -> q2 | f: q2 -> l m",
                                    RELATION_CLASSIC, ALGORITHMS[k]);
        ck_assert_uint_eq(run.outcome.stats.leaves[LEAF_MAXIMAL], 3);
        /* mazurka-theory(7), trap 10 */
        run =
            explore_small("a b0 x | A: a x -> da x | B0: b0 -> b1 | B: b1 x -> db x", RELATION_CLASSIC, ALGORITHMS[k]);
        ck_assert_uint_eq(run.outcome.stats.leaves[LEAF_MAXIMAL], 2);
    }
}
END_TEST

START_TEST(nets_without_end)
{
    for (int k = 0; k < N_ALGORITHMS_HERE; k++) {
        ck_assert_int_eq(explore_small("p | a: p -> q | b: q -> p", RELATION_CLASSIC, ALGORITHMS[k]).outcome.end,
                         ENDING_ENDLESS);
        ck_assert_int_eq(explore_small("p | a: p -> p", RELATION_LOOPS, ALGORITHMS[k]).outcome.end, ENDING_ENDLESS);
        ck_assert_int_eq(explore_small("p | a: p -> p q", RELATION_CLASSIC, ALGORITHMS[k]).outcome.end,
                         ENDING_UNBOUNDED);
        ck_assert_int_eq(explore_small("p", RELATION_CLASSIC, ALGORITHMS[k]).outcome.end, ENDING_COMPLETE);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dpor");
    TEST_CASE(suite, every_trace_once_on_random_nets);
    TEST_CASE(suite, readers_race_with_a_writer_in_every_set);
    TEST_CASE(suite, every_trace_once_with_threads);
    TEST_CASE(suite, every_trace_once_behind_a_line);
    TEST_CASE(suite, published_numbers);
    TEST_CASE(suite, growth_of_figure_1);
    TEST_CASE(suite, source_sets_try_no_more);
    TEST_CASE(suite, little_is_kept);
    TEST_CASE(suite, estimates);
    TEST_CASE(suite, disabling);
    TEST_CASE(suite, nets_without_end);
    return test_run(suite);
}
