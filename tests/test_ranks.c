/* Proofs that need no list of markings, against brute force: ranks that can always be lowered (certify/descent.h) and
 * the rank theorem (certify/free_choice.h). What is proved is true, what is true of a live and bounded free-choice net
 * is proved, and whatever lie the checker accepts is no lie. */
#include "test.h"

#include "free_choice_net.h"
#include "home/downhill.h"
#include "home/rank_theorem.h"
#include "home_goals.h"
#include "naive_formula.h"
#include "net/rules.h"
#include "prop/expression.h"
#include "reducible.h"

#include <unistd.h>

enum { MOST_MARKINGS = 300 };

static char *scratch_file(void)
{
    return g_strdup_printf("%s/mazurka-ranks-%d.cert", g_get_tmp_dir(), (int)getpid());
}

/* ---- downhill ---- */

START_TEST(downhill_agrees_with_brute_force)
{
    uint32_t counts[3] = {0}, ways = 0;
    for (uint64_t seed = 1; seed <= test_rounds(300, 6000); seed++) {
        Rng rng = {seed * 131};
        g_autoptr(Net) net = reducible_net(&rng);
        NaiveGraph g;
        if (naive_graph_init(&g, net, MOST_MARKINGS)) {
            g_autoptr(FormulaStore) store = formula_store_new(net);
            FormulaId goal;
            RandomFormula *formula = random_goal(&rng, store, &goal);
            g_autofree bool *can = can_reach(&g, formula);
            bool expected = naive_all(can, g.markings->len);
            Budget budget = budget_unlimited();
            Downhill found = {0};
            downhill_ask(net, store, goal, &(EngineOptions){.seed = seed, .threads = 1}, NULL, &budget, &found);
            counts[found.verdict]++;
            ways += found.ways;
            ck_assert_msg(found.verdict != (expected ? VERDICT_VIOLATED : VERDICT_HOLDS), "seed %d", (int)seed);
            if (found.verdict == VERDICT_VIOLATED) {
                g_autofree uint64_t *m = g_memdup2(net->initial, net->n_places * sizeof *m);
                for (size_t i = 0; i < found.run.len; i++) {
                    ck_assert(net_enabled(net, m, found.run.data[i]));
                    net_fire(net, m, found.run.data[i]);
                }
                ck_assert_msg(!can[naive_graph_find(&g, m)], "seed %d: not lost there", (int)seed);
            }
            downhill_clear(&found);
            rf_free(formula);
        }
        naive_graph_clear(&g);
    }
    printf("downhill: %u unknown, %u hold, %u violated, %u ways\n", counts[0], counts[1], counts[2], ways);
    ck_assert_uint_gt(counts[VERDICT_HOLDS], 60);
    ck_assert_uint_gt(counts[VERDICT_VIOLATED], 60);
    ck_assert_uint_lt(counts[VERDICT_UNKNOWN] * 20, counts[VERDICT_HOLDS] + counts[VERDICT_VIOLATED]);
}
END_TEST

/* Another place, another transition, one less, two exchanged. */
static void change_list(VecU32 *lists, Rng *rng, uint32_t limit)
{
    if (!lists->len) {
        vec_push(lists, (uint32_t)rng_below(rng, limit));
        vec_push(lists, NET_NONE);
        return;
    }
    size_t i = rng_below(rng, lists->len), k = rng_below(rng, lists->len);
    uint32_t other = lists->data[k];
    switch (rng_below(rng, 4)) {
    case 0: lists->data[i] = (uint32_t)rng_below(rng, limit); break;
    case 1:
        lists->data[k] = lists->data[i];
        lists->data[i] = other;
        break;
    case 2:
        memmove(lists->data + i, lists->data + i + 1, (lists->len - i - 1) * sizeof *lists->data);
        lists->len--;
        break;
    default:
        vec_push(lists, (uint32_t)rng_below(rng, limit));
        vec_push(lists, NET_NONE);
        break;
    }
}

static void forge_descent(Certificate *c, Rng *rng, const Net *net)
{
    switch (rng_below(rng, 4)) {
    case 0: c->claim = CLAIM_NEVER; break;
    case 1: change_list(&c->descent.ways, rng, net->n_transitions); break;
    default: change_list(&c->descent.levels, rng, net->n_places); break;
    }
}

