#include "test.h"

#include "naive.h"
#include "naive_formula.h"
#include "odd_net.h"
#include "random_net.h"

#include "lts/replay.h"
#include "prop/expression.h"
#include "symbolic/approach.h"
#include "symbolic/select.h"

/* Collects whenever there is anything to collect, or never. */
static Reached *draw(const Net *net, LevelsGrouping grouping, LevelsOrder order, bool collects, Budget *budget)
{
    *budget = budget_unlimited();
    Reached *reached = g_new0(Reached, 1);
    reached->levels = levels_new(net, grouping, order, budget);
    reached->model = model_new(net, reached->levels);
    reached->diagram = diagram_new(reached->levels->n, budget);
    if (collects) reached->diagram->room = 0;
    reached->markings = saturate(reached->diagram, reached->model);
    return reached;
}

static void check_figures(const Reached *drawn, const Naive *naive, uint64_t seed)
{
    Figures figures;
    ck_assert(figures_of(drawn->diagram, drawn->model, drawn->markings, &figures));
    g_autofree char *markings = g_strdup_printf("%u", naive->markings->len);
    g_autofree char *firings = g_strdup_printf("%u", naive->from->len);
    ck_assert_msg(g_str_equal(figures.markings, markings), "seed %" G_GUINT64_FORMAT ": %s markings, naively %s", seed,
                  figures.markings, markings);
    ck_assert_msg(g_str_equal(figures.firings, firings), "seed %" G_GUINT64_FORMAT ": %s firings, naively %s", seed,
                  figures.firings, firings);
    ck_assert_uint_eq(figures.max_in_place, naive->max_in_place);
    ck_assert_uint_eq((uint64_t)figures.max_in_marking, naive->max_in_marking);
    figures_clear(&figures);
}

/* With the number of markings: it is the same set. */
static void check_members(const Reached *drawn, const Naive *naive, uint64_t seed)
{
    g_autofree uint32_t *values = g_new(uint32_t, (size_t)drawn->levels->n + 1);
    for (guint i = 0; i < naive->markings->len; i++)
        ck_assert_msg(model_locate(drawn->model, naive_marking(naive, i), values) &&
                          diagram_has(drawn->diagram, drawn->markings, values),
                      "seed %" G_GUINT64_FORMAT ": marking %u is missing", seed, i);
}

static bool has_giants(const Net *net)
{
    uint64_t most = net_max_weight(net);
    for (uint32_t p = 0; p < net->n_places; p++) most = MAX(most, net->initial[p]);
    return most > UINT32_MAX;
}

static void check_net(const Net *net, uint64_t seed)
{
    g_autoptr(Naive) naive = naive_explore(net, 2000);
    if (!naive->complete) return;
    for (LevelsGrouping grouping = 0; grouping < N_LEVELS_GROUPINGS; grouping++)
        for (LevelsOrder order = 0; order < N_LEVELS_ORDERS; order++) {
            Budget budget;
            g_autoptr(Reached) drawn = draw(net, grouping, order, (seed + order) % 2, &budget);
            if (drawn->markings != NODE_EMPTY) {
                check_figures(drawn, naive, seed);
                check_members(drawn, naive, seed);
            } else { /* only where 64 bits are not enough, which the naive search passes over */
                ck_assert_msg(has_giants(net), "seed %" G_GUINT64_FORMAT, seed);
                ck_assert_ptr_nonnull(drawn->model->fault);
            }
        }
}

START_TEST(equals_the_naive_search)
{
    for (uint64_t seed = 0; seed < test_rounds(2500, 60000); seed++) {
        g_autoptr(Net) net = random_net(seed);
        check_net(net, seed);
    }
}
END_TEST

START_TEST(equals_the_naive_search_on_odd_nets)
{
    for (uint64_t seed = 0; seed < test_rounds(2500, 60000); seed++) {
        Rng rng = {seed};
        g_autoptr(Net) net = odd_net(&rng, 0);
        check_net(net, seed);
    }
}
END_TEST

/* ---- goals ---- */

static void check_count(Reached *reached, Node set, guint wanted, uint64_t seed)
{
    Figures figures = {0};
    if (set == NODE_EMPTY)
        figures.markings = g_strdup("0");
    else
        ck_assert(figures_of(reached->diagram, reached->model, set, &figures));
    g_autofree char *text = g_strdup_printf("%u", wanted);
    ck_assert_msg(g_str_equal(figures.markings, text), "seed %" G_GUINT64_FORMAT ": %s markings, naively %s", seed,
                  figures.markings, text);
    figures_clear(&figures);
}

