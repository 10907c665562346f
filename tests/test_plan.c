/* Relaxed plans against their definition, and the search that follows them. */
#include "test.h"

#include "naive.h"
#include "naive_formula.h"
#include "random_net.h"

#include "net/builder.h"
#include "prop/expression.h"
#include "verify/plan_tree.h"
#include "verify/planner.h"
#include "verify/question.h"
#include "verify/witness.h"

/* A random walk of the tracker, its firings appended. */
static void wander(Tracker *k, Rng *rng, unsigned steps, VecU32 *run)
{
    for (unsigned i = 0; i < steps && k->n_enabled; i++) {
        uint32_t t = k->enabled[rng_below(rng, k->n_enabled)];
        if (tracker_fire(k, t) && run) vec_push(run, t);
    }
}

/* What t does to the place. */
static int64_t change_of(const Net *net, uint32_t t, uint32_t place)
{
    return (int64_t)net_arc_weight(net, ARC_POST, t, place) - (int64_t)net_arc_weight(net, ARC_PRE, t, place);
}

static bool brings(const Net *net, uint32_t t, uint32_t fact)
{
    int64_t change = change_of(net, t, fact / 2);
    return fact % 2 ? change < 0 : change > 0;
}

/* The sum of what t lacks, by the costs of facts; NEVER when one cannot come about. */
static uint32_t lack_of(const Relaxed *r, uint32_t t)
{
    const Net *net = r->here->net;
    uint32_t sum = 0;
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        if (kind == ARC_POST) continue;
        NetRow row = net_places(net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            uint64_t count = r->here->marking[row.node[i]], weight = net_weight(row, i);
            if ((count < weight) == (kind == ARC_INHIBIT)) continue;
            uint32_t fact = 2 * row.node[i] + (kind == ARC_INHIBIT);
            if (r->fact[fact] == RELAXED_NEVER) return RELAXED_NEVER;
            uint64_t by = (uint64_t)llabs(change_of(net, r->supporter[fact], row.node[i]));
            uint64_t tokens = kind == ARC_INHIBIT ? count - weight + 1 : weight - count;
            sum += r->fact[fact] * (uint32_t)((tokens + by - 1) / by);
        }
    }
    return sum;
}

/* Which facts come about at all, by rounds until nothing is new. */
static void find_possible(const Relaxed *r, bool *possible)
{
    const Net *net = r->here->net;
    for (bool going = true; going;) {
        going = false;
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            bool can = true;
            for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
                NetRow row = net_places(net, kind, t);
                for (uint32_t i = 0; i < row.len && kind != ARC_POST; i++)
                    if ((r->here->marking[row.node[i]] < net_weight(row, i)) != (kind == ARC_INHIBIT))
                        can = can && possible[2 * row.node[i] + (kind == ARC_INHIBIT)];
            }
            for (uint32_t fact = 0; fact < 2 * net->n_places && can; fact++)
                if (!possible[fact] && brings(net, t, fact)) going = possible[fact] = true;
        }
    }
}

/* Prices are positive, so these equations have one solution. */
START_TEST(costs_are_as_defined)
{
    unsigned never = 0, dear = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        g_autoptr(Net) net = random_net(seed);
        g_autoptr(Tracker) here = tracker_new(net);
        g_autoptr(Relaxed) r = relaxed_new(here);
        Rng rng = {seed};
        for (unsigned round = 0; round < 4; round++, wander(here, &rng, 3, NULL)) {
            for (uint32_t t = 0; t < net->n_transitions; t++) r->price[t] = 1 + (uint32_t)rng_below(&rng, 3);
            relaxed_look(r);
            g_autofree bool *possible = g_new0(bool, 2 * net->n_places + 1);
            find_possible(r, possible);
            for (uint32_t t = 0; t < net->n_transitions; t++) {
                uint32_t lack = lack_of(r, t);
                ck_assert_uint_eq(r->cost[t], lack == RELAXED_NEVER ? lack : lack + r->price[t]);
            }
            for (uint32_t fact = 0; fact < 2 * net->n_places; fact++) {
                uint32_t least = RELAXED_NEVER;
                for (uint32_t t = 0; t < net->n_transitions; t++)
                    if (brings(net, t, fact)) least = MIN(least, r->cost[t]);
                ck_assert_uint_eq(r->fact[fact], least);
                ck_assert_int_eq(least < RELAXED_NEVER, possible[fact]);
                if (least < RELAXED_NEVER) ck_assert_uint_eq(r->cost[r->supporter[fact]], least);
                never += least == RELAXED_NEVER;
                dear += least > 3 && least < RELAXED_NEVER;
            }
        }
    }
    ck_assert_uint_gt(never, 1000);
    ck_assert_uint_gt(dear, 1000);
}
END_TEST

static bool naive_reaches(const Net *net, const uint64_t *from, const RandomFormula *f)
{
    g_autoptr(Naive) naive = naive_explore_from(net, from, NET_NONE, 500);
    for (guint i = 0; i < naive->markings->len; i++)
        if (rf_holds(f, net, naive_marking(naive, i))) return true;
    return false;
}

