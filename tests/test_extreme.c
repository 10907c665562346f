#include "test.h"

#include "extreme.h"
#include "prop/expression.h"
#include "unfold/unfold.h"
#include "verify/engine.h"
#include "verify/prefix_sat.h"

/* Every engine on nets and goals with numbers up to 2^64, against brute force: an answer is right, or there is none. */

enum { MOST_MARKINGS = 2000 };

typedef struct Case {
    Net *net;
    ExtremeSpace space;
    Extreme *formula;
    FormulaStore *store;
    FormulaId goal;
    char *text;
    bool reachable; /* a known marking satisfies the goal */
} Case;

static void case_clear(Case *c)
{
    formula_store_free(c->store);
    extreme_free(c->formula);
    g_ptr_array_unref(c->space.markings);
    net_free(c->net);
    g_free(c->text);
}

/* False: the formula cannot be read because it does not fit 64 bits. */
static bool case_init(Case *c, Rng *rng, bool large)
{
    GenRandom kind = {.acyclic = rng_chance(rng, 2),
                      .reads = rng_chance(rng, 2),
                      .loops = rng_chance(rng, 2),
                      .weight = 1 + (uint32_t)rng_below(rng, 2),
                      .inhibitors = rng_chance(rng, 3),
                      .sinks = rng_chance(rng, 2),
                      .places = 4,
                      .transitions = 4,
                      .tokens = 2};
    g_autoptr(Net) small = large ? gen_random_bounded(rng, &kind)
                                 : gen_random_safe(rng, &(GenRandom){.reads = kind.reads,
                                                                     .loops = kind.loops,
                                                                     .sinks = kind.sinks,
                                                                     .acyclic = kind.acyclic,
                                                                     .components = 2 + (uint32_t)rng_below(rng, 2)});
    *c = (Case){.net = large ? extreme_net(rng, small) : g_steal_pointer(&small)};
    extreme_space_init(&c->space, c->net, MOST_MARKINGS);
    const ExtremePart *near = extreme_marking(&c->space, (guint)rng_below(rng, c->space.markings->len));
    c->formula = extreme_formula(rng, c->net, near, 2);
    for (guint i = 0; i < c->space.markings->len && !c->reachable; i++)
        c->reachable = extreme_holds(c->formula, c->net, extreme_marking(&c->space, i));
    GString *text = g_string_new(NULL);
    extreme_text(c->formula, c->net, text);
    c->text = g_string_free(text, FALSE);
    c->store = formula_store_new(c->net);
    g_autoptr(GError) error = NULL;
    bool fits = expression_parse(c->store, c->text, "extreme", &c->goal, &error);
    if (!fits) ck_assert_msg(strstr(error->message, "64 bits"), "%s: %s", c->text, error->message);
    return fits;
}

static bool replays(const Case *c, const VecU32 *run)
{
    g_autofree ExtremePart *marking = g_memdup2(extreme_marking(&c->space, 0), c->net->n_places * sizeof *marking);
    for (size_t i = 0; i < run->len; i++) {
        if (!extreme_enabled(c->net, marking, run->data[i])) return false;
        extreme_fire(c->net, marking, run->data[i]);
    }
    return extreme_holds(c->formula, c->net, marking);
}

/* Those that look for runs, or for whole solutions, until the time is over get little of it; 0: no limit. */
static double seconds_for(const Engine *engine, bool large)
{
    if (strcmp(engine->name, "walk") == 0) return 0.01;
    return large || engine->kind != ENGINE_COMPLETE ? 0.5 : 0;
}

/* Did the engine answer? */
static bool check_engine(const Case *c, const Engine *engine, bool large, uint64_t seed)
{
    const char *name = engine->name;
    Query query = {c->net, c->store, c->goal};
    EngineOptions options = {.threads = 1, .seed = seed};
    Budget budget = budget_new(seconds_for(engine, large), 0, 20000);
    Result result = {0};
    engine->run(&query, &options, &budget, &result);
    bool answered = result.answer != ANSWER_UNKNOWN;
    if (result.answer == ANSWER_REACHABLE)
        ck_assert_msg(replays(c, &result.witness), "%s: the run does not reach %s (seed %lu)", name, c->text, seed);
    if (result.answer == ANSWER_UNREACHABLE)
        ck_assert_msg(!c->reachable, "%s: %s is reachable (seed %lu)", name, c->text, seed);
    if (!answered) ck_assert_msg(result.reason && *result.reason, "%s gives no reason (seed %lu)", name, seed);
    result_clear(&result);
    return answered;
}

