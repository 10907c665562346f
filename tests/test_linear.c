#include "test.h"

#include "breadth.h"
#include "certify/certificate.h"
#include "certify/last_firing.h"
#include "prop/expression.h"
#include "random_formula.h"
#include "random_net.h"
#include "small_net.h"
#include "verify/engine.h"
#include "verify/run_facts.h"
#include "verify/farkas.h"
#include "verify/lattice.h"

#include <unistd.h>

enum { MOST_MARKINGS = 3000, WALKS = 20, STEPS = 60 };

static Net *linear_net(Rng *rng)
{
    GenRandom kind = random_kind(rng, 4, 3);
    return rng_chance(rng, 3) ? gen_random_safe(rng, &kind) : gen_random_bounded(rng, &kind);
}

static bool verifies(const Certificate *c, const Net *net, char **problem)
{
    Budget budget = budget_unlimited();
    return certificate_check(c, net, &budget, problem);
}

/* ---- the twin: every claim of a certificate at markings and firing counts that are really reached ---- */

typedef struct Twin {
    const Net *net;
    const Linear *linear;
    const uint64_t *marking, *fired;
} Twin;

static __int128 value(const Twin *w, uint32_t unknown)
{
    return unknown < w->net->n_places ? w->marking[unknown] : w->fired[unknown - w->net->n_places];
}

static bool touches(const Net *net, const bool *set, uint32_t t, bool post)
{
    for (uint32_t p = 0; p < net->n_places; p++) {
        if (!set[p]) continue;
        if (post ? net_arc_weight(net, ARC_POST, t, p)
                 : net_arc_weight(net, ARC_PRE, t, p) + net_arc_weight(net, ARC_READ, t, p))
            return true;
    }
    return false;
}

/* Is the sum of firings on one side of a siphon 0? */
static bool side_is_zero(const Twin *w, size_t side)
{
    size_t n;
    const LinearTerm *places = linear_list(&w->linear->siphons, side / 2, &n);
    g_autofree bool *set = g_new0(bool, w->net->n_places + 1);
    for (size_t i = 0; i < n; i++) set[places[i].number] = true;
    for (uint32_t t = 0; t < w->net->n_transitions; t++) {
        bool needs = touches(w->net, set, t, false);
        if (w->fired[t] && (side % 2 ? needs : !needs && touches(w->net, set, t, true))) return false;
    }
    return true;
}

static bool atom_holds(const Twin *w, uint32_t atom)
{
    size_t n, listed = linear_count(&w->linear->atoms);
    if (atom >= listed) return side_is_zero(w, atom - listed);
    const LinearTerm *terms = linear_list(&w->linear->atoms, atom, &n);
    __int128 sum = 0;
    for (size_t i = 0; i < n; i++) sum += terms[i].factor * value(w, terms[i].number);
    return sum <= w->linear->bounds.data[atom];
}

static void claims_hold(const Twin *w)
{
    size_t n;
    for (size_t i = 0; i < linear_count(&w->linear->traps); i++) {
        const LinearTerm *places = linear_list(&w->linear->traps, i, &n);
        uint64_t tokens = 0;
        for (size_t k = 0; k < n; k++) tokens += w->marking[places[k].number];
        ck_assert_msg(tokens > 0, "trap %zu is empty", i);
    }
    size_t listed = linear_count(&w->linear->atoms);
    for (size_t i = 0; i < linear_count(&w->linear->siphons); i++)
        ck_assert(!atom_holds(w, (uint32_t)(listed + 2 * i)) || atom_holds(w, (uint32_t)(listed + 2 * i + 1)));
    for (size_t i = 0; i < linear_count(&w->linear->uses); i++) {
        const LinearTerm *uses = linear_list(&w->linear->uses, i, &n);
        bool all = true;
        for (size_t k = 0; k < n; k++) all &= atom_holds(w, uses[k].number) == (uses[k].factor > 0);
        ck_assert_msg(!all, "lemma %zu is broken by a reachable marking", i);
    }
}

