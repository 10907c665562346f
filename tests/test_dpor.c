#include "test.h"

#include "explore/dpor.h"
#include "explore/estimate.h"
#include "explore/netexplore.h"
#include "explore/crew.h"
#include "explore/wakeup.h"
#include "net/gen.h"
#include "program/compile.h"
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

static Net *program_net(const char *name, const char *defines)
{
    g_autofree char *path =
        g_strdup_printf("%s/nets/programs/%s.mzk", g_getenv("SRCDIR") ? g_getenv("SRCDIR") : "..", name);
    g_autofree char *text = NULL;
    gsize len;
    GError *error = NULL;
    g_auto(GStrv) list = g_strsplit(defines, " ", -1);
    ck_assert(g_file_get_contents(path, &text, &len, &error));
    Compiled *compiled = compile_program(text, len, path, *defines ? list : NULL, &error);
    ck_assert_msg(compiled != NULL, "%s", error ? error->message : "");
    Net *net = compiled->net;
    compiled->net = NULL;
    compile_free(compiled);
    return net;
}

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

/* ---- wakeup trees against their definition ---- */

enum { LETTERS = 5, LONGEST = 4 };

typedef struct Word {
    uint32_t letter[32];
    guint n;
} Word;

static bool same_trace(const Indep *indep, const Word *a, const Word *b)
{
    g_autofree char *x = traces_foata(indep, a->letter, a->n, NULL), *y = traces_foata(indep, b->letter, b->n, NULL);
    return strcmp(x, y) == 0;
}

/* All arrangements of the missing letters behind the word. */
static void arrangements(Word word, guint *missing, guint left, GArray *all)
{
    if (!left) {
        g_array_append_val(all, word);
        return;
    }
    for (uint32_t l = 0; l < LETTERS; l++) {
        if (!missing[l]) continue;
        Word longer = word;
        longer.letter[longer.n++] = l;
        missing[l]--;
        arrangements(longer, missing, left - 1, all);
        missing[l]++;
    }
}

/* Have the words equivalent extensions? If so the least ones have every letter as often as the word
 * that has it more often. `rest`, when not NULL, gets what follows a then. */
static bool compatible(const Indep *indep, const Word *a, const Word *b, Word *rest)
{
    guint of_a[LETTERS] = {0}, of_b[LETTERS] = {0}, add_a[LETTERS], add_b[LETTERS], n_a = 0, n_b = 0;
    for (guint i = 0; i < a->n; i++) of_a[a->letter[i]]++;
    for (guint i = 0; i < b->n; i++) of_b[b->letter[i]]++;
    for (int l = 0; l < LETTERS; l++) {
        n_a += add_a[l] = of_b[l] > of_a[l] ? of_b[l] - of_a[l] : 0;
        n_b += add_b[l] = of_a[l] > of_b[l] ? of_a[l] - of_b[l] : 0;
    }
    GArray *from_a = g_array_new(FALSE, FALSE, sizeof(Word)), *from_b = g_array_new(FALSE, FALSE, sizeof(Word));
    arrangements(*a, add_a, n_a, from_a);
    arrangements(*b, add_b, n_b, from_b);
    bool found = false;
    for (guint i = 0; i < from_a->len && !found; i++)
        for (guint j = 0; j < from_b->len && !found; j++) {
            Word *x = &g_array_index(from_a, Word, i);
            found = same_trace(indep, x, &g_array_index(from_b, Word, j));
            if (!found || !rest) continue;
            rest->n = x->n - a->n;
            memcpy(rest->letter, x->letter + a->n, rest->n * sizeof(uint32_t));
        }
    g_array_free(from_a, TRUE);
    g_array_free(from_b, TRUE);
    return found;
}

/* The nodes of the tree as words, a node behind its children; leaves are marked. */
static void postorder(const Wakeup *tree, uint32_t node, Word word, GArray *words, GArray *is_leaf)
{
    gboolean leaf = tree->node.data[node].first == WAKEUP_NONE;
    for (uint32_t c = tree->node.data[node].first; c != WAKEUP_NONE; c = tree->node.data[c].next) {
        Word longer = word;
        ck_assert_uint_lt(longer.n + LONGEST, G_N_ELEMENTS(longer.letter));
        longer.letter[longer.n++] = tree->node.data[c].label;
        postorder(tree, c, longer, words, is_leaf);
    }
    g_array_append_val(words, word);
    g_array_append_val(is_leaf, leaf);
}

typedef struct Place {
    guint at, nodes; /* in postorder, of how many */
    Word below, rest;
    bool covered;
} Place;

/* [ODPOR14]: below the first node in postorder that is compatible with w, unless it is a leaf, the rest of w
 * becomes the last branch. */
static Place place_by_definition(const Wakeup *tree, const Indep *indep, const Word *w)
{
    GArray *words = g_array_new(FALSE, FALSE, sizeof(Word)), *leaves = g_array_new(FALSE, FALSE, sizeof(gboolean));
    postorder(tree, 0, (Word){.n = 0}, words, leaves);
    Place place = {.nodes = words->len};
    while (!compatible(indep, &g_array_index(words, Word, place.at), w, &place.rest)) place.at++;
    place.below = g_array_index(words, Word, place.at);
    place.covered = words->len > 1 && (g_array_index(leaves, gboolean, place.at) || !place.rest.n);
    g_array_free(words, TRUE);
    g_array_free(leaves, TRUE);
    return place;
}

