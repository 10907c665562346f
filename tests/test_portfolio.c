#include "test.h"

#include "breadth.h"
#include "certify/certificate.h"
#include "home/live.h"
#include "net/builder.h"
#include "net/rules.h"
#include "prop/expression.h"
#include "random_net.h"
#include "verify/equation.h"
#include "verify/goal_clauses.h"
#include "verify/narrow.h"
#include "verify/examination.h"
#include "verify/portfolio_together.h"
#include "verify/survey.h"
#include "verify/witness.h"

#include <unistd.h>

enum { MOST_MARKINGS = 2000 };

static Net *mixed_net(Rng *rng)
{
    GenRandom kind = random_kind(rng, 6, 2);
    return rng_chance(rng, 2) ? gen_random_safe(rng, &kind) : gen_random_bounded(rng, &kind);
}

static FormulaId random_atom(Rng *rng, FormulaStore *store)
{
    if (rng_chance(rng, 4)) {
        uint32_t t = (uint32_t)rng_below(rng, store->net->n_transitions);
        return formula_fireable(store, &t, 1);
    }
    FormulaTerm terms[2];
    for (size_t i = 0; i < 2; i++)
        terms[i] = (FormulaTerm){(uint32_t)rng_below(rng, store->net->n_places), rng_chance(rng, 3) ? 1 : -1};
    FormulaId id;
    ck_assert(formula_at_most(store, terms, 2, (int64_t)rng_below(rng, 4) - 2, &id, NULL));
    return id;
}

static FormulaId random_goal(Rng *rng, FormulaStore *store)
{
    if (rng_chance(rng, 3)) return formula_deadlock(store);
    FormulaId parts[3] = {random_atom(rng, store), random_atom(rng, store), random_atom(rng, store)};
    return formula_and(store, parts, 2 + (size_t)rng_chance(rng, 2));
}

START_TEST(equation_is_never_wrong)
{
    uint32_t proved = 0, found = 0, unreachable = 0;
    for (uint64_t seed = 1; seed <= test_rounds(400, 8000); seed++) {
        Rng rng = {seed * 1000};
        g_autoptr(Net) net = mixed_net(&rng);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        Query query = {net, store, random_goal(&rng, store)};
        NaiveAnswer expected = naive_reach(net, store, query.goal, MOST_MARKINGS, NULL);
        if (expected == NAIVE_TOO_MANY) continue;
        EngineOptions options = {.seed = seed};
        Budget budget = budget_new(TEST_PLENTY, 0, 0);
        Result result = {0};
        engine_equation(&query, &options, &budget, &result);
        if (result.answer == ANSWER_UNREACHABLE) ck_assert_msg(expected == NAIVE_NO, "seed %d", (int)seed);
        if (result.answer == ANSWER_REACHABLE) {
            ck_assert_msg(expected == NAIVE_YES, "seed %d", (int)seed);
            ck_assert(naive_replays(net, store, query.goal, &result.witness));
            found++;
        }
        proved += result.answer == ANSWER_UNREACHABLE;
        unreachable += expected == NAIVE_NO;
        result_clear(&result);
    }
    ck_assert_uint_gt(found, 20);
    ck_assert_uint_gt(proved * 3, unreachable);
}
END_TEST

/* ---- narrowing by definition: all sums and clauses again and again, and copies for trials ---- */

typedef struct Bounds {
    int64_t low[64], high[64];
    bool none;
} Bounds;

static bool literal_may_hold(const Bounds *b, const Literal *l)
{
    return l->at_least ? b->high[l->place] >= l->bound : b->low[l->place] <= l->bound;
}

static void cut_high(Bounds *b, uint32_t p, int64_t high)
{
    b->high[p] = MIN(b->high[p], high);
    b->none |= b->low[p] > b->high[p];
}

static void cut_low(Bounds *b, uint32_t p, int64_t low)
{
    b->low[p] = MAX(b->low[p], low);
    b->none |= b->low[p] > b->high[p];
}

static void naive_clause(Bounds *b, const Literal *literal, uint32_t n)
{
    const Literal *left = NULL;
    uint32_t open = 0;
    for (uint32_t i = 0; i < n; i++)
        if (literal_may_hold(b, &literal[i])) left = &literal[i], open++;
    b->none |= !open;
    if (open != 1) return;
    if (left->at_least)
        cut_low(b, left->place, left->bound);
    else
        cut_high(b, left->place, left->bound);
}

static void naive_sum(Bounds *b, const Invariant *y)
{
    for (uint32_t i = 0; i < y->len && !b->none; i++) {
        int64_t least = 0, most = 0, total = (int64_t)y->tokens, weight = (int64_t)y->weight[i];
        for (uint32_t j = 0; j < y->len; j++) {
            least += j == i ? 0 : (int64_t)y->weight[j] * b->low[y->place[j]];
            most += j == i ? 0 : (int64_t)y->weight[j] * b->high[y->place[j]];
        }
        b->none |= least > total;
        if (b->none) return;
        cut_high(b, y->place[i], (total - least) / weight);
        if (most < total) cut_low(b, y->place[i], (total - most + weight - 1) / weight);
    }
}

static void naive_narrow(Bounds *b, const Invariants *sums, const GoalClauses *goal)
{
    Bounds before;
    do {
        before = *b;
        for (uint32_t i = 0; i < sums->n && !b->none; i++) naive_sum(b, &sums->item[i]);
        for (size_t i = 0; i < goal->clauses.len && !b->none; i++) {
            uint32_t from = goal->clauses.data[i].from, n = goal->clauses.data[i].open;
            naive_clause(b, n ? &goal->literals.data[from] : NULL, n);
        }
    } while (!b->none && memcmp(&before, b, sizeof before) != 0);
}