static void claims_hold_on_walks(const Net *net, const Linear *linear, Rng *rng)
{
    g_autofree uint64_t *marking = g_new0(uint64_t, net->n_places + 1),
                        *fired = g_new0(uint64_t, net->n_transitions + 1);
    Twin twin = {net, linear, marking, fired};
    for (int walk = 0; walk < WALKS; walk++) {
        memcpy(marking, net->initial, net->n_places * sizeof *marking);
        memset(fired, 0, net->n_transitions * sizeof *fired);
        for (int step = 0; step < STEPS; step++) {
            claims_hold(&twin);
            uint32_t t = (uint32_t)rng_below(rng, net->n_transitions), tries = 0;
            while (!net_enabled(net, marking, t) && tries++ < net->n_transitions) t = (t + 1) % net->n_transitions;
            if (!net_enabled(net, marking, t)) break;
            ck_assert(net_fire(net, marking, t));
            fired[t]++;
        }
    }
}

/* ---- random nets ---- */

typedef struct Claim {
    Net *net;
    FormulaStore *store;
    FormulaId goal;
    char *path;
} Claim;

/* Asks the engine with and without a certificate. True when it proved the goal unreachable and wrote one. */
static bool prove(const Claim *c, const char *engine, Answer *alone)
{
    Query query = {c->net, c->store, c->goal};
    ProofFile file = {.path = c->path};
    EngineOptions options = {.threads = 1, .certificate = &file}, plain = {.threads = 1};
    Budget budget = budget_unlimited();
    Result result = {0};
    engine_find(engine)->run(&query, &plain, &budget, &result);
    *alone = result.answer;
    result_clear(&result);
    engine_find(engine)->run(&query, &options, &budget, &result);
    bool proved = result.answer == ANSWER_UNREACHABLE;
    result_clear(&result);
    return proved;
}

/* One number somewhere, changed a little or wildly. */
static bool damage(Linear *l, Rng *rng)
{
    LinearLists *const lists[] = {&l->atoms, &l->traps, &l->siphons, &l->uses, &l->leans, &l->equations};
    LinearLists *list = lists[rng_below(rng, G_N_ELEMENTS(lists))];
    int64_t by = rng_chance(rng, 4) ? (int64_t)rng_next(rng) : rng_chance(rng, 2) ? 1 : -1;
    if (rng_chance(rng, 6)) {
        if (!l->bounds.len) return false;
        int64_t *bound = &l->bounds.data[rng_below(rng, l->bounds.len)];
        *bound = (int64_t)((uint64_t)*bound + (uint64_t)by);
        return true;
    }
    if (!list->terms.len) return false;
    LinearTerm *term = &list->terms.data[rng_below(rng, list->terms.len)];
    if (rng_chance(rng, 2))
        term->number += (uint32_t)by;
    else
        term->factor = (int64_t)((uint64_t)term->factor + (uint64_t)by);
    return true;
}

typedef struct Tally {
    unsigned proofs, with_reads, with_inhibitors, unsafe, splits, traps, siphons, refused, accepted, integral;
} Tally;

static void tally_proof(Tally *tally, const Net *net, const Linear *l)
{
    tally->proofs++;
    tally->with_reads += net_arc_count(net, ARC_READ) > 0;
    tally->with_inhibitors += net_arc_count(net, ARC_INHIBIT) > 0;
    tally->traps += linear_count(&l->traps) > 0;
    tally->siphons += linear_count(&l->siphons) > 0;
    for (uint32_t p = 0; p < net->n_places; p++)
        if (net->initial[p] > 1) {
            tally->unsafe++;
            break;
        }
}