static bool claim_is_true(const NaiveGraph *g, CertificateClaim claim, const RandomFormula *goal)
{
    g_autofree bool *can = can_reach(g, goal);
    return claim == CLAIM_HOME ? naive_all(can, g->markings->len) : !can[0];
}

START_TEST(descents_are_true_or_refused)
{
    g_autofree char *path = scratch_file();
    uint32_t written = 0, refused = 0, accepted_lies = 0;
    for (uint64_t seed = 1; seed <= test_rounds(150, 3000); seed++) {
        Rng rng = {seed * 177};
        g_autoptr(Net) net = reducible_net(&rng);
        NaiveGraph g;
        if (!net->n_places || !net->n_transitions || !naive_graph_init(&g, net, MOST_MARKINGS)) {
            if (net->n_places && net->n_transitions) naive_graph_clear(&g);
            continue;
        }
        g_autoptr(FormulaStore) store = formula_store_new(net);
        FormulaId goal, other;
        RandomFormula *formula = random_goal(&rng, store, &goal), *wrong = random_goal(&rng, store, &other);
        Budget budget = budget_unlimited();
        Downhill found = {0};
        downhill_ask(net, store, goal, &(EngineOptions){.seed = seed, .threads = 1}, &(ProofFile){.path = path},
                     &budget, &found);
        for (int k = 0; k < 12 && found.verdict == VERDICT_HOLDS; k++) {
            Certificate c;
            g_autofree char *problem = NULL;
            ck_assert(certificate_read(&c, net, path, NULL));
            ck_assert_int_eq(c.claim, CLAIM_HOME);
            written += k == 0;
            if (k == 1) {
                g_free(c.goal);
                c.goal = formula_text(store, other);
            }
            if (k > 1) forge_descent(&c, &rng, net);
            bool accepted = certificate_check(&c, net, &budget, &problem);
            ck_assert_msg(k || accepted, "seed %d: %s", (int)seed, problem);
            ck_assert_msg(!accepted || claim_is_true(&g, c.claim, k == 1 ? wrong : formula), "seed %d, lie %d",
                          (int)seed, k);
            refused += !accepted;
            accepted_lies += k && accepted;
            certificate_clear(&c);
        }
        downhill_clear(&found);
        rf_free(formula);
        rf_free(wrong);
        naive_graph_clear(&g);
    }
    remove(path);
    printf("descents: %u written, %u lies refused, %u true anyway\n", written, refused, accepted_lies);
    ck_assert_uint_gt(written, 30);
    ck_assert_uint_gt(refused, 100);
}
END_TEST

/* Some firings from a reachable marking on, so that they can be fired somewhere; or any, that perhaps cannot. */
static void random_way(const NaiveGraph *g, Rng *rng, VecU32 *ways)
{
    uint32_t at = (uint32_t)rng_below(rng, g->markings->len);
    bool any = rng_chance(rng, 3);
    for (uint64_t k = 1 + rng_below(rng, 4); k > 0; k--) {
        if (any) {
            vec_push(ways, (uint32_t)rng_below(rng, g->net->n_transitions));
            continue;
        }
        uint32_t chosen = NET_NONE, seen = 0;
        for (size_t i = 0; i < g->firings.len; i++)
            if (g->firings.data[i].from == at && rng_below(rng, ++seen) == 0) chosen = (uint32_t)i;
        if (chosen == NET_NONE) break;
        vec_push(ways, g->firings.data[chosen].transition);
        at = g->firings.data[chosen].to;
    }
    vec_push(ways, NET_NONE);
}

/* Is the rank of one marking smaller, sum by sum? */
static bool naive_lower(const VecU32 *levels, const uint64_t *after, const uint64_t *before)
{
    uint64_t sums[2] = {0};
    for (size_t i = 0; i < levels->len; i++) {
        uint32_t p = levels->data[i];
        if (p != NET_NONE) {
            sums[0] += after[p];
            sums[1] += before[p];
        } else if (sums[0] != sums[1]) {
            return sums[0] < sums[1];
        }
    }
    return false;
}