/* Checks that the tree becomes what the definition says. */
static void insert_like_definition(Wakeup *tree, const Indep *indep, const Word *w)
{
    Place place = place_by_definition(tree, indep, w);
    ck_assert_int_eq(wakeup_insert(tree, 0, false, w->letter, w->n, NULL), !place.covered);
    ck_assert(wakeup_check(tree, 0));
    GArray *words = g_array_new(FALSE, FALSE, sizeof(Word)), *leaves = g_array_new(FALSE, FALSE, sizeof(gboolean));
    postorder(tree, 0, (Word){.n = 0}, words, leaves);
    ck_assert_uint_eq(words->len, place.nodes + (place.covered ? 0 : place.rest.n));
    if (!place.covered) {
        /* the new leaf stands where `below` stood */
        const Word *added = &g_array_index(words, Word, place.at);
        Word want = place.below;
        memcpy(want.letter + want.n, place.rest.letter, place.rest.n * sizeof(uint32_t));
        want.n += place.rest.n;
        ck_assert(g_array_index(leaves, gboolean, place.at) && added->n == want.n);
        ck_assert(memcmp(added->letter, place.below.letter, place.below.n * sizeof(uint32_t)) == 0);
        ck_assert(same_trace(indep, added, &want));
    }
    g_array_free(words, TRUE);
    g_array_free(leaves, TRUE);
}

/* As above, but the new leaf may leave out letters of w: it is compatible with w, no longer than it has to be for w's
 * last letter, and no letter that sleeps is compatible with it. */
static void insert_shortened(Wakeup *tree, const Indep *indep, const Word *w)
{
    uint64_t sleep = 0;
    for (uint32_t l = 0; l < LETTERS; l++) {
        Word one = {.n = 1, .letter = {l}};
        if (!compatible(indep, &one, w, NULL)) bitset_set(&sleep, l);
    }
    uint32_t first_new = (uint32_t)tree->node.len;
    bool covered = place_by_definition(tree, indep, w).covered; /* the whole of w */
    ck_assert_int_eq(!wakeup_insert(tree, 0, false, w->letter, w->n, &sleep), covered);
    if (covered) {
        ck_assert_uint_eq(tree->node.len, first_new);
        return;
    }
    ck_assert(wakeup_check(tree, 0));
    ck_assert_uint_le(tree->node.len - first_new, w->n);
    GArray *words = g_array_new(FALSE, FALSE, sizeof(Word)), *leaves = g_array_new(FALSE, FALSE, sizeof(gboolean));
    postorder(tree, 0, (Word){.n = 0}, words, leaves);
    guint fits = 0;
    for (guint i = 0; i < words->len; i++) {
        const Word *leaf = &g_array_index(words, Word, i);
        if (!g_array_index(leaves, gboolean, i) || !compatible(indep, leaf, w, NULL)) continue;
        bool awake = true, has_last = false;
        for (uint32_t l = 0; l < LETTERS && awake; l++)
            awake = !bitset_get(&sleep, l) || !compatible(indep, &(Word){.n = 1, .letter = {l}}, leaf, NULL);
        for (guint k = 0; k < leaf->n; k++) has_last |= leaf->letter[k] == w->letter[w->n - 1];
        fits += awake && has_last;
    }
    ck_assert_uint_gt(fits, 0);
    g_array_free(words, TRUE);
    g_array_free(leaves, TRUE);
}

START_TEST(wakeup_insertion)
{
    Rng rng = {5};
    guint rounds = test_rounds(600, 20000);
    for (guint round = 0; round < rounds; round++) {
        VecU32 pairs = {0};
        for (uint32_t a = 0; a < LETTERS; a++)
            for (uint32_t b = 0; b < a; b++)
                if (rng_chance(&rng, 2)) {
                    vec_push(&pairs, a);
                    vec_push(&pairs, b);
                }
        g_autoptr(Indep) indep = indep_from_pairs(LETTERS, pairs.data, pairs.len / 2);
        vec_free(&pairs);
        Wakeup whole, shortened;
        wakeup_init(&whole, indep);
        wakeup_init(&shortened, indep);
        for (int k = 0; k < 6; k++) {
            Word w = {.n = 1 + (guint)rng_below(&rng, LONGEST)};
            for (guint i = 0; i < w.n; i++) w.letter[i] = (uint32_t)rng_below(&rng, LETTERS);
            insert_like_definition(&whole, indep, &w);
            insert_shortened(&shortened, indep, &w);
        }
        wakeup_clear(&whole);
        wakeup_clear(&shortened);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dpor");
    TEST_CASE(suite, every_trace_once_on_random_nets);
    TEST_CASE(suite, readers_race_with_a_writer_in_every_set);
    TEST_CASE(suite, every_trace_once_with_threads);
    TEST_CASE(suite, published_numbers);
    TEST_CASE(suite, growth_of_figure_1);
    TEST_CASE(suite, little_is_kept);
    TEST_CASE(suite, estimates);
    TEST_CASE(suite, disabling);
    TEST_CASE(suite, nets_without_end);
    TEST_CASE(suite, wakeup_insertion);
    return test_run(suite);
}
