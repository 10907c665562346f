#include "test.h"

#include "breadth.h"
#include "certify/apply.h"
#include "certify/certificate.h"
#include "prop/expression.h"
#include "reduce/reduce.h"
#include "reducible.h"
#include "verify/engine.h"

#include <unistd.h>

enum { MOST_MARKINGS = 2000 };

/* NAIVE_YES, NAIVE_NO on what the steps leave; NAIVE_TOO_MANY also when they are refused. */
typedef struct StepsOutcome {
    bool accepted;
    NaiveAnswer answer;
} StepsOutcome;

static StepsOutcome outcome(const Net *net, const FormulaStore *store, FormulaId goal, const NetSteps *steps)
{
    Budget budget = budget_unlimited();
    Applied applied;
    g_autofree char *problem = NULL;
    StepsOutcome o = {apply_steps(net, store, goal, steps, &budget, &applied, &problem), NAIVE_TOO_MANY};
    ck_assert(o.accepted == !problem);
    if (!o.accepted) return o;
    o.answer = naive_reach(applied.net, applied.formulas, applied.goal, MOST_MARKINGS, NULL);
    apply_clear(&applied);
    return o;
}

static char *all_steps(const NetSteps *steps)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < steps->list.len; i++) {
        steps_text(steps, i, text);
        g_string_append(text, "; ");
    }
    return g_string_free(text, FALSE);
}

/* ---- what reductions do is accepted, and leaves the net they leave ---- */

static void same_net(const Net *a, const Net *b)
{
    ck_assert_uint_eq(a->n_places, b->n_places);
    ck_assert_uint_eq(a->n_transitions, b->n_transitions);
    for (uint32_t p = 0; p < a->n_places; p++) {
        ck_assert_str_eq(net_place_id(a, p), net_place_id(b, p));
        ck_assert_uint_eq(a->initial[p], b->initial[p]);
        for (uint32_t t = 0; t < a->n_transitions; t++)
            for (int kind = 0; kind < N_ARC_KINDS; kind++)
                ck_assert_uint_eq(net_arc_weight(a, kind, t, p), net_arc_weight(b, kind, t, p));
    }
}

/* Returns the number of steps. */
static size_t follow(Rng *rng, uint32_t without, bool safe)
{
    g_autoptr(Net) net = reducible_net(rng);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId goal = reducible_goal(rng, store);
    Budget budget = budget_unlimited();
    NetSteps steps = {0};
    ReduceOptions options = {.without = without, .steps = &steps, .safe = safe};
    g_autoptr(Reduction) r = reduce_new(net, store, &goal, 1, &options, &budget);
    if (!r) return 0;
    options.steps = NULL;
    g_autoptr(Reduction) unrecorded = reduce_new(net, store, &goal, 1, &options, &budget);
    Applied applied;
    g_autofree char *problem = NULL, *text = all_steps(&steps);
    ck_assert_msg(apply_steps(net, store, goal, &steps, &budget, &applied, &problem), "%s\n%s", problem, text);
    same_net(applied.net, r->net);
    same_net(applied.net, unrecorded->net);
    g_autofree char *mine = formula_text(applied.formulas, applied.goal),
                    *theirs = formula_text(r->formulas, r->goals[0]);
    ck_assert_str_eq(mine, theirs);
    apply_clear(&applied);
    size_t n = steps.list.len;
    steps_clear(&steps);
    return n;
}

START_TEST(the_checker_follows_every_rule_to_the_same_net)
{
    for (Rule rule = 0; rule <= N_RULES; rule++) {
        size_t steps = 0;
        unsigned rounds = rule == N_RULES ? test_rounds(3000, 90000) : test_rounds(600, 18000);
        for (uint64_t seed = 1; seed <= rounds; seed++) {
            Rng rng = {seed * 7919 + (uint64_t)rule * 1000003};
            steps += follow(&rng, rule == N_RULES ? 0 : ~(UINT32_C(1) << rule), seed % 3 == 0);
        }
        ck_assert_msg(steps > 10, "%s makes hardly any step", rule == N_RULES ? "all" : reduce_rule_name(rule));
    }
}
END_TEST

/* ---- whatever the checker accepts loses no run to the goal ---- */

/* A goal that holds at a marking some firings away: a few places have the counts they have there, and it is dead if it
 * is. */
