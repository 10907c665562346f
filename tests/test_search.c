#include "test.h"

#include "naive.h"
#include "naive_formula.h"
#include "random_net.h"

#include "lts/explicit.h"
#include "lts/replay.h"
#include "lts/stubborn.h"
#include "net/read.h"
#include "net/rules.h"
#include "small_net.h"
#include "verify/goal.h"
#include "verify/question.h"
#include "verify/witness.h"

/* A budget of work that takes about so many seconds, the same on every machine. */
#define WORTH(budget, seconds)                                                                                         \
    uint64_t budget##_work = 0;                                                                                        \
    Budget budget##_whole = budget_unlimited();                                                                        \
    budget_by_work(&budget##_whole, &budget##_work, 0);                                                                \
    Budget budget = budget_child(&budget##_whole, seconds, NULL)

static Answer ask(const char *engine, const Query *query, Budget *budget, VecU32 *witness)
{
    Result result = {0};
    EngineOptions options = {.seed = 1, .threads = 1};
    engine_find(engine)->run(query, &options, budget, &result);
    if (result.answer == ANSWER_REACHABLE) {
        ck_assert_msg(witness_replays(query, result.witness.data, result.witness.len), "%s", engine);
        if (witness) vec_append(witness, result.witness.data, result.witness.len);
    }
    Answer answer = result.answer;
    result_clear(&result);
    return answer;
}

static Answer naive_answer(const Naive *naive, const RandomFormula *f)
{
    for (guint i = 0; i < naive->markings->len; i++)
        if (rf_holds(f, naive->net, naive_marking(naive, i))) return ANSWER_REACHABLE;
    return ANSWER_UNREACHABLE;
}

static guint answers[3];

static void compare(const Net *net, const Naive *naive, const RandomFormula *f, uint64_t seed)
{
    g_autoptr(GString) text = g_string_new(NULL);
    rf_text(f, net, text);
    Question q;
    GError *error = NULL;
    ck_assert_msg(question_init(&q, net, QUESTION_REACH, text->str, NULL, &error), "%s", error ? error->message : "");
    Answer expected = naive_answer(naive, f);
    answers[expected]++;
    static const char *const complete[] = {"explicit", "stubborn", "best"};
    for (size_t i = 0; i < G_N_ELEMENTS(complete); i++) {
        Budget budget = budget_unlimited();
        Answer answer = ask(complete[i], &q.query, &budget, NULL);
        ck_assert_msg(answer == expected, "seed %" G_GUINT64_FORMAT ": %s answers %d, not %d, to %s", seed, complete[i],
                      answer, expected, text->str);
    }
    if (expected == ANSWER_REACHABLE) {
        /* Small nets: walks meet everything sooner or later. */
        WORTH(budget, 20);
        ck_assert_int_eq(ask(seed % 2 ? "walk" : "plan", &q.query, &budget, NULL), ANSWER_REACHABLE);
    } else if (seed % 64 == 0) {
        Budget budget = budget_new(0.002, 0, 0);
        ck_assert_int_eq(ask("walk", &q.query, &budget, NULL), ANSWER_UNKNOWN);
    }
    question_clear(&q);
}

START_TEST(engines_agree_on_formulas)
{
    memset(answers, 0, sizeof answers);
    for (uint64_t seed = 0; seed < test_rounds(4000, 100000); seed++) {
        g_autoptr(Net) net = random_net(seed);
        g_autoptr(Naive) naive = naive_explore(net, 2000);
        if (!naive->complete) continue;
        Rng rng = {seed ^ 0x5bd1e995};
        for (int k = 0; k < 3; k++) {
            g_autoptr(RandomFormula) f = rf_new(&rng, net, 1 + k);
            compare(net, naive, f, seed);
        }
    }
    printf("formulas: %u reachable, %u unreachable\n", answers[ANSWER_REACHABLE], answers[ANSWER_UNREACHABLE]);
    ck_assert_uint_gt(answers[ANSWER_UNREACHABLE], 1000);
}
END_TEST

static uint32_t reduce(void *data, const NetLts *lts, const uint64_t *state, uint32_t *enabled, uint32_t n)
{
    stubborn_at(data, lts, state, enabled, n);
    uint32_t kept = stubborn_deadlock(data, enabled, n);
    ck_assert(kept >= 1 && kept <= n);
    return kept;
}

/* Not only whether: every dead marking survives. */
START_TEST(stubborn_sets_keep_every_deadlock)
{
    guint64 full = 0, reduced = 0;
    for (uint64_t seed = 0; seed < test_rounds(6000, 300000); seed++) {
        g_autoptr(Net) net = random_net(seed);
        g_autoptr(Naive) naive = naive_explore(net, 2000);
        if (!naive->complete) continue;
        Budget none = budget_unlimited();
        g_autoptr(ExclusivePlaces) mutex = seed % 2 ? exclusive_places_new(net, &none) : NULL;
        g_autoptr(Stubborn) stubborn = stubborn_new(net, mutex);
        g_autoptr(Explicit) search = explicit_new(net);
        ExplicitGoal goal = {.reduce = reduce, .reduce_data = stubborn};
        Budget budget = budget_unlimited();
        ck_assert_int_eq(explicit_run(search, &goal, &budget), ENDING_COMPLETE);
        ck_assert_msg(search->deadlocks == naive_deadlocks(naive), "seed %" G_GUINT64_FORMAT ": %u dead, naively %u",
                      seed, (guint)search->deadlocks, naive_deadlocks(naive));
        full += naive->markings->len;
        reduced += search->store.len;
    }
    printf("stubborn: %u of %u markings\n", (guint)reduced, (guint)full);
    ck_assert(reduced * 10 < full * 9);
}
END_TEST

START_TEST(mutex_groups_exclude)
{
    guint groups = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        g_autoptr(Net) net = random_net(seed);
        g_autoptr(Naive) naive = naive_explore(net, 500);
        Budget budget = budget_unlimited();
        g_autoptr(ExclusivePlaces) mutex = exclusive_places_new(net, &budget);
        groups += mutex->n_groups;
        for (guint i = 0; i < naive->markings->len; i++) {
            const uint64_t *m = naive_marking(naive, i);
            g_autofree uint32_t *marked = g_new0(uint32_t, mutex->n_groups + 1);
            for (uint32_t p = 0; p < net->n_places; p++)
                for (uint32_t k = mutex->start[p]; m[p] && k < mutex->start[p + 1]; k++)
                    ck_assert_uint_eq(marked[mutex->group[k]]++, 0);
        }
    }
    ck_assert_uint_gt(groups, 1000);
}
END_TEST

/* So that a portfolio knows that more time might help. */
START_TEST(a_walk_spends_the_budget_it_is_given)
{
    g_autoptr(Net) net = small_net("a | t: a -> b | u: b -> a");
    Question q;
    ck_assert(question_init(&q, net, QUESTION_DEADLOCK, NULL, NULL, NULL));
    Budget budget = budget_new(0.05, 0, 0);
    VecU32 witness = {0};
    ck_assert_int_eq(ask("walk", &q.query, &budget, &witness), ANSWER_UNKNOWN);
    ck_assert_int_eq(budget_ending(&budget), ENDING_TIME);
    question_clear(&q);
}
END_TEST

START_TEST(witnesses_get_shorter_and_stay_right)
{
    guint shorter = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        g_autoptr(Net) net = random_net(seed);
        Question q;
        ck_assert(question_init(&q, net, QUESTION_DEADLOCK, NULL, NULL, NULL));
        WORTH(budget, 0.02);
        VecU32 witness = {0};
        if (ask("walk", &q.query, &budget, &witness) == ANSWER_REACHABLE) {
            size_t before = witness.len;
            Budget enough = budget_unlimited();
            witness_shorten(&q.query, &witness, &enough);
            ck_assert(witness_replays(&q.query, witness.data, witness.len));
            ck_assert_uint_le(witness.len, before);
            shorter += witness.len < before;
        }
        vec_free(&witness);
        question_clear(&q);
    }
    ck_assert_uint_gt(shorter, 20);
}
END_TEST

