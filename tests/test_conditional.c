#include "test.h"

#include "explore/conditional.h"
#include "net/gen.h"
#include "program/compile.h"
#include "naive.h"
#include "small_net.h"
#include "traces_naive.h"

/* ---- dead markings against explicit search ---- */

static GHashTable *dead_by_search(const Net *net)
{
    GHashTable *dead = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    Naive *all = naive_explore(net, G_MAXUINT);
    for (guint i = 0; i < all->markings->len; i++)
        if (!naive_enabled(all, i)) g_hash_table_add(dead, g_bytes_ref(all->markings->pdata[i]));
    naive_free(all);
    return dead;
}

static void same_dead(const Net *net, const Outcome *o, GHashTable *expected)
{
    ck_assert_uint_eq(o->dead.len, g_hash_table_size(expected));
    uint64_t *replayed = g_new0(uint64_t, net->n_places + 1);
    for (size_t i = 0; i < o->dead.len; i++) {
        GBytes *key = g_bytes_new(o->dead.data[i].state, net->n_places * sizeof(uint64_t));
        ck_assert(g_hash_table_contains(expected, key));
        g_bytes_unref(key);
        memcpy(replayed, net->initial, net->n_places * sizeof *replayed);
        for (uint32_t k = 0; k < o->dead.data[i].length; k++)
            ck_assert(net_enabled(net, replayed, o->dead.data[i].run[k]) &&
                      net_fire(net, replayed, o->dead.data[i].run[k]));
        ck_assert(memcmp(replayed, o->dead.data[i].state, net->n_places * sizeof *replayed) == 0);
    }
    g_free(replayed);
}

static uint64_t n_leaves(const ExploreStats *s)
{
    return s->leaves[LEAF_MAXIMAL] + s->leaves[LEAF_BLOCKED];
}

static Net *random_net(Rng *rng, unsigned kind)
{
    GenRandom g = {.acyclic = true, .tokens = 2 + (uint32_t)rng_below(rng, 4)};
    switch (kind % 5) {
    case 0: return gen_random_bounded(rng, &g);
    case 1: g.weight = 3; return gen_random_bounded(rng, &g);
    case 2:
        g.weight = 2;
        g.reads = g.loops = true;
        return gen_random_bounded(rng, &g);
    case 3:
        g.weight = 2;
        g.inhibitors = g.sinks = true;
        return gen_random_bounded(rng, &g);
    default: g.reads = g.loops = g.inhibitors = g.sinks = true; return gen_random_safe(rng, &g);
    }
}

typedef struct Longest {
    uint32_t times, bound;
} Longest;

static void note_times(void *data, LeafKind kind, const uint32_t *run, uint32_t n)
{
    Longest *longest = data;
    longest->bound += kind == LEAF_BOUND;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t times = 0;
        for (uint32_t k = 0; k < n; k++) times += run[k] == run[i];
        longest->times = MAX(longest->times, times);
    }
}

/* Nets with and without an end: no transition fires more often than that in a run, all that is found is there, and what
 * was not cut is whole. */
START_TEST(unrolled)
{
    Rng rng = {8};
    guint rounds = test_rounds(1500, 20000), cut = 0, whole = 0;
    for (guint round = 0; round < rounds; round++) {
        GenRandom g = {.acyclic = rng_chance(&rng, 3), .reads = round % 2, .loops = round % 2};
        g_autoptr(Net) net = gen_random_safe(&rng, &g);
        g_autoptr(Constraints) constraints = constraints_new(net);
        Longest longest = {0};
        uint32_t times = 1 + (uint32_t)rng_below(&rng, 3);
        ConditionalOptions options = {
            .unroll = times, .context = rng_chance(&rng, 2), .leaf = note_times, .data = &longest};
        Budget budget = budget_new(0, 0, 20000);
        DporRun run;
        conditional_run(&run, constraints, &options, &budget);
        ck_assert_uint_le(longest.times, times);
        ck_assert_uint_eq(longest.bound, run.outcome.stats.leaves[LEAF_BOUND]);
        if (run.outcome.end == ENDING_COMPLETE) {
            GHashTable *dead = dead_by_search(net);
            if (!longest.bound) same_dead(net, &run.outcome, dead);
            for (size_t i = 0; i < run.outcome.dead.len; i++) {
                GBytes *key = g_bytes_new(run.outcome.dead.data[i].state, net->n_places * sizeof(uint64_t));
                ck_assert(g_hash_table_contains(dead, key));
                g_bytes_unref(key);
            }
            ck_assert_int_eq(outcome_reason(&run.outcome) == NULL, longest.bound == 0);
            cut += longest.bound > 0;
            whole += !longest.bound;
            g_hash_table_destroy(dead);
        }
        dpor_clear(&run);
    }
    ck_assert_uint_gt(cut, rounds / 5);
    ck_assert_uint_gt(whole, rounds / 5);
}
END_TEST