static void naive_trial(Bounds *b, uint32_t p, const Invariants *sums, const GoalClauses *goal)
{
    Bounds least = *b, more = *b;
    if (b->none || b->low[p] == b->high[p]) return;
    cut_low(&more, p, b->low[p] + 1);
    naive_narrow(&more, sums, goal);
    cut_high(&least, p, b->low[p]);
    naive_narrow(&least, sums, goal);
    if (more.none)
        *b = least;
    else if (least.none)
        *b = more;
}

static bool naive_refutes(const Net *net, const Invariants *sums, const GoalClauses *goal)
{
    Bounds b = {.none = goal->never};
    for (uint32_t p = 0; p < net->n_places; p++) b.high[p] = INT64_MAX;
    for (uint32_t i = 0; i < sums->n; i++)
        for (uint32_t k = 0; k < sums->item[i].len; k++)
            cut_high(&b, sums->item[i].place[k], (int64_t)(sums->item[i].tokens / sums->item[i].weight[k]));
    naive_narrow(&b, sums, goal);
    for (uint32_t p = 0; p < net->n_places; p++) naive_trial(&b, p, sums, goal);
    for (uint32_t p = net->n_places; p-- > 0;) naive_trial(&b, p, sums, goal);
    return b.none;
}

/* A conjunction of disjunctions about single places. */
static FormulaId any_clauses(Rng *rng, FormulaStore *store)
{
    FormulaId parts[6];
    size_t n = 2 + (size_t)rng_below(rng, 5);
    for (size_t i = 0; i < n; i++) {
        FormulaId literals[3];
        size_t len = 1 + (size_t)rng_below(rng, 3);
        for (size_t k = 0; k < len; k++) {
            FormulaTerm term = {(uint32_t)rng_below(rng, store->net->n_places), rng_chance(rng, 2) ? 1 : -1};
            int64_t bound = (int64_t)rng_below(rng, 2);
            ck_assert(formula_at_most(store, &term, 1, term.coefficient * bound - (term.coefficient < 0), &literals[k],
                                      NULL));
        }
        parts[i] = formula_or(store, literals, len);
    }
    return formula_and(store, parts, n);
}

/* By definition: no reachable marking meets a goal that the sums refute. And all is refuted that the twin refutes. */
START_TEST(sums_refute_only_what_is_unreachable)
{
    uint32_t refuted = 0, unreachable = 0;
    for (uint64_t seed = 1; seed <= test_rounds(3000, 60000); seed++) {
        Rng rng = {seed * 77};
        g_autoptr(Net) net = mixed_net(&rng);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        Budget budget = budget_unlimited();
        g_autoptr(Invariants) sums = invariant_compute(net, 0, &budget);
        FormulaId goal = rng_chance(&rng, 2) ? random_goal(&rng, store) : any_clauses(&rng, store);
        NaiveAnswer expected = naive_reach(net, store, goal, MOST_MARKINGS, NULL);
        bool said = narrow_refutes(sums, store, goal, &budget);
        GoalClauses clauses;
        goal_clauses_init(&clauses, store, goal);
        ck_assert_uint_lt(net->n_places, 64);
        ck_assert_msg(said == naive_refutes(net, sums, &clauses), "seed %d: refuted %d", (int)seed, said);
        goal_clauses_clear(&clauses);
        if (said) ck_assert_msg(expected != NAIVE_YES, "seed %d", (int)seed);
        unreachable += expected == NAIVE_NO;
        refuted += said;
    }
    ck_assert_uint_gt(refuted * 3, unreachable);
}
END_TEST

/* The same net with its places in the opposite order. */
static Net *backwards(const Net *net)
{
    g_autoptr(NetBuilder) builder = net_builder_new("backwards");
    for (uint32_t p = net->n_places; p-- > 0;) net_builder_place(builder, net_place_id(net, p), NULL, net->initial[p]);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        net_builder_transition(builder, net_transition_id(net, t), NULL);
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
            NetRow row = net_places(net, kind, t);
            for (uint32_t i = 0; i < row.len; i++)
                net_builder_arc(builder, kind, net->n_places - 1 - row.node[i], t, net_weight(row, i));
        }
    }
    return net_builder_finish(builder, NULL);
}

/* Each slot is empty only if the one before it is: a trial of one place goes around the ring, and one after another
 * needs what the last one showed. */
START_TEST(sums_prove_slotted_rings_by_trials)
{
    for (unsigned n = 25; n <= 1600; n *= 8) {
        g_autofree char *size = g_strdup_printf("slotted-ring %u", n);
        g_autoptr(Net) net = gen_net_of_size("slotted-ring", n);
        g_autoptr(Net) mirrored = backwards(net);
        const Net *nets[] = {net, mirrored};
        for (size_t i = 0; i < G_N_ELEMENTS(nets); i++) {
            g_autoptr(FormulaStore) store = formula_store_new(nets[i]);
            Query query = {nets[i], store, formula_deadlock(store)};
            Budget budget = budget_unlimited();
            Result result = {0};
            engine_equation(&query, &(EngineOptions){0}, &budget, &result);
            ck_assert_msg(result.answer == ANSWER_UNREACHABLE && strstr(result.reason, "conserved sums"), "%s, %d: %s",
                          size, (int)i, result.reason ? result.reason : "");
            result_clear(&result);
        }
    }
}
END_TEST