/* What is still accepted after the damage must be true. */
static void damage_it(const Claim *claim, Rng *rng, Tally *tally)
{
    Certificate c;
    ck_assert(certificate_read(&c, claim->net, claim->path, NULL));
    if (damage(&c.linear, rng)) {
        Cnf cnf;
        Budget budget = budget_unlimited();
        cnf_init(&cnf, &budget);
        g_autofree char *problem = NULL, *wrong = NULL;
        if (certificate_clauses(&c, claim->net, &cnf, &budget, &problem)) {
            claims_hold_on_walks(claim->net, &c.linear, rng);
            tally->accepted++;
        } else {
            ck_assert(problem != NULL && !verifies(&c, claim->net, &wrong));
            tally->refused++;
        }
        cnf_clear(&cnf);
    }
    certificate_clear(&c);
}

static void check_claim(Claim *claim, Rng *rng, Tally *tally)
{
    NaiveAnswer expected = naive_reach(claim->net, claim->store, claim->goal, MOST_MARKINGS, NULL);
    Answer alone;
    if (!prove(claim, "equation", &alone)) {
        tally->integral += alone == ANSWER_UNREACHABLE;
        return;
    }
    ck_assert(alone == ANSWER_UNREACHABLE && expected != NAIVE_YES);
    Certificate c;
    g_autofree char *problem = NULL;
    GError *error = NULL;
    ck_assert_msg(certificate_read(&c, claim->net, claim->path, &error), "%s", error ? error->message : "");
    ck_assert(c.kind == CERTIFICATE_LINEAR);
    ck_assert_msg(verifies(&c, claim->net, &problem), "%s", problem);
    claims_hold_on_walks(claim->net, &c.linear, rng);
    tally_proof(tally, claim->net, &c.linear);
    certificate_clear(&c);
    for (int i = 0; i < 8; i++) damage_it(claim, rng, tally);
}

static char *temporary(void)
{
    char *path = g_build_filename(g_get_tmp_dir(), "mazurka-linear-XXXXXX", NULL);
    close(g_mkstemp(path));
    return path;
}

START_TEST(what_the_equation_proves_can_be_checked)
{
    Tally tally = {0};
    g_autofree char *path = temporary();
    for (uint64_t seed = 1; seed <= test_rounds(500, 10000); seed++) {
        Rng rng = {seed * 77};
        g_autoptr(Net) net = linear_net(&rng);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        g_autoptr(GString) text = g_string_new(NULL);
        if (seed % 4 == 0)
            g_string_append(text, "deadlock");
        else
            random_formula(&rng, net, (int)rng_below(&rng, 4), text);
        Claim claim = {net, store, 0, path};
        ck_assert(expression_parse(store, text->str, "random", &claim.goal, NULL));
        check_claim(&claim, &rng, &tally);
    }
    printf("linear: %u proofs (%u nets with reads, %u with inhibitors, %u with several tokens at first; %u use traps, "
           "%u siphons), %u not written; "
           "damaged: %u refused, %u still true\n",
           tally.proofs, tally.with_reads, tally.with_inhibitors, tally.unsafe, tally.traps, tally.siphons,
           tally.integral, tally.refused, tally.accepted);
    ck_assert_uint_gt(tally.proofs, test_rounds(500, 10000) / 10);
    ck_assert_uint_gt(tally.with_reads, 10);
    ck_assert_uint_gt(tally.with_inhibitors, 5);
    ck_assert_uint_gt(tally.unsafe, 10);
    ck_assert_uint_gt(tally.traps, 0);
    ck_assert_uint_gt(tally.siphons, 0);
    ck_assert_uint_gt(tally.refused, tally.proofs);
    ck_assert_uint_le(tally.integral, tally.proofs / 20);
    unlink(path);
}
END_TEST

/* ---- small nets, by hand ---- */

static bool refutes(const char *text, const char *goal, uint32_t splits, Linear *linear)
{
    g_autoptr(Net) net = small_net(text);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Query query = {net, store, 0};
    ck_assert(expression_parse(store, goal, "goal", &query.goal, NULL));
    Budget budget = budget_unlimited();
    return farkas_refute(&query, splits, &budget, linear) == SAT_NO;
}

