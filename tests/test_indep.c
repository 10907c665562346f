/* Independence relations: each against a word-by-word twin of its definition, and every independent pair
 * against commutation, both directions, at every reachable marking of small random nets. */
#include "test.h"

#include "base/bitset.h"
#include "lts/commute.h"
#include "lts/netlts.h"
#include "lts/pairs.h"
#include "lts/stateeq.h"
#include "net/builder.h"
#include "net/gen.h"

#include <string.h>

enum { MOST_MARKINGS = 3000 };

/* All reachable markings by the net's own slow firing rule; NULL when there are too many. */
static GPtrArray *reachable(const Net *net)
{
    GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_bytes_hash, g_bytes_equal);
    size_t bytes = net->n_places * sizeof(uint64_t);
    GBytes *first = g_bytes_new(net->initial, bytes);
    g_ptr_array_add(list, first);
    g_hash_table_add(seen, first);
    g_autofree uint64_t *m = g_malloc(bytes + 8);
    for (guint i = 0; i < list->len; i++)
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            memcpy(m, g_bytes_get_data(list->pdata[i], NULL), bytes);
            if (!net_enabled(net, m, t)) continue;
            ck_assert(net_fire(net, m, t));
            GBytes *next = g_bytes_new(m, bytes);
            if (g_hash_table_contains(seen, next)) {
                g_bytes_unref(next);
                continue;
            }
            g_ptr_array_add(list, next);
            g_hash_table_add(seen, next);
            if (list->len > MOST_MARKINGS) {
                g_ptr_array_unref(list);
                return NULL;
            }
        }
    return list;
}

static bool after(const Net *net, const uint64_t *m, uint32_t t, uint64_t *to)
{
    if (!net_enabled(net, m, t)) return false;
    memcpy(to, m, net->n_places * sizeof *to);
    return net_fire(net, to, t);
}

static bool commute_at(const Net *net, const uint64_t *m, uint32_t t, uint32_t u)
{
    uint64_t mt[64], mu[64], mtu[64], mut[64];
    ck_assert(net->n_places <= 64);
    bool et = after(net, m, t, mt), eu = after(net, m, u, mu);
    if (et && net_enabled(net, mt, u) != eu) return false;
    if (eu && net_enabled(net, mu, t) != et) return false;
    if (!et || !eu) return true;
    after(net, mt, u, mtu);
    after(net, mu, t, mut);
    return memcmp(mtu, mut, net->n_places * sizeof *m) == 0;
}

static bool commute_everywhere(const Net *net, GPtrArray *markings, uint32_t t, uint32_t u)
{
    for (guint i = 0; i < markings->len; i++)
        if (!commute_at(net, g_bytes_get_data(markings->pdata[i], NULL), t, u)) return false;
    return true;
}

/* The relations of mazurka-theory(7), place by place, from the arcs' weights only. */
static bool dependent_by_definition(const Net *net, Relation relation, uint32_t t, uint32_t u)
{
    if (t == u || relation == RELATION_NONE) return true;
    for (uint32_t p = 0; p < net->n_places; p++)
        for (int swap = 0; swap < 2; swap++) {
            uint32_t a = swap ? u : t, b = swap ? t : u;
            uint64_t pre = net_arc_weight(net, ARC_PRE, a, p), post = net_arc_weight(net, ARC_POST, a, p);
            bool moves = pre || post, reads = net_arc_weight(net, ARC_READ, a, p);
            bool needs = net_arc_weight(net, ARC_PRE, b, p) || net_arc_weight(net, ARC_READ, b, p);
            bool inhibited = net_arc_weight(net, ARC_INHIBIT, b, p);
            if (relation == RELATION_LOOPS) moves = pre != post;
            if (moves && (needs || inhibited)) return true;
            if (relation == RELATION_CLASSIC && reads && needs) return true;
        }
    return false;
}

