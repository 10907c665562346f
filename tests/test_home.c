#include "test.h"

#include "certify/certificate.h"
#include "home/bottoms.h"
#include "home/live.h"
#include "home/outlook.h"
#include "home/proof.h"
#include "home/sound.h"
#include "free_choice_net.h"
#include "home_goals.h"
#include "lts/components.h"
#include "naive_formula.h"
#include "net/builder.h"
#include "prop/expression.h"
#include "reduce/reduce.h"
#include "reducible.h"
#include "small_net.h"

#include <unistd.h>

enum { MOST_MARKINGS = 300 };

/* Where the run leads, or no such marking. */
static guint arrive(NaiveGraph *g, const VecU32 *run)
{
    g_autofree uint64_t *m = g_new0(uint64_t, g->net->n_places + 1);
    memcpy(m, g->net->initial, g->net->n_places * sizeof *m);
    for (size_t i = 0; i < run->len; i++) {
        ck_assert(run->data[i] < g->net->n_transitions && net_enabled(g->net, m, run->data[i]));
        net_fire(g->net, m, run->data[i]);
    }
    guint before = g->markings->len, at = naive_graph_find(g, m);
    ck_assert_uint_lt(at, before);
    return at;
}

/* Rings of places whose tokens go round, with transitions that tie them together. */
static Net *mostly_live_net(Rng *rng)
{
    g_autoptr(NetBuilder) b = net_builder_new("rings");
    uint32_t rings = 1 + (uint32_t)rng_below(rng, 3), places = 0, transitions = 0;
    char name[16];
    for (uint32_t r = 0; r < rings; r++) {
        uint32_t length = 1 + (uint32_t)rng_below(rng, 4), first = places;
        for (uint32_t i = 0; i < length; i++) {
            g_snprintf(name, sizeof name, "p%u", places++);
            net_builder_place(b, name, NULL, i == 0 ? 1 + rng_below(rng, 2) : (uint64_t)rng_chance(rng, 4));
        }
        for (uint32_t i = 0; i < length; i++) {
            bool tied = transitions && rng_chance(rng, 4);
            uint32_t t = tied ? (uint32_t)rng_below(rng, transitions) : transitions++;
            g_snprintf(name, sizeof name, "t%u", t);
            if (!tied) net_builder_transition(b, name, NULL);
            net_builder_arc(b, ARC_PRE, first + i, t, 1);
            net_builder_arc(b, ARC_POST, first + (i + 1) % length, t, 1);
            if (rng_chance(rng, 12)) net_builder_arc(b, ARC_READ, (uint32_t)rng_below(rng, places), t, 1);
        }
    }
    return net_builder_finish(b, NULL);
}

/* Safe, bounded, weighted, inhibited, not free-choice; sparse nets, where the reductions work most. */
START_TEST(home_agrees_with_brute_force)
{
    uint32_t always = 0, lost = 0;
    for (uint64_t seed = 1; seed <= test_rounds(3000, 60000); seed++) {
        Rng rng = {seed * 31};
        g_autoptr(Net) net = reducible_net(&rng);
        NaiveGraph g;
        if (naive_graph_init(&g, net, MOST_MARKINGS)) {
            g_autoptr(FormulaStore) store = formula_store_new(net);
            FormulaId goals[2];
            RandomFormula *formulas[2] = {random_goal(&rng, store, &goals[0]), random_goal(&rng, store, &goals[1])};
            size_t n = 1 + (size_t)rng_chance(&rng, 4);
            g_autofree bool *first = can_reach(&g, formulas[0]), *second = can_reach(&g, formulas[1]);
            const bool *can[2] = {first, second};
            bool expected = true;
            for (size_t i = 0; i < n; i++) expected &= naive_all(can[i], g.markings->len);
            Budget budget = budget_unlimited();
            EngineOptions options = {.seed = seed, .threads = 1};
            HomeResult result = {0};
            HomeQuestion question = {.net = net, .formulas = store, .goals = goals, .n = n};
            home_ask(&question, &options, &budget, &result);
            ck_assert_msg(result.verdict == (expected ? VERDICT_HOLDS : VERDICT_VIOLATED), "seed %d: %s, %s", (int)seed,
                          question_verdict_text(result.verdict), result.reason ? result.reason : "");
            if (!expected) {
                guint at = arrive(&g, &result.run);
                ck_assert_msg(!can[result.lost][at], "seed %d", (int)seed);
            }
            always += expected;
            lost += !expected;
            home_result_clear(&result);
            rf_free(formulas[0]);
            rf_free(formulas[1]);
        }
        naive_graph_clear(&g);
    }
    ck_assert_uint_gt(always, 300);
    ck_assert_uint_gt(lost, 300);
}
END_TEST

