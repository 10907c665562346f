/* Asking (verify/ask.h): all ways to ask agree with a search by definition, nobody believes an engine, several threads
 * may ask at once, and a flag cancels. */
#include "test.h"

#include "breadth.h"
#include "certify/certificate.h"
#include "net/gen.h"
#include "prop/expression.h"
#include "random_formula.h"
#include "verify/ask_properties.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_MARKINGS = 2000, GOALS = 4 };

static Net *small_random_net(Rng *rng)
{
    GenRandom options = {.reads = rng_chance(rng, 2), .loops = rng_chance(rng, 3), .sinks = rng_chance(rng, 2)};
    return rng_chance(rng, 2) ? gen_random_safe(rng, &options) : gen_random_bounded(rng, &options);
}

static char *random_text(Rng *rng, const Net *net)
{
    GString *text = g_string_new(NULL);
    random_formula(rng, net, 2, text);
    return g_string_free(text, FALSE);
}

/* What was told about the goals of one call. */
typedef struct Told {
    Answer answered[GOALS];
    size_t n_answered, n_settled;
} Told;

static void note_answer(size_t goal, const Result *result, void *data)
{
    Told *told = data;
    ck_assert(result->answer != ANSWER_UNKNOWN && told->answered[goal] == ANSWER_UNKNOWN);
    told->answered[goal] = result->answer;
    told->n_answered++;
}

static void note_settled(size_t goal, Result *result, double share, void *data)
{
    Told *told = data;
    ck_assert_uint_eq(goal, told->n_settled++);
    ck_assert_int_eq(result->answer, told->answered[goal]);
    ck_assert(share > 0 && share <= 1);
}

static const char *const ways[] = {NULL,     "auto",    "walk", "stubborn", "best",         "explicit",
                                   "unfold", "explore", "pdr",  "equation", "walk,explicit"};

static void compare_way(const char *way, uint64_t seed, const Net *net, FormulaStore *store, const FormulaId *goals,
                        const NaiveAnswer *expected, uint32_t *answered)
{
    Told told = {0};
    /* A walk looks until its time is over, so it gets a part that is the same on every machine. */
    bool walks = g_strcmp0(way, "walk") == 0;
    AskOptions options = {.engine = {.seed = seed, .threads = walks ? 1 : 1 + (unsigned)(seed % 2)},
                          .engines = way,
                          .answered = note_answer,
                          .settled = note_settled,
                          .data = &told};
    uint64_t work = 0;
    Budget whole = budget_new(TEST_PLENTY, 0, 20000);
    if (walks) budget_by_work(&whole, &work, 0);
    Budget budget = budget_child(&whole, walks ? 0.1 : 0, NULL);
    Result results[GOALS] = {0};
    ask_goals(net, store, goals, GOALS, &options, &budget, results);
    ck_assert_uint_eq(told.n_settled, GOALS);
    for (size_t i = 0; i < GOALS; i++) {
        ck_assert_int_eq(results[i].answer, told.answered[i]);
        ck_assert(results[i].answer != ANSWER_UNKNOWN || (results[i].reason && *results[i].reason));
        if (results[i].answer != ANSWER_UNKNOWN)
            ck_assert_int_eq(results[i].answer == ANSWER_REACHABLE, expected[i] == NAIVE_YES);
        if (results[i].answer == ANSWER_REACHABLE) ck_assert(naive_replays(net, store, goals[i], &results[i].witness));
        *answered += results[i].answer != ANSWER_UNKNOWN;
        result_clear(&results[i]);
    }
}

static void make_goals(Rng *rng, FormulaStore *store, FormulaId *goals)
{
    for (size_t i = 0; i < GOALS; i++) {
        g_autofree char *text = random_text(rng, store->net);
        ck_assert(expression_parse(store, text, "test", &goals[i], NULL));
    }
}

START_TEST(all_ways_agree_with_a_search_by_definition)
{
    uint32_t answered[G_N_ELEMENTS(ways)] = {0};
    for (uint64_t seed = 1; seed <= test_rounds(20, 400); seed++) {
        Rng rng = {seed * 77};
        g_autoptr(Net) net = small_random_net(&rng);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        FormulaId goals[GOALS];
        NaiveAnswer expected[GOALS];
        bool small = true;
        make_goals(&rng, store, goals);
        for (size_t i = 0; i < GOALS; i++)
            small &= (expected[i] = naive_reach(net, store, goals[i], MOST_MARKINGS, NULL)) != NAIVE_TOO_MANY;
        for (size_t way = 0; way < G_N_ELEMENTS(ways) && small; way++)
            compare_way(ways[way], seed, net, store, goals, expected, &answered[way]);
    }
    for (size_t way = 0; way < G_N_ELEMENTS(ways); way++) ck_assert_uint_gt(answered[way], 10);
}
END_TEST