static Net *random_net(Rng *rng, int kind)
{
    GenRandom safe = {.reads = true, .loops = true, .sinks = true, .inhibitors = kind == 1};
    GenRandom bounded = {.reads = true, .loops = true, .weight = 3, .inhibitors = kind == 3};
    return kind < 2 ? gen_random_safe(rng, &safe) : gen_random_bounded(rng, &bounded);
}

START_TEST(definitions)
{
    Rng rng = {11};
    for (int round = 0; round < 400; round++) {
        g_autoptr(Net) net = random_net(&rng, round % 4);
        for (Relation r = 0; r <= RELATION_LOOPS; r++) {
            g_autoptr(Indep) indep = indep_new(net, r);
            ck_assert(indep->structural);
            uint64_t independent = 0;
            for (uint32_t t = 0; t < net->n_transitions; t++)
                for (uint32_t u = 0; u < net->n_transitions; u++) {
                    bool dependent = dependent_by_definition(net, r, t, u);
                    ck_assert_msg(indep_dependent(indep, t, u) == dependent, "round %d relation %s: %u %u", round,
                                  relation_name(r), t, u);
                    ck_assert(indep_dependent_slow(indep, t, u) == dependent);
                    independent += t < u && !dependent;
                }
            ck_assert_uint_eq(independent, indep_count(indep));
        }
    }
}
END_TEST

/* Each member of the set that depends on a, once and in order; what the loop clears is not met again. */
static void visits_dependent(const Indep *indep, uint32_t a, const uint64_t *members)
{
    uint64_t set[3];
    uint32_t words = (uint32_t)bitset_words(indep->n), last = 0, met = 0, want = 0;
    memcpy(set, members, sizeof set);
    for (INDEP_EACH(u, indep, a, set, words)) {
        ck_assert(bitset_get(set, u) && indep_dependent_slow(indep, a, (uint32_t)u) && (!met || u > last));
        bitset_clear(set, u);
        last = (uint32_t)u;
        met++;
    }
    for (uint32_t u = 0; u < indep->n; u++) want += bitset_get(members, u) && indep_dependent_slow(indep, a, u);
    ck_assert_uint_eq(met, want);
}

/* With the matrix and, as in large nets, without it. */
START_TEST(dependent_members)
{
    enum { N = 150 };
    Rng rng = {12};
    for (int round = 0; round < 40; round++) {
        uint32_t pairs[2 * 3 * N];
        uint64_t set[3] = {0};
        for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) pairs[i] = (uint32_t)rng_below(&rng, N);
        for (uint32_t u = 0; u < N; u++)
            if (rng_chance(&rng, 3)) bitset_set(set, u);
        g_autoptr(Indep) indep = indep_from_pairs(N, pairs, G_N_ELEMENTS(pairs) / 2);
        ck_assert_ptr_nonnull(indep->matrix);
        for (uint32_t a = 0; a < N; a++) visits_dependent(indep, a, set);
        g_clear_pointer(&indep->matrix, g_free);
        for (uint32_t a = 0; a < N; a++) visits_dependent(indep, a, set);
    }
}
END_TEST

START_TEST(commutation)
{
    Rng rng = {12};
    uint64_t pairs[N_RELATIONS] = {0}, possible = 0;
    for (int round = 0; round < 600; round++) {
        g_autoptr(Net) net = random_net(&rng, round % 4);
        g_autoptr(GPtrArray) markings = reachable(net);
        if (!markings) continue;
        for (Relation r = 0; r < RELATION_FILE; r++) {
            g_autoptr(Indep) indep = indep_new(net, r);
            pairs[r] += indep_count(indep);
            for (uint32_t t = 0; t < net->n_transitions; t++)
                for (uint32_t u = t + 1; u < net->n_transitions; u++) {
                    bool commute = commute_everywhere(net, markings, t, u);
                    possible += r == RELATION_PROVED && commute;
                    ck_assert_msg(commute || indep_dependent(indep, t, u),
                                  "round %d: %s says %s and %s are independent", round, relation_name(r),
                                  net_transition_id(net, t), net_transition_id(net, u));
                }
        }
    }
    printf("independent pairs: classic %" G_GUINT64_FORMAT ", read %" G_GUINT64_FORMAT ", loops %" G_GUINT64_FORMAT
           ", proved %" G_GUINT64_FORMAT ", commuting %" G_GUINT64_FORMAT "\n",
           pairs[RELATION_CLASSIC], pairs[RELATION_READ], pairs[RELATION_LOOPS], pairs[RELATION_PROVED], possible);
    ck_assert_uint_gt(pairs[RELATION_READ], pairs[RELATION_CLASSIC]);
    ck_assert_uint_gt(pairs[RELATION_LOOPS], pairs[RELATION_READ]);
    ck_assert_uint_gt(pairs[RELATION_PROVED], pairs[RELATION_LOOPS]);
}
END_TEST