/* Nothing to do exactly at the goal; a plan wherever a run leads there, and something of it can be fired. */
START_TEST(what_can_be_reached_has_a_plan)
{
    unsigned plans = 0, without = 0;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        g_autoptr(Net) net = random_net(seed);
        g_autoptr(Tracker) here = tracker_new(net);
        g_autoptr(Relaxed) r = relaxed_new(here);
        g_autoptr(NetLts) plain = netlts_new(net, 64);
        Rng rng = {seed};
        g_autoptr(RandomFormula) f = rf_new(&rng, net, 3);
        g_autoptr(GString) text = g_string_new(NULL);
        rf_text(f, net, text);
        Question q;
        ck_assert(question_init(&q, net, QUESTION_REACH, text->str, NULL, NULL));
        g_autoptr(RelaxedPlan) plan = relaxed_plan_new(r, q.query.formulas, q.query.goal, plain);
        for (unsigned round = 0; round < 4; round++, wander(here, &rng, 2, NULL)) {
            relaxed_look(r);
            uint32_t value = relaxed_plan_make(plan), enabled = 0;
            ck_assert_int_eq(value == 0, rf_holds(f, net, here->marking));
            if (value == RELAXED_NEVER)
                ck_assert_msg(!naive_reaches(net, here->marking, f), "seed %" G_GUINT64_FORMAT ": no plan for %s", seed,
                              text->str);
            for (size_t i = 0; i < plan->steps.len; i++) enabled += tracker_is_enabled(here, plan->steps.data[i]);
            if (value && value < RELAXED_NEVER) ck_assert_uint_gt(enabled, 0);
            plans += value && value < RELAXED_NEVER;
            without += value == RELAXED_NEVER;
        }
        question_clear(&q);
    }
    printf("plans: %u, none for %u\n", plans, without);
    ck_assert_uint_gt(plans, 500);
    ck_assert_uint_gt(without, 100);
}
END_TEST

/* Going about in the tree leads to the markings that its runs lead to. */
START_TEST(a_tree_knows_its_markings)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        g_autoptr(Net) net = random_net(seed);
        g_autoptr(Tracker) here = tracker_new(net), twin = tracker_new(net), start = tracker_new(net);
        PlanTree tree = {0};
        VecU32 run = {0};
        Rng rng = {seed};
        plan_tree_begin(&tree, here);
        for (unsigned round = 0; round < 40; round++) {
            tracker_assign(twin, here);
            vec_clear(&run);
            wander(twin, &rng, 1 + (unsigned)rng_below(&rng, 4), &run);
            ck_assert(plan_tree_add(&tree, run.data, run.len));
            ck_assert(plan_tree_go(&tree, (uint32_t)rng_below(&rng, tree.nodes.len)));
            vec_clear(&run);
            plan_tree_run(&tree, &run);
            tracker_assign(twin, start);
            for (size_t i = 0; i < run.len; i++) ck_assert(tracker_fire(twin, run.data[i]));
            ck_assert_mem_eq(twin->marking, here->marking, net->n_places * sizeof *here->marking);
            ck_assert_uint_eq(twin->n_enabled, here->n_enabled);
        }
        plan_tree_clear(&tree);
        vec_free(&run);
    }
}
END_TEST

/* A lock of n digits: the right one leads on, every wrong one back to the beginning. */
static Net *lock(uint32_t n)
{
    g_autoptr(NetBuilder) b = net_builder_new("lock");
    for (uint32_t i = 0; i <= n; i++) {
        g_autofree char *id = g_strdup_printf("at%u", i);
        net_builder_place(b, id, NULL, i == 0);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t wrong = 0; wrong < 3; wrong++) {
            g_autofree char *id = g_strdup_printf("t%u_%u", i, wrong);
            uint32_t t = net_builder_transition(b, id, NULL);
            net_builder_arc(b, ARC_PRE, i, t, 1);
            net_builder_arc(b, ARC_POST, wrong ? 0 : i + 1, t, 1);
        }
    return net_builder_finish(b, NULL);
}

static bool meets(const Net *net, const char *engine, const char *text, double seconds)
{
    Question q;
    Result result = {0};
    uint64_t work = 0;
    Budget whole = budget_unlimited();
    budget_by_work(&whole, &work, 0);
    Budget budget = budget_child(&whole, seconds, NULL);
    ck_assert(question_init(&q, net, QUESTION_REACH, text, NULL, NULL));
    engine_find(engine)->run(&q.query, &(EngineOptions){.seed = 1, .threads = 1}, &budget, &result);
    bool met = result.answer == ANSWER_REACHABLE;
    if (met) ck_assert(witness_replays(&q.query, result.witness.data, result.witness.len));
    result_clear(&result);
    question_clear(&q);
    return met;
}

START_TEST(plans_open_a_lock)
{
    g_autoptr(Net) net = lock(100);
    ck_assert(meets(net, "plan", "at100 >= 1", 1));
    ck_assert(!meets(net, "walk", "at100 >= 1", 1));
    ck_assert(meets(net, "plan", "at60 >= 1 && !fireable(t59_1) && fireable(t60_2)", 1));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan");
    TEST_CASE(suite, costs_are_as_defined);
    TEST_CASE(suite, what_can_be_reached_has_a_plan);
    TEST_CASE(suite, a_tree_knows_its_markings);
    TEST_CASE(suite, plans_open_a_lock);
    return test_run(suite);
}