/* How many markings it took. */
static uint64_t components_say(const Net *net, bool live, uint64_t seed)
{
    Budget budget = budget_unlimited();
    g_autofree char *reason = NULL;
    uint64_t markings = 0;
    Truth truth = live_by_components(net, &(EngineOptions){.seed = seed}, &budget, &markings, &reason);
    ck_assert_msg(truth == (live ? TRUTH_YES : TRUTH_NO), "seed %d: %s", (int)seed, reason ? reason : "");
    return markings;
}

/* The reductions that keep liveness, and the components of what they leave. */
START_TEST(liveness_agrees_with_brute_force)
{
    uint32_t count[2] = {0}, smaller = 0;
    for (uint64_t seed = 1; seed <= test_rounds(6000, 120000); seed++) {
        Rng rng = {seed * 53};
        g_autoptr(Net) net = rng_chance(&rng, 2) ? reducible_net(&rng) : mostly_live_net(&rng);
        NaiveGraph g;
        if (naive_graph_init(&g, net, MOST_MARKINGS)) {
            bool live = naive_live(&g, net->n_transitions);
            smaller += components_say(net, live, seed) < g.markings->len;
            count[live]++;
        }
        naive_graph_clear(&g);
    }
    ck_assert_uint_gt(count[0], 1000);
    ck_assert_uint_gt(count[1], 500);
    ck_assert_uint_gt(smaller, 1000);
}
END_TEST

/* Adds to the net a place `stock` that some transitions take from, and a last transition that fills it. `room`: it
 * holds at most so many tokens, and the net has as many markings as before times that; 0: it has no bound. */
static Net *with_stock(const Net *net, uint64_t seed, uint64_t room)
{
    Rng rng = {seed};
    g_autoptr(NetBuilder) b = net_builder_new("stock");
    for (uint32_t p = 0; p < net->n_places; p++) net_builder_place(b, net_place_id(net, p), NULL, net->initial[p]);
    uint64_t first = rng_below(&rng, 2), brought = 1 + rng_below(&rng, 2);
    uint32_t stock = net_builder_place(b, "stock", NULL, first);
    uint32_t free_room = room ? net_builder_place(b, "room", NULL, room - first) : 0;
    for (uint32_t t = 0; t <= net->n_transitions; t++) {
        bool fills = t == net->n_transitions;
        net_builder_transition(b, fills ? "fill" : net_transition_id(net, t), NULL);
        for (ArcKind kind = 0; kind < N_ARC_KINDS && !fills; kind++) {
            NetRow row = net_places(net, kind, t);
            for (uint32_t i = 0; i < row.len; i++) net_builder_arc(b, kind, row.node[i], t, net_weight(row, i));
        }
        uint64_t taken = fills ? 0 : rng_below(&rng, 3);
        if (taken) net_builder_arc(b, ARC_PRE, stock, t, taken);
        if (fills) net_builder_arc(b, ARC_POST, stock, t, brought);
        if (room && taken) net_builder_arc(b, ARC_POST, free_room, t, taken);
        if (room && fills) net_builder_arc(b, ARC_PRE, free_room, t, brought);
    }
    return net_builder_finish(b, NULL);
}

