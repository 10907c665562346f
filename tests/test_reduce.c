#include "test.h"

#include "breadth.h"
#include "net/rules.h"
#include "reduce/reduce.h"
#include "reduce/rnet.h"
#include "reducible.h"

enum { MOST_MARKINGS = 3000 };

typedef struct Tally {
    uint32_t yes, no, skipped, applied[N_RULES];
    uint64_t places, places_after;
} Tally;

static void compare_once(Rng *rng, const ReduceOptions *options, uint64_t seed, Tally *tally)
{
    g_autoptr(Net) net = reducible_net(rng);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId goal = reducible_goal(rng, store);
    NaiveAnswer expected = naive_reach(net, store, goal, MOST_MARKINGS, NULL);
    if (expected == NAIVE_TOO_MANY) {
        tally->skipped++;
        return;
    }
    Budget budget = budget_unlimited();
    g_autoptr(Reduction) r = reduce_new(net, store, &goal, 1, options, &budget);
    if (!r) return;
    for (Rule rule = 0; rule < N_RULES; rule++) tally->applied[rule] += r->applied[rule];
    tally->places += net->n_places;
    tally->places_after += r->net->n_places;
    VecU32 witness = {0};
    NaiveAnswer got = naive_reach(r->net, r->formulas, r->goals[0], 20 * MOST_MARKINGS, &witness);
    g_autofree char *text = formula_text(store, goal);
    ck_assert_msg(got == expected || got == NAIVE_TOO_MANY, "seed %" G_GUINT64_FORMAT ": %d instead of %d for %s", seed,
                  got, expected, text);
    if (got == NAIVE_YES) {
        ck_assert_msg(reduce_lift(r, true, &budget, &witness), "seed %" G_GUINT64_FORMAT " does not lift: %s", seed,
                      text);
        ck_assert_msg(naive_replays(net, store, goal, &witness), "seed %" G_GUINT64_FORMAT " does not replay: %s", seed,
                      text);
        tally->yes++;
    }
    tally->no += got == NAIVE_NO;
    vec_free(&witness);
}

static void compare_many(const ReduceOptions *options, uint64_t from, uint64_t n, Tally *tally)
{
    for (uint64_t seed = from; seed < from + n; seed++) {
        Rng rng = {seed * UINT64_C(0x9e3779b97f4a7c15)};
        compare_once(&rng, options, seed, tally);
    }
}

START_TEST(each_rule_alone_agrees_with_search)
{
    for (Rule rule = 0; rule < N_RULES; rule++) {
        Tally tally = {0};
        ReduceOptions options = {.without = ~(UINT32_C(1) << rule)};
        compare_many(&options, 100000 * (uint64_t)rule, test_rounds(1500, 75000), &tally);
        ck_assert_msg(tally.applied[rule] > 10, "%s was hardly ever applied", reduce_rule_name(rule));
        ck_assert_uint_gt(tally.yes, 100);
        ck_assert_uint_gt(tally.no, 100);
    }
}
END_TEST

START_TEST(all_rules_together_agree_with_search)
{
    Tally tally = {0};
    compare_many(NULL, 5000000, test_rounds(8000, 400000), &tally);
    ck_assert_uint_gt(tally.yes, 1000);
    ck_assert_uint_gt(tally.no, 1000);
    for (Rule rule = 0; rule < N_RULES; rule++)
        ck_assert_msg(tally.applied[rule] > 10, "%s was hardly ever applied", reduce_rule_name(rule));
    ck_assert_uint_lt(tally.places_after * 2, tally.places);
}
END_TEST

static bool is_unsafe(const uint64_t *marking, void *data)
{
    for (uint32_t p = 0; p < *(uint32_t *)data; p++)
        if (marking[p] > 1) return true;
    return false;
}