START_TEST(loops_and_idle_cycles_are_cut)
{
    Rules *rules = rules_new("cycles");
    rules_place(rules, 1, "a0");
    rules_place(rules, 1, "b0");
    for (unsigned i = 0; i < 3; i++) {
        rules_add(rules, "ta%u: a%u -> a%u", i, i, (i + 1) % 3);
        rules_add(rules, "tb%u: b%u -> b%u", i, i, (i + 1) % 3);
    }
    g_autoptr(Net) net = rules_finish(rules);
    Question q;
    ck_assert(question_init(&q, net, QUESTION_REACH, "a1 = 1 && b2 = 1", NULL, NULL));
    VecU32 witness = {0};
    /* Four idle rounds of a and three of b, interleaved, then the way to the goal. */
    for (int i = 0; i < 12; i++) {
        vec_push(&witness, (uint32_t)(i % 3) * 2);
        if (i < 9) vec_push(&witness, (uint32_t)(i % 3) * 2 + 1);
    }
    vec_push(&witness, 0);
    vec_push(&witness, 1);
    vec_push(&witness, 3);
    ck_assert(witness_replays(&q.query, witness.data, witness.len));
    Budget budget = budget_unlimited();
    witness_shorten(&q.query, &witness, &budget);
    ck_assert_uint_eq(witness.len, 3);
    vec_free(&witness);
    question_clear(&q);
}
END_TEST

START_TEST(wrong_witnesses_do_not_replay)
{
    g_autoptr(Net) net = gen_net_of_size("philosophers", 3);
    Question q;
    ck_assert(question_init(&q, net, QUESTION_DEADLOCK, NULL, NULL, NULL));
    uint32_t right[] = {0, 3, 6}, unfinished[] = {0, 3}, twice[] = {0, 0, 3, 6};
    ck_assert(witness_replays(&q.query, right, 3));
    ck_assert(!witness_replays(&q.query, unfinished, 2));
    ck_assert(!witness_replays(&q.query, twice, 4));
    ck_assert(!witness_replays(&q.query, NULL, 0));
    question_clear(&q);
}
END_TEST

