#include "test.h"

#include "explore/dpor.h"
#include "net/gen.h"
#include "program_net.h"
#include "small_net.h"

/* What must be remembered while traces are explored: counts of what is kept at one time, against the bounds that
 * mazurka-theory(7) states; and nets at which one reversal for each pair of events, as for programs, is too few. */

static const Algorithm ALGORITHMS[] = {ALGORITHM_SLEEP, ALGORITHM_SDPOR, ALGORITHM_ODPOR, ALGORITHM_REVERSE};

static DporRun explored(const Net *net, const Indep *indep, Algorithm algorithm)
{
    DporOptions options = {.algorithm = algorithm};
    Budget budget = budget_unlimited();
    DporRun run;
    dpor_run(&run, net, indep, &options, &budget);
    ck_assert_int_eq(run.outcome.end, ENDING_COMPLETE);
    return run;
}

/* ---- bounds ---- */

/* The most events of the run that can be ordered by one place of t beside the one for its thread. */
static uint64_t races_of_each(const Net *net)
{
    uint32_t shared = 0;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        uint32_t pre = net_places(net, ARC_PRE, t).len + net_places(net, ARC_READ, t).len;
        shared = MAX(shared, pre ? pre - 1 : 0);
    }
    return shared;
}

static uint64_t power(uint64_t base, uint64_t n)
{
    return n ? base * power(base, n - 1) : 1;
}

/* With n firings in the longest run, and under a relation that orders all who touch a place: an event is told by its
 * action and how many of the run's events at each of its places come before it, and the place of its thread leaves no
 * choice. Nothing else grows: a history takes as many bits as there are firings, nodes of the tree are kept for few
 * races, and what waits in reverse search are children of the ancestors of one run. */
static void keeps_to_bounds(const Net *net, const DporRun *run, Algorithm algorithm)
{
    const DporStats *s = &run->stats;
    uint64_t n = run->outcome.stats.deepest, words = n / 64 + 1;
    ck_assert_uint_le(s->most_races, net->n_transitions * power(n + 1, races_of_each(net)));
    ck_assert_uint_le(s->race_words, s->most_races * words);
    ck_assert_uint_eq(run->outcome.stats.most_events, n);
    if (algorithm == ALGORITHM_SLEEP) ck_assert_uint_eq(s->most_races, 0);
    if (algorithm == ALGORITHM_SLEEP || algorithm == ALGORITHM_SDPOR) ck_assert_uint_eq(s->most_tree, 1); /* its root */
    if (algorithm == ALGORITHM_REVERSE) ck_assert_uint_le(s->most_tree, n * s->most_races);
}

/* Traces grow as 2^K K!, a run as K, and what is kept no faster than K^2, the number of pairs of threads. */
START_TEST(mutex_programs_keep_little)
{
    for (size_t k = 1; k < G_N_ELEMENTS(ALGORITHMS); k++)
        for (uint64_t size = 2, traces = 8; size <= 5; size++, traces *= 2 * size) {
            g_autofree char *define = g_strdup_printf("K=%d", (int)size);
            g_autoptr(Net) net = program_net("mpat", define);
            g_autoptr(Indep) indep = indep_new(net, RELATION_CLASSIC);
            DporRun run = explored(net, indep, ALGORITHMS[k]);
            uint64_t n = run.outcome.stats.deepest;
            ck_assert_uint_eq(run.outcome.stats.leaves[LEAF_MAXIMAL], traces);
            keeps_to_bounds(net, &run, ALGORITHMS[k]);
            ck_assert_uint_le(n, 13 * size);
            ck_assert_uint_le(run.stats.most_races, 4 * size * size);
            ck_assert_uint_le(run.stats.most_tree, 2 * n);
            dpor_clear(&run);
        }
}
END_TEST