/* Can the firings be fired at the marking, and then the rank is smaller or (unless the goal is NULL) the goal holds? */
static bool naive_helps(const Net *net, const VecU32 *levels, const uint64_t *marking, const uint32_t *way, size_t n,
                        const RandomFormula *goal)
{
    g_autofree uint64_t *m = g_memdup2(marking, (net->n_places + 1) * sizeof *m);
    for (size_t i = 0; i < n; i++) {
        if (!net_enabled(net, m, way[i])) return false;
        net_fire(net, m, way[i]);
    }
    return naive_lower(levels, m, marking) || (goal && rf_holds(goal, net, m));
}

/* As certify/descent.h defines it. */
static bool naive_stuck(const Net *net, const Descent *d, const RandomFormula *goal, const uint64_t *marking)
{
    if (rf_holds(goal, net, marking)) return false;
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (naive_helps(net, &d->levels, marking, &t, 1, NULL)) return false;
    for (size_t from = 0, i = 0; i < d->ways.len; i++) {
        if (d->ways.data[i] != NET_NONE) continue;
        if (naive_helps(net, &d->levels, marking, d->ways.data + from, i - from, goal)) return false;
        from = i + 1;
    }
    return true;
}

/* What is stuck is so by definition, whatever rank and ways there are; so a goal that is lost is never proved always
 * reachable. */
START_TEST(stuck_is_what_it_should_be)
{
    uint32_t tried = 0;
    for (uint64_t seed = 1; seed <= test_rounds(6000, 120000); seed++) {
        Rng rng = {seed * 199};
        GenRandom inhibited = {.inhibitors = true, .weight = 1 + (uint32_t)rng_below(&rng, 3)};
        g_autoptr(Net) net = rng_chance(&rng, 2) ? gen_random_bounded(&rng, &inhibited) : reducible_net(&rng);
        NaiveGraph g;
        if (net->n_places && net->n_transitions && naive_graph_init(&g, net, MOST_MARKINGS)) {
            g_autoptr(FormulaStore) store = formula_store_new(net);
            FormulaId goal, stuck;
            RandomFormula *formula = random_goal(&rng, store, &goal);
            g_autofree bool *can = can_reach(&g, formula);
            Descent descent = {0};
            Budget budget = budget_unlimited();
            g_autofree char *problem = NULL;
            uint32_t changes = (uint32_t)rng_below(&rng, 12), ways = (uint32_t)rng_below(&rng, 8);
            for (uint32_t i = 0; i < changes; i++) change_list(&descent.levels, &rng, net->n_places);
            vec_push(&descent.levels, NET_NONE);
            for (uint32_t i = 0; i < ways; i++) random_way(&g, &rng, &descent.ways);
            if (descent_stuck(&descent, store, goal, &budget, &stuck, &problem)) {
                g_autoptr(NetLts) lts = netlts_new(net, 64);
                bool found = false;
                for (guint i = 0; i < g.markings->len; i++) {
                    bool is = formula_holds(store, stuck, lts, g.markings->pdata[i]);
                    ck_assert_msg(is == naive_stuck(net, &descent, formula, g.markings->pdata[i]),
                                  "seed %d: marking %u", (int)seed, i);
                    found |= is;
                }
                ck_assert_msg(found || naive_all(can, g.markings->len), "seed %d: nothing is stuck", (int)seed);
                tried++;
            }
            descent_clear(&descent);
            rf_free(formula);
        }
        if (net->n_places && net->n_transitions) naive_graph_clear(&g);
    }
    ck_assert_uint_gt(tried, 600);
}
END_TEST

/* ---- the rank theorem ---- */

static bool takes(const Net *net, uint32_t p, uint32_t t)
{
    return net_arc_weight(net, ARC_PRE, t, p) || net_arc_weight(net, ARC_READ, t, p);
}

/* Free-choice by definition, and no empty place without arcs, a siphon that nothing needs. */
static bool is_in_scope(const Net *net)
{
    for (uint32_t p = 0; p < net->n_places; p++) {
        bool touched = net->initial[p] > 0;
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) touched |= net_transitions(net, kind, p).len > 0;
        if (!touched) return false;
        for (uint32_t t = 0; t < net->n_transitions; t++)
            for (uint32_t u = 0; u < net->n_transitions; u++)
                for (uint32_t q = 0; q < net->n_places; q++)
                    if (takes(net, p, t) && takes(net, p, u) && takes(net, q, t) != takes(net, q, u)) return false;
    }
    return true;
}

