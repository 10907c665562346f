/* Traps of counts of tokens: that one of some places always has as many tokens as it is named. Against their definition
 * and against all markings; and what engine traps proves by them. */
#include "test.h"

#include "base/rng.h"
#include "breadth.h"
#include "certify/certificate.h"
#include "certify/facts.h"
#include "naive.h"
#include "net/builder.h"
#include "prop/expression.h"
#include "verify/engine.h"

#include <unistd.h>

enum { MOST_MARKINGS = 1500, MOST_COUNT = 3 };

static uint32_t some_place(Rng *rng, uint32_t places)
{
    return (uint32_t)rng_below(rng, places);
}

/* What has several tokens goes on to where one is; other places are tested and lose some now and then. */
static Net *walking_net(Rng *rng)
{
    g_autoptr(NetBuilder) b = net_builder_new("walking");
    uint32_t places = 2 + (uint32_t)rng_below(rng, 5), transitions = 1 + (uint32_t)rng_below(rng, 7);
    bool odd = rng_chance(rng, 3);
    for (uint32_t p = 0; p < places; p++) {
        g_autofree char *id = g_strdup_printf("p%u", p);
        uint64_t tokens = rng_below(rng, MOST_COUNT);
        net_builder_place(b, id, NULL, p ? tokens : 1 + tokens);
    }
    for (uint32_t t = 0; t < transitions; t++) {
        g_autofree char *id = g_strdup_printf("t%u", t);
        net_builder_transition(b, id, NULL);
        uint32_t p = some_place(rng, places), q = some_place(rng, places);
        uint64_t high = 1 + rng_below(rng, MOST_COUNT), asked = rng_below(rng, high + 1);
        net_builder_arc(b, ARC_PRE, p, t, high);
        if (asked && rng_chance(rng, 2)) net_builder_arc(b, ARC_PRE, q, t, asked);
        if (!rng_chance(rng, 5)) net_builder_arc(b, ARC_POST, q, t, high);
        ArcKind kind = rng_chance(rng, 3) ? ARC_INHIBIT : ARC_READ;
        uint32_t tested = some_place(rng, places);
        if (odd && rng_chance(rng, 2)) net_builder_arc(b, kind, tested, t, 1 + rng_below(rng, MOST_COUNT));
    }
    return net_builder_finish(b, NULL);
}

static bool is_full(const uint64_t *least, const uint64_t *marking, uint32_t places)
{
    for (uint32_t p = 0; p < places; p++)
        if (least[p] && marking[p] >= least[p]) return true;
    return false;
}

/* By the definition: it is full at first, and wherever t lowers a place of the set, one is full after t whatever else
 * there was. */
static bool is_trap(const Net *net, const uint64_t *least)
{
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        bool lowers = false, leaves = false;
        for (uint32_t p = 0; p < net->n_places; p++) {
            uint64_t taken = net_arc_weight(net, ARC_PRE, t, p), put = net_arc_weight(net, ARC_POST, t, p),
                     there = MAX(taken, net_arc_weight(net, ARC_READ, t, p));
            lowers |= least[p] && put < taken;
            leaves |= least[p] && there - taken + put >= least[p];
        }
        if (lowers && !leaves) return false;
    }
    return is_full(least, net->initial, net->n_places);
}

static bool is_believed(const Net *net, const VecI32 *trap)
{
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Inductive set = {.clauses = *trap};
    Linear sums = {0};
    Budget budget = budget_unlimited();
    Cnf cnf;
    g_autofree char *problem = NULL;
    cnf_init(&cnf, &budget);
    bool believed = facts_clauses(net, &set, &sums, store, FORMULA_ID_TRUE, &cnf, &problem);
    cnf_clear(&cnf);
    return believed;
}

static unsigned rounds(void)
{
    return test_rounds(2000, 100000);
}

