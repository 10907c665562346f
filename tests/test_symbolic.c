#include "test.h"

#include "naive.h"
#include "odd_net.h"
#include "random_net.h"

#include "symbolic/figures.h"
#include "symbolic/saturate.h"

static uint64_t soak(uint64_t normal, uint64_t longer)
{
    return g_getenv("MAZURKA_SOAK") ? longer : normal;
}

/* A net with its diagram of reachable markings. */
typedef struct Drawn {
    Levels *levels;
    Model *model;
    Diagram *diagram;
    Node markings;
    Budget budget;
} Drawn;

static void draw(Drawn *drawn, const Net *net, LevelsGrouping grouping, LevelsOrder order, uint64_t room)
{
    drawn->budget = budget_unlimited();
    drawn->levels = levels_new(net, grouping, order, &drawn->budget);
    drawn->model = model_new(net, drawn->levels);
    drawn->diagram = diagram_new(drawn->levels->n, &drawn->budget);
    drawn->diagram->room = room;
    drawn->markings = saturate(drawn->diagram, drawn->model);
}

static void drawn_clear(Drawn *drawn)
{
    diagram_free(drawn->diagram);
    model_free(drawn->model);
    levels_free(drawn->levels);
}

static void check_figures(const Drawn *drawn, const Naive *naive, uint64_t seed)
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
            Drawn drawn;
            draw(&drawn, net, grouping, order, (seed + order) % 2 ? 0 : 1 << 20);
            if (drawn.markings != NODE_EMPTY) {
                check_figures(&drawn, naive, seed);
            } else { /* only where 64 bits are not enough, which the naive search passes over */
                ck_assert_msg(has_giants(net), "seed %" G_GUINT64_FORMAT, seed);
                ck_assert_ptr_nonnull(drawn.model->fault);
            }
            drawn_clear(&drawn);
        }
}

START_TEST(equals_the_naive_search)
{
    for (uint64_t seed = 0; seed < soak(2500, 60000); seed++) {
        g_autoptr(Net) net = random_net(seed);
        check_net(net, seed);
    }
}
END_TEST

START_TEST(equals_the_naive_search_on_odd_nets)
{
    for (uint64_t seed = 0; seed < soak(2500, 60000); seed++) {
        Rng rng = {seed};
        g_autoptr(Net) net = odd_net(&rng, 0);
        check_net(net, seed);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("symbolic");
    TEST_CASE(suite, equals_the_naive_search);
    TEST_CASE(suite, equals_the_naive_search_on_odd_nets);
    return test_run(suite);
}