START_TEST(safe_variant_keeps_safe_nets_safe)
{
    ReduceOptions options = {.safe = true};
    Tally tally = {0};
    compare_many(&options, 9000000, test_rounds(2000, 100000), &tally);
    uint32_t safe = 0;
    for (uint64_t seed = 1; seed <= test_rounds(1500, 75000); seed++) {
        Rng rng = {seed};
        g_autoptr(Net) net = reducible_net(&rng);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        FormulaId goal = reducible_goal(&rng, store);
        if (naive_search(net, MOST_MARKINGS, is_unsafe, &net->n_places, NULL) != NAIVE_NO) continue;
        safe++;
        Budget budget = budget_unlimited();
        g_autoptr(Reduction) r = reduce_new(net, store, &goal, 1, &options, &budget);
        if (!r) continue;
        ck_assert_int_eq(naive_search(r->net, MOST_MARKINGS, is_unsafe, &r->net->n_places, NULL), NAIVE_NO);
    }
    ck_assert_uint_gt(safe, 100);
}
END_TEST

START_TEST(several_goals_share_one_reduced_net)
{
    uint32_t compared = 0;
    for (uint64_t seed = 1; seed <= test_rounds(1500, 75000); seed++) {
        Rng rng = {seed * 77};
        g_autoptr(Net) net = reducible_net(&rng);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        FormulaId goals[3];
        for (size_t i = 0; i < 3; i++) goals[i] = reducible_goal(&rng, store);
        Budget budget = budget_unlimited();
        g_autoptr(Reduction) r = reduce_new(net, store, goals, 3, NULL, &budget);
        if (!r) continue;
        for (size_t i = 0; i < 3; i++) {
            NaiveAnswer a = naive_reach(net, store, goals[i], 1000, NULL);
            NaiveAnswer b = naive_reach(r->net, r->formulas, r->goals[i], 1000, NULL);
            if (a == NAIVE_TOO_MANY || b == NAIVE_TOO_MANY) continue;
            ck_assert_int_eq(a, b);
            compared++;
        }
    }
    ck_assert_uint_gt(compared, 1000);
}
END_TEST

START_TEST(net_without_reduction_is_left_alone)
{
    g_autoptr(NetBuilder) b = net_builder_new("alive");
    net_builder_place(b, "p", NULL, 1);
    net_builder_transition(b, "t", NULL);
    net_builder_arc(b, ARC_PRE, 0, 0, 1);
    g_autoptr(Net) net = net_builder_finish(b, NULL);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId alive = formula_not(store, formula_deadlock(store));
    Budget budget = budget_unlimited();
    ck_assert_ptr_null(reduce_new(net, store, &alive, 1, NULL, &budget));
}
END_TEST

/* p0 -> 2 p1 -> 4 p2 ...: its one dead marking takes 2^n - 1 firings. */
static Net *doubling_chain(uint32_t n)
{
    g_autoptr(NetBuilder) b = net_builder_new("doubling");
    for (uint32_t i = 0; i <= n; i++) {
        g_autofree char *id = g_strdup_printf("p%u", i);
        net_builder_place(b, id, NULL, i == 0);
    }
    for (uint32_t i = 0; i < n; i++) {
        g_autofree char *id = g_strdup_printf("t%u", i);
        net_builder_transition(b, id, NULL);
        net_builder_arc(b, ARC_PRE, i, i, 1);
        net_builder_arc(b, ARC_POST, i + 1, i, 2);
    }
    return net_builder_finish(b, NULL);
}

/* Fires what it can, for a while. */
static void run_greedily(const Net *net, VecU32 *run)
{
    g_autofree uint64_t *marking = g_memdup2(net->initial, net->n_places * sizeof *marking);
    for (uint32_t t = 0; t < net->n_transitions; t++)
        while (run->len < 5000 && net_enabled(net, marking, t) && net_fire(net, marking, t)) vec_push(run, t);
}

static Reduction *folded(const Net *net, const FormulaStore *store, FormulaId goal)
{
    Budget budget = budget_unlimited();
    return reduce_new(net, store, &goal, 1, &(ReduceOptions){.without = ~(UINT32_C(1) << RULE_FOLD)}, &budget);
}

