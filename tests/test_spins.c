#include "test.h"

#include "breadth.h"
#include "explore/conditional.h"
#include "explore/dpor.h"
#include "explore/netexplore.h"
#include "net/safeness.h"
#include "program/compile.h"
#include "traces_found.h"
#include "waiting_net.h"

/* Loops that wait (src/explore/spins.h) against all runs, in which every token carries where idle transitions took it,
 * and against all markings. */

enum { MOST_MARKINGS = 2000, MOST_PLACES = 64, MOST_TRANSITIONS = 128 };

/* ---- all markings ---- */

typedef struct Markings {
    const Net *net;
    bool safe;
    GHashTable *dead;
    bool acts[MOST_TRANSITIONS]; /* those that can fire and are not idle */
} Markings;

/* What a firing adds to a place. */
static int64_t effect_on(const Net *net, uint32_t t, uint32_t p)
{
    return (int64_t)net_arc_weight(net, ARC_POST, t, p) - (int64_t)net_arc_weight(net, ARC_PRE, t, p);
}

/* By definition. *from is NET_NONE for one that changes nothing. */
static bool naive_idle(const Net *net, uint32_t t, uint32_t *from, uint32_t *to)
{
    *from = *to = NET_NONE;
    for (uint32_t p = 0; p < net->n_places; p++) {
        int64_t change = effect_on(net, t, p);
        if (!change) continue;
        uint32_t *end = change < 0 ? from : to;
        if (*end != NET_NONE || (change != 1 && change != -1)) return false;
        for (uint32_t u = 0; u < net->n_transitions; u++)
            if (net_arc_weight(net, ARC_INHIBIT, u, p)) return false;
        *end = p;
    }
    return (*from == NET_NONE) == (*to == NET_NONE);
}

static bool look(const uint64_t *marking, void *data)
{
    Markings *m = data;
    bool any = false;
    uint32_t from, to;
    for (uint32_t p = 0; p < m->net->n_places; p++) m->safe &= marking[p] <= 1;
    for (uint32_t t = 0; t < m->net->n_transitions; t++) {
        if (!net_enabled(m->net, marking, t)) continue;
        any = true;
        m->acts[t] |= !naive_idle(m->net, t, &from, &to);
    }
    if (!any) g_hash_table_add(m->dead, g_bytes_new(marking, m->net->n_places * sizeof *marking));
    return false;
}

static bool all_markings(Markings *m, const Net *net)
{
    VecU32 unused = {0};
    *m = (Markings){.net = net, .safe = true};
    m->dead = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    bool all = net->n_places <= MOST_PLACES && net->n_transitions <= MOST_TRANSITIONS &&
               naive_search(net, MOST_MARKINGS, look, m, &unused) == NAIVE_NO;
    vec_free(&unused);
    return all && m->safe;
}

static bool acts(const uint64_t *marking, void *data)
{
    const Net *net = data;
    uint32_t from, to;
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (net_enabled(net, marking, t) && !naive_idle(net, t, &from, &to)) return true;
    return false;
}

/* Will nothing but idle transitions ever fire after this run? */
static bool stuck_for_ever(const Net *net, const uint32_t *run, uint32_t n)
{
    Net after = *net;
    g_autofree uint64_t *marking = g_new0(uint64_t, net->n_places + 1);
    memcpy(marking, net->initial, net->n_places * sizeof *marking);
    for (uint32_t i = 0; i < n; i++) ck_assert(net_enabled(net, marking, run[i]) && net_fire(net, marking, run[i]));
    after.initial = marking;
    VecU32 unused = {0};
    NaiveAnswer answer = naive_search(&after, MOST_MARKINGS, acts, &after, &unused);
    vec_free(&unused);
    return answer == NAIVE_NO;
}

/* ---- all runs without turns ---- */

typedef struct Runs {
    const Net *net;
    const Indep *indep;
    GHashTable *met, *ends, *waiting; /* normal forms */
    GArray *run;
    guint limit;
    bool complete;
} Runs;

typedef struct Tokens {
    uint64_t marking[MOST_PLACES], been[MOST_PLACES]; /* by place: where its token was since something else saw it */
} Tokens;

static bool touches(const Net *net, uint32_t t, uint32_t p)
{
    for (ArcKind kind = ARC_PRE; kind <= ARC_READ; kind++)
        if (net_arc_weight(net, kind, t, p)) return true;
    return false;
}

/* False: it is a turn. */
static bool move(const Net *net, const Tokens *before, uint32_t t, Tokens *after)
{
    uint32_t from, to;
    bool idle = naive_idle(net, t, &from, &to);
    if (idle && (from == NET_NONE || before->been[from] >> to & 1)) return false;
    *after = *before;
    ck_assert(net_fire(net, after->marking, t));
    for (uint32_t p = 0; p < net->n_places; p++)
        if (touches(net, t, p)) after->been[p] = UINT64_C(1) << p;
    if (idle) after->been[to] |= before->been[from];
    return true;
}