static void check_formula(Reached *reached, const Naive *naive, const RandomFormula *formula, uint64_t seed)
{
    const Net *net = naive->net;
    g_autoptr(FormulaStore) store = formula_store_new(net);
    g_autoptr(GString) text = g_string_new(NULL);
    rf_text(formula, net, text);
    FormulaId id;
    ck_assert(expression_parse(store, text->str, "test", &id, NULL));
    guint wanted = 0;
    for (guint i = 0; i < naive->markings->len; i++) wanted += rf_holds(formula, net, naive_marking(naive, i));
    Node goal = select_formula(reached->diagram, reached->model, reached->markings, store, id);
    if (reached->model->fault) return; /* a step from a reachable marking has no room */
    check_count(reached, goal, wanted, seed);
    if (goal == NODE_EMPTY) return;
    VecU32 run = {0};
    ck_assert(approach(reached, goal, &run));
    g_autofree uint64_t *marking = replay_start(net);
    ck_assert_uint_eq(replay_run(net, run.data, run.len, marking), run.len);
    ck_assert_msg(rf_holds(formula, net, marking), "seed %" G_GUINT64_FORMAT ": %s", seed, text->str);
    vec_free(&run);
}

static void check_goals(const Net *net, uint64_t seed)
{
    Rng rng = {seed + 77};
    g_autoptr(Naive) naive = naive_explore(net, 500);
    if (!naive->complete || net->n_places == 0 || net->n_transitions == 0) return;
    for (int round = 0; round < 2; round++) {
        Budget budget;
        uint64_t order = rng_below(&rng, N_LEVELS_ORDERS);
        g_autoptr(Reached) reached = draw(net, rng_below(&rng, N_LEVELS_GROUPINGS), order, false, &budget);
        if (reached->markings == NODE_EMPTY) return;
        const RandomFormula dead = {.kind = RF_DEADLOCK};
        check_formula(reached, naive, &dead, seed);
        RandomFormula *formula = rf_new(&rng, net, 3);
        check_formula(reached, naive, formula, seed);
        rf_free(formula);
    }
}

START_TEST(goals_are_those_of_the_naive_search)
{
    for (uint64_t seed = 0; seed < test_rounds(2500, 60000); seed++) {
        Rng rng = {seed};
        g_autoptr(Net) net = seed % 2 ? random_net(seed) : odd_net(&rng, 0);
        check_goals(net, seed);
    }
}
END_TEST

/* ---- limits ---- */

START_TEST(too_many_levels_are_refused)
{
    g_autoptr(NetBuilder) builder = net_builder_new("wide");
    for (uint32_t i = 0; i <= DIAGRAM_MAX_LEVELS; i++) {
        g_autofree char *place = g_strdup_printf("p%u", i), *transition = g_strdup_printf("t%u", i);
        net_builder_place(builder, place, NULL, 1);
        net_builder_transition(builder, transition, NULL);
        net_builder_arc(builder, ARC_PRE, i, i, 1);
    }
    g_autoptr(Net) net = net_builder_finish(builder, NULL);
    Budget budget = budget_unlimited();
    const char *reason;
    ck_assert_ptr_null(reached_new(net, LEVELS_SINGLE, LEVELS_FILE, &budget, &reason));
    ck_assert_ptr_nonnull(strstr(reason, "too many places"));
}
END_TEST

/* A set flag ends it wherever it is. */
START_TEST(a_flag_stops_it)
{
    g_autoptr(Net) net = random_net(3);
    StopFlag stop = true;
    Budget budget = budget_unlimited();
    budget_stop_by(&budget, &stop);
    budget_look(&budget);
    const char *reason;
    ck_assert_ptr_null(reached_new(net, LEVELS_UNITS, LEVELS_FORCE, &budget, &reason));
    ck_assert_str_eq(reason, "stopped");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("symbolic");
    TEST_CASE(suite, equals_the_naive_search);
    TEST_CASE(suite, equals_the_naive_search_on_odd_nets);
    TEST_CASE(suite, goals_are_those_of_the_naive_search);
    TEST_CASE(suite, too_many_levels_are_refused);
    TEST_CASE(suite, a_flag_stops_it);
    return test_run(suite);
}
