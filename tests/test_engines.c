#include "test.h"

#include "certify/certificate.h"
#include "net/builder.h"
#include "net/gen.h"
#include "prop/expression.h"
#include "random_formula.h"
#include "verify/engine.h"
#include "verify/witness.h"

/* Every engine against explicit search: the same answer, and witnesses that replay. An engine may say
 * UNKNOWN only where `may_give_up` allows it; one that may not end by itself gets a little time. */
static unsigned compare_within(uint64_t events, const Net *net, const char *name, const char *relation,
                               const char *text, bool may_give_up)
{
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Query query = {net, store, 0};
    GError *error = NULL;
    ck_assert_msg(expression_parse(store, text, "random", &query.goal, &error), "%s", error ? error->message : "");
    EngineOptions options = {.relation = relation, .threads = 1};
    Result expected = {0}, got = {0};
    Budget budget = budget_unlimited();
    Budget again = engine_find(name)->kind == ENGINE_PARTIAL ? budget_new(0.05, 0, 0) : budget_unlimited();
    if (events) budget_limit_events(&again, events);
    engine_find("explicit")->run(&query, &(EngineOptions){.threads = 1}, &budget, &expected);
    ck_assert_int_ne(expected.answer, ANSWER_UNKNOWN);
    engine_find(name)->run(&query, &options, &again, &got);
    if (got.answer == ANSWER_UNKNOWN)
        ck_assert_msg(may_give_up, "%s gave up on %s: %s", name, text, got.reason);
    else
        ck_assert_msg(got.answer == expected.answer, "%s (%s) answers %d, explicit %d: %s", name,
                      relation ? relation : "-", got.answer, expected.answer, text);
    if (got.answer == ANSWER_REACHABLE)
        ck_assert_msg(witness_replays(&query, got.witness.data, got.witness.len), "%s: no replay for %s", name, text);
    unsigned decided = got.answer != ANSWER_UNKNOWN;
    result_clear(&expected);
    result_clear(&got);
    return decided;
}

static unsigned compare(const Net *net, const char *name, const char *relation, const char *text, bool may_give_up)
{
    return compare_within(0, net, name, relation, text, may_give_up);
}

static unsigned rounds(void)
{
    return test_rounds(1500, 20000);
}

START_TEST(every_engine_answers_as_explicit_on_safe_nets)
{
    Rng rng = {16};
    for (unsigned round = 0; round < rounds() / 30; round++) {
        GenRandom kind = {.reads = rng_chance(&rng, 2), .loops = rng_chance(&rng, 2), .sinks = rng_chance(&rng, 2)};
        g_autoptr(Net) net = gen_random_safe(&rng, &kind);
        g_autoptr(GString) text = g_string_new(NULL);
        random_formula(&rng, net, 3, text);
        for (size_t e = 0; engine_at(e); e++)
            compare(net, engine_at(e)->name, NULL, text->str, engine_at(e)->kind == ENGINE_PARTIAL);
    }
}
END_TEST

/* Asked for a proof, an engine says UNREACHABLE only with one, and it is about this question; 1 then. */
static unsigned proves_in_writing(const Net *net, const Engine *engine, const char *text)
{
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Query query = {net, store, 0};
    ck_assert(expression_parse(store, text, "random", &query.goal, NULL));
    ProofMemory memory = {0};
    ProofFile file = {.memory = &memory};
    EngineOptions options = {.threads = 1, .certificate = &file};
    Budget budget = engine->kind == ENGINE_PARTIAL ? budget_new(0.05, 0, 0) : budget_unlimited(),
           all = budget_unlimited();
    Result got = {0};
    g_mutex_init(&memory.mutex);
    engine->run(&query, &options, &budget, &got);
    bool proved = got.answer == ANSWER_UNREACHABLE;
    ck_assert_msg(proved == (memory.text != NULL), "%s: %s a proof of %s", engine->name, proved ? "without" : "has",
                  text);
    if (proved) {
        g_autofree char *problem = NULL;
        Certificate c = {0};
        ck_assert(certificate_read_bytes(&c, net, memory.text->str, memory.text->len, "proof", NULL));
        ck_assert_msg(certificate_check(&c, net, &all, &problem), "%s: %s: %s", engine->name, text, problem);
        certificate_clear(&c);
        g_string_free(memory.text, TRUE);
    }
    g_mutex_clear(&memory.mutex);
    result_clear(&got);
    return proved;
}