static FormulaId reachable_goal(Rng *rng, const Net *net, FormulaStore *store)
{
    g_autofree uint64_t *m = g_memdup2(net->initial, MAX(net->n_places, 1) * sizeof *m);
    uint64_t length = rng_below(rng, 3) ? rng_below(rng, 30) : 300;
    bool dead = false;
    for (uint64_t k = 0; k <= length && !dead; k++) {
        VecU32 enabled = {0};
        for (uint32_t t = 0; t < net->n_transitions; t++)
            if (net_enabled(net, m, t)) vec_push(&enabled, t);
        dead = !enabled.len;
        if (!dead && k < length) net_fire(net, m, enabled.data[rng_below(rng, enabled.len)]);
        vec_free(&enabled);
    }
    FormulaId goal = dead && !rng_chance(rng, 3) ? formula_deadlock(store) : FORMULA_ID_TRUE;
    for (uint64_t n = rng_below(rng, 4); n > 0; n--) {
        FormulaTerm terms[2] = {{(uint32_t)rng_below(rng, net->n_places), 1},
                                {(uint32_t)rng_below(rng, net->n_places), rng_chance(rng, 2) ? 1 : -1}};
        size_t len = 1 + (size_t)rng_chance(rng, 4);
        if (len == 2 && terms[0].place == terms[1].place) len = 1;
        int64_t sum = 0;
        FormulaId parts[3] = {goal, 0, 0};
        for (size_t i = 0; i < len; i++) sum += terms[i].coefficient * (int64_t)m[terms[i].place];
        ck_assert(formula_at_most(store, terms, len, sum, &parts[1], NULL));
        for (size_t i = 0; i < len; i++) terms[i].coefficient = -terms[i].coefficient;
        ck_assert(formula_at_most(store, terms, len, -sum, &parts[2], NULL));
        goal = formula_and(store, parts, 3);
    }
    if (net->n_transitions && rng_chance(rng, 5)) {
        uint32_t t = (uint32_t)rng_below(rng, net->n_transitions);
        FormulaId atom = formula_fireable(store, &t, 1),
                  parts[] = {goal, net_enabled(net, m, t) ? atom : formula_not(store, atom)};
        goal = formula_and(store, parts, 2);
    }
    return goal;
}

static void random_step(Rng *rng, const Net *net, NetSteps *steps)
{
    StepKind kind = (StepKind)rng_below(rng, N_STEP_KINDS);
    /* What is easily accepted leaves too little for the others. */
    if (kind <= STEP_FORGET && rng_chance(rng, 2))
        kind = (StepKind)(STEP_USELESS + rng_below(rng, N_STEP_KINDS - STEP_USELESS));
    bool transitions = kind == STEP_USELESS || kind == STEP_WEAKER;
    size_t n = kind == STEP_WEAKER || kind == STEP_SAME_PLACE ? 2 : 1;
    if (kind == STEP_SIPHON || kind == STEP_FUSE) n = 1 + rng_below(rng, 3);
    steps_begin(steps, kind);
    for (size_t i = 0; i < n; i++)
        steps_add(steps, (uint32_t)rng_below(rng, transitions ? net->n_transitions + steps->list.len : net->n_places));
}

static void drop_last(NetSteps *steps)
{
    steps->nodes.len = vec_last(&steps->list).from;
    steps->list.len--;
}

typedef struct Count {
    uint32_t accepted[N_STEP_KINDS][2], refused[N_STEP_KINDS][2]; /* goals without and with deadlock */
} Count;

static bool speaks_of_deadlock(const FormulaStore *store, FormulaId goal)
{
    g_autofree char *text = formula_text(store, goal);
    return strstr(text, "deadlock") != NULL;
}

static void try_steps(uint64_t seed, Count *count)
{
    Rng rng = {seed};
    g_autoptr(Net) net = reducible_net(&rng);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId goal = reachable_goal(&rng, net, store);
    bool dead = speaks_of_deadlock(store, goal);
    NetSteps steps = {0};
    for (int attempt = 0; attempt < 40; attempt++) {
        random_step(&rng, net, &steps);
        StepKind kind = vec_last(&steps.list).kind;
        StepsOutcome o = outcome(net, store, goal, &steps);
        (o.accepted ? count->accepted : count->refused)[kind][dead]++;
        if (!o.accepted) {
            drop_last(&steps);
            continue;
        }
        if (o.answer == NAIVE_NO) {
            g_autofree char *text = all_steps(&steps), *wanted = formula_text(store, goal);
            ck_abort_msg("seed %" G_GUINT64_FORMAT ": %s loses the reachable %s", seed, text, wanted);
        }
    }
    steps_clear(&steps);
}