/* Half a firing would do it: only whole numbers refute. */
START_TEST(fractions_are_split)
{
    Linear l = {0};
    ck_assert(!refutes("a | t: a -> 2*b", "b == 1", 0, &l));
    ck_assert(refutes("a | t: a -> 2*b", "b == 1", 10, &l));
    ck_assert_uint_gt(linear_count(&l.uses), 1);
    linear_clear(&l);
}
END_TEST

START_TEST(traps_and_siphons_are_used)
{
    Linear l = {0};
    ck_assert(refutes("a | double: a -> 2*b | one: b -> a | two: 3*b -> b", "a + b == 0", 0, &l));
    ck_assert_uint_eq(linear_count(&l.traps), 1);
    linear_clear(&l);
    l = (Linear){0};
    ck_assert(refutes("a | t: c -> c b | u: b -> b c", "c >= 1", 0, &l));
    ck_assert_uint_eq(linear_count(&l.siphons), 1);
    linear_clear(&l);
}
END_TEST

/* ---- what the last firing leaves behind ---- */

static int32_t test_of_marking(Cnf *cnf, uint32_t place, uint64_t weight, void *data)
{
    const uint64_t *marking = data;
    return marking[place] >= weight ? cnf->truth : -cnf->truth;
}

/* Do the clauses of last_firing.h allow the marking? */
static bool clauses_allow(const Net *net, uint64_t *marking)
{
    Cnf cnf;
    Budget budget = budget_unlimited();
    cnf_init(&cnf, &budget);
    last_firing_clauses(net, &cnf, &(CnfTests){.tokens = test_of_marking, .data = marking});
    g_autoptr(Sat) sat = sat_new();
    sat_variables(sat, cnf.n_variables);
    for (size_t i = 0; i < cnf.literals.len; i++) sat_add(sat, cnf.literals.data[i]);
    bool allowed = sat_solve(sat, &budget) == SAT_YES;
    cnf_clear(&cnf);
    return allowed;
}

/* Is it the initial one, or some marking's successor by a transition that changes it? */
static bool may_be_left(const Net *net, const uint64_t *marking)
{
    g_autofree uint64_t *before = g_new0(uint64_t, net->n_places + 1);
    if (memcmp(marking, net->initial, net->n_places * sizeof *marking) == 0) return true;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        bool there = true, changes = false;
        for (uint32_t p = 0; p < net->n_places && there; p++) {
            uint64_t takes = net_arc_weight(net, ARC_PRE, t, p), puts = net_arc_weight(net, ARC_POST, t, p);
            there = marking[p] >= puts;
            before[p] = there ? marking[p] - puts + takes : 0;
            changes |= takes != puts;
        }
        if (there && changes && net_enabled(net, before, t)) return true;
    }
    return false;
}

START_TEST(the_last_firing_leaves_what_its_definition_says)
{
    unsigned allowed = 0, excluded = 0;
    for (uint64_t seed = 1; seed <= test_rounds(300, 6000); seed++) {
        Rng rng = {seed * 31};
        g_autoptr(Net) net = linear_net(&rng);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        g_autoptr(NetLts) plain = netlts_new(net, 64);
        g_autofree uint64_t *marking = g_memdup2(net->initial, net->n_places * sizeof *marking);
        FormulaId last;
        ck_assert(run_facts_last(store, &last));
        for (int round = 0; round < 20; round++) {
            bool expected = may_be_left(net, marking);
            ck_assert_msg(clauses_allow(net, marking) == expected, "seed %d", (int)seed);
            ck_assert(formula_holds(store, last, plain, marking) || !expected);
            allowed += expected, excluded += !expected;
            for (uint32_t p = 0; p < net->n_places; p++)
                marking[p] = rng_chance(&rng, 3) ? rng_below(&rng, 4) : net->initial[p];
        }
    }
    ck_assert_uint_gt(allowed, 100);
    ck_assert_uint_gt(excluded, 100);
}
END_TEST