/* Whatever their number, identical components are one, and what it does can be done by some of them. */
START_TEST(identical_components_become_one)
{
    Rules *rules = rules_new("counter");
    enum { COPIES = 40 };
    rules_place(rules, 1, "lock");
    for (int i = 0; i < COPIES; i++) {
        rules_place(rules, 1, "idle%d", i);
        rules_add(rules, "enter%d: idle%d lock -> critical%d", i, i, i);
        rules_add(rules, "leave%d: critical%d -> done%d lock", i, i, i);
    }
    g_autoptr(Net) net = rules_finish(rules);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    g_autoptr(Reduction) r = folded(net, store, formula_deadlock(store));
    ck_assert_uint_eq(r->net->n_places, 4);
    VecU32 run = {0};
    ck_assert_int_eq(naive_reach(r->net, r->formulas, r->goals[0], MOST_MARKINGS, &run), NAIVE_YES);
    Budget budget = budget_unlimited();
    ck_assert(reduce_lift(r, true, &budget, &run) && run.len == (size_t)2 * COPIES);
    ck_assert(naive_replays(net, store, formula_deadlock(store), &run));
    vec_free(&run);
}
END_TEST

/* x0 y1 is a pair that nobody asks for, though as many ask for pairs as there are pairs. */
START_TEST(pairs_that_are_missing_are_not_made_up)
{
    Rules *rules = rules_new("pairs");
    rules_place(rules, 1, "x0");
    rules_place(rules, 1, "y1");
    for (int i = 0; i < 2; i++) {
        rules_add(rules, "a%d: x%d y%d -> out", i, i, i);
        rules_add(rules, "b%d: x%d y%d -> out", i, i, i);
        rules_add(rules, "c%d: x%d never -> never", i, i);
    }
    g_autoptr(Net) net = rules_finish(rules);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaTerm term = {net_find_place(net, "out"), -1};
    FormulaId goal;
    ck_assert(formula_at_most(store, &term, 1, -1, &goal, NULL));
    ck_assert_int_eq(naive_reach(net, store, goal, MOST_MARKINGS, NULL), NAIVE_NO);
    g_autoptr(Reduction) r = folded(net, store, goal);
    ck_assert_int_eq(naive_reach(r->net, r->formulas, r->goals[0], MOST_MARKINGS, NULL), NAIVE_NO);
}
END_TEST

/* A run that is much longer than that of the reduced net is given up within the budget's limits. */
START_TEST(lifting_ends_with_the_budget)
{
    static const uint32_t sizes[] = {12, 40, 60};
    for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++) {
        g_autoptr(Net) net = doubling_chain(sizes[k]);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        FormulaId goal = formula_deadlock(store);
        Budget plenty = budget_unlimited();
        ReduceOptions options = {0};
        g_autoptr(Reduction) r = reduce_new(net, store, &goal, 1, &options, &plenty);
        ck_assert(r && r->net->n_transitions < net->n_transitions);
        VecU32 short_run = {0}, run = {0};
        run_greedily(r->net, &short_run);
        uint64_t before = budget_resident();
        Budget small = budget_new(0, before + (UINT64_C(1) << 20), 0);
        vec_append(&run, short_run.data, short_run.len);
        bool lifted = reduce_lift(r, true, &small, &run);
        ck_assert_uint_lt(budget_resident(), before + (UINT64_C(8) << 20));
        ck_assert(lifted == (sizes[k] == 12));
        if (lifted) ck_assert(run.len == (1 << 12) - 1 && naive_replays(net, store, goal, &run));
        static const StopFlag stop = 1;
        Budget stopped = budget_unlimited();
        budget_stop_by(&stopped, &stop);
        vec_clear(&run);
        vec_append(&run, short_run.data, short_run.len);
        ck_assert(sizes[k] == 12 || !reduce_lift(r, true, &stopped, &run));
        vec_free(&short_run);
        vec_free(&run);
    }
}
END_TEST

/* The weight of an arc once nets have been composed; no file may have one so large to begin with. */
static void set_arc(Rnet *rnet, uint32_t t, uint32_t p, RArc arc)
{
    arc.place = p;
    *rnet_arc(rnet, t, p) = arc;
}

static Composed compose_anew(Rnet *rnet, uint64_t times)
{
    VecArc arcs = {0};
    Composed result = rnet_compose(rnet, 0, 1, times, &arcs);
    vec_free(&arcs);
    return result;
}