START_TEST(every_engine_writes_down_what_it_proves)
{
    Rng rng = {23};
    unsigned proved = 0;
    for (unsigned round = 0; round < rounds() / 75; round++) {
        GenRandom kind = {.reads = rng_chance(&rng, 2), .loops = rng_chance(&rng, 2), .sinks = rng_chance(&rng, 2)};
        g_autoptr(Net) net = gen_random_safe(&rng, &kind);
        g_autoptr(GString) text = g_string_new(NULL);
        random_formula(&rng, net, 3, text);
        for (size_t e = 0; engine_at(e); e++) proved += proves_in_writing(net, engine_at(e), text->str);
    }
    ck_assert_uint_gt(proved, rounds() / 75);
}
END_TEST

START_TEST(unfold_answers_as_explicit_on_safe_nets)
{
    static const char *const relations[] = {"classic", "read", "loops"};
    Rng rng = {2026};
    unsigned decided = 0;
    for (unsigned round = 0; round < rounds(); round++) {
        GenRandom kind = {.acyclic = rng_chance(&rng, 2),
                          .reads = rng_chance(&rng, 2),
                          .loops = rng_chance(&rng, 2),
                          .sinks = rng_chance(&rng, 2)};
        g_autoptr(Net) net = gen_random_safe(&rng, &kind);
        g_autoptr(GString) text = g_string_new(NULL);
        random_formula(&rng, net, 3, text);
        decided += compare(net, "unfold", relations[round % G_N_ELEMENTS(relations)], text->str, false);
    }
    ck_assert_uint_eq(decided, rounds());
}
END_TEST

/* What the first few events of the net itself do not answer is asked of a smaller net. */
START_TEST(unfold_answers_as_explicit_where_it_reduces)
{
    Rng rng = {22};
    unsigned decided = 0, first = 0;
    for (unsigned round = 0; round < rounds(); round++) {
        GenRandom kind = {.reads = rng_chance(&rng, 2), .loops = rng_chance(&rng, 2), .sinks = rng_chance(&rng, 2)};
        g_autoptr(Net) net = gen_random_safe(&rng, &kind);
        g_autoptr(GString) text = g_string_new(NULL);
        random_formula(&rng, net, 1, text);
        if (rng_chance(&rng, 2)) g_string_assign(text, "deadlock");
        decided += compare_within(3, net, "unfold", NULL, text->str, true);
        first += compare_within(3, net, "explicit", NULL, text->str, true);
    }
    ck_assert_uint_gt(decided, rounds() / 2);
    ck_assert_uint_gt(decided, first);
}
END_TEST

START_TEST(explore_answers_as_explicit_on_bounded_nets)
{
    Rng rng = {99};
    unsigned decided = 0, n = rounds() / 4;
    for (unsigned round = 0; round < n; round++) {
        GenRandom kind = {.acyclic = rng_chance(&rng, 2),
                          .reads = true,
                          .loops = true,
                          .weight = 2,
                          .inhibitors = rng_chance(&rng, 3),
                          .sinks = true,
                          .places = 4,
                          .transitions = 4,
                          .tokens = 2};
        g_autoptr(Net) net = round % 2
                                 ? gen_random_bounded(&rng, &kind)
                                 : gen_random_safe(&rng, &(GenRandom){.reads = true, .loops = true, .sinks = true});
        g_autoptr(GString) text = g_string_new(NULL);
        random_formula(&rng, net, 2, text);
        decided += compare(net, "explore", NULL, text->str, true);
    }
    ck_assert_uint_gt(decided, n * 9 / 10);
}
END_TEST