/* Tokens in pairs, and a marking that only the last firing excludes: two rings of PGCD. */
static const char pgcd[] = "a 4*b c d 4*e f | up: a b -> 2*a c | down: 3*a c -> 2*a b | up2: d e -> 2*d f | "
                           "down2: 3*d f -> 2*d e | over: a b c -> d e f | back: d e f -> a b c";

START_TEST(proofs_by_the_last_firing_can_be_checked)
{
    g_autofree char *path = temporary();
    g_autoptr(Net) net = small_net(pgcd);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Claim claim = {net, store, formula_deadlock(store), path};
    ck_assert(naive_reach(net, store, claim.goal, MOST_MARKINGS, NULL) == NAIVE_NO);
    Answer alone;
    ck_assert(prove(&claim, "equation", &alone));
    Certificate c;
    g_autofree char *problem = NULL, *without = NULL;
    ck_assert(certificate_read(&c, net, path, NULL));
    ck_assert(c.kind == CERTIFICATE_LINEAR && c.linear.last);
    ck_assert_msg(verifies(&c, net, &problem), "%s", problem);
    c.linear.last = false;
    ck_assert(!verifies(&c, net, &without));
    certificate_clear(&c);
    unlink(path);
}
END_TEST

/* Half of whole firings: the sum that is found is a fraction there. Whole firings: there is none. */
START_TEST(no_whole_firings_between)
{
    unsigned found = 0, halves = 0;
    for (uint64_t seed = 1; seed <= test_rounds(1000, 20000); seed++) {
        Rng rng = {seed * 57};
        g_autoptr(Net) net = linear_net(&rng);
        Effects effects;
        effects_init(&effects, net);
        g_autofree int64_t *tokens = g_new0(int64_t, net->n_places + 1), *form = g_new0(int64_t, effects.n + 1);
        g_autofree int64_t *fired = g_new0(int64_t, effects.n + 1);
        int64_t below = 0;
        VecTerm effect = {0};
        for (uint32_t c = 0; c < effects.n; c++) {
            fired[c] = (int64_t)rng_below(&rng, 5) * (seed % 2 ? 2 : 1);
            effects_of(net, effects.first[c], &effect);
            for (size_t i = 0; i < effect.len; i++)
                tokens[effect.data[i].place] += fired[c] * effect.data[i].coefficient;
        }
        bool whole = true;
        for (uint32_t p = 0; p < net->n_places; p++) {
            whole &= tokens[p] % 2 == 0;
            tokens[p] = tokens[p] / 2 + (int64_t)net->initial[p];
        }
        Budget budget = budget_unlimited();
        bool between = whole && lattice_between(net, &effects, tokens, &budget, form, &below);
        ck_assert(!between || seed % 2 == 0);
        int64_t twice = 0;
        for (uint32_t c = 0; c < effects.n; c++) twice += form[c] * fired[c];
        if (between) ck_assert(2 * below < twice && twice < 2 * below + 2);
        found += between, halves += whole && seed % 2 == 0;
        vec_free(&effect);
        effects_clear(&effects);
    }
    printf("lattice: %u of %u halves lie between\n", found, halves);
    ck_assert_uint_gt(found, 5);
}
END_TEST

/* After any firing the set has a token if it had one before: by the definition, at random markings. */
static void keeps_its_token(const Net *net, const VecU32 *places, Rng *rng)
{
    g_autofree uint64_t *marking = g_new0(uint64_t, net->n_places + 1);
    for (int round = 0; round < 30; round++) {
        uint64_t before = 0, after = 0;
        for (uint32_t p = 0; p < net->n_places; p++) marking[p] = rng_below(rng, 4);
        for (size_t i = 0; i < places->len; i++) before += marking[places->data[i]];
        uint32_t t = (uint32_t)rng_below(rng, net->n_transitions);
        if (!before || !net_enabled(net, marking, t)) continue;
        net_fire(net, marking, t);
        for (size_t i = 0; i < places->len; i++) after += marking[places->data[i]];
        ck_assert_uint_gt(after, 0);
    }
}