/* Needs, limits and changes below 2^63, and no more firings than a run may have: each is refused for itself. */
START_TEST(compositions_beyond_the_limits_are_not_made)
{
    Rules *rules = rules_new("composed");
    rules_place(rules, 1, "a");
    rules_add(rules, "h: a -> p 2*q");
    rules_add(rules, "f: p 2*q -> 3*q");
    g_autoptr(Net) net = rules_finish(rules);
    Budget budget = budget_unlimited();
    g_autoptr(Rnet) rnet = rnet_new(net, &budget);
    uint32_t q = net_find_place(net, "q");
    const uint64_t large = UINT64_C(1) << 62;
    ck_assert_int_eq(compose_anew(rnet, 1), COMPOSED);
    set_arc(rnet, 0, q, (RArc){.delta = (int64_t)large});
    set_arc(rnet, 1, q, (RArc){.delta = (int64_t)large - 1});
    ck_assert_int_eq(compose_anew(rnet, 1), COMPOSED);
    ck_assert_int_eq(compose_anew(rnet, 2), COMPOSED_TOO_LARGE);
    set_arc(rnet, 1, q, (RArc){.delta = (int64_t)large});
    ck_assert_int_eq(compose_anew(rnet, 1), COMPOSED_TOO_LARGE);
    set_arc(rnet, 0, q, (RArc){.need = large, .delta = -(int64_t)large});
    set_arc(rnet, 1, q, (RArc){.need = large - 1});
    ck_assert_int_eq(compose_anew(rnet, 1), COMPOSED);
    set_arc(rnet, 1, q, (RArc){.need = large});
    ck_assert_int_eq(compose_anew(rnet, 1), COMPOSED_TOO_LARGE);
    set_arc(rnet, 1, q, (RArc){.need = 1, .inhibit = large});
    ck_assert_int_eq(compose_anew(rnet, 1), COMPOSED_TOO_LARGE);
    set_arc(rnet, 1, q, (RArc){.need = 1});
    rnet_transition(rnet, 1)->length = RNET_LONGEST / 2;
    ck_assert_int_eq(compose_anew(rnet, 1), COMPOSED);
    ck_assert_int_eq(compose_anew(rnet, 2), COMPOSED_TOO_LARGE);
    rnet_transition(rnet, 1)->length = UINT32_MAX;
    ck_assert_int_eq(compose_anew(rnet, UINT64_C(1) << 33), COMPOSED_TOO_LARGE);
}
END_TEST

/* From either end: what is composed last first has short parts many times, the other way round long ones twice. */
START_TEST(no_transition_stands_for_more_firings_than_a_run_may_have)
{
    enum { LENGTH = 40 };
    for (int backwards = 0; backwards < 2; backwards++) {
        Rules *rules = rules_new("chain");
        for (int i = 0; i <= LENGTH; i++)
            rules_place(rules, (backwards ? LENGTH - i : i) == 0, "p%d", backwards ? LENGTH - i : i);
        for (int i = 0; i < LENGTH; i++) rules_add(rules, "t%d: p%d -> 2*p%d", i, i, i + 1);
        g_autoptr(Net) net = rules_finish(rules);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        FormulaId goal = formula_deadlock(store);
        Budget budget = budget_unlimited();
        g_autoptr(Reduction) r = reduce_new(net, store, &goal, 1, &(ReduceOptions){0}, &budget);
        ck_assert(r && r->net->n_transitions < LENGTH / 2);
        for (size_t t = 0; t < r->rnet->transitions.len; t++)
            ck_assert_uint_le(rnet_transition(r->rnet, (uint32_t)t)->length, RNET_LONGEST);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reduce");
    TEST_CASE(suite, each_rule_alone_agrees_with_search);
    TEST_CASE(suite, all_rules_together_agree_with_search);
    TEST_CASE(suite, safe_variant_keeps_safe_nets_safe);
    TEST_CASE(suite, several_goals_share_one_reduced_net);
    TEST_CASE(suite, net_without_reduction_is_left_alone);
    TEST_CASE(suite, identical_components_become_one);
    TEST_CASE(suite, pairs_that_are_missing_are_not_made_up);
    TEST_CASE(suite, lifting_ends_with_the_budget);
    TEST_CASE(suite, compositions_beyond_the_limits_are_not_made);
    TEST_CASE(suite, no_transition_stands_for_more_firings_than_a_run_may_have);
    return test_run(suite);
}