START_TEST(dead_markings_of_random_nets)
{
    Rng rng = {3};
    guint rounds = test_rounds(5000, 60000), several = 0, saved = 0, uniform = 0, sequences = 0, ended = 0;
    for (guint round = 0; round < rounds; round++) {
        g_autoptr(Net) net = random_net(&rng, round);
        g_autoptr(Constraints) constraints = constraints_new(net);
        GHashTable *dead = dead_by_search(net);
        uint64_t plain = 0;
        for (int way = 0; way < 4; way++) {
            ConditionalOptions options = {.context = way & 1, .every_enabled = way & 2};
            Budget budget = budget_new(0, 0, 40000);
            DporRun run;
            conditional_run(&run, constraints, &options, &budget);
            if (run.outcome.end == ENDING_COMPLETE) {
                same_dead(net, &run.outcome, dead);
                if (way == 0) {
                    ended++;
                    plain = n_leaves(&run.outcome.stats);
                    saved += run.stats.covered > 0;
                    uniform += run.stats.inserted > 0;
                }
                if (way == 1) sequences += n_leaves(&run.outcome.stats) < plain;
            }
            ck_assert(run.outcome.end == ENDING_COMPLETE || budget_ending(&budget) == ENDING_EVENTS);
            dpor_clear(&run);
        }
        several += g_hash_table_size(dead) > 1;
        g_hash_table_destroy(dead);
    }
    ck_assert_uint_gt(ended, rounds * 9 / 10);
    ck_assert_uint_gt(several, rounds / 4);
    ck_assert_uint_gt(saved, rounds / 10);
    ck_assert_uint_gt(uniform, rounds / 20);
    ck_assert_uint_gt(sequences, 0);
    if (test_soak())
        printf("ended %u several %u saved %u uniform %u sequences %u\n", ended, several, saved, uniform, sequences);
}
END_TEST

/* ---- constraints and uniformity against the firing rule ---- */

static bool commute_naive(const Net *net, const uint64_t *marking, uint32_t t, uint32_t u)
{
    uint64_t *m = g_new0(uint64_t, net->n_places + 1);
    bool ok = true;
    for (int way = 0; way < 2; way++) {
        memcpy(m, marking, net->n_places * sizeof *m);
        net_fire(net, m, way ? t : u);
        ok = ok && net_enabled(net, m, way ? u : t);
    }
    g_free(m);
    return ok;
}

/* At every marking reached without t where u is enabled: is t enabled and do they commute? */
static bool uniform_naive(const Net *net, const uint64_t *marking, uint32_t t, uint32_t u)
{
    Naive *all = naive_explore_from(net, marking, t, G_MAXUINT);
    bool ok = true;
    for (guint i = 0; i < all->markings->len && ok; i++) {
        const uint64_t *now = naive_marking(all, i);
        /* others may disable t: that is their affair */
        if (net_enabled(net, now, t) && net_enabled(net, now, u)) ok = commute_naive(net, now, t, u);
    }
    naive_free(all);
    return ok;
}