/* A place that can always be filled has no bound, so its twin is one with room for more than anybody takes at once. */
START_TEST(liveness_of_stocks_agrees_with_brute_force)
{
    uint32_t count[2] = {0};
    for (uint64_t seed = 1; seed <= test_rounds(1500, 30000); seed++) {
        Rng rng = {seed * 59};
        g_autoptr(Net) inner = rng_chance(&rng, 2) ? reducible_net(&rng) : mostly_live_net(&rng);
        g_autoptr(Net) net = with_stock(inner, seed, 0), twin = with_stock(inner, seed, 4);
        NaiveGraph g;
        if (naive_graph_init(&g, twin, MOST_MARKINGS)) {
            bool live = naive_live(&g, inner->n_transitions);
            components_say(net, live, seed);
            count[live]++;
        }
        naive_graph_clear(&g);
    }
    ck_assert_uint_gt(count[0], 100);
    ck_assert_uint_gt(count[1], 50);
}
END_TEST

/* Never "impossible" where it is possible. */
START_TEST(outlook_is_never_too_dark)
{
    uint32_t excluded = 0;
    for (uint64_t seed = 1; seed <= test_rounds(600, 12000); seed++) {
        Rng rng = {seed * 77};
        g_autoptr(Net) net = reducible_net(&rng);
        NaiveGraph g;
        if (naive_graph_init(&g, net, MOST_MARKINGS)) {
            g_autoptr(FormulaStore) store = formula_store_new(net);
            FormulaId goal;
            RandomFormula *formula = random_goal(&rng, store, &goal);
            g_autofree bool *can = can_reach(&g, formula);
            g_autoptr(Outlook) outlook = outlook_new(net);
            for (guint i = 0; i < g.markings->len; i++) {
                outlook_at(outlook, g.markings->pdata[i]);
                bool allowed = outlook_allows(outlook, store, goal);
                ck_assert_msg(allowed || !can[i], "seed %d, marking %u", (int)seed, i);
                excluded += !allowed;
            }
            rf_free(formula);
        }
        naive_graph_clear(&g);
    }
    ck_assert_uint_gt(excluded, 500);
}
END_TEST

/* ---- reductions, rule by rule ---- */

static bool always_reachable(const NaiveGraph *g, const FormulaStore *store, FormulaId goal)
{
    g_autoptr(NetLts) lts = netlts_new(g->net, 64);
    g_autofree bool *can = g_new0(bool, g->markings->len);
    for (guint i = 0; i < g->markings->len; i++) can[i] = formula_holds(store, goal, lts, g->markings->pdata[i]);
    naive_graph_close(g, can);
    return naive_all(can, g->markings->len);
}

/* One net under one rule; false: the rule did nothing, or there are too many markings. What supply works on has no
 * bound: there the twin of the net, with room for more than anybody takes at once, is what is searched. */
static bool compare_rule(Rule rule, bool live, uint64_t seed, uint32_t counts[2])
{
    Rng rng = {seed};
    g_autoptr(Net) inner = live && rng_chance(&rng, 2) ? mostly_live_net(&rng) : reducible_net(&rng);
    bool stock = rule == RULE_SUPPLY;
    g_autoptr(Net) net = with_stock(inner, seed, stock ? 0 : 4), twin = with_stock(inner, seed, 4);
    g_autoptr(FormulaStore) outer = formula_store_new(inner);
    g_autoptr(FormulaStore) store = formula_store_new(stock ? net : inner),
                            searched = formula_store_new(stock ? twin : inner);
    FormulaId goal = FORMULA_ID_TRUE, same;
    rf_free(random_goal(&rng, outer, &goal));
    g_autofree char *text = formula_text(outer, goal);
    ck_assert(expression_parse(store, text, "goal", &goal, NULL) &&
              expression_parse(searched, text, "goal", &same, NULL));
    Budget budget = budget_unlimited();
    ReduceOptions options = {.home = !live, .live = live, .without = ~(UINT32_C(1) << rule)};
    g_autoptr(Reduction) r = reduce_new(store->net, store, &goal, live ? 0 : 1, &options, &budget);
    if (!r || !(r->applied[rule] || r->never_fires)) return false;
    NaiveGraph before, after;
    bool small = naive_graph_init(&before, searched->net, MOST_MARKINGS), done = false;
    if (small && naive_graph_init(&after, r->net, 4 * MOST_MARKINGS)) {
        bool expected = live ? naive_live(&before, inner->n_transitions) : always_reachable(&before, searched, same);
        bool got = live ? !r->never_fires && naive_live(&after, r->net->n_transitions)
                        : always_reachable(&after, r->formulas, r->goals[0]);
        ck_assert_msg(got == expected, "rule %s%s, seed %d: %d instead of %d", reduce_rule_name(rule),
                      live ? ", live" : "", (int)seed, got, expected);
        counts[expected]++;
        done = true;
    }
    if (small) naive_graph_clear(&after);
    naive_graph_clear(&before);
    return done;
}

