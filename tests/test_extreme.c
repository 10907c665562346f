#include "test.h"

#include "lts/replay.h"
#include "odd_net.h"
#include "prop/expression.h"
#include "unfold/unfold.h"
#include "verify/engine.h"
#include "verify/prefix_sat.h"
#include "verify/witness.h"

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
    uint64_t answered[MOST_ENGINES] = {0}, asked = compare_all(false, test_rounds(300, 3000), answered);
    for (size_t e = 0; engine_at(e); e++) {
        bool partial = seconds_for(engine_at(e), false) > 0;
        ck_assert_msg(partial || answered[e] == asked, "%s gave up on a safe net", engine_at(e)->name);
    }
}
END_TEST

START_TEST(extreme_weights_and_counts)
{
    uint64_t answered[MOST_ENGINES] = {0}, asked = compare_all(true, test_rounds(200, 2000), answered);
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
    for (uint64_t round = 0; round < test_rounds(150, 1500); round++) {
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

/* ---- runs that repeat themselves ---- */

/* One firing after the other, as often as that goes but at most so often. */
static uint64_t fire_one_by_one(const Net *net, uint64_t *marking, uint32_t t, uint64_t most)
{
    uint64_t n = 0;
    while (n < most && net_enabled(net, marking, t) && net_fire(net, marking, t)) n++;
    return n;
}

/* The last of so many firings, and no further one. */
static void check_last(const Net *net, const uint64_t *from, const uint64_t *after, uint32_t t, uint64_t times)
{
    size_t bytes = net->n_places * sizeof *from;
    g_autofree uint64_t *marking = g_memdup2(from, bytes + 1);
    uint64_t before = times - 1;
    ck_assert_uint_eq(replay_leaps(net, &t, &before, 1, marking), 1);
    ck_assert(net_enabled(net, marking, t) && net_fire(net, marking, t));
    ck_assert(memcmp(marking, after, bytes) == 0);
    if (times < UINT64_MAX) ck_assert(!net_enabled(net, marking, t) || !net_fire(net, marking, t));
}

START_TEST(a_leap_is_as_many_firings)
{
    enum { MOST = 9 };
    uint64_t leaps = 0, short_of = 0, huge = 0;
    for (uint64_t seed = 1; seed <= test_rounds(4000, 40000); seed++) {
        Rng rng = {seed};
        g_autoptr(Net) net = odd_net(&rng, 0);
        g_autofree uint64_t *from = g_new(uint64_t, (size_t)net->n_places + 1);
        size_t bytes = net->n_places * sizeof *from;
        for (uint32_t p = 0; p < net->n_places; p++)
            from[p] = rng_chance(&rng, 2)   ? rng_below(&rng, 30)
                      : rng_chance(&rng, 2) ? extreme_factor(&rng)
                                            : -rng_below(&rng, 30);
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            g_autofree uint64_t *one_by_one = g_memdup2(from, bytes + 1), *leap = g_memdup2(from, bytes + 1);
            uint64_t n = fire_one_by_one(net, one_by_one, t, MOST), more = MOST, all;
            ck_assert_msg(replay_times(net, from, t, MOST) == n, "seed %lu: t%u", seed, t);
            ck_assert_uint_eq(replay_leaps(net, &t, &more, 1, leap), n == MOST);
            if (n < MOST) ck_assert(memcmp(leap, from, bytes) == 0 && replay_leaps(net, &t, &n, 1, leap) == 1);
            ck_assert_msg(memcmp(leap, one_by_one, bytes) == 0, "seed %lu: t%u", seed, t);
            memcpy(leap, from, bytes);
            all = replay_times(net, from, t, UINT64_MAX);
            ck_assert_uint_eq(replay_leaps(net, &t, &all, 1, leap), 1);
            if (all) check_last(net, from, leap, t, all);
            leaps += n > 1;
            short_of += n > 0 && n < MOST;
            huge += all > UINT32_MAX && all < UINT64_MAX;
        }
    }
    ck_assert_msg(leaps > 1000 && short_of > 1000 && huge > 100, "%lu, %lu, %lu", leaps, short_of, huge);
}
END_TEST

/* p0 -> 2 p1 -> 4 p2 ..., or with `halve` the other way round from 2^n tokens: the last place gets them after 2^n - 1
 * firings, and then nothing can fire. */
static Net *power_chain(uint32_t n, bool halve)
{
    g_autoptr(NetBuilder) b = net_builder_new("powers");
    for (uint32_t i = 0; i <= n; i++) {
        g_autofree char *id = g_strdup_printf("p%u", i);
        net_builder_place(b, id, NULL, i ? 0 : halve ? UINT64_C(1) << n : 1);
    }
    for (uint32_t i = 0; i < n; i++) {
        g_autofree char *id = g_strdup_printf("t%u", i);
        net_builder_transition(b, id, NULL);
        net_builder_arc(b, ARC_PRE, i, i, halve ? 2 : 1);
        net_builder_arc(b, ARC_POST, i + 1, i, halve ? 1 : 2);
    }
    return net_builder_finish(b, NULL);
}

static void check_powers(uint32_t n, bool halve, const char *engine)
{
    g_autoptr(Net) net = power_chain(n, halve);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Query query = {net, store, formula_deadlock(store)};
    EngineOptions options = {.threads = 1, .repeats = true};
    Budget budget = budget_new(TEST_PLENTY, budget_resident() + (UINT64_C(16) << 20), 0);
    Result result = {0};
    uint64_t all = 0;
    engine_find(engine)->run(&query, &options, &budget, &result);
    ck_assert_msg(result.answer == ANSWER_REACHABLE, "%u: %s", n, result.reason);
    ck_assert(witness_shows(&query, &result));
    for (size_t i = 0; i < result.times.len; i++) all += result.times.data[i];
    ck_assert_uint_eq(all ? all : result.witness.len, (UINT64_C(1) << n) - 1);
    ck_assert_uint_eq(result.times.len != 0, n > 16);
    if (result.times.len) {
        result.times.data[n / 2]++; /* once too often */
        ck_assert(!witness_shows(&query, &result));
        result.times.data[n / 2] -= 2;
        ck_assert(!witness_shows(&query, &result));
    }
    result_clear(&result);
}

START_TEST(runs_of_2_to_the_60_firings_are_found_and_replayed)
{
    static const uint32_t sizes[] = {1, 12, 16, 17, 20, 25, 60};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (int halve = 0; halve < 2; halve++) {
            check_powers(sizes[i], halve, "leap");
            if (sizes[i] > 20) check_powers(sizes[i], halve, "auto");
        }
}
END_TEST

/* Nobody who wants a list is given something else. */
START_TEST(who_wants_a_list_gets_no_other_run)
{
    g_autoptr(Net) net = power_chain(40, false);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Query query = {net, store, formula_deadlock(store)};
    Budget budget = budget_new(TEST_PLENTY, 0, 0);
    Result result = {0};
    engine_find("leap")->run(&query, &(EngineOptions){.threads = 1}, &budget, &result);
    ck_assert_int_eq(result.answer, ANSWER_UNKNOWN);
    ck_assert(!result.witness.len && !result.times.len && strstr(result.reason, "too long for a list"));
    result_clear(&result);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("extreme");
    TEST_CASE(suite, a_leap_is_as_many_firings);
    TEST_CASE(suite, runs_of_2_to_the_60_firings_are_found_and_replayed);
    TEST_CASE(suite, who_wants_a_list_gets_no_other_run);
    TEST_CASE(suite, extreme_coefficients_on_safe_nets);
    TEST_CASE(suite, extreme_weights_and_counts);
    TEST_CASE(suite, a_prefix_survives_a_question_that_was_cut_short);
    return test_run(suite);
}