START_TEST(traps_stay_traps_when_made_small)
{
    unsigned smaller = 0, found = 0;
    for (uint64_t seed = 1; seed <= test_rounds(1500, 30000); seed++) {
        Rng rng = {seed * 13};
        g_autoptr(Net) net = linear_net(&rng);
        g_autofree bool *marked = g_new0(bool, net->n_places + 1);
        for (uint32_t p = 0; p < net->n_places; p++) marked[p] = rng_chance(&rng, 5);
        VecU32 places = {0};
        bool token = run_facts_trap(net, marked, &places), still = false;
        size_t before = places.len;
        keeps_its_token(net, &places, &rng);
        if (token) {
            run_facts_smaller_trap(net, &places);
            keeps_its_token(net, &places, &rng);
            for (size_t i = 0; i < places.len; i++)
                still |= net->initial[places.data[i]] > 0 && !marked[places.data[i]];
            ck_assert(still && places.len <= before);
            found++;
            smaller += places.len < before;
        }
        vec_free(&places);
    }
    ck_assert_uint_gt(found, 50);
    ck_assert_uint_gt(smaller, 20);
}
END_TEST

/* p -> q, q -> p; r is empty and nothing feeds it. p + q = 1. Each line is one wrong certificate and what is said about
 * it. */
static const struct {
    const char *atoms, *traps, *siphons, *lemmas, *problem;
} wrong[] = {
    {"0 0*1\n0 1*1", "", "", "0*1 1*1 | | 0*-1 1*-1", NULL}, /* right */
    {"0 0*1\n0 1*1", "", "", "0*1 1*1 | | 0*-1", "is not inductive: t breaks it"},
    {"0 0*1\n0 1*1", "", "", "0*1 1*1 | | 0*-2 1*-1", "more tokens on p satisfy it"},
    {"0 0*1\n0 1*1", "", "", "0*1 | | 0*-1 1*-1", "more tokens on q satisfy it"},
    {"0 0*1\n1 1*1", "", "", "0*1 1*1 | | 0*-1 1*-1", "its bound is not negative"},
    {"0 0*1\n0 1*1", "", "", "0*1 1*1 | | 0*1 1*1", "its bound is not negative"},
    {"0 0*1\n0 1*1", "", "", "0*1 7*1 | | 0*-1 1*-1", "names something that is not there"},
    {"0 0*1\n0 1*1", "", "", "0*1 1*1 | | 0*-1 9*-1", "names something that is not there"},
    {"0 0*1\n0 1*1", "", "", "0*1 1*1 | 0*1 | 0*-1 1*-1", "names something that is not there"},
    {"0 0*1\n0 1*1", "", "", "0*1 1*0 | | 0*-1 1*-1", "names something that is not there"},
    {"0 0*1\n0 0*1", "", "", "", "is listed before"},
    {"0 1*1 0*1", "", "", "", "not a sorted list of unknowns"},
    {"0 0*0", "", "", "", "not a sorted list of unknowns"},
    {"0 99*1", "", "", "", "not a sorted list of unknowns"},
    {"0 0*-1", "", "", "", "first factor of atom 0 is negative"},
    {"0 0*1\n0 1*1", "0 1", "", "0*1 1*1 | 0*1 |", NULL}, /* right, by the trap {p, q} */
    {"0 0*1\n0 1*1", "0", "", "0*1 | 0*1 |", "can lose its last token to t"},
    {"0 0*1\n0 1*1", "1 2", "", "", "has no token at first"},
    {"0 0*1\n0 1*1", "1 0", "", "", "not a sorted list of places"},
    {"0 0*1\n0 1*1", "0 1", "", "0*1 1*1 | 0*-1 |", "names something that is not there"},
    {"0 0*1\n0 1*1", "", "0 2", "", "has a token at first"},
    {"0 0*1\n0 1*1", "", "3", "", "not a sorted list of places"},
    {"0 0*1\n0 1*1", "", "2", "", "!the clauses"},
    {"9223372036854775807 0*9223372036854775807", "", "",
     "0*9223372036854775807 0*9223372036854775807 0*9223372036854775807 0*9223372036854775807 | |",
     "its bound is not negative"},
};