START_TEST(rank_theorem_agrees_with_brute_force)
{
    uint32_t counts[2] = {0};
    for (uint64_t seed = 1; seed <= test_rounds(1500, 30000); seed++) {
        Rng rng = {seed * 211};
        g_autoptr(Net) net = free_choice_net(&rng);
        NaiveGraph g;
        if (naive_graph_init(&g, net, MOST_MARKINGS)) {
            Certificate proof;
            Budget budget = budget_unlimited();
            bool live = naive_live(&g, g.net->n_transitions), proved = rank_theorem_live(net, &budget, &proof);
            ck_assert_msg(!proved || live, "seed %d: proved, but not live", (int)seed);
            ck_assert_msg(proved || !live || !is_in_scope(net), "seed %d: live, but not proved", (int)seed);
            counts[proved]++;
            certificate_clear(&proof);
        }
        naive_graph_clear(&g);
    }
    printf("rank theorem: %u proved live, %u not\n", counts[1], counts[0]);
    ck_assert_uint_gt(counts[0], 300);
    ck_assert_uint_gt(counts[1], 300);
}
END_TEST

/* A ring of n stages, each with two ways at once, of which the one is longer: a few sets cover it, whatever n. */
static Net *ring_of_pairs(uint32_t n)
{
    Rules *rules = rules_new("pairs");
    for (uint32_t i = 0; i < n; i++) {
        rules_place(rules, i == 0, "s%u", i);
        rules_add(rules, "split%u: s%u -> a%u b%u", i, i, i, i);
        rules_add(rules, "go%u: a%u -> c%u", i, i, i);
        rules_add(rules, "too%u: a%u -> c%u", i, i, i);
        rules_add(rules, "join%u: c%u b%u -> s%u", i, i, i, (i + 1) % n);
    }
    return rules_finish(rules);
}

START_TEST(covers_are_not_much_longer_than_the_net)
{
    for (uint32_t n = 1; n <= 400; n = 2 * n + 1) {
        g_autoptr(Net) net = ring_of_pairs(n);
        Budget budget = budget_unlimited();
        Certificate proof;
        ck_assert(rank_theorem_live(net, &budget, &proof));
        ck_assert_uint_le(proof.free_choice.tokens.len, 3 * net->n_places);
        ck_assert_uint_le(proof.free_choice.flows.len, 3 * net->n_transitions);
        certificate_clear(&proof);
    }
}
END_TEST

/* Right proofs with a lie, and right proofs of other nets. */
START_TEST(free_choice_proofs_are_true_or_refused)
{
    uint32_t refused = 0, accepted = 0;
    for (uint64_t seed = 1; seed <= test_rounds(1500, 30000); seed++) {
        Rng rng = {seed * 223};
        FreeChoiceDraft draft;
        fc_draft(&draft, &rng, 8);
        g_autoptr(Net) net = fc_finish(&draft, &rng);
        Certificate proof;
        Budget budget = budget_unlimited();
        ck_assert_msg(rank_theorem_live(net, &budget, &proof), "seed %d", (int)seed);
        for (int k = 0; k < 6; k++) {
            FreeChoiceDraft spoilt = draft;
            uint32_t changes = (uint32_t)rng_below(&rng, 3);
            for (uint32_t i = 0; i < changes; i++) fc_spoil(&spoilt, &rng);
            g_autoptr(Net) other = fc_finish(&spoilt, &rng);
            Certificate lie = {.kind = CERTIFICATE_FREE_CHOICE, .claim = CLAIM_LIVE};
            vec_append(&lie.free_choice.tokens, proof.free_choice.tokens.data, proof.free_choice.tokens.len);
            vec_append(&lie.free_choice.flows, proof.free_choice.flows.data, proof.free_choice.flows.len);
            if (rng_chance(&rng, 3)) change_list(&lie.free_choice.tokens, &rng, net->n_places);
            if (rng_chance(&rng, 3)) change_list(&lie.free_choice.flows, &rng, net->n_transitions);
            if (rng_chance(&rng, 8)) lie.claim = CLAIM_NEVER;
            g_autofree char *problem = NULL;
            NaiveGraph g;
            bool small = naive_graph_init(&g, other, MOST_MARKINGS);
            if (lie.claim == CLAIM_NEVER) {
                lie.goal = g_strdup("deadlock");
                ck_assert(!certificate_check(&lie, other, &budget, &problem));
            } else if (certificate_check(&lie, other, &budget, &problem)) {
                ck_assert_msg(!small || naive_live(&g, g.net->n_transitions), "seed %d, lie %d", (int)seed, k);
                accepted++;
            } else {
                ck_assert_msg(changes || problem, "seed %d", (int)seed);
                refused++;
            }
            naive_graph_clear(&g);
            certificate_clear(&lie);
        }
        certificate_clear(&proof);
    }
    printf("free choice: %u lies refused, %u true anyway\n", refused, accepted);
    ck_assert_uint_gt(refused, 1000);
    ck_assert_uint_gt(accepted, 500);
}
END_TEST

