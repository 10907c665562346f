#include "test.h"

#include "breadth.h"
#include "certify/certificate.h"
#include "certify/stubborn_sets.h"
#include "prop/expression.h"
#include "reducible.h"
#include "verify/engine.h"

#include <unistd.h>

enum { MOST_MARKINGS = 2000 };

/* With more inhibitor arcs than others have. */
static Net *limited_net(Rng *rng)
{
    g_autoptr(Net) net = reducible_net(rng);
    g_autoptr(NetBuilder) b = net_builder_new("limited");
    for (uint32_t p = 0; p < net->n_places; p++) net_builder_place(b, net_place_id(net, p), NULL, net->initial[p]);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        net_builder_transition(b, net_transition_id(net, t), NULL);
        for (int kind = 0; kind < N_ARC_KINDS; kind++) {
            NetRow row = net_places(net, kind, t);
            for (uint32_t i = 0; i < row.len; i++) net_builder_arc(b, kind, row.node[i], t, net_weight(row, i));
        }
        if (rng_chance(rng, 3)) {
            uint64_t weight = 1 + rng_below(rng, 2);
            net_builder_arc(b, ARC_INHIBIT, (uint32_t)rng_below(rng, net->n_places), t, weight);
        }
    }
    return net_builder_finish(b, NULL);
}

/* Depth first there is no end otherwise. */
static bool has_few_markings(const Net *net)
{
    g_autoptr(FormulaStore) store = formula_store_new(net);
    return naive_reach(net, store, FORMULA_ID_FALSE, MOST_MARKINGS, NULL) == NAIVE_NO;
}

static FormulaId some_goal(Rng *rng, FormulaStore *store)
{
    FormulaId goal = reducible_goal(rng, store);
    if (!rng_chance(rng, 8)) return goal;
    FormulaId both[] = {goal, formula_not(store, formula_deadlock(store))};
    return formula_and(store, both, 2);
}

/* ---- a search that fires needed sets only, of any choices, misses no goal ---- */

typedef struct Visits {
    GHashTable *seen;
    GPtrArray *markings;
    uint32_t n_places;
} Visits;

static void visit(Visits *v, const uint64_t *marking)
{
    uint64_t *copy = g_memdup2(marking, MAX(v->n_places, 1) * sizeof *copy);
    NaiveKey *key = g_new(NaiveKey, 1);
    *key = (NaiveKey){copy, v->n_places};
    if (g_hash_table_contains(v->seen, key)) {
        g_free(copy);
        g_free(key);
        return;
    }
    g_hash_table_add(v->seen, key);
    g_ptr_array_add(v->markings, copy);
}

/* NAIVE_TOO_MANY: the limit was met. *fired: firings; *all: those that a full search of the same markings makes. */
static NaiveAnswer narrow_search(Rng *rng, const Net *net, FormulaStore *store, FormulaId goal, uint64_t *fired,
                                 uint64_t *all)
{
    g_autoptr(StubbornSets) needed = stubborn_sets_new(net, store, goal);
    g_autoptr(NetLts) plain = netlts_new(net, 64);
    Visits v = {g_hash_table_new_full(naive_hash, naive_equal, g_free, NULL), g_ptr_array_new_with_free_func(g_free),
                net->n_places};
    NaiveAnswer answer = NAIVE_NO;
    g_autofree uint64_t *next = g_new0(uint64_t, net->n_places + 1);
    visit(&v, net->initial);
    for (guint i = 0; i < v.markings->len && answer == NAIVE_NO; i++) {
        const uint64_t *marking = v.markings->pdata[i];
        if (formula_holds(store, goal, plain, marking)) answer = NAIVE_YES;
        if (v.markings->len > MOST_MARKINGS) answer = NAIVE_TOO_MANY;
        if (answer != NAIVE_NO) break;
        stubborn_sets_at(needed, marking, (unsigned)rng_below(rng, 5));
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            if (!net_enabled(net, marking, t)) continue;
            ++*all;
            if (!stubborn_sets_has(needed, t)) continue;
            ++*fired;
            memcpy(next, marking, net->n_places * sizeof *next);
            net_fire(net, next, t);
            visit(&v, next);
        }
    }
    g_hash_table_unref(v.seen);
    g_ptr_array_unref(v.markings);
    return answer;
}