/* A 2-in 1-out loop changes the place; equal weights do not. */
START_TEST(weighted_loops)
{
    for (int out = 1; out <= 2; out++) {
        g_autoptr(NetBuilder) b = net_builder_new("loop");
        uint32_t p = net_builder_place(b, "p", NULL, 3);
        uint32_t t = net_builder_transition(b, "t", NULL), u = net_builder_transition(b, "u", NULL);
        net_builder_arc(b, ARC_PRE, p, t, 2);
        net_builder_arc(b, ARC_POST, p, t, (uint64_t)out);
        net_builder_arc(b, ARC_READ, p, u, 1);
        g_autoptr(Net) net = net_builder_finish(b, NULL);
        g_autoptr(Indep) loops = indep_new(net, RELATION_LOOPS), read = indep_new(net, RELATION_READ);
        ck_assert(indep_dependent(loops, t, u) == (out == 1));
        ck_assert(indep_dependent(read, t, u));
    }
}
END_TEST

/* No box that holds a reachable marking is excluded; boxes outside an invariant are. */
START_TEST(state_equation)
{
    Rng rng = {13};
    unsigned excluded = 0;
    for (int round = 0; round < 200; round++) {
        g_autoptr(Net) net = random_net(&rng, round % 4);
        g_autoptr(GPtrArray) markings = reachable(net);
        if (!markings) continue;
        g_autoptr(StateEq) eq = stateeq_new(net, UINT64_MAX / 2);
        uint64_t low[64], high[64];
        for (int question = 0; question < 20; question++) {
            for (uint32_t p = 0; p < net->n_places; p++) {
                low[p] = rng_chance(&rng, 3) ? rng_below(&rng, 3) : 0;
                high[p] = rng_chance(&rng, 3) ? low[p] + rng_below(&rng, 2) : STATEEQ_NO_BOUND;
            }
            bool excludes = stateeq_excludes(eq, low, high);
            excluded += excludes;
            for (guint i = 0; excludes && i < markings->len; i++) {
                const uint64_t *m = g_bytes_get_data(markings->pdata[i], NULL);
                bool inside = true;
                for (uint32_t p = 0; p < net->n_places; p++) inside &= m[p] >= low[p] && m[p] <= high[p];
                ck_assert_msg(!inside, "round %d question %d: a reachable marking is excluded", round, question);
            }
        }
    }
    ck_assert_uint_gt(excluded, 500);
}
END_TEST

/* Fourier-Motzkin elimination in 128-bit integers: a row means sum a[j] x[j] >= -a[n]. */
enum { FM_ROWS = 4000, FM_COLUMNS = 5 };
typedef struct FmRow {
    __int128 a[FM_COLUMNS + 1];
} FmRow;

static void fm_add(FmRow *rows, size_t *n, FmRow row, size_t columns)
{
    __int128 g = 0;
    for (size_t j = 0; j <= columns; j++)
        for (__int128 x = row.a[j] < 0 ? -row.a[j] : row.a[j], y; x; x = y) y = g % x, g = x;
    for (size_t j = 0; g > 1 && j <= columns; j++) row.a[j] /= g;
    for (size_t i = 0; i < *n; i++)
        if (memcmp(&rows[i], &row, sizeof row) == 0) return;
    if (*n < FM_ROWS) rows[*n] = row;
    ++*n;
}