START_TEST(sums_prove_rings_without_a_solver)
{
    g_autoptr(Net) net = gen_net_of_size("ring", 300);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Query query = {net, store, formula_deadlock(store)};
    Budget budget = budget_unlimited();
    Result result = {0};
    engine_equation(&query, &(EngineOptions){0}, &budget, &result);
    ck_assert_int_eq(result.answer, ANSWER_UNREACHABLE);
    ck_assert_msg(strstr(result.reason, "301 conserved sums") != NULL, "%s", result.reason);
    result_clear(&result);
}
END_TEST

START_TEST(pdr_agrees_with_search)
{
    uint32_t yes = 0, no = 0;
    for (uint64_t seed = 1; seed <= test_rounds(600, 12000); seed++) {
        Rng rng = {seed * 7};
        GenRandom random = {.acyclic = rng_chance(&rng, 4),
                            .reads = rng_chance(&rng, 2),
                            .loops = rng_chance(&rng, 2),
                            .inhibitors = rng_chance(&rng, 2),
                            .sinks = rng_chance(&rng, 2),
                            .tokens = 1};
        bool safe = !rng_chance(&rng, 3);
        g_autoptr(Net) net = safe ? gen_random_safe(&rng, &random) : gen_random_bounded(&rng, &random);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        Query query = {net, store, random_goal(&rng, store)};
        NaiveAnswer expected = naive_reach(net, store, query.goal, MOST_MARKINGS, NULL);
        if (expected == NAIVE_TOO_MANY) continue;
        EngineOptions options = {.seed = seed};
        Budget budget = budget_new(TEST_PLENTY, 0, 0);
        Result result = {0};
        engine_pdr(&query, &options, &budget, &result);
        /* Nets that are not safe may end without an answer, never with a wrong one. */
        if (safe || result.answer != ANSWER_UNKNOWN)
            ck_assert_msg(result.answer == (expected == NAIVE_YES ? ANSWER_REACHABLE : ANSWER_UNREACHABLE),
                          "seed %d: %s", (int)seed, result.reason ? result.reason : "");
        if (result.answer == ANSWER_REACHABLE) ck_assert(naive_replays(net, store, query.goal, &result.witness));
        yes += result.answer == ANSWER_REACHABLE;
        no += result.answer == ANSWER_UNREACHABLE;
        result_clear(&result);
    }
    ck_assert_uint_gt(yes, 50);
    ck_assert_uint_gt(no, 50);
}
END_TEST

/* A certificate of pdr is accepted for its goal and for no goal that is reachable; broken ones are rejected. */
START_TEST(clause_certificates_are_checked)
{
    uint32_t written = 0, refused = 0;
    g_autofree char *path = g_strdup_printf("%s/mazurka-clauses-%d.cert", g_get_tmp_dir(), (int)getpid());
    for (uint64_t seed = 1; seed <= test_rounds(150, 3000); seed++) {
        Rng rng = {seed * 11};
        GenRandom random = {
            .reads = rng_chance(&rng, 2), .loops = rng_chance(&rng, 3), .inhibitors = rng_chance(&rng, 3)};
        g_autoptr(Net) net = gen_random_safe(&rng, &random);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        Query query = {net, store, random_goal(&rng, store)};
        FormulaId other = random_goal(&rng, store);
        ProofFile file = {.path = path};
        EngineOptions options = {.seed = seed, .certificate = &file};
        Budget budget = budget_new(TEST_PLENTY, 0, 0);
        Result result = {0};
        engine_pdr(&query, &options, &budget, &result);
        bool proved = result.answer == ANSWER_UNREACHABLE;
        result_clear(&result);
        if (!proved) continue;
        written++;
        Certificate c;
        g_autofree char *problem = NULL, *problem2 = NULL, *problem3 = NULL;
        ck_assert(certificate_read(&c, net, path, NULL));
        ck_assert_int_eq(c.kind, CERTIFICATE_CLAUSES);
        ck_assert_msg(certificate_check(&c, net, &budget, &problem), "seed %d: %s", (int)seed, problem);
        if (naive_reach(net, store, other, MOST_MARKINGS, NULL) == NAIVE_YES) {
            g_free(c.goal);
            c.goal = formula_text(store, other);
            ck_assert(!certificate_check(&c, net, &budget, &problem2));
            refused++;
        }
        /* No marking with p1 marked or not: false at first or not inductive, whichever is claimed. */
        uint32_t p = (uint32_t)rng_below(&rng, net->n_places);
        vec_push(&c.set.clauses, net->initial[p] ? -(int32_t)p - 1 : (int32_t)p + 1);
        vec_push(&c.set.clauses, 0);
        ck_assert(!certificate_check(&c, net, &budget, &problem3));
        certificate_clear(&c);
    }
    remove(path);
    ck_assert_uint_gt(written, 20);
    ck_assert_uint_gt(refused, 10);
}
END_TEST