START_TEST(no_accepted_step_loses_a_run)
{
    Count count = {0};
    for (uint64_t seed = 1; seed <= test_rounds(6000, 180000); seed++) try_steps(seed, &count);
    for (int kind = 0; kind < N_STEP_KINDS; kind++)
        for (int dead = 0; dead < 2; dead++) {
            if (g_getenv("MAZURKA_VERBOSE"))
                printf("kind %d deadlock %d: %u accepted, %u refused\n", kind, dead, count.accepted[kind][dead],
                       count.refused[kind][dead]);
            ck_assert_msg(count.accepted[kind][dead] > 50 && count.refused[kind][dead] > 50, "kind %d is hardly tried",
                          kind);
        }
}
END_TEST

/* ---- damaged lists ---- */

static void append_step(NetSteps *to, const NetSteps *from, size_t i)
{
    size_t n;
    const uint32_t *nodes = steps_nodes(from, i, &n);
    steps_begin(to, from->list.data[i].kind);
    for (size_t k = 0; k < n; k++) steps_add(to, nodes[k]);
}

enum { DAMAGE_DROP, DAMAGE_SWAP, DAMAGE_KIND, DAMAGE_NODE, DAMAGE_TWICE, DAMAGE_CUT, N_DAMAGES };

static NetSteps damaged(const NetSteps *good, int damage, size_t at, uint32_t number)
{
    NetSteps bad = {0};
    size_t n = good->list.len;
    for (size_t i = 0; i < n; i++) {
        size_t from = i;
        if (damage == DAMAGE_SWAP) from = i == at ? (at + 1) % n : i == (at + 1) % n ? at : i;
        if (damage == DAMAGE_DROP && i == at) continue;
        if (damage == DAMAGE_CUT && i > at) break;
        append_step(&bad, good, from);
        if (damage == DAMAGE_TWICE && i == at) append_step(&bad, good, from);
        if (i != at) continue;
        if (damage == DAMAGE_KIND) vec_last(&bad.list).kind = (StepKind)(number % N_STEP_KINDS);
        size_t first = vec_last(&bad.list).from, len = bad.nodes.len - first;
        if (damage == DAMAGE_NODE && len) bad.nodes.data[first + number % len] = (number >> 4) % 12;
    }
    return bad;
}

START_TEST(damaged_steps_are_refused_or_still_right)
{
    uint32_t refused[N_DAMAGES] = {0}, right[N_DAMAGES] = {0}, lists = 0;
    for (uint64_t seed = 1; seed <= test_rounds(1200, 36000); seed++) {
        Rng rng = {seed * 31337};
        g_autoptr(Net) net = reducible_net(&rng);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        FormulaId goal = reachable_goal(&rng, net, store);
        NetSteps steps = {0};
        Budget budget = budget_unlimited();
        g_autoptr(Reduction) r = reduce_new(net, store, &goal, 1, &(ReduceOptions){.steps = &steps}, &budget);
        if (r && steps.list.len) ck_assert_int_ne(outcome(net, store, goal, &steps).answer, NAIVE_NO);
        for (size_t at = 0; at < steps.list.len && r; at++)
            for (int damage = 0; damage < N_DAMAGES; damage++) {
                NetSteps bad = damaged(&steps, damage, at, (uint32_t)rng_next(&rng));
                StepsOutcome o = outcome(net, store, goal, &bad);
                ck_assert_msg(!o.accepted || o.answer != NAIVE_NO,
                              "seed %" G_GUINT64_FORMAT ": damage %d at step %zu loses a run", seed, damage, at);
                (o.accepted ? right : refused)[damage]++;
                steps_clear(&bad);
            }
        lists += steps.list.len > 0;
        steps_clear(&steps);
    }
    ck_assert_uint_gt(lists, 500);
    for (int damage = 0; damage < N_DAMAGES; damage++)
        ck_assert_msg(right[damage] > 50, "damage %d is always refused", damage);
    for (int damage = 0; damage < DAMAGE_CUT; damage++)
        ck_assert_msg(refused[damage] > 50, "damage %d is never refused", damage);
}
END_TEST

/* ---- whole certificates ---- */