/* 1 feasible, 0 not, -1 too many rows. */
static int fm_feasible(FmRow *rows, size_t n, size_t columns)
{
    static FmRow next[FM_ROWS];
    for (size_t j = 0; j < columns; j++) {
        size_t m = 0;
        for (size_t i = 0; i < n; i++) {
            if (rows[i].a[j] == 0) fm_add(next, &m, rows[i], columns);
            for (size_t k = 0; rows[i].a[j] > 0 && k < n; k++) {
                if (rows[k].a[j] >= 0) continue;
                FmRow sum = {{0}};
                for (size_t c = 0; c <= columns; c++)
                    sum.a[c] = rows[i].a[c] * -rows[k].a[j] + rows[k].a[c] * rows[i].a[j];
                fm_add(next, &m, sum, columns);
            }
            if (m > FM_ROWS) return -1;
        }
        memcpy(rows, next, m * sizeof *rows);
        n = m;
    }
    for (size_t i = 0; i < n; i++)
        if (rows[i].a[columns] < 0) return 0;
    return 1;
}

/* Any effects whatever: the state equation does not ask whether a net makes sense. */
static Net *random_effects(Rng *rng)
{
    g_autoptr(NetBuilder) b = net_builder_new("effects");
    for (uint32_t p = 0; p < 4; p++) {
        g_autofree char *id = g_strdup_printf("p%u", p);
        net_builder_place(b, id, NULL, rng_below(rng, 5));
    }
    for (uint32_t t = 0; t < 4; t++) {
        g_autofree char *id = g_strdup_printf("t%u", t);
        net_builder_transition(b, id, NULL);
        for (uint32_t p = 0; p < 4; p++)
            if (!rng_chance(rng, 3)) {
                uint64_t weight = 1 + rng_below(rng, 5);
                net_builder_arc(b, rng_chance(rng, 3) ? ARC_POST : ARC_PRE, p, t, weight);
            }
    }
    return net_builder_finish(b, NULL);
}

/* Exactly the boxes without a rational solution are excluded. */
START_TEST(state_equation_exact)
{
    Rng rng = {15};
    unsigned excluded = 0, kept = 0;
    for (int round = 0; round < 3000; round++) {
        g_autoptr(Net) net = random_effects(&rng);
        g_autoptr(StateEq) eq = stateeq_new(net, UINT64_MAX / 2);
        uint64_t low[64], high[64];
        static FmRow rows[FM_ROWS];
        size_t n = 0, columns = net->n_transitions;
        ck_assert_uint_le(columns, FM_COLUMNS);
        bool empty = false;
        for (uint32_t p = 0; p < net->n_places; p++) {
            low[p] = rng_chance(&rng, 2) ? rng_below(&rng, 4) : 0;
            high[p] = rng_chance(&rng, 2) ? rng_below(&rng, 6) : STATEEQ_NO_BOUND;
            empty |= low[p] > high[p];
            FmRow above = {{0}}, below = {{0}};
            for (uint32_t t = 0; t < columns; t++) {
                above.a[t] =
                    (__int128)net_arc_weight(net, ARC_POST, t, p) - (__int128)net_arc_weight(net, ARC_PRE, t, p);
                below.a[t] = -above.a[t];
            }
            above.a[columns] = (__int128)net->initial[p] - (__int128)low[p];
            fm_add(rows, &n, above, columns);
            below.a[columns] = (__int128)high[p] - (__int128)net->initial[p];
            if (high[p] != STATEEQ_NO_BOUND) fm_add(rows, &n, below, columns);
        }
        for (size_t t = 0; t < columns; t++) {
            FmRow positive = {{0}};
            positive.a[t] = 1;
            fm_add(rows, &n, positive, columns);
        }
        int feasible = fm_feasible(rows, n, columns);
        if (feasible < 0) continue;
        bool excludes = stateeq_excludes(eq, low, high);
        ck_assert_msg(excludes == (!feasible || empty), "round %d: feasible %d", round, feasible);
        excluded += excludes && !empty;
        kept += !excludes;
    }
    printf("state equation: %u boxes excluded, %u kept\n", excluded, kept);
    ck_assert_uint_gt(excluded, 100);
    ck_assert_uint_gt(kept, 100);
}
END_TEST