/* A token goes round; the trap {p0, p1} keeps it. Reading p2, which nobody feeds but a loop of its own. */
START_TEST(equation_learns_traps_and_siphons)
{
    g_autoptr(NetBuilder) b = net_builder_new("facts");
    net_builder_place(b, "a", NULL, 1);
    net_builder_place(b, "b", NULL, 0);
    net_builder_place(b, "c", NULL, 0);
    net_builder_transition(b, "t", NULL); /* c -> c + b: needs what only u gives */
    net_builder_transition(b, "u", NULL); /* b -> b + c */
    net_builder_arc(b, ARC_PRE, 2, 0, 1);
    net_builder_arc(b, ARC_POST, 2, 0, 1);
    net_builder_arc(b, ARC_POST, 1, 0, 1);
    net_builder_arc(b, ARC_PRE, 1, 1, 1);
    net_builder_arc(b, ARC_POST, 1, 1, 1);
    net_builder_arc(b, ARC_POST, 2, 1, 1);
    g_autoptr(Net) net = net_builder_finish(b, NULL);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId goal;
    ck_assert(formula_at_most(store, &(FormulaTerm){2, -1}, 1, -1, &goal, NULL));
    g_autoptr(Equation) eq = equation_new(net, false);
    Budget budget = budget_new(TEST_PLENTY, 0, 0);
    ck_assert_int_eq(equation_solve(eq, store, goal, &budget), SAT_NO);
    ck_assert_uint_gt(equation_siphons(eq), 0);

    g_autoptr(NetBuilder) c = net_builder_new("trap");
    net_builder_place(c, "a", NULL, 1);
    net_builder_place(c, "b", NULL, 0);
    net_builder_transition(c, "double", NULL); /* a -> 2 b */
    net_builder_transition(c, "one", NULL);    /* b -> a */
    net_builder_transition(c, "two", NULL);    /* 3 b -> b: loses two */
    net_builder_arc(c, ARC_PRE, 0, 0, 1);
    net_builder_arc(c, ARC_POST, 1, 0, 2);
    net_builder_arc(c, ARC_PRE, 1, 1, 1);
    net_builder_arc(c, ARC_POST, 0, 1, 1);
    net_builder_arc(c, ARC_PRE, 1, 2, 3);
    net_builder_arc(c, ARC_POST, 1, 2, 1);
    g_autoptr(Net) trap = net_builder_finish(c, NULL);
    g_autoptr(FormulaStore) store2 = formula_store_new(trap);
    FormulaTerm both[] = {{0, 1}, {1, 1}};
    ck_assert(formula_at_most(store2, both, 2, 0, &goal, NULL));
    g_autoptr(Equation) eq2 = equation_new(trap, false);
    ck_assert_int_eq(equation_solve(eq2, store2, goal, &budget), SAT_NO);
    ck_assert_uint_gt(equation_traps(eq2), 0);
}
END_TEST

static SatAnswer solve_whole(const Query *query, bool last)
{
    g_autoptr(Equation) eq = equation_new(query->net, true);
    Budget budget = budget_new(TEST_PLENTY, 0, 0);
    if (last) equation_use_last(eq);
    return equation_solve(eq, query->formulas, query->goal, &budget);
}

/* Two cells of a + b tokens, an odd number each. `up` makes an a of a b, `down` a b of one of three a, `move` carries
 * one of each to the other cell: every firing leaves two a, or one of each, so it is not dead; equations alone would
 * allow it. */
START_TEST(equation_proves_by_the_last_firing)
{
    g_autoptr(NetBuilder) b = net_builder_new("cells");
    for (int cell = 0; cell < 2; cell++) {
        g_autofree char *a = g_strdup_printf("a%d", cell), *other = g_strdup_printf("b%d", cell);
        net_builder_place(b, a, NULL, 1);
        net_builder_place(b, other, NULL, 4);
    }
    for (uint32_t cell = 0; cell < 2; cell++) {
        g_autofree char *up = g_strdup_printf("up%u", cell), *down = g_strdup_printf("down%u", cell),
                        *move = g_strdup_printf("move%u", cell);
        uint32_t here = 2 * cell, there = 2 - here, t = net_builder_transition(b, up, NULL);
        net_builder_arc(b, ARC_PRE, here, t, 1);
        net_builder_arc(b, ARC_PRE, here + 1, t, 1);
        net_builder_arc(b, ARC_POST, here, t, 2);
        t = net_builder_transition(b, down, NULL);
        net_builder_arc(b, ARC_PRE, here, t, 3);
        net_builder_arc(b, ARC_POST, here, t, 2);
        net_builder_arc(b, ARC_POST, here + 1, t, 1);
        t = net_builder_transition(b, move, NULL);
        for (uint32_t k = 0; k < 2; k++) {
            net_builder_arc(b, ARC_PRE, here + k, t, 1);
            net_builder_arc(b, ARC_POST, there + k, t, 1);
        }
    }
    g_autoptr(Net) net = net_builder_finish(b, NULL);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Query query = {net, store, formula_deadlock(store)};
    ck_assert_int_eq(naive_reach(net, store, query.goal, MOST_MARKINGS, NULL), NAIVE_NO);
    ck_assert_int_eq(solve_whole(&query, false), SAT_YES);
    ck_assert_int_eq(solve_whole(&query, true), SAT_NO);
}
END_TEST

/* Some transition fires last: never excludes what can be reached. */
START_TEST(last_firing_excludes_nothing_reachable)
{
    uint32_t more = 0, compared = 0;
    for (uint64_t seed = 1; seed <= test_rounds(500, 10000); seed++) {
        Rng rng = {seed * 77};
        g_autoptr(Net) net = mixed_net(&rng);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        Query query = {net, store, random_goal(&rng, store)};
        NaiveAnswer expected = naive_reach(net, store, query.goal, MOST_MARKINGS, NULL);
        if (expected == NAIVE_TOO_MANY) continue;
        compared++;
        if (solve_whole(&query, true) != SAT_NO) continue;
        ck_assert_msg(expected == NAIVE_NO, "seed %d", (int)seed);
        more += solve_whole(&query, false) != SAT_NO;
    }
    printf("last firing: %u more proofs in %u questions\n", more, compared);
    ck_assert_uint_gt(more, 0);
}
END_TEST