/* Everything is right but one thing: rules and marked places of a net, the sets, and what must be said of it. */
static const struct {
    const char *marked, *rules, *tokens, *flows, *said;
    const char *ends[2]; /* sound between these, or live */
} needed[] = {
    {"p", "t: p -> q; u: q -> p", "p q", "t u", NULL, {0}},
    {"p", "t: p -> q; u: q ?x -> p", "p q; x", "t u", "place x is in a siphon without tokens", {0}},
    {"p x", "t: p -> q; u: q ?x -> p", "p q; x", "t u", NULL, {0}},
    {"p x", "t: p -> q; u: q !2*x -> p", "p q; x", "t u", "transition u has an inhibitor arc or a weight", {0}},
    {"p", "t: 2*p -> 2*q; u: 2*q -> 2*p", "p q", "t u", "transition t has an inhibitor arc or a weight", {0}},
    {"p x", "t: p -> q; u: q ?2*x -> p", "p q; x", "t u", "transition u has an inhibitor arc or a weight", {0}},
    {"p", "t: p ?q -> q r; u: r -> p", "p r", "t u", "transition t has an inhibitor arc or a weight", {0}},
    {"p s", "t: p -> q; v: p s -> q s; u: q -> p", "p q; s", "t u; v u", "it is not free-choice at place p", {0}},
    {"p s", "v: p s -> q s; t: p -> q; u: q -> p", "p q; s", "t u; v u", "it is not free-choice at place p", {0}},
    {"p x y",
     "t: p x -> q x; v: p y -> q y; u: q -> p",
     "p q; x; y",
     "t u; v u",
     "it is not free-choice at place p",
     {0}},
    {"p", "t: p -> q; u: q -> p", "p", "t u", "a set does not keep what it should keep", {0}},
    {"p", "t: p -> q; u: q -> p", "p q", "t", "a set does not keep what it should keep", {0}},
    {"p", "t: p -> q; u: q -> p", "", "t u", "the sets do not cover the net", {0}},
    {"p", "t: p -> q; u: q -> p", "p q", "", "the sets do not cover the net", {0}},
    {"", "t: p -> q; u: q -> p", "p q", "t u", "place p is in a siphon without tokens", {0}},
    {"p q", /* chooses twice, and waits for the same choice */
     "t: p -> a; u: p -> b; v: q -> c; w: q -> d; j: a c -> p q; k: b d -> p q",
     "p a b; q c d",
     "t v j; u w k",
     "the rank is 4 with 4 clusters",
     {0}},
    {"i", "t: i -> a; u: a -> o", "i a o", "t u again", NULL, {"i", "o"}},
    {"", "t: i -> a; u: a -> o", "i a o", "t u again", NULL, {"i", "o"}},
    {"i", "t: i -> a; u: a -> o", "i a o", "t u", "a set does not keep what it should keep", {"i", "o"}},
    {"i", "t: i -> a; u: a -> o; v: a -> i", "i a o", "t u again; t v", "it is no workflow net", {"i", "o"}},
    {"i", "t: i -> a; u: a -> o; v: o -> a", "i a o", "t u again; u v", "it is no workflow net", {"i", "o"}},
    {"i x",
     "t: i -> a; u: a -> o; v: x -> y; w: y -> x",
     "i a o; x y",
     "t u again; v w",
     "place x is in a siphon without tokens",
     {"i", "o"}},
};

