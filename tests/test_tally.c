/* Goals asked by counting groups against the same goals asked as they are, along random runs of random nets, with
 * firings that are undone. */
#include "test.h"

#include "net/gen.h"
#include "verify/goal.h"
#include "verify/tally.h"

enum { N_ATOMS = 48, N_GOALS = 12, N_STEPS = 40 };

static Net *random_net_of_many(Rng *rng)
{
    GenRandom options = {
        .components = 6, .states = 5, .places = 24, .transitions = 30, .weight = 2, .reads = true, .inhibitors = true};
    return rng_chance(rng, 2) ? gen_random_safe(rng, &options) : gen_random_bounded(rng, &options);
}

/* Places (transitions) of a kind stand in the same sums, as the colours of a coloured place do. */
static FormulaId random_atom(Rng *rng, FormulaStore *store, const uint32_t *kind)
{
    const Net *net = store->net;
    int64_t coefficient[3];
    FormulaId id = FORMULA_ID_FALSE;
    for (int k = 0; k < 3; k++) coefficient[k] = (int64_t)rng_below(rng, 5) - 2;
    if (rng_chance(rng, 3)) {
        VecU32 set = {0};
        for (uint32_t t = 0; t < net->n_transitions; t++)
            if (coefficient[kind[t]] > 0) vec_push(&set, t);
        id = formula_fireable(store, set.data, set.len);
        vec_free(&set);
    } else {
        VEC(FormulaTerm) terms = {0};
        for (uint32_t p = 0; p < net->n_places; p++)
            if (coefficient[kind[p]]) vec_push(&terms, ((FormulaTerm){p, coefficient[kind[p]]}));
        ck_assert(formula_at_most(store, terms.data, terms.len, (int64_t)rng_below(rng, 7) - 2, &id, NULL));
        vec_free(&terms);
    }
    return rng_chance(rng, 3) ? formula_not(store, id) : id;
}

static FormulaId random_junction(Rng *rng, FormulaStore *store, const FormulaId *atoms)
{
    FormulaId parts[4], both[2];
    for (int i = 0; i < 4; i++) parts[i] = atoms[rng_below(rng, N_ATOMS)];
    if (rng_chance(rng, 4)) parts[0] = formula_deadlock(store);
    if (rng_chance(rng, 4)) parts[1] = formula_not(store, formula_deadlock(store));
    both[0] = formula_and(store, parts, 2 + rng_below(rng, 3));
    both[1] = formula_or(store, parts, 2);
    return rng_chance(rng, 2) ? formula_or(store, both, 2) : formula_and(store, both, 2);
}

static void compare(const Tally *tally, const FormulaStore *store, const FormulaId *goals, const NetLts *plain)
{
    for (int i = 0; i < N_GOALS; i++) {
        bool holds = formula_holds(store, goals[i], plain, tally->here->marking);
        ck_assert_int_eq(tally_holds(tally, goals[i]), holds);
        ck_assert_int_eq(tally_distance(tally, goals[i]) == 0, holds);
    }
}

static bool compare_along(uint64_t seed)
{
    Rng rng = {seed};
    g_autoptr(Net) net = random_net_of_many(&rng);
    g_autofree uint32_t *kind = g_new(uint32_t, MAX(net->n_places, net->n_transitions) + 1);
    for (uint32_t i = 0; i < MAX(net->n_places, net->n_transitions); i++) kind[i] = (uint32_t)rng_below(&rng, 3);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId atoms[N_ATOMS], goals[N_GOALS];
    for (int i = 0; i < N_ATOMS; i++) atoms[i] = random_atom(&rng, store, kind);
    for (int i = 0; i < N_GOALS; i++) goals[i] = random_junction(&rng, store, atoms);
    g_autoptr(Tally) tally = tally_new(store, goals, N_GOALS);
    if (!tally) return false;
    g_autoptr(NetLts) plain = netlts_new(net, 64);
    g_autoptr(Tracker) start = tracker_new(net);
    tracker_count_groups(start, &tally->groups);
    g_autoptr(Tracker) here = tracker_copy(start);
    tally->here = here;
    for (int step = 0; step < N_STEPS; step++) {
        compare(tally, store, goals, plain);
        if (!here->n_enabled || rng_chance(&rng, 16)) tracker_assign(here, start);
        if (!here->n_enabled) break;
        uint32_t t = here->enabled[rng_below(&rng, here->n_enabled)];
        if (tracker_fire(here, t) && rng_chance(&rng, 4)) tracker_unfire(here, t);
    }
    return true;
}

START_TEST(test_goals_by_groups)
{
    uint64_t n = test_rounds(300, 20000), first = test_number("MAZURKA_SEED", 1), counted = 0;
    for (uint64_t seed = first; seed < first + n; seed++) counted += compare_along(seed);
    ck_assert_msg(counted > n / 4, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, counted, n);
}
END_TEST

/* Small goals are asked as they are. */
START_TEST(test_small_goals)
{
    Rng rng = {1};
    g_autoptr(Net) net = random_net_of_many(&rng);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId goal = formula_deadlock(store);
    ck_assert_ptr_null(tally_new(store, &goal, 1));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tally");
    TEST_CASE(suite, test_goals_by_groups);
    TEST_CASE(suite, test_small_goals);
    return test_run(suite);
}