/* The proof obligations of reduce/rules.h, each tried alone. */
START_TEST(each_rule_keeps_what_can_always_happen)
{
    for (int live = 0; live < 2; live++)
        for (Rule rule = 0; rule < N_RULES; rule++) {
            uint32_t counts[2] = {0}, done = 0;
            /* rare ones are looked for longer */
            unsigned usual = test_rounds(3000, 60000), rare = test_rounds(20000, 400000);
            for (uint64_t seed = 1; seed <= (done > 20 ? usual : rare); seed++)
                done += compare_rule(rule, live, seed * 17 + 100000 * (uint64_t)rule + (uint64_t)live, counts);
            printf("%s%s: %u nets, %u yes\n", reduce_rule_name(rule), live ? ", live" : "", done, counts[1]);
            bool used = !live || (rule != RULE_DEAD && rule != RULE_SLICE && rule != RULE_FOLD);
            ck_assert_msg(!used || done > 20, "rule %s has nothing to do", reduce_rule_name(rule));
        }
}
END_TEST

/* ---- certificates ---- */

/* Is what it claims true, by definition? */
static bool claim_is_true(const Net *net, const Certificate *c, const RandomFormula *goal)
{
    NaiveGraph g;
    bool truth = false;
    if (naive_graph_init(&g, net, MOST_MARKINGS)) {
        g_autofree bool *can = can_reach(&g, goal);
        guint at = 0;
        bool runs = true;
        g_autofree uint64_t *m = g_new0(uint64_t, net->n_places + 1);
        memcpy(m, net->initial, net->n_places * sizeof *m);
        for (size_t i = 0; c->claim == CLAIM_LOST && i < c->run.len && runs; i++)
            if ((runs = c->run.data[i] < net->n_transitions && net_enabled(net, m, c->run.data[i])))
                net_fire(net, m, c->run.data[i]);
        if (runs) at = naive_graph_find(&g, m);
        truth = c->claim == CLAIM_HOME ? naive_all(can, g.markings->len) : runs && !can[at];
    }
    naive_graph_clear(&g);
    return truth;
}

/* One lie, of any kind. */
static void forge(Certificate *c, Rng *rng, uint32_t n_transitions)
{
    switch (rng_below(rng, 8)) {
    case 0: c->claim = (CertificateClaim)rng_below(rng, 3); break;
    case 1: c->kind = (CertificateKind)rng_below(rng, N_CERTIFICATE_KINDS); break;
    case 2:
        if (c->n) c->n--;
        break;
    case 3:
        if (c->n) c->states[rng_below(rng, c->n * c->words)] ^= UINT64_C(1) << rng_below(rng, 8);
        break;
    case 4:
        if (c->run.len) c->run.len--;
        break;
    case 5:
        if (c->run.len) c->run.data[rng_below(rng, c->run.len)] = (uint32_t)rng_below(rng, n_transitions);
        break;
    case 6:
        if (c->ranks && c->n) c->ranks[rng_below(rng, c->n)] = (uint32_t)rng_below(rng, 3);
        break;
    default:
        if (!c->ranks) break;
        for (uint64_t i = 0; i < c->n; i++) c->ranks[i] = 0;
        break;
    }
}

/* Ranks that the reader would refuse to leave out. */
static bool is_readable(const Certificate *c)
{
    bool states = c->kind == CERTIFICATE_MARKINGS || c->kind == CERTIFICATE_STUBBORN || c->kind == CERTIFICATE_RANKS;
    return (!states || c->states) && (c->kind != CERTIFICATE_RANKS || c->ranks) &&
           (c->kind != CERTIFICATE_PREFIX || c->events.cause_start);
}