/* After u the net is dead: t wants more than a signed number holds. */
START_TEST(weights_beyond_signed_numbers_prove_nothing)
{
    static const char *const engines[] = {"auto", "equation", "explicit", "stubborn", "best", "walk"};
    g_autoptr(NetBuilder) b = net_builder_new("large");
    net_builder_place(b, "a", NULL, 1);
    net_builder_place(b, "p", NULL, 0);
    net_builder_transition(b, "u", NULL);
    net_builder_transition(b, "t", NULL);
    net_builder_arc(b, ARC_PRE, 0, 0, 1);
    net_builder_arc(b, ARC_POST, 1, 0, 5);
    net_builder_arc(b, ARC_PRE, 1, 1, UINT64_MAX);
    net_builder_arc(b, ARC_POST, 0, 1, 1);
    g_autoptr(Net) net = net_builder_finish(b, NULL);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Query query = {net, store, formula_deadlock(store)};
    for (size_t i = 0; i < G_N_ELEMENTS(engines); i++) {
        EngineOptions options = {.seed = 1};
        Budget budget = budget_new(TEST_PLENTY, 0, 0);
        Result result = {0};
        engine_find(engines[i])->run(&query, &options, &budget, &result);
        ck_assert_msg(result.answer == (strcmp(engines[i], "equation") == 0 ? ANSWER_UNKNOWN : ANSWER_REACHABLE), "%s",
                      engines[i]);
        result_clear(&result);
    }
}
END_TEST

typedef struct Tellings {
    uint32_t n;
} Tellings;

static void count_answer(size_t goal, const Result *result, void *data)
{
    (void)goal;
    ck_assert_int_ne(result->answer, ANSWER_UNKNOWN);
    ((Tellings *)data)->n++;
}

static void check_portfolio(uint64_t seed, unsigned threads)
{
    Rng rng = {seed * 31};
    g_autoptr(Net) net = mixed_net(&rng);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    enum { GOALS = 4 };
    FormulaId goals[GOALS];
    Result results[GOALS] = {0};
    for (size_t i = 0; i < GOALS; i++) goals[i] = random_goal(&rng, store);
    size_t n = seed % 3 ? GOALS : 1;
    Tellings tellings = {0};
    PortfolioOptions options = {
        .engine = {.seed = seed, .threads = threads}, .answered = count_answer, .data = &tellings};
    /* Small nets are looked at first, but not for those who name engines: so these get the rest of the schedule. */
    if (seed / 2 % 2) options.only = "traps,equation,pdr,walk,plan,stubborn,best,unfold,symbolic,explicit";
    Budget budget = budget_new(TEST_PLENTY, 0, 0);
    portfolio_run(net, store, goals, n, &options, &budget, results);
    uint32_t answered = 0;
    for (size_t i = 0; i < n; i++) {
        NaiveAnswer expected = naive_reach(net, store, goals[i], MOST_MARKINGS, NULL);
        answered += results[i].answer != ANSWER_UNKNOWN;
        if (expected != NAIVE_TOO_MANY)
            ck_assert_msg(results[i].answer == (expected == NAIVE_YES ? ANSWER_REACHABLE : ANSWER_UNREACHABLE),
                          "seed %d goal %zu: %s", (int)seed, i, results[i].engine);
        if (results[i].answer == ANSWER_REACHABLE) ck_assert(naive_replays(net, store, goals[i], &results[i].witness));
        result_clear(&results[i]);
    }
    ck_assert_uint_eq(tellings.n, answered);
}

START_TEST(portfolio_agrees_with_search)
{
    for (uint64_t seed = 1; seed <= test_rounds(60, 1200); seed++) check_portfolio(seed, 1 + (unsigned)(seed % 2));
}
END_TEST

/* Each search for several goals alone: on small nets the first ones would leave nothing to the others. */
START_TEST(searches_together_agree_with_search)
{
    enum { GOALS = 4 };
    uint32_t proved[N_TOGETHER] = {0}, found[N_TOGETHER] = {0};
    for (uint64_t seed = 1; seed <= test_rounds(40, 800) * N_TOGETHER; seed++) {
        Rng rng = {seed * 37};
        g_autoptr(Net) net = mixed_net(&rng);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        FormulaId list[GOALS];
        Result results[GOALS] = {0};
        for (size_t i = 0; i < GOALS; i++) list[i] = random_goal(&rng, store);
        PortfolioOptions options = {.engine = {.seed = seed, .threads = 1}};
        Budget budget = budget_new(TEST_PLENTY, 0, 0);
        Goals goals;
        unsigned which = (unsigned)(seed % N_TOGETHER);
        portfolio_goals_init(&goals, net, store, list, GOALS, &options, &budget, results);
        portfolio_together_run(&goals, which);
        portfolio_goals_clear(&goals);
        for (size_t i = 0; i < GOALS; i++) {
            NaiveAnswer expected = naive_reach(net, store, list[i], MOST_MARKINGS, NULL);
            Answer got = results[i].answer;
            proved[which] += got == ANSWER_UNREACHABLE, found[which] += got == ANSWER_REACHABLE;
            if (expected != NAIVE_TOO_MANY && got != ANSWER_UNKNOWN)
                ck_assert_msg(got == (expected == NAIVE_YES ? ANSWER_REACHABLE : ANSWER_UNREACHABLE),
                              "seed %d goal %zu: %s", (int)seed, i, results[i].engine);
            if (got == ANSWER_REACHABLE) ck_assert(naive_replays(net, store, list[i], &results[i].witness));
            result_clear(&results[i]);
        }
    }
    for (unsigned which = 0; which < N_TOGETHER; which++) ck_assert_uint_gt(proved[which] + found[which], 0);
}
END_TEST

/* ---- examinations against their definitions ---- */