/* ---- nobody believes an engine ---- */

static void lie(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    (void)query, (void)options, (void)budget;
    result->engine = "liar";
    result->answer = ANSWER_REACHABLE;
}

START_TEST(a_run_that_does_not_replay_is_no_answer)
{
    g_autoptr(Net) net = gen_net_of_size("ring", 3);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId goals[2] = {FORMULA_ID_FALSE, FORMULA_ID_TRUE};
    Engine liar = {.name = "liar", .run = lie};
    Budget budget = budget_unlimited();
    Result results[2] = {0};
    ask_engine(&liar, net, store, goals, 2, &(AskOptions){0}, &budget, results);
    ck_assert(results[0].answer == ANSWER_UNKNOWN && results[0].refuted);
    ck_assert(strstr(results[0].reason, "engine liar does not replay") != NULL);
    ck_assert(results[1].answer == ANSWER_REACHABLE && !results[1].refuted); /* the empty run does */
    result_clear(&results[0]);
    result_clear(&results[1]);
}
END_TEST

/* ---- questions ---- */

static bool certificate_is_accepted(const char *path, const Net *net)
{
    Certificate c;
    g_autofree char *problem = NULL;
    Budget budget = budget_unlimited();
    if (!certificate_read(&c, net, path, NULL)) return false;
    bool ok = certificate_check(&c, net, &budget, &problem);
    certificate_clear(&c);
    return ok;
}

START_TEST(questions_have_verdicts_runs_and_proofs)
{
    g_autofree char *path = g_strdup_printf("%s/mazurka-ask-%d.cert", g_get_tmp_dir(), (int)getpid());
    uint32_t held = 0, violated = 0, proved = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        Rng rng = {seed * 31};
        g_autoptr(Net) net = small_random_net(&rng);
        g_autofree char *text = random_text(&rng, net);
        QuestionKind kind = (QuestionKind)rng_below(&rng, QUESTION_SAFE + 1);
        const char *argument = kind == QUESTION_FIREABLE ? net_transition_id(net, 0) : text;
        Question q;
        ck_assert(question_init(&q, net, kind, argument, NULL, NULL));
        NaiveAnswer expected = naive_reach(net, q.formulas, q.query.goal, MOST_MARKINGS, NULL);
        bool proof = rng_chance(&rng, 2), good = kind == QUESTION_REACH || kind == QUESTION_FIREABLE;
        if (expected != NAIVE_TOO_MANY) {
            Budget budget = budget_new(TEST_PLENTY, 0, 0);
            Finding finding = {0};
            ask_question(&q, &(AskOptions){.engine.seed = seed}, proof ? &(ProofFile){.path = path} : NULL, &budget,
                         &finding);
            ck_assert_int_eq(finding.verdict, (expected == NAIVE_YES) == good ? VERDICT_HOLDS : VERDICT_VIOLATED);
            if (expected == NAIVE_YES)
                ck_assert(naive_replays(net, q.formulas, q.query.goal, &finding.result.witness));
            else if (proof)
                ck_assert(certificate_is_accepted(path, net) && ++proved);
            held += finding.verdict == VERDICT_HOLDS;
            violated += finding.verdict == VERDICT_VIOLATED;
            ask_finding_clear(&finding);
        }
        question_clear(&q);
    }
    g_unlink(path);
    ck_assert_uint_gt(MIN(held, violated), 10);
    ck_assert_uint_gt(proved, 5);
}
END_TEST

/* ---- several at once, and cancelling ---- */

typedef struct Client {
    uint64_t seed;
    Answer answer[GOALS];
    size_t length[GOALS];
} Client;

static void *ask_alone(void *data)
{
    Client *client = data;
    Rng rng = {client->seed * 77};
    g_autoptr(Net) net = small_random_net(&rng);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId goals[GOALS];
    make_goals(&rng, store, goals);
    uint64_t work = 0;
    Budget budget = budget_new(TEST_PLENTY, 0, 0);
    budget_by_work(&budget, &work, 20);
    Result results[GOALS] = {0};
    ask_goals(net, store, goals, GOALS, &(AskOptions){.engine = {.seed = 1, .threads = 1}}, &budget, results);
    for (size_t i = 0; i < GOALS; i++) {
        client->answer[i] = results[i].answer;
        client->length[i] = results[i].witness.len;
        result_clear(&results[i]);
    }
    return NULL;
}