START_TEST(auto_answers_as_explicit_on_bounded_nets)
{
    Rng rng = {7};
    for (unsigned round = 0; round < rounds() / 10; round++) {
        GenRandom kind = {.reads = true, .loops = true, .weight = 2, .inhibitors = rng_chance(&rng, 3), .sinks = true};
        g_autoptr(Net) net = gen_random_bounded(&rng, &kind);
        g_autoptr(GString) text = g_string_new(NULL);
        random_formula(&rng, net, 3, text);
        compare(net, "auto", NULL, text->str, false);
    }
}
END_TEST

/* Up to two transitions at three places, in every way a transition can touch one. */
static Net *touching_net(Rng *rng)
{
    static const ArcKind touches[][3] = {
        {ARC_PRE},           {ARC_POST},    {ARC_PRE, ARC_POST},     {ARC_READ},
        {ARC_PRE, ARC_READ}, {ARC_INHIBIT}, {ARC_POST, ARC_INHIBIT}, {ARC_PRE, ARC_POST, ARC_READ}};
    static const int n_kinds[] = {1, 1, 2, 1, 2, 1, 2, 3};
    g_autoptr(NetBuilder) b = net_builder_new("touching");
    for (int p = 0; p < 3; p++) net_builder_place(b, (const char *[]){"p0", "p1", "p2"}[p], NULL, rng_below(rng, 2));
    for (uint32_t t = 0; t < 2; t++) {
        net_builder_transition(b, t ? "t1" : "t0", NULL);
        for (uint32_t p = 0; p < 3; p++) {
            size_t touch = rng_below(rng, 10);
            for (int k = 0; touch < G_N_ELEMENTS(n_kinds) && k < n_kinds[touch]; k++)
                net_builder_arc(b, touches[touch][k], p, t, 1);
        }
    }
    return net_builder_finish(b, NULL);
}

static bool is_safe(const Net *net)
{
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Query query = {net, store, formula_exceeds(store, 1)};
    Result result = {0};
    Budget budget = budget_unlimited();
    engine_find("explicit")->run(&query, &(EngineOptions){.threads = 1}, &budget, &result);
    bool safe = result.answer == ANSWER_UNREACHABLE;
    result_clear(&result);
    return safe;
}

/* Every marking of three places, by those that encode what a transition does. */
START_TEST(every_arc_means_the_same_to_all)
{
    static const char *const engines[] = {"pdr", "unfold", "unfold", "unfold", "explore", "stubborn"};
    static const char *const relations[] = {NULL, "classic", "read", "loops", NULL, NULL};
    Rng rng = {5};
    unsigned safe = 0;
    for (unsigned round = 0; round < rounds(); round++) {
        g_autoptr(Net) net = touching_net(&rng);
        if (!is_safe(net)) continue;
        safe++;
        for (unsigned m = 0; m < 8; m++) {
            g_autofree char *text = g_strdup_printf("p0 = %u && p1 = %u && p2 = %u", m & 1, m >> 1 & 1, m >> 2);
            size_t e = (round + m) % G_N_ELEMENTS(engines);
            compare(net, engines[e], relations[e], text, true);
        }
    }
    ck_assert_uint_gt(safe, rounds() / 5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("engines");
    TEST_CASE(suite, every_arc_means_the_same_to_all);
    TEST_CASE(suite, every_engine_answers_as_explicit_on_safe_nets);
    TEST_CASE(suite, every_engine_writes_down_what_it_proves);
    TEST_CASE(suite, unfold_answers_as_explicit_on_safe_nets);
    TEST_CASE(suite, unfold_answers_as_explicit_where_it_reduces);
    TEST_CASE(suite, explore_answers_as_explicit_on_bounded_nets);
    TEST_CASE(suite, auto_answers_as_explicit_on_bounded_nets);
    return test_run(suite);
}
