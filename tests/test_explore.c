#include "test.h"

#include "explore/netexplore.h"
#include "naive.h"
#include "net/gen.h"
#include "small_net.h"
#include "traces_found.h"

/* ---- the explorer against all runs ---- */

static void same_runs(const Net *net, const NetExplore *run, GHashTable *expected)
{
    size_t n;
    const ExploreDead *dead = explore_dead(run->explorer, &n);
    same_dead(net, run->lts, dead, n, expected);
}

static ExploreOptions random_options(Rng *rng)
{
    static const size_t caches[] = {CACHE_UNLIMITED, CACHE_UNLIMITED, 0, 3, 20};
    return (ExploreOptions){
        .alternatives = (AlternativeKind)rng_below(rng, 3),
        .k = 1 + (uint32_t)rng_below(rng, 3),
        .search = (SearchOrder)rng_below(rng, 4),
        .order = (Order)rng_below(rng, N_ORDERS),
        .cache = caches[rng_below(rng, G_N_ELEMENTS(caches))],
        .extend = rng_chance(rng, 10)  ? EXTEND_SAT
                  : rng_chance(rng, 2) ? EXTEND_AUTO
                                       : EXTEND_STRUCTURE, /* a solver costs */
        .seed = rng_next(rng),
        .comb_patience = rng_chance(rng, 6) ? 1 : 0,
        .standby = (uint32_t)rng_below(rng, 5),
        .skip_step = rng_chance(rng, 3) ? 1 + (uint32_t)rng_below(rng, 4) : 0,
        .print_bits = rng_chance(rng, 3) ? 2 : 0,
    };
}

static int cache_kind(size_t cache)
{
    return !cache ? 0 : cache == CACHE_UNLIMITED ? 2 : 1;
}