static void walk(Runs *w, const Tokens *tokens)
{
    if (w->run->len > 40 || g_hash_table_size(w->met) > w->limit) w->complete = false;
    if (!w->complete) return;
    bool any = false, goes_on = false;
    for (uint32_t t = 0; t < w->net->n_transitions && w->complete; t++) {
        Tokens next;
        if (!net_enabled(w->net, tokens->marking, t)) continue;
        any = true;
        if (!move(w->net, tokens, t, &next)) continue;
        goes_on = true;
        g_array_append_val(w->run, t);
        if (g_hash_table_add(w->met, traces_foata(w->indep, (uint32_t *)(void *)w->run->data, w->run->len, NULL)))
            walk(w, &next);
        g_array_set_size(w->run, w->run->len - 1);
    }
    if (goes_on || !w->complete) return;
    g_hash_table_add(any ? w->waiting : w->ends,
                     traces_foata(w->indep, (uint32_t *)(void *)w->run->data, w->run->len, NULL));
}

static void all_runs(Runs *w, const Net *net, const Indep *indep)
{
    *w = (Runs){.net = net, .indep = indep, .limit = 3000, .complete = true};
    w->met = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    w->ends = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    w->waiting = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    w->run = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    Tokens tokens = {0};
    for (uint32_t p = 0; p < net->n_places; p++) {
        tokens.marking[p] = net->initial[p];
        tokens.been[p] = UINT64_C(1) << p;
    }
    walk(w, &tokens);
}

static void runs_clear(Runs *w)
{
    g_hash_table_destroy(w->met);
    g_hash_table_destroy(w->ends);
    g_hash_table_destroy(w->waiting);
    g_array_free(w->run, TRUE);
}

/* ---- what explorers find ---- */

typedef struct Found {
    const Net *net;
    const Indep *indep;
    GHashTable *ends, *waiting;
    guint twice, stuck, missed;
    bool fired[MOST_TRANSITIONS];
} Found;

static void note(void *data, LeafKind kind, const Config *c)
{
    Found *f = data;
    ck_assert(kind != LEAF_BOUND && kind != LEAF_CUTOFF);
    if (kind == LEAF_BLOCKED) return;
    GHashTable *set = kind == LEAF_MAXIMAL ? f->ends : f->waiting;
    f->twice += !g_hash_table_add(set, traces_foata(f->indep, c->label.data, c->n, NULL));
    for (uint32_t i = 0; i < c->n; i++) f->fired[c->label.data[i]] = true;
    if (kind == LEAF_MAXIMAL) return;
    bool for_ever = stuck_for_ever(f->net, c->label.data, c->n);
    ck_assert(kind == LEAF_WAITING || for_ever);
    f->stuck += kind == LEAF_STUCK;
    f->missed += kind == LEAF_WAITING && for_ever;
}