static Net *mutex(void)
{
    g_autoptr(NetBuilder) b = net_builder_new("mutex");
    uint32_t lock = net_builder_place(b, "lock", NULL, 1), note = net_builder_place(b, "note", NULL, 1);
    for (int i = 0; i < 2; i++) {
        g_autofree char *idle = g_strdup_printf("idle%d", i), *in = g_strdup_printf("in%d", i);
        g_autofree char *enter = g_strdup_printf("enter%d", i), *leave = g_strdup_printf("leave %d", i);
        uint32_t a = net_builder_place(b, idle, NULL, 1), c = net_builder_place(b, in, NULL, 0);
        uint32_t e = net_builder_transition(b, enter, NULL), l = net_builder_transition(b, leave, NULL);
        net_builder_arc(b, ARC_PRE, a, e, 1);
        net_builder_arc(b, ARC_PRE, lock, e, 1);
        net_builder_arc(b, ARC_POST, c, e, 1);
        net_builder_arc(b, ARC_PRE, c, l, 1);
        net_builder_arc(b, ARC_PRE, note, l, 1);
        net_builder_arc(b, ARC_POST, note, l, 1);
        net_builder_arc(b, ARC_POST, a, l, 1);
        net_builder_arc(b, ARC_POST, lock, l, 1);
    }
    return net_builder_finish(b, NULL);
}

/* Both leave transitions use `note`, so classic and read call them dependent; the lock keeps them apart. */
START_TEST(proved_by_invariant)
{
    g_autoptr(Net) net = mutex();
    uint32_t enter0 = net_find_transition(net, "enter0"), enter1 = net_find_transition(net, "enter1");
    uint32_t leave0 = net_find_transition(net, "leave 0"), leave1 = net_find_transition(net, "leave 1");
    g_autoptr(Indep) read = indep_new(net, RELATION_READ), proved = indep_new(net, RELATION_PROVED);
    ck_assert(indep_dependent(read, leave0, leave1));
    ck_assert(!indep_dependent(proved, leave0, leave1));
    ck_assert(indep_dependent(proved, enter0, enter1));
    ck_assert(indep_dependent(proved, enter0, leave1));
    ck_assert(!proved->structural);
}
END_TEST

static void refused(const Net *net, const char *text, const char *message)
{
    GError *error = NULL;
    ck_assert_ptr_null(pairs_read(net, text, "pairs", &error));
    ck_assert_str_eq(error->message, message);
    g_error_free(error);
}