static void explore_like_traces(const Net *net, const Indep *indep, const Traces *traces, ExploreOptions options)
{
    Leaves leaves = {.indep = indep, .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    options.leaf = note_leaf;
    options.data = &leaves;
    Budget budget = budget_unlimited();
    NetExplore run;
    netexplore_run(&run, net, indep, &options, false, &budget);
    ck_assert_int_eq(run.end, ENDING_COMPLETE);
    const ExploreStats *s = explore_stats(run.explorer);
    ck_assert(same_strings(leaves.seen, traces->maximal));
    ck_assert_uint_eq(s->leaves[LEAF_CUTOFF] + s->leaves[LEAF_BOUND], 0);
    if (run.starts == 1) {
        ck_assert_uint_eq(leaves.twice, 0);
        ck_assert_uint_eq(s->leaves[LEAF_MAXIMAL], g_hash_table_size(traces->maximal));
    }
    if (options.alternatives == ALTERNATIVES_OPTIMAL) ck_assert_uint_eq(s->leaves[LEAF_BLOCKED], 0);
    if (!s->forgotten) ck_assert_uint_eq(s->events, g_hash_table_size(traces->events));
    ck_assert(options.cache != CACHE_UNLIMITED || !s->forgotten);
    same_runs(net, &run, traces->dead);
    netexplore_clear(&run);
    g_hash_table_destroy(leaves.seen);
}

static const char *const KIND_NAMES[N_KINDS] = {
    "safe",     "safe, read arcs and loops",     "safe, read and inhibitor arcs",
    "not safe", "weighted, read arcs and loops", "weighted, read and inhibitor arcs"};

/* The two ways of making the twin agree where both are possible. */
static void same_twins(const Net *net, const Indep *indep, const Traces *merged)
{
    Traces *plain = traces_make(net, indep, 400, false);
    if (plain->complete) {
        ck_assert(same_strings(plain->maximal, merged->maximal));
        ck_assert(same_strings(plain->events, merged->events));
        ck_assert_uint_eq(g_hash_table_size(plain->dead), g_hash_table_size(merged->dead));
    }
    traces_free(plain);
}

static bool not_safe(const Net *net)
{
    Naive *naive = naive_explore(net, 500);
    bool more = naive->max_in_place > 1;
    naive_free(naive);
    return more;
}

/* Thousands of nets, so many of each kind that none can get lost, each explored in three ways. */
START_TEST(every_trace_once_on_random_nets)
{
    Rng rng = {11};
    guint wanted = test_soak() ? 8000 : 700, branching = 0, unsafe = 0, relations[G_N_ELEMENTS(RELATIONS)] = {0};
    guint ways[4][3][3] = {0};
    for (unsigned kind = 0; kind < N_KINDS; kind++) {
        guint drawn = 0, checked = 0, many = 0;
        for (; checked < wanted; drawn++) {
            ck_assert_uint_lt(drawn, 4 * wanted);
            g_autoptr(Net) net = random_net(&rng, kind, true);
            size_t relation = rng_below(&rng, G_N_ELEMENTS(RELATIONS));
            g_autoptr(Indep) indep = indep_new(net, RELATIONS[relation]);
            Traces *traces = traces_make(net, indep, 400, true);
            if (traces->complete && g_hash_table_size(traces->events) > 1) {
                for (int k = 0; k < 3; k++) {
                    ExploreOptions options = random_options(&rng);
                    explore_like_traces(net, indep, traces, options);
                    ways[options.search][options.alternatives][cache_kind(options.cache)]++;
                }
                if (checked % 8 == 0) same_twins(net, indep, traces);
                relations[relation]++;
                checked++;
                many += g_hash_table_size(traces->maximal) > 1;
                unsafe += kind >= 3 && not_safe(net);
            }
            traces_free(traces);
        }
        printf("%s: %u of %u nets compared, %u with several traces\n", KIND_NAMES[kind], checked, drawn, many);
        branching += many;
    }
    printf("%u nets compared, %u not safe, %u with several traces\n", N_KINDS * wanted, unsafe, branching);
    ck_assert_uint_gt(branching, N_KINDS * wanted / 2);
    ck_assert_uint_gt(unsafe, wanted);
    for (size_t r = 0; r < G_N_ELEMENTS(RELATIONS); r++) ck_assert_uint_gt(relations[r], N_KINDS * wanted / 10);
    for (int i = 0; i < 36; i++) ck_assert_uint_gt(ways[i / 9][i / 3 % 3][i % 3], wanted / 10);
}
END_TEST

/* ---- an Lts that is not a net ---- */

typedef struct PlainLts {
    Lts lts;
    const Net *net;
} PlainLts;

static void plain_initial(const Lts *lts, uint64_t *state)
{
    const Net *net = ((const PlainLts *)lts)->net;
    memcpy(state, net->initial, net->n_places * sizeof *state);
}
static bool plain_enabled(const Lts *lts, const uint64_t *state, uint32_t t)
{
    return net_enabled(((const PlainLts *)lts)->net, state, t);
}
static bool plain_fire(const Lts *lts, uint64_t *state, uint32_t t)
{
    return net_fire(((const PlainLts *)lts)->net, state, t);
}
static void plain_unfire(const Lts *lts, uint64_t *state, uint32_t t)
{
    const Net *net = ((const PlainLts *)lts)->net;
    NetRow pre = net_places(net, ARC_PRE, t), post = net_places(net, ARC_POST, t);
    for (uint32_t i = 0; i < post.len; i++) state[post.node[i]] -= net_weight(post, i);
    for (uint32_t i = 0; i < pre.len; i++) state[pre.node[i]] += net_weight(pre, i);
}

START_TEST(explorer_needs_no_net)
{
    Rng rng = {5};
    for (guint round = 0; round < 150; round++) {
        g_autoptr(Net) net = random_net(&rng, round % N_KINDS, true);
        g_autoptr(Indep) indep = indep_new(net, RELATIONS[rng_below(&rng, 4)]);
        Traces *traces = traces_new(net, indep, 300);
        if (traces->complete) {
            PlainLts plain = {{.n_actions = net->n_transitions,
                               .state_words = net->n_places,
                               .initial = plain_initial,
                               .enabled = plain_enabled,
                               .fire = plain_fire,
                               .unfire = plain_unfire},
                              net};
            ExploreOptions options = random_options(&rng);
            options.cache = CACHE_UNLIMITED;
            Budget budget = budget_unlimited();
            Explorer *x = explore_new(&plain.lts, NULL, indep, &options, &budget);
            ck_assert_int_eq(explore_run(x), ENDING_COMPLETE);
            ck_assert_uint_eq(explore_stats(x)->leaves[LEAF_MAXIMAL], g_hash_table_size(traces->maximal));
            ck_assert_uint_eq(explore_stats(x)->events, g_hash_table_size(traces->events));
            explore_free(x);
        }
        traces_free(traces);
    }
}
END_TEST

/* ---- cutoffs on nets that need not terminate ---- */

typedef struct Cover {
    const Net *net;
    GHashTable *markings;
    bool too_big;
} Cover;

/* Adds the markings of all sub-configurations, by going through all sets of positions that are causally closed. */
static void add_markings(void *data, LeafKind kind, const Config *c)
{
    Cover *cover = data;
    (void)kind;
    GHashTable *sets = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    GQueue todo = G_QUEUE_INIT;
    uint64_t *set = g_new0(uint64_t, c->words), *marking = g_new0(uint64_t, cover->net->n_places + 1);
    GBytes *empty = g_bytes_new(set, c->words * sizeof *set);
    g_hash_table_add(sets, empty);
    g_queue_push_tail(&todo, empty);
    for (GBytes *now; (now = g_queue_pop_head(&todo)) != NULL;) {
        if (g_hash_table_size(sets) > 3000) cover->too_big = true;
        if (cover->too_big) continue;
        memcpy(set, g_bytes_get_data(now, NULL), c->words * sizeof *set);
        memcpy(marking, cover->net->initial, cover->net->n_places * sizeof *marking);
        for (uint32_t i = 0; i < c->n; i++)
            if (bitset_get(set, i))
                ck_assert(net_enabled(cover->net, marking, c->label.data[i]) &&
                          net_fire(cover->net, marking, c->label.data[i]));
        g_hash_table_add(cover->markings, g_bytes_new(marking, cover->net->n_places * sizeof *marking));
        for (uint32_t i = 0; i < c->n; i++) {
            if (bitset_get(set, i)) continue;
            bool closed = true;
            for (uint32_t j = 0; j < i && closed; j++)
                closed = bitset_get(set, j) || !indep_dependent(c->indep, c->label.data[i], c->label.data[j]);
            if (!closed) continue;
            bitset_set(set, i);
            GBytes *next = g_bytes_new(set, c->words * sizeof *set);
            bitset_clear(set, i);
            if (g_hash_table_contains(sets, next)) {
                g_bytes_unref(next);
            } else {
                g_hash_table_add(sets, next);
                g_queue_push_tail(&todo, next);
            }
        }
    }
    g_free(set);
    g_free(marking);
    g_hash_table_destroy(sets);
}

START_TEST(cutoffs_keep_every_marking_and_deadlock)
{
    Rng rng = {23};
    guint rounds = test_rounds(900, 20000), nets = 0, covered = 0, cut = 0, with_dead = 0, unfinished = 0,
          ways[N_ORDERS][3][3] = {0};
    for (guint round = 0; round < rounds; round++) {
        g_autoptr(Net) net = random_net(&rng, round % N_KINDS, rng_chance(&rng, 4));
        Naive *naive = naive_explore(net, 120);
        if (!naive->complete) {
            naive_free(naive);
            continue;
        }
        GHashTable *dead = g_hash_table_new(g_bytes_hash, g_bytes_equal);
        for (guint i = 0; i < naive->markings->len; i++)
            if (!g_array_index(naive->n_enabled, guint, i))
                g_hash_table_add(dead, g_ptr_array_index(naive->markings, i));
        g_autoptr(Indep) indep = indep_new(net, RELATIONS[rng_below(&rng, G_N_ELEMENTS(RELATIONS))]);
        nets++;
        for (int k = 0; k < 3; k++) {
            ExploreOptions options = random_options(&rng);
            Cover cover = {.net = net,
                           .markings =
                               g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL)};
            options.cutoffs = true;
            options.leaf = add_markings;
            options.data = &cover;
            Budget budget = budget_new(0, 0, 20000);
            NetExplore run;
            netexplore_run(&run, net, indep, &options, false, &budget);
            if (run.end == ENDING_COMPLETE) {
                const ExploreStats *s = explore_stats(run.explorer);
                same_runs(net, &run, dead);
                with_dead += g_hash_table_size(dead) > 0;
                cut += s->cutoffs > 0;
                if (options.alternatives == ALTERNATIVES_OPTIMAL) ck_assert_uint_eq(s->leaves[LEAF_BLOCKED], 0);
                ck_assert_uint_eq(s->leaves[LEAF_BOUND], 0);
                ways[options.order][options.alternatives][cache_kind(options.cache)] += s->cutoffs > 0;
                if (!cover.too_big) {
                    ck_assert_uint_eq(g_hash_table_size(cover.markings), naive->markings->len);
                    covered++;
                }
            } else {
                ck_assert(ending_is_limit(run.end));
                unfinished++;
            }
            netexplore_clear(&run);
            g_hash_table_destroy(cover.markings);
        }
        g_hash_table_destroy(dead);
        naive_free(naive);
    }
    printf("%u nets: %u explorations with all markings compared, %u with cutoffs, %u with deadlocks, %u too long\n",
           nets, covered, cut, with_dead, unfinished);
    ck_assert_uint_gt(nets, rounds / 2);
    ck_assert_uint_gt(covered, rounds);
    ck_assert_uint_gt(cut, rounds);
    ck_assert_uint_gt(with_dead, rounds / 2);
    ck_assert_uint_lt(unfinished, rounds / 20);
    for (int i = 0; i < N_ORDERS * 9; i++) ck_assert_uint_gt(ways[i / 9][i / 3 % 3][i % 3], rounds / 150);
}
END_TEST