START_TEST(believed_traps_are_traps)
{
    Rng rng = {test_number("MAZURKA_SEED", 1)};
    unsigned believed = 0, refused = 0, of_several = 0;
    for (unsigned round = 0; round < rounds(); round++) {
        uint64_t seed = rng.state;
        g_autoptr(Net) net = walking_net(&rng);
        g_autofree uint64_t *least = g_new0(uint64_t, net->n_places);
        VecI32 trap = {0};
        uint64_t most = 0;
        for (uint32_t p = 0; p < net->n_places; p++) {
            least[p] = rng_chance(&rng, 4) ? 0 : 1 + rng_below(&rng, MOST_COUNT);
            most = MAX(most, least[p]);
        }
        for (uint64_t k = 0; k < most; k++) /* in whatever order */
            for (uint32_t p = 0; p < net->n_places; p++)
                if (k < least[p]) vec_push(&trap, (int32_t)p + 1);
        if (trap.len) vec_push(&trap, 0);
        bool trusted = trap.len && is_believed(net, &trap);
        ck_assert_msg(trusted == (trap.len && is_trap(net, least)), "seed %" G_GUINT64_FORMAT, seed);
        believed += trusted;
        refused += !trusted;
        of_several += trusted && most > 1;
        g_autoptr(Naive) naive = trusted ? naive_explore(net, MOST_MARKINGS) : NULL;
        for (guint i = 0; naive && i < naive->markings->len; i++)
            ck_assert_msg(is_full(least, naive_marking(naive, i), net->n_places), "seed %" G_GUINT64_FORMAT, seed);
        vec_free(&trap);
    }
    printf("%u traps, %u of several tokens, %u others\n", believed, of_several, refused);
    ck_assert_uint_gt(of_several, rounds() / 40);
    ck_assert_uint_gt(refused, rounds() / 4);
}
END_TEST

static void some_goal(Rng *rng, const Net *net, GString *text)
{
    uint64_t kind = rng_below(rng, 4);
    if (kind < 2) {
        g_string_assign(text, "deadlock");
        return;
    }
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (t == 0 || rng_chance(rng, 2))
            g_string_append_printf(text, "%s%sfireable(t%u)", t ? " && " : "",
                                   kind == 2 || rng_chance(rng, 2) ? "!" : "", t);
}

START_TEST(what_they_prove_is_true_and_verified)
{
    Rng rng = {test_number("MAZURKA_SEED", 2)};
    unsigned proved = 0, of_counts = 0, left = 0, unwritten = 0;
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "mazurka-levels-XXXXXX", NULL);
    close(g_mkstemp(path));
    for (unsigned round = 0; round < rounds(); round++) {
        uint64_t seed = rng.state;
        g_autoptr(Net) net = walking_net(&rng);
        g_autoptr(GString) text = g_string_new(NULL);
        some_goal(&rng, net, text);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        Query query = {net, store, 0};
        ck_assert(expression_parse(store, text->str, "goal", &query.goal, NULL));
        NaiveAnswer expected = naive_reach(net, store, query.goal, MOST_MARKINGS, NULL);
        ProofFile file = {.path = path};
        EngineOptions options = {.threads = 1, .certificate = rng_chance(&rng, 2) ? &file : NULL};
        Budget budget = budget_unlimited();
        Result result = {0};
        unlink(path);
        engine_find("traps")->run(&query, &options, &budget, &result);
        ck_assert(result.answer != ANSWER_REACHABLE);
        bool holds = result.answer == ANSWER_UNREACHABLE;
        ck_assert_msg(!holds || expected != NAIVE_YES, "seed %" G_GUINT64_FORMAT ": %s", seed, text->str);
        proved += holds;
        of_counts += holds && strstr(result.reason, "traps of counts");
        left += !holds && expected == NAIVE_NO;
        unwritten += strstr(result.reason, "do not exclude") != NULL;
        ck_assert_msg(!strstr(result.reason, "does not check"), "seed %" G_GUINT64_FORMAT ": %s", seed, result.reason);
        if (holds && options.certificate) {
            Certificate c;
            g_autofree char *problem = NULL;
            ck_assert(certificate_read(&c, net, path, NULL));
            ck_assert_msg(certificate_check(&c, net, &budget, &problem), "seed %" G_GUINT64_FORMAT ": %s", seed,
                          problem);
            certificate_clear(&c);
        }
        result_clear(&result);
    }
    unlink(path);
    printf("%u proved, %u by counts, %u not, %u without certificates\n", proved, of_counts, left, unwritten);
    ck_assert_uint_gt(of_counts, rounds() / 20);
    ck_assert_uint_lt(100 * unwritten, rounds());
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("levels");
    TEST_CASE(suite, believed_traps_are_traps);
    TEST_CASE(suite, what_they_prove_is_true_and_verified);
    return test_run(suite);
}