START_TEST(certificates_are_true_or_refused)
{
    g_autofree char *path = g_strdup_printf("%s/mazurka-home-%d.cert", g_get_tmp_dir(), (int)getpid());
    uint32_t written[3] = {0}, refused = 0;
    for (uint64_t seed = 1; seed <= test_rounds(200, 4000); seed++) {
        Rng rng = {seed * 91};
        g_autoptr(Net) net = reducible_net(&rng);
        NaiveGraph g;
        bool small = naive_graph_init(&g, net, MOST_MARKINGS);
        naive_graph_clear(&g);
        if (!small) continue;
        g_autoptr(FormulaStore) store = formula_store_new(net);
        FormulaId goal, other;
        RandomFormula *formula = random_goal(&rng, store, &goal), *wrong = random_goal(&rng, store, &other);
        Budget budget = budget_unlimited();
        EngineOptions options = {.seed = seed, .threads = 1};
        HomeResult result = {0};
        HomeQuestion question = {.net = net, .formulas = store, .goals = &goal, .n = 1};
        home_ask(&question, &options, &budget, &result);
        g_autoptr(GError) error = NULL;
        ck_assert_msg(home_proof_write(&question, &result, &options, &(ProofFile){.path = path}, &budget, &error),
                      "seed %d: %s", (int)seed, error ? error->message : "");
        home_result_clear(&result);
        for (int k = 0; k < 8; k++) {
            Certificate c;
            g_autofree char *problem = NULL;
            ck_assert(certificate_read(&c, net, path, NULL));
            if (k == 0) written[c.claim]++;
            if (k == 1) {
                g_free(c.goal);
                c.goal = formula_text(store, other);
            }
            if (k > 1) forge(&c, &rng, net->n_transitions);
            bool accepted = is_readable(&c) && certificate_check(&c, net, &budget, &problem);
            ck_assert_msg(k || accepted, "seed %d: %s", (int)seed, problem);
            ck_assert_msg(!accepted || claim_is_true(net, &c, k == 1 ? wrong : formula), "seed %d, lie %d", (int)seed,
                          k);
            refused += !accepted;
            certificate_clear(&c);
        }
        rf_free(formula);
        rf_free(wrong);
    }
    remove(path);
    ck_assert_uint_gt(written[CLAIM_HOME], 20);
    ck_assert_uint_gt(written[CLAIM_LOST], 20);
    ck_assert_uint_gt(refused, 200);
}
END_TEST

/* ---- soundness ---- */

/* A place i that nothing fills, a place o that nothing empties, and whatever lies between. */
static Net *random_workflow(Rng *rng, bool several)
{
    g_autoptr(NetBuilder) b = net_builder_new("workflow");
    uint32_t inner = 1 + (uint32_t)rng_below(rng, 5), transitions = 2 + (uint32_t)rng_below(rng, 6);
    uint32_t i = net_builder_place(b, "i", NULL, 1), o = net_builder_place(b, "o", NULL, 0);
    uint32_t second = several ? net_builder_place(b, "o2", NULL, 0) : o, places = second + 1 + inner;
    char name[16];
    for (uint32_t p = second + 1; p < places; p++) {
        g_snprintf(name, sizeof name, "p%u", p);
        net_builder_place(b, name, NULL, 0);
    }
    uint32_t first = second + 1;
    for (uint32_t t = 0; t < transitions; t++) {
        g_snprintf(name, sizeof name, "t%u", t);
        net_builder_transition(b, name, NULL);
        uint32_t in = 1 + (uint32_t)rng_chance(rng, 3), out = 1 + (uint32_t)rng_chance(rng, 3);
        for (uint32_t k = 0; k < in; k++)
            net_builder_arc(b, ARC_PRE, t == 0 ? i : first + (uint32_t)rng_below(rng, inner), t, 1);
        for (uint32_t k = 0; k < out; k++) {
            bool ends = t == 1 || rng_chance(rng, 5);
            uint32_t end = rng_chance(rng, 2) ? o : second;
            net_builder_arc(b, ARC_POST, ends ? end : first + (uint32_t)rng_below(rng, inner), t, 1);
            if (t == 1) break;
        }
    }
    if (several) net_builder_arc(b, ARC_POST, second, 1, 1);
    return net_builder_finish(b, NULL);
}