/* ---- ways to end ---- */

static NetExplore explore_rules(const Net *net, ExploreOptions options, bool auto_cutoffs, Budget *budget)
{
    g_autoptr(Indep) indep = indep_new(net, RELATION_CLASSIC);
    NetExplore run;
    netexplore_run(&run, net, indep, &options, auto_cutoffs, budget);
    return run;
}

/* t5 excludes t2, but every run with t2 and t3 has t0 or t4: it is met while t0 is explored, and is needed when
 * t0 and t2 both have to be avoided. */
START_TEST(rivals_of_older_sleepers_are_not_lost)
{
    static const struct {
        const char *net;
        uint64_t traces;
    } cases[] = {
        {"p0 p1 p2 | t0: p2 -> | t2: p0 -> y | t3: p1 -> x | t4: y p1 p2 -> | t5: p0 p2 x ->", 3},
        {"2*p0 2*p2 | t0: p2 -> | t1: p0 p2 -> p1 | t2: p0 -> | t3: p1 -> | t4: p1 p2 -> p0", 10},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Net) net = small_net(cases[i].net);
        for (int search = SEARCH_DFS; search <= SEARCH_SIZE; search++)
            for (int kind = ALTERNATIVES_OPTIMAL; kind <= ALTERNATIVES_SOURCE; kind++)
                for (uint32_t patience = 0; patience < 2; patience++) {
                    Budget budget = budget_unlimited();
                    ExploreOptions options = {.cache = 0,
                                              .search = (SearchOrder)search,
                                              .alternatives = (AlternativeKind)kind,
                                              .k = 1,
                                              .comb_patience = patience};
                    NetExplore run = explore_rules(net, options, false, &budget);
                    ck_assert_int_eq(run.end, ENDING_COMPLETE);
                    ck_assert_uint_eq(explore_stats(run.explorer)->leaves[LEAF_MAXIMAL], cases[i].traces);
                    netexplore_clear(&run);
                }
    }
}
END_TEST