START_TEST(programs_keep_to_bounds)
{
    static const struct {
        const char *program, *define;
        Relation relation;
    } rows[] = {{"pi", "N=6", RELATION_CLASSIC},       {"disp", "S=5 R=3", RELATION_CLASSIC},
                {"mpc", "P=3 W=5", RELATION_CLASSIC},  {"pol", "N=7 K=3", RELATION_CLASSIC},
                {"lastzero", "N=9", RELATION_CLASSIC}, {"ssb", "", RELATION_CLASSIC}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (size_t k = 1; k < G_N_ELEMENTS(ALGORITHMS); k++) {
            g_autoptr(Net) net = program_net(rows[i].program, rows[i].define);
            g_autoptr(Indep) indep = indep_new(net, rows[i].relation);
            DporRun run = explored(net, indep, ALGORITHMS[k]);
            keeps_to_bounds(net, &run, ALGORITHMS[k]);
            dpor_clear(&run);
        }
}
END_TEST

/* ---- more than one reversal for each pair ---- */

/* Positions of the run in conflict with a race, as a mask. */
static uint64_t conflicts_of(Trail *trail, size_t race)
{
    return races_conflicts(&trail->races, &trail->races.race.data[race], &trail->config)[0];
}

static bool same_pair(const Trail *trail, size_t i, size_t j)
{
    const Race *a = &trail->races.race.data[i], *b = &trail->races.race.data[j];
    return a->label == b->label && a->first == b->first;
}

/* How many races of the run are for the same action and first conflict as this one, and of these, how many have no
 * other one inside their conflicts? The latter are the reversals that keep as much of the run as there is. */
static guint largest_reversals(Trail *trail, size_t race, guint *all)
{
    guint largest = 0;
    *all = 0;
    for (size_t i = 0; i < trail->races.race.len; i++) {
        if (!same_pair(trail, i, race)) continue;
        uint64_t bad = conflicts_of(trail, i);
        bool inside = false;
        for (size_t j = 0; j < trail->races.race.len; j++)
            inside |= j != i && same_pair(trail, j, race) && !(conflicts_of(trail, j) & ~bad);
        largest += !inside;
        (*all)++;
    }
    return largest;
}

typedef struct Walk {
    NetLts *lts;
    Indep *indep;
    Budget budget;
    Outcome outcome;
    Trail trail;
} Walk;

static void walk_begin(Walk *w, const Net *net, Relation relation)
{
    w->budget = budget_unlimited();
    w->lts = netlts_new(net, 64);
    w->indep = indep_new(net, relation);
    outcome_init(&w->outcome, &w->lts->lts, &w->budget);
    trail_init(&w->trail, &w->lts->lts, w->lts, w->indep, EXTEND_AUTO, COUNT_NOTHING, true, (Bounds){0}, &w->outcome);
    ck_assert(trail_begin(&w->trail));
}

static void walk_end(Walk *w)
{
    trail_clear(&w->trail);
    outcome_clear(&w->outcome);
    indep_free(w->indep);
    netlts_free(w->lts);
}

/* Of t and the first firing of the run. */
static guint reversals_of_first(const Net *net, Relation relation, char *const *run, guint n, guint *all)
{
    Walk w;
    walk_begin(&w, net, relation);
    for (guint i = 0; i < n; i++) ck_assert(trail_push(&w.trail, net_find_transition(net, run[i])));
    size_t i = 0;
    while (w.trail.races.race.data[i].label != net_find_transition(net, "t") || w.trail.races.race.data[i].first) i++;
    guint largest = largest_reversals(&w.trail, i, all);
    walk_end(&w);
    return largest;
}

/* u and t want the same token, and t is inhibited by two tokens in any of the places x0, x1, ..., each of which two
 * transitions fill. In the run u a0 b0 a1 b1 ..., t races with u: behind a0 or b0 and a1 or b1 and so on, and nothing
 * tells which of these to take. If all that touch one place were ordered, it would be a0 and a1 and so on. */
START_TEST(a_pair_has_many_reversals)
{
    for (guint k = 1; k <= 5; k++) {
        Rules *r = rules_new("pairs");
        GString *t = g_string_new("t: c");
        char *run[11] = {g_strdup("u")};
        rules_place(r, 1, "c");
        for (guint i = 0; i < k; i++) {
            rules_place(r, 1, "p%u", i);
            rules_place(r, 1, "q%u", i);
            g_string_append_printf(t, " !2*x%u", i);
            rules_add(r, "a%u: p%u -> x%u", i, i, i);
            rules_add(r, "b%u: q%u -> x%u", i, i, i);
            run[1 + 2 * i] = g_strdup_printf("a%u", i);
            run[2 + 2 * i] = g_strdup_printf("b%u", i);
        }
        rules_add(r, "u: c -> d");
        g_string_append(t, " -> e");
        rules_add_text(r, t->str);
        g_string_free(t, TRUE);
        g_autoptr(Net) net = rules_finish(r);
        static const Relation RELATIONS[] = {RELATION_CLASSIC, RELATION_READ, RELATION_LOOPS, RELATION_PROVED};
        guint all;
        for (size_t i = 0; i < G_N_ELEMENTS(RELATIONS); i++) {
            ck_assert_uint_eq(reversals_of_first(net, RELATIONS[i], run, 2 * k + 1, &all), 1u << k);
            ck_assert_uint_eq(all, (guint)power(3, k));
        }
        for (guint i = 0; i <= 2 * k; i++) g_free(run[i]);
    }
}
END_TEST

/* In a safe net the firings that change a place are ordered. So what t wants of each place depends on how many of them
 * came before, two histories of t that fit together are one, and there is one largest for each first conflict. */
START_TEST(a_pair_has_one_reversal_in_safe_nets)
{
    Rng rng = {8};
    guint rounds = test_rounds(1500, 40000), several = 0;
    for (guint round = 0; round < rounds; round++) {
        GenRandom g = {
            .acyclic = round % 2, .reads = true, .inhibitors = round % 3 == 2, .components = 4, .transitions = 14};
        g_autoptr(Net) net = gen_random_safe(&rng, &g);
        Walk w;
        walk_begin(&w, net, round % 5);
        for (int step = 0; step < 12 && bitset_any(w.trail.enabled, w.trail.label_words); step++) {
            uint32_t t = (uint32_t)rng_below(&rng, net->n_transitions);
            while (!bitset_get(w.trail.enabled, t)) t = (t + 1) % net->n_transitions;
            if (!trail_push(&w.trail, t)) break; /* it came back to a marking */
            for (size_t i = 0; i < w.trail.races.race.len; i++) {
                guint all;
                ck_assert_uint_eq(largest_reversals(&w.trail, i, &all), 1);
                several += all > 1;
            }
        }
        walk_end(&w);
    }
    ck_assert_uint_gt(several, rounds / 5);
}
END_TEST

/* Here a search that reverses one race of each action and first conflict, one that keeps most of the run, finds three
 * of the four traces (tried in odpor): t behind a alone or t behind b alone is lost. */
START_TEST(one_reversal_for_each_pair_loses_traces)
{
    g_autoptr(Net) net = small_net("p q c lock | a: p !q -> x | u: c -> | t: c !2*x -> | go: q lock -> lock q1 | "
                                   "b: q1 -> x | never: lock unmarked ->");
    for (Relation relation = 0; relation < 2; relation++) {
        g_autoptr(Indep) indep = indep_new(net, relation ? RELATION_PROVED : RELATION_LOOPS);
        for (size_t k = 0; k < G_N_ELEMENTS(ALGORITHMS); k++) {
            DporRun run = explored(net, indep, ALGORITHMS[k]);
            ck_assert_uint_eq(run.outcome.stats.leaves[LEAF_MAXIMAL], 4);
            dpor_clear(&run);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("space");
    TEST_CASE(suite, mutex_programs_keep_little);
    TEST_CASE(suite, programs_keep_to_bounds);
    TEST_CASE(suite, a_pair_has_many_reversals);
    TEST_CASE(suite, a_pair_has_one_reversal_in_safe_nets);
    TEST_CASE(suite, one_reversal_for_each_pair_loses_traces);
    return test_run(suite);
}