typedef struct Facts {
    const Net *net;
    uint64_t largest, *least, *most;
    bool *enabled;
    uint64_t sum; /* of the first two places */
} Facts;

static bool collect(const uint64_t *marking, void *data)
{
    Facts *f = data;
    for (uint32_t p = 0; p < f->net->n_places; p++) {
        f->largest = MAX(f->largest, marking[p]);
        f->least[p] = MIN(f->least[p], marking[p]);
        f->most[p] = MAX(f->most[p], marking[p]);
    }
    for (uint32_t t = 0; t < f->net->n_transitions; t++) f->enabled[t] |= net_enabled(f->net, marking, t);
    f->sum = MAX(f->sum, marking[0] + marking[1]);
    return false;
}

/* Live: from every reachable marking, for every transition, a search finds a marking that enables it. */
static bool naive_live(const Net *net);

typedef struct Wanted {
    const Net *net;
    uint32_t t;
} Wanted;

static bool enables(const uint64_t *marking, void *data)
{
    const Wanted *w = data;
    return net_enabled(w->net, marking, w->t);
}

static bool some_never_again(const uint64_t *marking, void *data)
{
    const Net *net = data;
    Net from = *net;
    from.initial = (uint64_t *)marking;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        Wanted w = {net, t};
        if (naive_search(&from, MOST_MARKINGS, enables, &w, NULL) == NAIVE_NO) return true;
    }
    return false;
}

static bool naive_live(const Net *net)
{
    return naive_search(net, MOST_MARKINGS, some_never_again, (void *)net, NULL) == NAIVE_NO;
}

static void expect(Truth got, bool expected, const char *what, uint64_t seed)
{
    ck_assert_msg(got == (expected ? TRUTH_YES : TRUTH_NO), "%s, seed %d: %d instead of %d", what, (int)seed, got,
                  expected);
}

/* What a run tells, without its seconds. */
typedef struct Told {
    GString *text;
    bool slow;
    Rng rng;
} Told;

static void note_line(const char *line, void *data)
{
    static GRegex *seconds;
    Told *told = data;
    if (!seconds) seconds = g_regex_new("[0-9.]+ s\\b", 0, 0, NULL);
    g_autofree char *kept = g_regex_replace_literal(seconds, line, -1, 0, "", 0, NULL);
    g_string_append_printf(told->text, "%s\n", kept);
    if (told->slow) g_usleep(rng_below(&told->rng, 20000));
}

static void note_answer(size_t goal, const Result *result, void *data)
{
    Told *told = data;
    g_string_append_printf(told->text, "%zu %s %s:", goal, result_answer_text(result->answer), result->engine);
    for (size_t i = 0; i < result->witness.len; i++) g_string_append_printf(told->text, " %u", result->witness.data[i]);
    g_string_append_c(told->text, '\n');
}

static char *tell_run(const Net *net, uint64_t seed, double seconds, bool slow)
{
    Rng rng = {seed};
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId goals[6];
    for (size_t i = 0; i < G_N_ELEMENTS(goals); i++) goals[i] = random_goal(&rng, store);
    Told told = {g_string_new(NULL), slow, {seed}};
    PortfolioOptions options = {.engine = {.seed = seed, .threads = 1, .log = note_line, .log_data = &told},
                                .answered = note_answer,
                                .data = &told};
    Result results[G_N_ELEMENTS(goals)] = {0};
    uint64_t work = 0;
    Budget budget = budget_unlimited();
    budget_by_work(&budget, &work, seconds);
    portfolio_run(net, store, goals, G_N_ELEMENTS(goals), &options, &budget, results);
    for (size_t i = 0; i < G_N_ELEMENTS(goals); i++) {
        g_string_append_printf(told.text, "%zu %s %s\n", i, result_answer_text(results[i].answer),
                               results[i].reason ? results[i].reason : "");
        result_clear(&results[i]);
    }
    g_string_append_printf(told.text, "%" G_GUINT64_FORMAT "\n", work);
    return g_string_free(told.text, FALSE);
}

/* One thread: the same answers by the same engines after the same work, whatever the clock does. */
START_TEST(one_thread_repeats_itself)
{
    uint32_t shares = 0;
    static const struct {
        const char *name;
        uint64_t size;
    } families[] = {{"kanban", 4}, {"slotted-ring", 8}, {"peterson", 4}, {"fms", 5}, {"dekker", 8}};
    for (uint64_t seed = 1; seed <= test_rounds(10, 200); seed++) {
        g_autoptr(Net) net =
            gen_net_of_size(families[seed % G_N_ELEMENTS(families)].name, families[seed % G_N_ELEMENTS(families)].size);
        g_autofree char *once = tell_run(net, seed, 0.02, false), *twice = tell_run(net, seed, 0.02, true);
        ck_assert_str_eq(once, twice);
        shares += strstr(once, "explicit together") != NULL;
    }
    ck_assert_uint_gt(shares, 3);
}
END_TEST

/* Three tokens on two places are nowhere: units of work until that is known of n pairs of places, and by whom. */
static uint64_t work_of_small(const Net *net, size_t n, bool certified, const char **engine)
{
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId goals[5];
    Result results[G_N_ELEMENTS(goals)] = {0};
    ProofMemory memory = {.text = NULL};
    ProofFile file = {.memory = &memory};
    PortfolioOptions options = {.engine = {.seed = 1, .threads = 1, .certificate = certified ? &file : NULL},
                                .certified = certified};
    uint64_t work = 0;
    Budget budget = budget_unlimited();
    budget_by_work(&budget, &work, 0);
    for (uint32_t i = 0; i < n; i++) {
        FormulaTerm terms[2] = {{i, -1}, {i + 1, -1}};
        ck_assert(formula_at_most(store, terms, 2, -3, &goals[i], NULL));
    }
    portfolio_run(net, store, goals, n, &options, &budget, results);
    for (size_t i = 0; i < n; i++) {
        ck_assert_int_eq(results[i].answer, ANSWER_UNREACHABLE);
        *engine = results[i].engine;
        result_clear(&results[i]);
    }
    ck_assert((memory.text != NULL) == certified);
    if (certified) g_string_free(memory.text, TRUE);
    return work;
}