START_TEST(endless_nets_are_noticed)
{
    g_autoptr(Net) net = small_net("p | a: p -> q | b: q -> p");
    Budget budget = budget_unlimited();
    NetExplore run = explore_rules(net, (ExploreOptions){.cache = CACHE_UNLIMITED}, false, &budget);
    ck_assert_int_eq(run.end, ENDING_ENDLESS);
    ck_assert(!netexplore_complete(&run));
    netexplore_clear(&run);
    run = explore_rules(net, (ExploreOptions){.cache = CACHE_UNLIMITED}, true, &budget);
    ck_assert_int_eq(run.end, ENDING_COMPLETE);
    ck_assert(run.options.cutoffs && netexplore_complete(&run));
    ck_assert_uint_eq(explore_stats(run.explorer)->leaves[LEAF_CUTOFF], 1);
    netexplore_clear(&run);
}
END_TEST

START_TEST(unbounded_nets_are_noticed)
{
    g_autoptr(Net) net = small_net("p | a: p -> p q");
    Budget budget = budget_unlimited();
    NetExplore run = explore_rules(net, (ExploreOptions){.cache = CACHE_UNLIMITED}, true, &budget);
    ck_assert_int_eq(run.end, ENDING_UNBOUNDED);
    ck_assert_str_eq(netexplore_reason(&run), "unbounded");
    netexplore_clear(&run);
}
END_TEST

START_TEST(limits_are_kept_and_reported)
{
    g_autoptr(Net) net = small_net("a b c m | x: a m -> m | y: b m -> m | z: c m -> m");
    Budget budget = budget_new(0, 0, 3);
    NetExplore run = explore_rules(net, (ExploreOptions){.cache = CACHE_UNLIMITED}, false, &budget);
    ck_assert(ending_is_limit(run.end));
    ck_assert_str_eq(netexplore_reason(&run), "event limit");
    netexplore_clear(&run);
    budget = budget_unlimited();
    run = explore_rules(net, (ExploreOptions){.cache = CACHE_UNLIMITED, .depth = 2}, false, &budget);
    ck_assert_int_eq(run.end, ENDING_COMPLETE);
    ck_assert(!netexplore_complete(&run));
    ck_assert_uint_gt(explore_stats(run.explorer)->leaves[LEAF_BOUND], 0);
    netexplore_clear(&run);
    run = explore_rules(net, (ExploreOptions){.cache = CACHE_UNLIMITED, .depth = 4}, false, &budget);
    ck_assert_uint_eq(explore_stats(run.explorer)->leaves[LEAF_MAXIMAL], 6);
    ck_assert(netexplore_complete(&run));
    netexplore_clear(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("explore");
    TEST_CASE(suite, every_trace_once_on_random_nets);
    TEST_CASE(suite, explorer_needs_no_net);
    TEST_CASE(suite, cutoffs_keep_every_marking_and_deadlock);
    TEST_CASE(suite, rivals_of_older_sleepers_are_not_lost);
    TEST_CASE(suite, endless_nets_are_noticed);
    TEST_CASE(suite, unbounded_nets_are_noticed);
    TEST_CASE(suite, limits_are_kept_and_reported);
    return test_run(suite);
}