START_TEST(needed_sets_miss_no_goal)
{
    uint64_t fired = 0, all = 0;
    uint32_t yes = 0, no = 0;
    for (uint64_t seed = 1; seed <= test_rounds(6000, 180000); seed++) {
        Rng rng = {seed * 1299709};
        g_autoptr(Net) net = seed % 2 ? reducible_net(&rng) : limited_net(&rng);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        FormulaId goal = some_goal(&rng, store);
        NaiveAnswer expected = naive_reach(net, store, goal, MOST_MARKINGS, NULL);
        if (expected == NAIVE_TOO_MANY) continue;
        NaiveAnswer got = narrow_search(&rng, net, store, goal, &fired, &all);
        g_autofree char *text = formula_text(store, goal);
        ck_assert_msg(got == expected, "seed %" G_GUINT64_FORMAT ": %s", seed, text);
        yes += got == NAIVE_YES;
        no += got == NAIVE_NO;
    }
    ck_assert_uint_gt(yes, 500);
    ck_assert_uint_gt(no, 500);
    ck_assert_msg(fired * 10 < all * 9, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " firings: hardly a reduction",
                  fired, all);
}
END_TEST

/* ---- certificates ---- */

static bool verifies(const Certificate *c, const Net *net)
{
    Budget budget = budget_unlimited();
    g_autofree char *problem = NULL;
    return certificate_check(c, net, &budget, &problem);
}

START_TEST(proofs_by_stubborn_sets_verify_and_lies_do_not)
{
    uint32_t proofs = 0, smaller = 0, lies = 0;
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "mazurka-needed-XXXXXX", NULL);
    close(g_mkstemp(path));
    for (uint64_t seed = 1; seed <= test_rounds(1000, 30000); seed++) {
        Rng rng = {seed * 15485863};
        g_autoptr(Net) net = seed % 2 ? reducible_net(&rng) : limited_net(&rng);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        Query query = {net, store, some_goal(&rng, store)};
        if (!has_few_markings(net)) continue;
        NaiveAnswer expected = naive_reach(net, store, query.goal, MOST_MARKINGS, NULL);
        ProofFile file = {.path = path};
        EngineOptions options = {.threads = 1, .certificate = &file};
        Budget budget = budget_unlimited();
        Result result = {0};
        engine_find("stubborn")->run(&query, &options, &budget, &result);
        g_autofree char *text = formula_text(store, query.goal);
        ck_assert_msg(result.answer == (expected == NAIVE_YES ? ANSWER_REACHABLE : ANSWER_UNREACHABLE),
                      "seed %" G_GUINT64_FORMAT " %s: %s", seed, text, result.reason);
        result_clear(&result);
        if (expected == NAIVE_YES) {
            /* The initial marking alone, or with all that it leads to, proves nothing. */
            Certificate lie = {.kind = CERTIFICATE_STUBBORN,
                               .goal = text,
                               .places = net->n_places,
                               .transitions = net->n_transitions,
                               .width = 64,
                               .words = MAX(net->n_places, 1),
                               .n = 1,
                               .states = net->initial};
            ck_assert(!verifies(&lie, net));
            lies++;
            continue;
        }
        Certificate c;
        ck_assert(certificate_read(&c, net, path, NULL));
        ck_assert(c.kind == CERTIFICATE_STUBBORN && verifies(&c, net));
        proofs++;
        Certificate full = c; /* as a plain set of markings it may have gaps */
        full.kind = CERTIFICATE_MARKINGS;
        smaller += !verifies(&full, net);
        full.kind = CERTIFICATE_STUBBORN;
        full.goal = "true";
        ck_assert(!verifies(&full, net));
        certificate_clear(&c);
    }
    unlink(path);
    ck_assert_uint_gt(proofs, 100);
    ck_assert_uint_gt(smaller, 30);
    ck_assert_uint_gt(lies, 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("needed");
    TEST_CASE(suite, needed_sets_miss_no_goal);
    TEST_CASE(suite, proofs_by_stubborn_sets_verify_and_lies_do_not);
    return test_run(suite);
}