/* Ids of places, or of transitions, in lists between semicolons. */
static void read_lists(const Net *net, const char *text, bool places, VecU32 *lists)
{
    g_auto(GStrv) all = g_strsplit(text, ";", -1);
    for (char **one = all; *one && *text; one++) {
        g_auto(GStrv) ids = g_strsplit(g_strstrip(*one), " ", -1);
        for (char **id = ids; *id; id++) {
            bool again = strcmp(*id, "again") == 0;
            vec_push(lists, places  ? net_find_place(net, *id)
                            : again ? net->n_transitions
                                    : net_find_transition(net, *id));
        }
        vec_push(lists, NET_NONE);
    }
}

START_TEST(each_condition_is_needed)
{
    for (size_t i = 0; i < G_N_ELEMENTS(needed); i++) {
        Rules *r = rules_new("needed");
        g_auto(GStrv) marked = g_strsplit(needed[i].marked, " ", -1);
        g_auto(GStrv) rules = g_strsplit(needed[i].rules, ";", -1);
        for (char **id = marked; *id && **id; id++) rules_place(r, 1, "%s", *id);
        for (char **rule = rules; *rule; rule++) rules_add_text(r, g_strstrip(*rule));
        g_autoptr(Net) net = rules_finish(r);
        Certificate c = {.kind = CERTIFICATE_FREE_CHOICE, .claim = CLAIM_LIVE};
        if (needed[i].ends[0]) c.claim = CLAIM_SOUND;
        for (int k = 0; k < 2 && needed[i].ends[0]; k++) c.ends[k] = net_find_place(net, needed[i].ends[k]);
        read_lists(net, needed[i].tokens, true, &c.free_choice.tokens);
        read_lists(net, needed[i].flows, false, &c.free_choice.flows);
        Budget budget = budget_unlimited();
        g_autofree char *problem = NULL;
        bool accepted = certificate_check(&c, net, &budget, &problem);
        ck_assert_msg(accepted == !needed[i].said, "number %zu: %s", i, problem ? problem : "accepted");
        ck_assert_msg(accepted || g_str_has_prefix(problem, needed[i].said), "number %zu: %s", i, problem);
        certificate_clear(&c);
    }
}
END_TEST

/* A net with 2^60 markings and more. */
START_TEST(large_nets_take_no_time)
{
    Rules *r = rules_new("wide");
    rules_place(r, 1, "i");
    g_autoptr(GString) fork = g_string_new("fork: i ->"), join = g_string_new("join:");
    for (int k = 0; k < 60; k++) {
        g_string_append_printf(fork, " a%d", k);
        g_string_append_printf(join, " b%d", k);
        rules_add(r, "t%d: a%d -> b%d", k, k, k);
        rules_add(r, "u%d: a%d -> b%d", k, k, k);
    }
    g_string_append(join, " -> o");
    rules_add_text(r, fork->str);
    rules_add_text(r, join->str);
    g_autoptr(Net) net = rules_finish(r);
    Certificate proof;
    Budget budget = budget_unlimited();
    ck_assert(rank_theorem_sound(net, net_find_place(net, "i"), net_find_place(net, "o"), &budget, &proof));
    certificate_clear(&proof);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId goal;
    ck_assert(expression_parse(store, "o >= 1", "goal", &goal, NULL));
    Downhill found = {0};
    downhill_ask(net, store, goal, &(EngineOptions){.threads = 1}, NULL, &budget, &found);
    ck_assert_int_eq(found.verdict, VERDICT_HOLDS);
    downhill_clear(&found);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ranks");
    TEST_CASE(suite, downhill_agrees_with_brute_force);
    TEST_CASE(suite, descents_are_true_or_refused);
    TEST_CASE(suite, stuck_is_what_it_should_be);
    TEST_CASE(suite, rank_theorem_agrees_with_brute_force);
    TEST_CASE(suite, covers_are_not_much_longer_than_the_net);
    TEST_CASE(suite, free_choice_proofs_are_true_or_refused);
    TEST_CASE(suite, each_condition_is_needed);
    TEST_CASE(suite, large_nets_take_no_time);
    return test_run(suite);
}