enum { MOST_ENGINES = 32 };

static uint64_t rounds(uint64_t usual)
{
    return test_number("MAZURKA_ROUNDS", g_getenv("MAZURKA_SOAK") ? 10 * usual : usual);
}

/* How many questions each engine answered, of those that could be asked. */
static uint64_t compare_all(bool large, uint64_t n, uint64_t *answered)
{
    uint64_t asked = 0;
    for (uint64_t seed = test_number("MAZURKA_SEED", 1); seed < test_number("MAZURKA_SEED", 1) + n; seed++) {
        Rng rng = {seed * 2 + large};
        Case c;
        if (case_init(&c, &rng, large)) {
            asked++;
            for (size_t e = 0; engine_at(e); e++) answered[e] += check_engine(&c, engine_at(e), large, seed);
        }
        case_clear(&c);
    }
    for (size_t e = 0; engine_at(e); e++) printf("%-11s %lu of %lu answered\n", engine_at(e)->name, answered[e], asked);
    ck_assert_uint_gt(asked, n / 2);
    return asked;
}

START_TEST(extreme_coefficients_on_safe_nets)
{
    uint64_t answered[MOST_ENGINES] = {0}, asked = compare_all(false, rounds(300), answered);
    for (size_t e = 0; engine_at(e); e++) {
        bool partial = seconds_for(engine_at(e), false) > 0;
        ck_assert_msg(partial || answered[e] == asked, "%s gave up on a safe net", engine_at(e)->name);
    }
}
END_TEST

START_TEST(extreme_weights_and_counts)
{
    uint64_t answered[MOST_ENGINES] = {0}, asked = compare_all(true, rounds(200), answered);
    for (size_t e = 0; engine_at(e); e++)
        if (strcmp(engine_at(e)->name, "explicit") == 0 || strcmp(engine_at(e)->name, "explore") == 0)
            ck_assert_msg(answered[e] > asked / 2, "%s answers too little", engine_at(e)->name);
}
END_TEST

/* A prefix that was asked under a spent budget answers the next question in full. */
START_TEST(a_prefix_survives_a_question_that_was_cut_short)
{
    Rng rng = {5};
    uint64_t answers[3] = {0};
    for (uint64_t round = 0; round < rounds(150); round++) {
        Case c;
        bool fits = case_init(&c, &rng, false);
        UnfoldOptions how = {.engine = UNFOLD_CONTEXT, .relation = RELATION_LOOPS, .order = ORDER_ERV, .cutoffs = true};
        Budget budget = budget_unlimited(), spent = budget_unlimited();
        budget_exhaust(&spent, ENDING_STOPPED);
        g_autoptr(Prefix) prefix = unfold(c.net, &how, &budget, NULL);
        g_autoptr(PrefixSat) sat = prefix_sat_new(prefix, &budget);
        VecU32 run = {0};
        ck_assert_int_eq(prefix->end, ENDING_COMPLETE);
        ck_assert(!prefix_sat_new(prefix, &spent));
        for (int again = 0; again < 2 && fits; again++) {
            ck_assert_int_eq(prefix_sat_reach(sat, c.store, c.goal, &spent, &run), SAT_UNKNOWN);
            SatAnswer answer = prefix_sat_reach(sat, c.store, c.goal, &budget, &run);
            ck_assert_int_eq(answer, c.reachable ? SAT_YES : SAT_NO);
            if (answer == SAT_YES) ck_assert(replays(&c, &run));
            answers[answer]++;
        }
        vec_free(&run);
        case_clear(&c);
    }
    ck_assert(answers[SAT_YES] && answers[SAT_NO]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("extreme");
    TEST_CASE(suite, extreme_coefficients_on_safe_nets);
    TEST_CASE(suite, extreme_weights_and_counts);
    TEST_CASE(suite, a_prefix_survives_a_question_that_was_cut_short);
    return test_run(suite);
}