typedef struct NaiveSound {
    bool part[N_SOUND_PARTS];
} NaiveSound;

static bool is_sink(const Net *net, uint32_t p)
{
    bool filled = false, emptied = false;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        filled |= net_arc_weight(net, ARC_POST, t, p) > 0;
        emptied |= net_arc_weight(net, ARC_PRE, t, p) > 0;
    }
    return filled && !emptied;
}

static uint64_t tokens(const Net *net, const uint64_t *m, bool sinks)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < net->n_places; p++)
        if (is_sink(net, p) == sinks) sum += m[p];
    return sum;
}

static NaiveSound sound_by_definition(const NaiveGraph *g, uint64_t k, bool several)
{
    guint n = g->markings->len;
    const Net *net = g->net;
    g_autofree bool *covered = g_new0(bool, n), *done = g_new0(bool, n);
    g_autofree bool *fires = g_new0(bool, net->n_transitions), *ends = g_new0(bool, net->n_transitions);
    NaiveSound s = {{true, true, true, true}};
    for (guint i = 0; i < n; i++) {
        const uint64_t *m = g->markings->pdata[i];
        uint64_t sinks = tokens(net, m, true), rest = tokens(net, m, false);
        done[i] = several ? sinks && !rest : sinks == k && !rest;
        covered[i] = several ? done[i] : sinks >= k;
        if (covered[i] && !done[i]) s.part[PART_PROPER] = false;
    }
    naive_graph_close(g, covered);
    naive_graph_close(g, done);
    s.part[PART_COMPLETES] = naive_all(covered, n);
    for (size_t i = 0; i < g->firings.len; i++) {
        NaiveFiring f = g->firings.data[i];
        fires[f.transition] = true;
        ends[f.transition] |= done[f.to];
    }
    s.part[PART_USEFUL] = naive_all(fires, net->n_transitions);
    s.part[PART_RELAXED] = naive_all(ends, net->n_transitions);
    return s;
}

static void compare_soundness(const Net *net, uint64_t k, bool several, uint32_t counts[3])
{
    Workflow w;
    GError *error = NULL;
    if (!workflow_init(&w, net, k, NULL, &error)) {
        g_clear_error(&error);
        return;
    }
    NaiveGraph g;
    Budget budget = budget_unlimited();
    EngineOptions options = {.threads = 1};
    if (w.several_sinks == several && naive_graph_init(&g, &w.net, MOST_MARKINGS)) {
        NaiveSound expected = sound_by_definition(&g, k, several);
        for (SoundVariant variant = 0; variant <= SOUND_RELAXED; variant++) {
            Soundness found = {0};
            sound_ask(&w, variant, &options, &budget, &found);
            bool all = true;
            for (SoundPart part = 0; part < N_SOUND_PARTS; part++) {
                const SoundAnswer *a = &found.part[part];
                if (!a->asked) continue;
                all &= expected.part[part];
                ck_assert_msg(a->verdict == (expected.part[part] ? VERDICT_HOLDS : VERDICT_VIOLATED), "%s: %s",
                              sound_part_name(part), question_verdict_text(a->verdict));
                if (a->verdict == VERDICT_VIOLATED) ck_assert(part < PART_USEFUL || a->transitions.len);
                if (a->run.len) arrive(&g, &a->run);
                counts[2] += strcmp(a->engine, "freechoice") == 0;
            }
            ck_assert_int_eq(found.verdict, all ? VERDICT_HOLDS : VERDICT_VIOLATED);
            counts[all]++;
            sound_clear(&found);
        }
        naive_graph_clear(&g);
    } else if (w.several_sinks == several) {
        naive_graph_clear(&g);
    }
    workflow_clear(&w);
}