static void check_marking(const Net *net, const Constraints *c, Backset *back, const uint64_t *marking, guint *counts)
{
    uint64_t *enabled = g_new0(uint64_t, net->n_transitions / 64 + 1);
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (net_enabled(net, marking, t)) enabled[t / 64] |= (uint64_t)1 << (t % 64);
    backset_at(back, marking, enabled);
    for (uint32_t t = 0; t < net->n_transitions; t++)
        for (uint32_t u = 0; u < net->n_transitions; u++) {
            if (u == t || !net_enabled(net, marking, t)) continue;
            if (backset_uniform(back, t, u)) {
                ck_assert(uniform_naive(net, marking, t, u));
                counts[0] += constraints_pair(c, t, u) != NULL;
            }
            if (!net_enabled(net, marking, u)) continue;
            const ConstraintPair *pair = constraints_pair(c, t, u);
            bool doubtful, says = !pair || constraints_hold(c, pair, marking, &doubtful),
                           commute = commute_naive(net, marking, t, u);
            ck_assert_int_eq(says, commute);
            ck_assert_int_eq(constraints_commute(c, t, u, marking), commute);
            counts[1 + commute] += pair != NULL;
        }
    g_free(enabled);
}

START_TEST(constraints_are_exact)
{
    Rng rng = {17};
    guint rounds = test_rounds(300, 6000), counts[3] = {0};
    for (guint round = 0; round < rounds; round++) {
        g_autoptr(Net) net = random_net(&rng, round);
        g_autoptr(Constraints) c = constraints_new(net);
        Backset back;
        backset_init(&back, c);
        uint64_t *marking = g_new0(uint64_t, net->n_places + 1);
        memcpy(marking, net->initial, net->n_places * sizeof *marking);
        for (int step = 0; step < 6; step++) {
            check_marking(net, c, &back, marking, counts);
            uint32_t t = (uint32_t)rng_below(&rng, net->n_transitions);
            if (net_enabled(net, marking, t)) net_fire(net, marking, t);
        }
        /* the printed form reads back as itself, all of it proved */
        g_autoptr(GString) text = g_string_new(NULL), again = g_string_new(NULL);
        constraints_print(c, text);
        GError *error = NULL;
        g_autoptr(Constraints) read = constraints_read(net, text->str, "printed", &error);
        ck_assert(read != NULL);
        constraints_print(read, again);
        ck_assert_str_eq(text->str, again->str);
        ck_assert_uint_eq(read->n_doubtful, 0);
        g_free(marking);
        backset_clear(&back);
    }
    for (int i = 0; i < 3; i++) ck_assert_uint_gt(counts[i], rounds / 2);
}
END_TEST

/* On safe nets two transitions that share a token never commute, so there are as many complete runs as
 * traces under loops: nothing is visited twice. */
START_TEST(safe_nets)
{
    Rng rng = {29};
    guint checked = 0;
    for (guint round = 0; round < 600; round++) {
        GenRandom g = {.acyclic = true, .reads = round & 1, .loops = round & 2, .inhibitors = round & 4};
        g_autoptr(Net) net = gen_random_safe(&rng, &g);
        g_autoptr(Indep) loops = indep_new(net, RELATION_LOOPS);
        g_autoptr(Constraints) c = constraints_new(net);
        Traces *traces = traces_new(net, loops, 400);
        if (traces->complete) {
            Budget budget = budget_unlimited();
            DporRun run;
            conditional_run(&run, c, &(ConditionalOptions){0}, &budget);
            ck_assert_uint_eq(run.outcome.stats.leaves[LEAF_MAXIMAL], g_hash_table_size(traces->maximal));
            dpor_clear(&run);
            checked++;
        }
        traces_free(traces);
    }
    ck_assert_uint_gt(checked, 300);
}
END_TEST

/* ---- [CDPOR18] ---- */

static size_t dead_of_worked(const char *z)
{
    g_autofree char *path =
        g_strdup_printf("%s/nets/programs/worked.mzk", g_getenv("SRCDIR") ? g_getenv("SRCDIR") : "..");
    g_autofree char *text = NULL, *define = g_strdup_printf("Z=%s", z);
    char *defines[] = {define, NULL};
    gsize len;
    ck_assert(g_file_get_contents(path, &text, &len, NULL));
    g_autoptr(Compiled) compiled = compile_program(text, len, path, defines, NULL);
    ck_assert(compiled != NULL);
    g_autoptr(Constraints) c = constraints_new(compiled->net);
    size_t n = 0;
    for (int way = 0; way < 2; way++) {
        Budget budget = budget_unlimited();
        DporRun run;
        conditional_run(&run, c, &(ConditionalOptions){.context = way}, &budget);
        ck_assert(way == 0 || n == run.outcome.dead.len);
        n = run.outcome.dead.len;
        dpor_clear(&run);
    }
    return n;
}