/* When the few markings there are have been seen; walks would go on. */
START_TEST(small_nets_are_settled_at_once)
{
    enum { SMALL_WORK = 200 * 1000 };
    static const struct {
        const char *name;
        uint64_t size;
    } families[] = {{"fischer", 3}, {"peterson", 3}, {"slotted-ring", 4}, {"philosophers", 5}};
    for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
        g_autoptr(Net) net = gen_net_of_size(families[i].name, families[i].size);
        const char *engine;
        for (size_t n = 1; n <= 5; n += 4) {
            ck_assert_uint_lt(work_of_small(net, n, false, &engine), SMALL_WORK);
            ck_assert_str_eq(engine, "explicit");
        }
        ck_assert_uint_lt(work_of_small(net, 1, true, &engine), 10 * SMALL_WORK);
        ck_assert_str_ne(engine, "explicit"); /* proofs by places are shorter than lists of markings */
    }
}
END_TEST

/* What a proof of the answer has to show, by definition. */
static void rests_on_unreachable(const Examination *x, bool on_one)
{
    g_autoptr(FormulaStore) formulas = formula_store_new(x->net);
    FormulaId goal;
    ck_assert(examination_goal(x, formulas, &goal) == on_one);
    if (on_one) ck_assert(naive_reach(x->net, formulas, goal, 400, NULL) == NAIVE_NO);
}

START_TEST(examinations_agree_with_their_definitions)
{
    uint32_t live = 0, safe = 0, stable = 0, quasi = 0, compared = 0;
    for (uint64_t seed = 1; seed <= test_rounds(50, 1000); seed++) {
        Rng rng = {seed * 99};
        g_autoptr(Net) net = mixed_net(&rng);
        g_autofree uint64_t *least = g_memdup2(net->initial, net->n_places * sizeof *least);
        g_autofree uint64_t *most = g_memdup2(net->initial, net->n_places * sizeof *most);
        g_autofree bool *enabled = g_new0(bool, net->n_transitions);
        Facts f = {.net = net, .least = least, .most = most, .enabled = enabled};
        if (naive_search(net, 400, collect, &f, NULL) == NAIVE_TOO_MANY) continue;
        bool all_enabled = true, some_stable = false, is_live = naive_live(net);
        for (uint32_t t = 0; t < net->n_transitions; t++) all_enabled &= enabled[t];
        for (uint32_t p = 0; p < net->n_places; p++) some_stable |= least[p] == most[p];
        Examination x = {.net = net, .options = {.seed = seed, .threads = 2}};
        Budget budget = budget_new(TEST_PLENTY, 0, 0);
        expect(examination_one_safe(&x, &budget), f.largest <= 1, "one safe", seed);
        ck_assert(x.dead == NET_NONE && x.constant == NET_NONE);
        expect(examination_quasi_live(&x, &budget), all_enabled, "quasi live", seed);
        ck_assert(all_enabled ? x.dead == NET_NONE : !enabled[x.dead]);
        rests_on_unreachable(&x, !all_enabled);
        expect(examination_stable_marking(&x, &budget), some_stable, "stable marking", seed);
        ck_assert(some_stable ? least[x.constant] == most[x.constant] : x.constant == NET_NONE);
        rests_on_unreachable(&x, some_stable);
        expect(live_examine(&x, &budget), is_live, "live", seed);
        VecU32 sums[2] = {0};
        vec_push(&sums[0], 0);
        vec_push(&sums[0], 1);
        vec_push(&sums[1], 1);
        ExaminationBound bounds[2] = {0};
        examination_bounds(&x, sums, 2, &budget, bounds, NULL, NULL);
        ck_assert(bounds[0].known && !bounds[0].infinite && bounds[1].known && !bounds[1].infinite);
        ck_assert_uint_eq(bounds[0].value, f.sum);
        ck_assert_uint_eq(bounds[1].value, most[1]);
        vec_free(&sums[0]);
        vec_free(&sums[1]);
        compared++;
        live += is_live, safe += f.largest <= 1, stable += some_stable, quasi += all_enabled;
    }
    ck_assert_uint_gt(compared, 20);
    ck_assert(live > 0 && live < compared && safe > 0 && safe < compared);
    ck_assert(stable > 0 && stable < compared && quasi > 0 && quasi < compared);
}
END_TEST

static bool walked_far(const Survey *survey)
{
    return survey->steps > 300000;
}

/* Where every step down is as easy as one up, chance stays half-way. */
START_TEST(walks_climb_to_the_largest_sum)
{
    enum { SWITCHES = 400 };
    Rules *rules = rules_new("switches");
    for (uint32_t i = 0; i < SWITCHES; i++) {
        rules_place(rules, 1, "off%u", i);
        rules_add(rules, "on%u: off%u -> lit%u", i, i, i);
        rules_add(rules, "dim%u: lit%u -> off%u", i, i, i);
        rules_add(rules, "break%u: off%u -> broken%u", i, i, i);
    }
    g_autoptr(Net) net = rules_finish(rules);
    VecU32 lit = {0};
    for (uint32_t i = 0; i < SWITCHES; i++) {
        g_autofree char *id = g_strdup_printf("lit%u", i);
        vec_push(&lit, net_find_place(net, id));
    }
    g_autoptr(Survey) survey = survey_new(net, &lit, 1);
    Budget budget = budget_unlimited();
    survey_run(survey, 1, 1e9, walked_far, &budget);
    ck_assert_uint_eq((uint64_t)survey->sum_most[0], SWITCHES);
    vec_free(&lit);
}
END_TEST