START_TEST(verdicts_follow_the_question)
{
    g_autoptr(Net) net = gen_net_of_size("philosophers", 2);
    const struct {
        QuestionKind kind;
        const char *argument, *final;
        Verdict verdict;
    } cases[] = {
        {QUESTION_DEADLOCK, NULL, NULL, VERDICT_VIOLATED},
        {QUESTION_DEADLOCK, NULL, "has0 = 1 && has1 = 1", VERDICT_HOLDS},
        {QUESTION_REACH, "eat0 = 1", NULL, VERDICT_HOLDS},
        {QUESTION_REACH, "eat0 = 1 && eat1 = 1", NULL, VERDICT_VIOLATED},
        {QUESTION_INVARIANT, "eat0 + eat1 <= 1", NULL, VERDICT_HOLDS},
        {QUESTION_INVARIANT, "eat0 = 0", NULL, VERDICT_VIOLATED},
        {QUESTION_FIREABLE, "second1", NULL, VERDICT_HOLDS},
        {QUESTION_SAFE, NULL, NULL, VERDICT_HOLDS},
    };
    static const char *const engines[] = {"auto", "explicit", "stubborn", "best"};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        for (size_t e = 0; e < G_N_ELEMENTS(engines); e++) {
            Question q;
            ck_assert(question_init(&q, net, cases[i].kind, cases[i].argument, cases[i].final, NULL));
            Budget budget = budget_unlimited();
            Answer answer = ask(engines[e], &q.query, &budget, NULL);
            ck_assert_msg(question_verdict(&q, answer) == cases[i].verdict, "case %zu, %s", i, engines[e]);
            question_clear(&q);
        }
    Question q;
    GError *error = NULL;
    ck_assert(!question_init(&q, net, QUESTION_FIREABLE, "secnd1", NULL, &error));
    ck_assert_str_eq(error->message, "--fireable: there is no transition 'secnd1'; did you mean 'second1'?");
    g_error_free(error);
}
END_TEST

/* The distance that steers walks is 0 exactly where the formula holds. */
START_TEST(distance_is_zero_at_the_goal)
{
    for (uint64_t seed = 0; seed < 400; seed++) {
        g_autoptr(Net) net = random_net(seed);
        g_autoptr(Naive) naive = naive_explore(net, 300);
        Rng rng = {seed};
        g_autoptr(RandomFormula) f = rf_new(&rng, net, 2);
        g_autoptr(GString) text = g_string_new(NULL);
        rf_text(f, net, text);
        Question q;
        ck_assert(question_init(&q, net, QUESTION_REACH, text->str, NULL, NULL));
        Goal goal = goal_new(&q.query);
        g_autoptr(NetLts) plain = netlts_new(net, 64);
        for (guint i = 0; i < naive->markings->len; i++) {
            const uint64_t *m = naive_marking(naive, i);
            ck_assert((goal_distance(&goal, plain, m) == 0) == rf_holds(f, net, m));
        }
        question_clear(&q);
    }
}
END_TEST

/* A second of walking finds the deadlocks of the contest's safe nets, or at least nine of ten.
 */
START_TEST(walk_finds_contest_deadlocks)
{
    const char *corpus = test_corpus();
    if (!corpus) return;
    g_autofree char *path = g_strdup_printf("%s/mcc/instances.tsv", corpus);
    g_autofree char *text = NULL;
    ck_assert(g_file_get_contents(path, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", 0);
    guint n = 0, found = 0;
    for (char **line = lines + 1; *line && **line; line++) {
        g_auto(GStrv) column = g_strsplit(*line, "\t", 0);
        if (strcmp(column[5], "T") != 0 || strcmp(column[7], "T") != 0) continue;
        g_autofree char *model = g_strdup_printf("%s/mcc/%s/model.pnml", corpus, column[0]);
        g_autoptr(Net) net = net_read_file(model, NULL, NULL);
        ck_assert_msg(net != NULL, "%s", model);
        Question q;
        ck_assert(question_init(&q, net, QUESTION_DEADLOCK, NULL, NULL, NULL));
        WORTH(budget, 3);
        n++;
        found += ask("walk", &q.query, &budget, NULL) == ANSWER_REACHABLE;
        question_clear(&q);
    }
    printf("walk: %u of %u contest deadlocks\n", found, n);
    ck_assert_uint_ge(found * 10, n * 9);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("search");
    TEST_CASE(suite, engines_agree_on_formulas);
    TEST_CASE(suite, stubborn_sets_keep_every_deadlock);
    TEST_CASE(suite, mutex_groups_exclude);
    TEST_CASE(suite, a_walk_spends_the_budget_it_is_given);
    TEST_CASE(suite, witnesses_get_shorter_and_stay_right);
    TEST_CASE(suite, loops_and_idle_cycles_are_cut);
    TEST_CASE(suite, wrong_witnesses_do_not_replay);
    TEST_CASE(suite, verdicts_follow_the_question);
    TEST_CASE(suite, distance_is_zero_at_the_goal);
    TEST_CASE(suite, walk_finds_contest_deadlocks);
    return test_run(suite);
}