START_TEST(final_markings_of_the_worked_example)
{
    ck_assert_uint_eq(dead_of_worked("-2"), 1);
    ck_assert_uint_eq(dead_of_worked("-1"), 2);
}
END_TEST

/* ---- files ---- */

/* Three clients that take one of four tokens: one run is enough. */
static DporRun explore_pool(const char *file, GError **error)
{
    g_autoptr(Net) net = small_net("a b c 4*p | A: a p -> x | B: b p -> y | C: c p -> z");
    g_autoptr(Constraints) c = constraints_read(net, file, "file", error);
    DporRun run = {0};
    if (!c) return run;
    Budget budget = budget_unlimited();
    conditional_run(&run, c, &(ConditionalOptions){0}, &budget);
    dpor_clear(&run);
    return run;
}

START_TEST(constraint_files)
{
    static const char *const bad[] = {"A",
                                      "A B",
                                      "A B:",
                                      "A B: p > 3",
                                      "A B: q >= 3",
                                      "A D: always",
                                      "A A: never",
                                      "A B: p >= x",
                                      "A B: p >= 3 p <= 4",
                                      "A B: p >= 3,",
                                      "\"A B: never",
                                      "A B: never p >= 1"};
    ck_assert_uint_eq(explore_pool("", NULL).outcome.stats.leaves[LEAF_MAXIMAL], 1);
    ck_assert_uint_eq(explore_pool("# nothing\n\n", NULL).outcome.stats.nodes, 4);
    /* stricter than needed: less is saved, nothing is lost */
    DporRun run = explore_pool("A B: never\nB C: p >= 9\n\"A\" C: never", NULL);
    ck_assert_uint_gt(run.outcome.stats.nodes, 4);
    ck_assert_int_eq(run.outcome.end, ENDING_COMPLETE);
    /* any of several */
    ck_assert_uint_eq(explore_pool("A B: p >= 7\nB A: p >= 2, p <= 100", NULL).outcome.stats.nodes, 4);
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        GError *error = NULL;
        explore_pool(bad[i], &error);
        ck_assert_msg(error != NULL && strstr(error->message, "file:1:"), "%s", bad[i]);
        g_clear_error(&error);
    }
}
END_TEST

/* A wrong constraint is found out where it is relied on. */
START_TEST(wrong_constraints)
{
    g_autoptr(Net) net = small_net("a b p | A: a p -> x | B: b p -> y");
    g_autoptr(Constraints) wrong = constraints_read(net, "A B: always", "file", NULL);
    ck_assert_uint_eq(wrong->n_doubtful, 1);
    Budget budget = budget_unlimited();
    DporRun run;
    conditional_run(&run, wrong, &(ConditionalOptions){0}, &budget);
    ck_assert(run.outcome.end == ENDING_REFUTED && outcome_reason(&run.outcome));
    dpor_clear(&run);
    /* not proved, but never wrong where it matters */
    g_autoptr(Net) other = small_net("a b 3*p | A: a p -> x | B: b p -> y | C: x y -> 2*p");
    g_autoptr(Constraints) right = constraints_read(other, "A B: a >= 1", "file", NULL);
    ck_assert_uint_eq(right->n_doubtful, 1);
    conditional_run(&run, right, &(ConditionalOptions){0}, &budget);
    ck_assert(run.outcome.end == ENDING_COMPLETE && run.outcome.dead.len == 1);
    dpor_clear(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conditional");
    TEST_CASE(suite, dead_markings_of_random_nets);
    TEST_CASE(suite, unrolled);
    TEST_CASE(suite, constraints_are_exact);
    TEST_CASE(suite, safe_nets);
    TEST_CASE(suite, final_markings_of_the_worked_example);
    TEST_CASE(suite, constraint_files);
    TEST_CASE(suite, wrong_constraints);
    return test_run(suite);
}