START_TEST(unbounded_sums_are_infinite)
{
    g_autoptr(NetBuilder) b = net_builder_new("grows");
    net_builder_place(b, "a", NULL, 1);
    net_builder_place(b, "b", NULL, 0);
    net_builder_transition(b, "t", NULL);
    net_builder_arc(b, ARC_PRE, 0, 0, 1);
    net_builder_arc(b, ARC_POST, 0, 0, 1);
    net_builder_arc(b, ARC_POST, 1, 0, 1);
    g_autoptr(Net) net = net_builder_finish(b, NULL);
    VecU32 sums[2] = {0};
    vec_push(&sums[0], 0);
    vec_push(&sums[1], 1);
    ExaminationBound bounds[2] = {0};
    Examination x = {.net = net, .options = {.seed = 1, .threads = 1}};
    Budget budget = budget_new(TEST_PLENTY, 0, 0);
    examination_bounds(&x, sums, 2, &budget, bounds, NULL, NULL);
    ck_assert(bounds[0].known && !bounds[0].infinite && bounds[0].value == 1);
    ck_assert(bounds[1].known && bounds[1].infinite);
    vec_free(&sums[0]);
    vec_free(&sums[1]);
}
END_TEST

/* t: s -> p + c0, and c0 doubles CHAIN times: firings of the reduced net are hundreds of the net. */
static Net *heavy_net(void)
{
    enum { CHAIN = 11, TOKENS = 4000 };
    g_autoptr(NetBuilder) b = net_builder_new("heavy");
    uint32_t s = net_builder_place(b, "s", NULL, TOKENS), p = net_builder_place(b, "p", NULL, 0), c[CHAIN + 1];
    for (int i = 0; i <= CHAIN; i++) {
        g_autofree char *id = g_strdup_printf("c%d", i);
        c[i] = net_builder_place(b, id, NULL, 0);
    }
    uint32_t t = net_builder_transition(b, "t", NULL);
    net_builder_arc(b, ARC_PRE, s, t, 1);
    net_builder_arc(b, ARC_POST, p, t, 1);
    net_builder_arc(b, ARC_POST, c[0], t, 1);
    for (int i = 0; i < CHAIN; i++) {
        g_autofree char *id = g_strdup_printf("d%d", i);
        uint32_t d = net_builder_transition(b, id, NULL);
        net_builder_arc(b, ARC_PRE, c[i], d, 1);
        net_builder_arc(b, ARC_POST, c[i + 1], d, 2);
    }
    return net_builder_finish(b, NULL);
}

static void note_fallback(const char *line, void *data)
{
    if (strstr(line, "too long to lift")) *(bool *)data = true;
}

/* Some thousand firings of the reduced net are more of the net than the memory left is good for; 4000 would do. */
START_TEST(a_run_that_is_too_long_to_lift_is_looked_for_in_the_net_itself)
{
    g_autoptr(Net) net = heavy_net();
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId goal;
    ck_assert(expression_parse(store, "p >= 4000 && (c11 >= 1 || p >= 4000)", "goal", &goal, NULL));
    bool fell_back = false;
    PortfolioOptions options = {.engine = {.seed = 1, .threads = 1, .log = note_fallback, .log_data = &fell_back}};
    Budget budget = budget_new(TEST_PLENTY, budget_resident() + (UINT64_C(16) << 20), 0);
    Result result = {0};
    portfolio_run(net, store, &goal, 1, &options, &budget, &result);
    ck_assert(fell_back);
    ck_assert_msg(result.answer == ANSWER_REACHABLE, "%s", result.reason);
    Query query = {net, store, goal};
    ck_assert(witness_replays(&query, result.witness.data, result.witness.len));
    ck_assert_uint_lt(result.witness.len, 500000);
    result_clear(&result);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("portfolio");
    TEST_CASE(suite, equation_is_never_wrong);
    TEST_CASE(suite, sums_refute_only_what_is_unreachable);
    TEST_CASE(suite, sums_prove_rings_without_a_solver);
    TEST_CASE(suite, sums_prove_slotted_rings_by_trials);
    TEST_CASE(suite, pdr_agrees_with_search);
    TEST_CASE(suite, clause_certificates_are_checked);
    TEST_CASE(suite, equation_learns_traps_and_siphons);
    TEST_CASE(suite, equation_proves_by_the_last_firing);
    TEST_CASE(suite, last_firing_excludes_nothing_reachable);
    TEST_CASE(suite, weights_beyond_signed_numbers_prove_nothing);
    TEST_CASE(suite, portfolio_agrees_with_search);
    TEST_CASE(suite, searches_together_agree_with_search);
    TEST_CASE(suite, one_thread_repeats_itself);
    TEST_CASE(suite, small_nets_are_settled_at_once);
    TEST_CASE(suite, examinations_agree_with_their_definitions);
    TEST_CASE(suite, walks_climb_to_the_largest_sum);
    TEST_CASE(suite, unbounded_sums_are_infinite);
    TEST_CASE(suite, a_run_that_is_too_long_to_lift_is_looked_for_in_the_net_itself);
    return test_run(suite);
}