START_TEST(several_threads_ask_at_once)
{
    enum { CLIENTS = 8 };
    Client alone[CLIENTS] = {0}, together[CLIENTS] = {0};
    GThread *threads[CLIENTS];
    for (uint64_t i = 0; i < CLIENTS; i++) {
        alone[i].seed = together[i].seed = 1 + i / 2; /* two of each */
        ask_alone(&alone[i]);
    }
    for (size_t i = 0; i < CLIENTS; i++) threads[i] = g_thread_new("client", ask_alone, &together[i]);
    for (size_t i = 0; i < CLIENTS; i++) g_thread_join(threads[i]);
    for (size_t i = 0; i < CLIENTS; i++)
        for (size_t k = 0; k < GOALS; k++) {
            ck_assert_int_eq(alone[i].answer[k], together[i].answer[k]);
            ck_assert_uint_eq(alone[i].length[k], together[i].length[k]);
        }
}
END_TEST

static void *cancel_soon(void *data)
{
    g_usleep(100000);
    *(StopFlag *)data = 1;
    return NULL;
}

/* 2^60 markings, and no limit but the flag: set before, and set by another thread while engines work. */
START_TEST(a_flag_cancels)
{
    g_autoptr(Net) net = gen_net_of_size("independent", 60);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId goals[2] = {formula_exceeds(store, 1), formula_exceeds(store, 2)};
    static const char *const endless[] = {"explicit", "explicit,walk"};
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(endless); i++) {
        StopFlag flag = i % 2 == 0;
        Budget budget = budget_unlimited();
        budget_stop_by(&budget, &flag);
        GThread *other = flag ? NULL : g_thread_new("cancel", cancel_soon, (void *)&flag);
        Result results[2] = {0};
        ask_goals(net, store, goals, 2, &(AskOptions){.engines = endless[i / 2]}, &budget, results);
        if (other) g_thread_join(other);
        for (size_t k = 0; k < 2; k++) {
            ck_assert_int_eq(results[k].answer, ANSWER_UNKNOWN);
            ck_assert_msg(strstr(results[k].reason, "stopped") != NULL, "%s", results[k].reason);
            result_clear(&results[k]);
        }
    }
}
END_TEST

/* ---- properties: runs that somebody looks at, and runs that nobody does ---- */

static void note_run(size_t i, const AskedProperty *asked, void *data)
{
    VecU32 *run = data;
    ck_assert_int_eq(asked->verdict, VERDICT_HOLDS);
    vec_clear(&run[i]);
    vec_append(&run[i], asked->result->witness.data, asked->result->witness.len);
}

/* Of many independent transitions one leads to the goal; a walk fires others before. Shortening that takes time, so it
 * is not done where the run is neither shown nor kept. */
START_TEST(runs_are_shortened_for_those_who_look_at_them)
{
    g_autoptr(Net) net = gen_net_of_size("independent", 30);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Property reach = {.id = (char *)"p", .kind = PROPERTY_EXISTS};
    FormulaTerm term = {net_places(net, ARC_POST, 7).node[0], -1};
    ck_assert(formula_at_most(store, &term, 1, -1, &reach.formula, NULL));
    PropertySet set = {.properties = {.data = &reach, .len = 1}};
    size_t longest[2] = {0};
    for (uint64_t seed = 1; seed <= 8; seed++)
        for (int shown = 0; shown < 2; shown++) {
            VecU32 run = {0};
            AskProperties asked = {.net = net,
                                   .formulas = store,
                                   .set = &set,
                                   .kinds = ASK_ALL,
                                   .options = {.engine = {.seed = seed, .threads = 1}, .engines = "walk"},
                                   .runs_shown = shown,
                                   .finished = note_run,
                                   .data = &run};
            Budget budget = budget_new(TEST_PLENTY, 0, 0);
            ask_properties(&asked, &budget);
            ck_assert(naive_replays(net, store, reach.formula, &run));
            longest[shown] = MAX(longest[shown], run.len);
            vec_free(&run);
        }
    ck_assert_uint_eq(longest[true], 1);
    ck_assert_uint_gt(longest[false], 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ask");
    TEST_CASE(suite, all_ways_agree_with_a_search_by_definition);
    TEST_CASE(suite, a_run_that_does_not_replay_is_no_answer);
    TEST_CASE(suite, questions_have_verdicts_runs_and_proofs);
    TEST_CASE(suite, several_threads_ask_at_once);
    TEST_CASE(suite, a_flag_cancels);
    TEST_CASE(suite, runs_are_shortened_for_those_who_look_at_them);
    return test_run(suite);
}