static void parse_part(Linear *l, LinearPart part, const char *text)
{
    if (!*text) return;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) ck_assert_msg(linear_parse(l, part, *line), "%s", *line);
}

START_TEST(wrong_certificates_are_refused_with_their_reason)
{
    g_autoptr(Net) net = small_net("p 0*q 0*r | t: p -> q | u: q -> p");
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        Certificate c = {
            .kind = CERTIFICATE_LINEAR, .goal = g_strdup("p == 0 && q == 0"), .places = 3, .transitions = 2};
        parse_part(&c.linear, LINEAR_ATOMS, wrong[i].atoms);
        parse_part(&c.linear, LINEAR_TRAPS, wrong[i].traps);
        parse_part(&c.linear, LINEAR_SIPHONS, wrong[i].siphons);
        parse_part(&c.linear, LINEAR_LEMMAS, wrong[i].lemmas);
        const uint8_t empty[] = {'a', 0};
        c.proof = g_memdup2(empty, sizeof empty);
        c.proof_len = sizeof empty;
        g_autofree char *problem = NULL;
        bool ok = verifies(&c, net, &problem);
        if (!wrong[i].problem)
            ck_assert_msg(ok, "case %zu: %s", i, problem);
        else if (wrong[i].problem[0] == '!')
            ck_assert_msg(!ok, "case %zu is accepted", i);
        else
            ck_assert_msg(!ok && strstr(problem, wrong[i].problem), "case %zu: %s", i, problem ? problem : "accepted");
        certificate_clear(&c);
    }
}
END_TEST

START_TEST(malformed_lines_are_refused)
{
    static const struct {
        LinearPart part;
        const char *line;
    } lines[] = {{LINEAR_ATOMS, ""},
                 {LINEAR_ATOMS, "x"},
                 {LINEAR_ATOMS, "1 2"},
                 {LINEAR_ATOMS, "1 2*"},
                 {LINEAR_ATOMS, "1 2*3|"},
                 {LINEAR_ATOMS, "99999999999999999999 1*1"},
                 {LINEAR_ATOMS, "0 4294967296*1"},
                 {LINEAR_ATOMS, "0 -1*1"},
                 {LINEAR_ATOMS, "0 1*9223372036854775808"},
                 {LINEAR_TRAPS, "1*1"},
                 {LINEAR_TRAPS, "1,2"},
                 {LINEAR_SIPHONS, "1 |"},
                 {LINEAR_LEMMAS, ""},
                 {LINEAR_LEMMAS, "|"},
                 {LINEAR_LEMMAS, "0*1 | | 0*1 |"},
                 {LINEAR_LEMMAS, "0*1 | 0 |"}};
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        Linear l = {0};
        ck_assert_msg(!linear_parse(&l, lines[i].part, lines[i].line), "\"%s\" is taken", lines[i].line);
        linear_clear(&l);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("linear");
    TEST_CASE(suite, what_the_equation_proves_can_be_checked);
    TEST_CASE(suite, fractions_are_split);
    TEST_CASE(suite, traps_and_siphons_are_used);
    TEST_CASE(suite, the_last_firing_leaves_what_its_definition_says);
    TEST_CASE(suite, proofs_by_the_last_firing_can_be_checked);
    TEST_CASE(suite, no_whole_firings_between);
    TEST_CASE(suite, traps_stay_traps_when_made_small);
    TEST_CASE(suite, wrong_certificates_are_refused_with_their_reason);
    TEST_CASE(suite, malformed_lines_are_refused);
    return test_run(suite);
}