static Found found_new(const Net *net, const Indep *indep)
{
    return (Found){.net = net,
                   .indep = indep,
                   .ends = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                   .waiting = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
}

static void found_all(Found *f, const Runs *runs, const Markings *markings)
{
    ck_assert_uint_eq(f->twice, 0);
    ck_assert(same_strings(f->ends, runs->ends));
    ck_assert(same_strings(f->waiting, runs->waiting));
    for (int t = 0; t < MOST_TRANSITIONS; t++) ck_assert(f->fired[t] || !markings->acts[t]);
    g_hash_table_destroy(f->ends);
    g_hash_table_destroy(f->waiting);
}

/* False: it gave up, at a run that repeats its marking. Idle transitions of two threads that look at each other's
 * places can do that, though their turns end. */
static bool by_labels(Found *f, const Runs *runs, const Markings *markings, const Spins *spins, Algorithm algorithm,
                      unsigned threads)
{
    DporOptions options = {.algorithm = algorithm, .spins = spins, .threads = threads, .leaf = note, .data = f};
    Budget budget = budget_unlimited();
    DporRun run;
    dpor_run(&run, f->net, f->indep, &options, &budget);
    bool repeats = run.outcome.end == ENDING_ENDLESS;
    if (repeats) {
        g_hash_table_destroy(f->ends);
        g_hash_table_destroy(f->waiting);
        dpor_clear(&run);
        return false;
    }
    ck_assert_int_eq(run.outcome.end, ENDING_COMPLETE);
    ck_assert(!outcome_reason(&run.outcome));
    if (algorithm == ALGORITHM_ODPOR) ck_assert_uint_eq(run.outcome.stats.leaves[LEAF_BLOCKED], 0);
    same_dead(f->net, run.lts, run.outcome.dead.data, run.outcome.dead.len, markings->dead);
    found_all(f, runs, markings);
    dpor_clear(&run);
    return true;
}

static void by_unfolding(Found *f, const Runs *runs, const Markings *markings, const Spins *spins, size_t cache)
{
    ExploreOptions options = {.cache = cache, .spins = spins, .leaf = note, .data = f};
    Budget budget = budget_unlimited();
    NetExplore run;
    netexplore_run(&run, f->net, f->indep, &options, false, &budget);
    ck_assert_int_eq(run.end, ENDING_COMPLETE);
    ck_assert_uint_eq(explore_stats(run.explorer)->leaves[LEAF_BLOCKED], 0);
    size_t n;
    const ExploreDead *dead = explore_dead(run.explorer, &n);
    same_dead(f->net, run.lts, dead, n, markings->dead);
    found_all(f, runs, markings);
    netexplore_clear(&run);
}

/* Where it ends. */
static bool by_conditions(const Net *net, const Markings *markings, const Spins *spins)
{
    Budget budget = budget_unlimited();
    g_autoptr(Constraints) constraints = constraints_within(net, &budget, NULL);
    DporRun run;
    conditional_run(&run, constraints, &(ConditionalOptions){.spins = spins}, &budget);
    bool complete = run.outcome.end == ENDING_COMPLETE;
    if (complete) same_dead(net, run.lts, run.outcome.dead.data, run.outcome.dead.len, markings->dead);
    dpor_clear(&run);
    return complete;
}

typedef struct Tally {
    guint compared, repeat, endless, waiting, stuck, missed, conditional;
} Tally;

static void compare(const Net *net, const Indep *indep, Rng *rng, Tally *tally)
{
    static const Algorithm ALGORITHMS[] = {ALGORITHM_ODPOR, ALGORITHM_SDPOR, ALGORITHM_SLEEP, ALGORITHM_REVERSE};
    Markings markings;
    Runs runs;
    bool small = all_markings(&markings, net);
    all_runs(&runs, net, indep);
    g_autoptr(Spins) spins = spins_new(net, true);
    if (small && runs.complete && spins) {
        Traces *traces = traces_make(net, indep, 200, true);
        tally->endless += !traces->complete;
        traces_free(traces);
        for (size_t k = 0; k < G_N_ELEMENTS(ALGORITHMS); k++) {
            Found found = found_new(net, indep);
            bool threads = ALGORITHMS[k] == ALGORITHM_REVERSE && rng_chance(rng, 2);
            tally->repeat += !by_labels(&found, &runs, &markings, spins, ALGORITHMS[k], threads ? 3 : 1);
            tally->stuck += found.stuck;
            tally->missed += found.missed;
        }
        Found found = found_new(net, indep);
        by_unfolding(&found, &runs, &markings, spins, rng_chance(rng, 2) ? 0 : CACHE_USUAL);
        tally->conditional += by_conditions(net, &markings, spins);
        tally->compared++;
        tally->waiting += g_hash_table_size(runs.waiting) > 0;
    }
    runs_clear(&runs);
    g_hash_table_destroy(markings.dead);
}

START_TEST(loops_that_wait)
{
    Rng rng = {test_number("MAZURKA_SEED", 21)};
    guint rounds = test_rounds(4000, 60000);
    Tally tally = {0};
    for (guint round = 0; round < rounds; round++) {
        g_autoptr(Net) net = waiting_net(&rng);
        g_autoptr(Indep) indep = indep_new(net, RELATIONS[1 + rng_below(&rng, G_N_ELEMENTS(RELATIONS) - 1)]);
        compare(net, indep, &rng, &tally);
    }
    printf("%u of %u nets compared (%u searches gave up), %u endless, %u wait; leaves stuck %u, not recognised %u; "
           "cdpor ended on %u\n",
           tally.compared, rounds, tally.repeat, tally.endless, tally.waiting, tally.stuck, tally.missed,
           tally.conditional);
    ck_assert_uint_gt(tally.compared, rounds / 4);
    ck_assert_uint_gt(tally.endless, rounds / 10);
    ck_assert_uint_gt(tally.waiting, rounds / 10);
    ck_assert_uint_gt(tally.stuck, 2 * tally.missed);
    ck_assert_uint_gt(tally.conditional, rounds / 10);
    ck_assert_uint_lt(tally.repeat, rounds / 50); /* of four searches on each */
}
END_TEST

/* Known algorithms and a lock, as the compiler has them: their nets are safe by their units. */
START_TEST(programs_that_wait)
{
    static const char *const names[] = {"peterson", "dekker", "lamport", "szymanski", "spinlock"};
    Rng rng = {5};
    Tally tally = {0};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path =
            g_strdup_printf("%s/nets/programs/%s.mzk", g_getenv("SRCDIR") ? g_getenv("SRCDIR") : "..", names[i]);
        g_autofree char *text = NULL;
        gsize len;
        ck_assert(g_file_get_contents(path, &text, &len, NULL));
        g_autoptr(Compiled) compiled = compile_program(text, len, path, NULL, NULL);
        ck_assert(compiled && safeness_decide(compiled->net, NULL, NULL) == SAFE_YES);
        for (size_t k = 1; k < G_N_ELEMENTS(RELATIONS); k++) {
            g_autoptr(Indep) indep = indep_new(compiled->net, RELATIONS[k]);
            compare(compiled->net, indep, &rng, &tally);
        }
    }
    ck_assert_uint_eq(tally.compared, G_N_ELEMENTS(names) * (G_N_ELEMENTS(RELATIONS) - 1));
    ck_assert_uint_eq(tally.endless, tally.compared);
    ck_assert_uint_eq(tally.repeat, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spins");
    TEST_CASE(suite, loops_that_wait);
    TEST_CASE(suite, programs_that_wait);
    return test_run(suite);
}