START_TEST(pairs_file)
{
    g_autoptr(Net) net = mutex();
    uint32_t enter0 = 0, leave0 = 1, enter1 = 2, leave1 = 3;
    g_autoptr(Indep) a =
        pairs_read(net, "# a comment\n\"leave 1\" \"leave 0\" # why\n\n enter0\tenter1\r\n", "pairs", NULL);
    ck_assert_ptr_nonnull(a);
    ck_assert_uint_eq(indep_count(a), 2);
    ck_assert(!indep_dependent(a, leave0, leave1) && !indep_dependent(a, leave1, leave0));
    ck_assert(!indep_dependent(a, enter0, enter1) && indep_dependent(a, enter0, leave1));
    ck_assert(!a->structural);
    /* loops proves leave 0 / leave 1 (an equal-weight loop each on note, but both fill lock: outputs); the enters
     * compete for the lock and must be watched. */
    ck_assert_uint_eq(a->doubt_start[a->n], 2);
    ck_assert_uint_eq(a->doubtful[a->doubt_start[enter0]], enter1);
    g_autoptr(Indep) based = pairs_read(net, "base loops\nenter0 enter1", "pairs", NULL);
    g_autoptr(Indep) loops = indep_new(net, RELATION_LOOPS);
    ck_assert_uint_eq(indep_count(based), indep_count(loops) + 1);
    refused(net, "enter0 leave9\n", "pairs:1:8: the net has no transition 'leave9'");
    refused(net, "\n enter0\n", "pairs:2:8: two transition ids are expected on a line");
    refused(net, "enter0 enter0\n", "pairs:1:8: 'enter0' cannot be independent of itself");
    refused(net, "enter0 enter1 enter0\n", "pairs:1:15: only two transition ids are expected on a line");
    refused(net, "enter0 \"enter1\n", "pairs:1:8: the quoted id does not end on its line");
    refused(net, "base lops\n", "pairs:1:6: there is no relation 'lops' to start from");
    refused(net, "enter0 enter1\nbase read", "pairs:2:6: 'base' must come before the pairs");
    GError *error = NULL;
    ck_assert_ptr_null(indep_named(net, "file:/nowhere/at/all", NULL, &error));
    g_clear_error(&error);
    ck_assert_ptr_null(indep_named(net, "lops", NULL, &error));
    g_clear_error(&error);
    Relation relation;
    ck_assert(relation_parse("file:x", &relation) && relation == RELATION_FILE);
    ck_assert(!relation_parse("file:", &relation) && !relation_parse("file", &relation));
}
END_TEST

/* A doubtful pair is caught at a marking iff it does not commute there; where firing does not fit, nothing is said. */
START_TEST(doubtful_pairs)
{
    Rng rng = {14};
    unsigned caught = 0, passed = 0, not_fitting = 0;
    for (int round = 0; round < 600; round++) {
        g_autoptr(Net) net = random_net(&rng, round % 4);
        g_autoptr(GPtrArray) markings = reachable(net);
        if (!markings || net->n_transitions < 2) continue;
        uint32_t t = (uint32_t)rng_below(&rng, net->n_transitions - 1), u = t + 1;
        g_autofree char *text =
            g_strdup_printf("\"%s\" \"%s\"\n", net_transition_id(net, u), net_transition_id(net, t));
        g_autoptr(Indep) indep = pairs_read(net, text, "pairs", NULL);
        ck_assert_ptr_nonnull(indep);
        g_autoptr(NetLts) lts = netlts_new(net, 32), narrow = netlts_new(net, 2);
        uint64_t state[64], scratch[128];
        for (guint i = 0; i < markings->len; i++) {
            const uint64_t *m = g_bytes_get_data(markings->pdata[i], NULL);
            ck_assert(netlts_pack(lts, m, state));
            uint32_t a, b;
            bool ok = commute_check(&lts->lts, indep, state, scratch, &a, &b) == COMMUTE_YES;
            ck_assert(ok == commute_at(net, m, t, u));
            caught += !ok;
            passed += ok;
            if (!netlts_pack(narrow, m, state)) continue;
            Commute said = commute_check(&narrow->lts, indep, state, scratch, &a, &b);
            ck_assert(said == COMMUTE_UNKNOWN || (said == COMMUTE_YES) == ok);
            not_fitting += said == COMMUTE_UNKNOWN;
        }
    }
    ck_assert_uint_gt(caught, 100);
    ck_assert_uint_gt(passed, 100);
    ck_assert_uint_gt(not_fitting, 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("indep");
    TEST_CASE(suite, definitions);
    TEST_CASE(suite, dependent_members);
    TEST_CASE(suite, commutation);
    TEST_CASE(suite, weighted_loops);
    TEST_CASE(suite, state_equation);
    TEST_CASE(suite, state_equation_exact);
    TEST_CASE(suite, proved_by_invariant);
    TEST_CASE(suite, pairs_file);
    TEST_CASE(suite, doubtful_pairs);
    return test_run(suite);
}