/* Another net with as many nodes, changed in one arc or count. */
static Net *neighbour(Rng *rng, const Net *net)
{
    g_autoptr(NetBuilder) b = net_builder_new("neighbour");
    uint32_t place = (uint32_t)rng_below(rng, net->n_places),
             transition = (uint32_t)rng_below(rng, MAX(net->n_transitions, 1));
    uint64_t change = rng_below(rng, 4);
    for (uint32_t p = 0; p < net->n_places; p++)
        net_builder_place(b, net_place_id(net, p), NULL, net->initial[p] + (change == 0 && p == place));
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        net_builder_transition(b, net_transition_id(net, t), NULL);
        for (int kind = 0; kind < N_ARC_KINDS; kind++) {
            NetRow row = net_places(net, kind, t);
            for (uint32_t i = 0; i < row.len; i++) {
                bool drop = change == 1 && t == transition && i == 0 && kind != ARC_POST;
                if (!drop) net_builder_arc(b, kind, row.node[i], t, net_weight(row, i));
            }
        }
        if (change == 2 && t == transition) net_builder_arc(b, ARC_POST, place, t, 1);
        if (change == 3 && t == transition) net_builder_arc(b, ARC_PRE, place, t, 1);
    }
    return net_builder_finish(b, NULL);
}

static void refuse_for_neighbours(Rng *rng, const Net *net, const char *goal_text, const Certificate *c, uint32_t *lies)
{
    for (int k = 0; k < 6; k++) {
        g_autoptr(Net) other = neighbour(rng, net);
        g_autoptr(FormulaStore) store = formula_store_new(other);
        FormulaId goal;
        ck_assert(expression_parse(store, goal_text, "goal", &goal, NULL));
        if (naive_reach(other, store, goal, MOST_MARKINGS, NULL) != NAIVE_YES) continue;
        Budget budget = budget_unlimited();
        g_autofree char *problem = NULL;
        ck_assert_msg(!certificate_check(c, other, &budget, &problem), "a false claim about %s is believed", goal_text);
        ++*lies;
    }
}

START_TEST(certificates_of_reduced_nets_prove_what_search_says)
{
    uint32_t proofs = 0, with_steps = 0, lies = 0, kinds[8] = {0};
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "mazurka-steps-XXXXXX", NULL);
    close(g_mkstemp(path));
    for (uint64_t seed = 1; seed <= test_rounds(500, 15000); seed++) {
        Rng rng = {seed * 65537};
        g_autoptr(Net) net = reducible_net(&rng);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        Query query = {net, store, reducible_goal(&rng, store)};
        NaiveAnswer expected = naive_reach(net, store, query.goal, MOST_MARKINGS, NULL);
        if (expected == NAIVE_TOO_MANY) continue;
        ProofFile file = {.path = path};
        EngineOptions options = {.threads = 1, .certificate = &file};
        Budget budget = budget_new(5, 0, 0);
        Result result = {0};
        engine_find("certified")->run(&query, &options, &budget, &result);
        g_autofree char *text = formula_text(store, query.goal);
        ck_assert_msg(result.answer != ANSWER_UNKNOWN || budget_ended(&budget) || expected == NAIVE_NO, "%s: %s", text,
                      result.reason);
        if (result.answer != ANSWER_UNKNOWN) ck_assert((result.answer == ANSWER_REACHABLE) == (expected == NAIVE_YES));
        if (result.answer == ANSWER_REACHABLE) ck_assert(naive_replays(net, store, query.goal, &result.witness));
        if (result.answer == ANSWER_UNREACHABLE) {
            Certificate c;
            g_autoptr(GError) error = NULL;
            g_autofree char *problem = NULL;
            Budget unlimited = budget_unlimited();
            ck_assert_msg(certificate_read(&c, net, path, &error), "%s", error ? error->message : "");
            ck_assert_str_eq(c.goal, text);
            ck_assert_msg(certificate_check(&c, net, &unlimited, &problem), "%s", problem);
            proofs++;
            with_steps += c.steps.list.len > 0;
            kinds[c.kind]++;
            refuse_for_neighbours(&rng, net, text, &c, &lies);
            certificate_clear(&c);
        }
        result_clear(&result);
    }
    unlink(path);
    ck_assert_uint_gt(proofs, 100);
    ck_assert_uint_gt(with_steps * 2, proofs);
    ck_assert_uint_gt(lies, 50);
    ck_assert_uint_gt(kinds[CERTIFICATE_NONE], 10);
    ck_assert_uint_gt(proofs - kinds[CERTIFICATE_NONE], 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("steps");
    TEST_CASE(suite, the_checker_follows_every_rule_to_the_same_net);
    TEST_CASE(suite, no_accepted_step_loses_a_run);
    TEST_CASE(suite, damaged_steps_are_refused_or_still_right);
    TEST_CASE(suite, certificates_of_reduced_nets_prove_what_search_says);
    return test_run(suite);
}