START_TEST(soundness_agrees_with_brute_force)
{
    uint32_t counts[3] = {0}; /* not sound, sound; parts by the rank theorem */
    for (uint64_t seed = 1; seed <= test_rounds(1500, 30000); seed++) {
        Rng rng = {seed * 13};
        bool several = rng_chance(&rng, 4);
        g_autoptr(Net) net =
            !several && rng_chance(&rng, 3) ? free_choice_workflow(&rng) : random_workflow(&rng, several);
        compare_soundness(net, 1 + rng_below(&rng, 2), several, counts);
    }
    ck_assert_uint_gt(counts[0], 300);
    ck_assert_uint_gt(counts[1], 100);
    ck_assert_uint_gt(counts[2], 300);
}
END_TEST

START_TEST(unbounded_nets_are_not_sound)
{
    g_autoptr(Net) net = small_net("i | begin: i -> a | pump: a -> a b | drop: a b -> a | end: a -> o");
    Workflow w;
    ck_assert(workflow_init(&w, net, 1, NULL, NULL));
    Soundness found = {0};
    Budget budget = budget_new(TEST_PLENTY, 0, 0);
    EngineOptions options = {.threads = 1};
    sound_ask(&w, SOUND_CLASSICAL, &options, &budget, &found);
    ck_assert_int_eq(found.verdict, VERDICT_VIOLATED);
    ck_assert_str_eq(net_place_id(net, found.unbounded), "b");
    ck_assert_int_eq(found.part[PART_PROPER].verdict, VERDICT_VIOLATED);
    sound_clear(&found);
    workflow_clear(&w);
}
END_TEST

/* Round and round between two places, or on to a third: ranks that only stay the same lead nowhere. */
START_TEST(ranks_must_fall)
{
    for (int leads = 0; leads < 2; leads++) {
        g_autoptr(NetBuilder) b = net_builder_new("round");
        static const char *const ids[] = {"p", "q", "r", "t", "u", "v"};
        for (int k = 0; k < 3; k++) net_builder_place(b, ids[k], NULL, k == 0);
        for (int k = 0; k < 2 + leads; k++) {
            uint32_t t = net_builder_transition(b, ids[3 + k], NULL);
            net_builder_arc(b, ARC_PRE, (uint32_t)(k > 0), t, 1);
            net_builder_arc(b, ARC_POST, (uint32_t)(k == 1 ? 0 : k / 2 + 1), t, 1);
        }
        g_autoptr(Net) net = net_builder_finish(b, NULL);
        uint64_t states[] = {0, 0, 1, 0, 1, 0, 1, 0, 0}; /* r, q, p: sorted */
        for (uint32_t ranks = 0; ranks < 9; ranks++) {
            uint32_t given[] = {0, 1 + ranks / 3, 1 + ranks % 3};
            Certificate c = {.kind = CERTIFICATE_RANKS,
                             .claim = CLAIM_HOME,
                             .goal = "r >= 1",
                             .places = 3,
                             .transitions = net->n_transitions,
                             .width = 64,
                             .words = 3,
                             .n = 3,
                             .states = states,
                             .ranks = given};
            Budget budget = budget_unlimited();
            g_autofree char *problem = NULL;
            bool accepted = certificate_check(&c, net, &budget, &problem);
            ck_assert_msg(accepted == (leads && given[2] > given[1]), "ranks %u %u", given[1], given[2]);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("home");
    TEST_CASE(suite, home_agrees_with_brute_force);
    TEST_CASE(suite, liveness_agrees_with_brute_force);
    TEST_CASE(suite, liveness_of_stocks_agrees_with_brute_force);
    TEST_CASE(suite, outlook_is_never_too_dark);
    TEST_CASE(suite, each_rule_keeps_what_can_always_happen);
    TEST_CASE(suite, certificates_are_true_or_refused);
    TEST_CASE(suite, soundness_agrees_with_brute_force);
    TEST_CASE(suite, unbounded_nets_are_not_sound);
    TEST_CASE(suite, ranks_must_fall);
    return test_run(suite);
}
