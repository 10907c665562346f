#include "test.h"

#include "base/compare.h"
#include "breadth.h"
#include "certify/certificate.h"
#include "certify/holds.h"
#include "certify/symmetries.h"
#include "lts/explicit.h"
#include "naive.h"
#include "net/gen.h"
#include "prop/expression.h"
#include "random_formula.h"
#include "symmetric_net.h"
#include "verify/engine.h"
#include "verify/symmetry_search.h"
#include "verify/witness.h"

#include <unistd.h>

enum { MOST_MARKINGS = 1500 };

static Symmetry *symmetry_of(const Net *net, const char *goal)
{
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Query query = {net, store, 0};
    Budget budget = budget_unlimited();
    ck_assert(expression_parse(store, goal, "goal", &query.goal, NULL));
    return symmetry_search(&query, &budget);
}

/* Of all nodes. */
static uint32_t *permutation(const Symmetry *s, uint32_t i)
{
    uint32_t places = s->net->n_places, n = places + s->net->n_transitions, *to = g_new(uint32_t, n + 1);
    for (uint32_t v = 0; v < n; v++) to[v] = v;
    for (uint32_t k = s->places[i]; k < s->places[i + 1]; k++) {
        uint32_t base = k < s->transitions[i] ? 0 : places;
        to[base + s->moves[k].from] = base + s->moves[k].to;
    }
    return to;
}

/* ---- what is found keeps the net ---- */

static void check_keeps(const Net *net, const uint32_t *to, uint64_t seed)
{
    g_autofree bool *hit = g_new0(bool, net->n_places + net->n_transitions + 1);
    for (uint32_t v = 0; v < net->n_places + net->n_transitions; v++) {
        ck_assert_uint_eq(to[v] < net->n_places, v < net->n_places);
        ck_assert(!hit[to[v]]);
        hit[to[v]] = true;
    }
    for (uint32_t t = 0; t < net->n_transitions; t++)
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++)
            for (uint32_t p = 0; p < net->n_places; p++)
                ck_assert_msg(net_arc_weight(net, kind, t, p) ==
                                  net_arc_weight(net, kind, to[net->n_places + t] - net->n_places, to[p]),
                              "seed %" G_GUINT64_FORMAT, seed);
}

/* How many markings their closure under the symmetries has; they are in `all` then. */
static guint close_up(const Symmetry *s, GHashTable *all, GPtrArray *list)
{
    uint32_t n = s->net->n_places;
    for (guint i = 0; i < list->len; i++) {
        const uint64_t *marking = g_bytes_get_data(g_ptr_array_index(list, i), NULL);
        for (uint32_t k = 0; k < s->n; k++) {
            g_autofree uint32_t *to = permutation(s, k);
            g_autofree uint64_t *image = g_new(uint64_t, n + 1);
            for (uint32_t p = 0; p < n; p++) image[to[p]] = marking[p];
            GBytes *key = g_bytes_new(image, n * sizeof *image);
            if (g_hash_table_add(all, key)) g_ptr_array_add(list, key);
        }
    }
    return list->len;
}

/* The closures of all reachable markings, naively, and of those that stand for them are the same. */
static void check_closures(const Symmetry *s, const Explicit *search, const Naive *naive, uint64_t seed)
{
    g_autoptr(GHashTable) a = g_hash_table_new(g_bytes_hash, g_bytes_equal);
    g_autoptr(GHashTable) b = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, NULL, NULL);
    g_autoptr(GPtrArray) of_a = g_ptr_array_new(), of_b = g_ptr_array_new();
    uint32_t n = s->net->n_places;
    for (guint i = 0; i < naive->markings->len; i++) {
        GBytes *key = g_bytes_new(naive_marking(naive, i), n * sizeof(uint64_t));
        g_hash_table_add(a, key);
        g_ptr_array_add(of_a, key);
    }
    for (uint32_t i = 0; i < search->store.len; i++) {
        g_autofree uint64_t *marking = g_new(uint64_t, n + 1);
        netlts_unpack(search->stepper->lts, store_state(&search->store, i), marking);
        GBytes *key = g_bytes_new(marking, n * sizeof *marking);
        ck_assert(g_hash_table_add(b, key));
        g_ptr_array_add(of_b, key);
    }
    close_up(s, a, of_a);
    close_up(s, b, of_b);
    ck_assert_msg(of_a->len == of_b->len, "seed %" G_GUINT64_FORMAT ": %u markings in all orbits, %u", seed, of_a->len,
                  of_b->len);
    for (guint i = 0; i < of_a->len; i++) ck_assert(g_hash_table_contains(b, g_ptr_array_index(of_a, i)));
    g_ptr_array_foreach(of_a, (GFunc)(void (*)(void))g_bytes_unref, NULL);
    g_ptr_array_foreach(of_b, (GFunc)(void (*)(void))g_bytes_unref, NULL);
}

/* Nothing makes a marking that was kept smaller, and firing needs to look at no more than it does. */
static void check_least(Symmetry *s, const Explicit *search)
{
    g_autofree uint64_t *state = g_new(uint64_t, search->store.words);
    for (uint32_t i = 0; i < search->store.len; i++) {
        memcpy(state, store_state(&search->store, i), search->store.words * sizeof *state);
        symmetry_normalise(s, search->stepper->lts, state, NET_NONE, NULL);
        ck_assert_mem_eq(state, store_state(&search->store, i), search->store.words * sizeof *state);
    }
}

/* ---- against all permutations of the copies ---- */

static void next_permutation(unsigned *to, unsigned n, bool ring)
{
    if (ring) {
        for (unsigned i = 0; i < n; i++) to[i] = (to[i] + 1) % n;
        return;
    }
    unsigned i = n - 1, j = n - 1;
    while (i && to[i - 1] > to[i]) i--;
    if (i) {
        while (to[j] < to[i - 1]) j--;
        unsigned swap = to[i - 1];
        to[i - 1] = to[j], to[j] = swap;
    }
    for (j = n - 1; i < j; i++, j--) {
        unsigned swap = to[i];
        to[i] = to[j], to[j] = swap;
    }
}

/* The least of its images under all permutations of the copies. */
static GBytes *orbit_of(const SymmetricNet *s, const uint64_t *marking)
{
    static const unsigned factorial[] = {1, 1, 2, 6, 24};
    uint32_t n = s->net->n_places;
    g_autofree uint64_t *best = g_memdup2(marking, n * sizeof *marking), *image = g_new(uint64_t, n);
    unsigned to[] = {0, 1, 2, 3}, count = s->ring ? s->copies : factorial[s->copies];
    for (unsigned k = 0; k < count; k++, next_permutation(to, s->copies, s->ring)) {
        for (uint32_t p = 0; p < n; p++) image[symmetric_place(s, to, p)] = marking[p];
        uint32_t p = 0;
        while (p < n && image[p] == best[p]) p++;
        if (p < n && image[p] < best[p]) memcpy(best, image, n * sizeof *best);
    }
    return g_bytes_new(best, n * sizeof *best);
}

static guint orbits_of(const SymmetricNet *s, const Naive *naive)
{
    g_autoptr(GHashTable) orbits =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    for (guint i = 0; i < naive->markings->len; i++) g_hash_table_add(orbits, orbit_of(s, naive_marking(naive, i)));
    return g_hash_table_size(orbits);
}

static unsigned rounds(void)
{
    return test_rounds(400, 20000);
}

START_TEST(one_marking_stands_for_each_orbit)
{
    Rng rng = {test_number("MAZURKA_SEED", 1)};
    unsigned compared = 0, least = 0, without_pairs = 0, smaller = 0;
    for (unsigned round = 0; round < rounds(); round++) {
        uint64_t seed = rng.state;
        SymmetricNet s = symmetric_net(&rng);
        g_autoptr(Net) net = s.net;
        g_autoptr(Naive) naive = naive_explore(net, MOST_MARKINGS);
        if (!naive->complete) continue;
        g_autoptr(Symmetry) symmetry = symmetry_of(net, "deadlock");
        ck_assert_msg(symmetry != NULL, "seed %" G_GUINT64_FORMAT ": no symmetry of %u copies", seed, s.copies);
        for (uint32_t i = 0; i < symmetry->n; i++) {
            g_autofree uint32_t *to = permutation(symmetry, i);
            check_keeps(net, to, seed);
        }
        g_autoptr(Explicit) search = explicit_new(net);
        search->symmetry = symmetry;
        Budget budget = budget_unlimited();
        ck_assert_int_eq(explicit_run(search, NULL, &budget), ENDING_COMPLETE);
        check_closures(symmetry, search, naive, seed);
        check_least(symmetry, search);
        guint orbits = orbits_of(&s, naive);
        compared++;
        smaller += search->store.len < naive->markings->len;
        without_pairs += !s.pairs && !s.ring;
        least += !s.pairs && !s.ring && search->store.len <= orbits;
    }
    printf("%u nets, %u smaller, %u of %u as few as orbits\n", compared, smaller, least, without_pairs);
    ck_assert_uint_gt(compared, rounds() / 2);
    ck_assert_uint_gt(smaller, compared / 4);
    /* Nets may have more symmetries than those of their copies, by accident, and then not all of them are found. */
    ck_assert_uint_gt(100 * least, 95 * without_pairs);
}
END_TEST

/* ---- the engine ---- */

/* A goal that all copies share, or any. */
static void some_goal(Rng *rng, const SymmetricNet *s, GString *text)
{
    unsigned kind = (unsigned)rng_below(rng, 5), a = (unsigned)rng_below(rng, SYMMETRIC_KINDS);
    if (kind == 0) {
        g_string_assign(text, "deadlock");
    } else if (kind == 1) {
        for (unsigned i = 0; i < s->copies; i++) g_string_append_printf(text, "%s l%u_%u", i ? " +" : "", a, i);
        g_string_append_printf(text, " >= %u", 1 + (unsigned)rng_below(rng, s->copies));
    } else if (kind == 2) {
        for (unsigned i = 0; i < s->copies; i++)
            g_string_append_printf(text, "%s (l%u_%u = 1 && s0 >= %u)", i ? " ||" : "", a, i, a);
    } else if (kind == 3) {
        unsigned first = (unsigned)rng_below(rng, s->copies);
        g_string_append_printf(text, "l%u_%u = 1 && l%u_%u = 1 && s1 <= %u", a, first,
                               (unsigned)rng_below(rng, SYMMETRIC_KINDS), (first + 1) % s->copies, a);
    } else {
        random_formula(rng, s->net, 2, text);
    }
}

START_TEST(the_engine_answers_as_explicit)
{
    Rng rng = {test_number("MAZURKA_SEED", 2)};
    unsigned decided[3] = {0}, gave_up = 0;
    for (unsigned round = 0; round < 4 * rounds(); round++) {
        uint64_t seed = rng.state;
        SymmetricNet s = symmetric_net(&rng);
        g_autoptr(Net) net = s.net;
        g_autoptr(GString) text = g_string_new(NULL);
        some_goal(&rng, &s, text);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        Query query = {net, store, 0};
        ck_assert(expression_parse(store, text->str, "goal", &query.goal, NULL));
        Result expected = {0}, got = {0};
        EngineOptions options = {.threads = 1};
        Budget budget = budget_new(0, 0, MOST_MARKINGS), again = budget_unlimited();
        engine_find("explicit")->run(&query, &options, &budget, &expected);
        if (expected.answer != ANSWER_UNKNOWN) engine_find("symmetry")->run(&query, &options, &again, &got);
        gave_up += got.answer == ANSWER_UNKNOWN;
        decided[got.answer]++;
        if (got.answer != ANSWER_UNKNOWN)
            ck_assert_msg(got.answer == expected.answer, "seed %" G_GUINT64_FORMAT ": %s", seed, text->str);
        if (got.answer == ANSWER_REACHABLE)
            ck_assert_msg(witness_replays(&query, got.witness.data, got.witness.len),
                          "seed %" G_GUINT64_FORMAT ": no run to %s", seed, text->str);
        result_clear(&expected);
        result_clear(&got);
    }
    printf("%u reachable, %u not, %u unknown\n", decided[ANSWER_REACHABLE], decided[ANSWER_UNREACHABLE], gave_up);
    ck_assert_uint_gt(decided[ANSWER_REACHABLE], rounds() / 2);
    ck_assert_uint_gt(decided[ANSWER_UNREACHABLE], rounds() / 2);
}
END_TEST

/* ---- certificates ---- */

static bool verifies(const Certificate *c, const Net *net)
{
    Budget budget = budget_unlimited();
    g_autofree char *problem = NULL;
    return certificate_check(c, net, &budget, &problem);
}

START_TEST(proofs_by_symmetry_verify_and_lies_do_not)
{
    Rng rng = {test_number("MAZURKA_SEED", 3)};
    unsigned proofs = 0, smaller = 0;
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "mazurka-symmetric-XXXXXX", NULL);
    close(g_mkstemp(path));
    for (unsigned round = 0; round < 2 * rounds(); round++) {
        uint64_t seed = rng.state;
        SymmetricNet s = symmetric_net(&rng);
        g_autoptr(Net) net = s.net;
        g_autoptr(GString) text = g_string_new(NULL);
        some_goal(&rng, &s, text);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        Query query = {net, store, 0};
        ck_assert(expression_parse(store, text->str, "goal", &query.goal, NULL));
        NaiveAnswer expected = naive_reach(net, store, query.goal, MOST_MARKINGS, NULL);
        if (expected == NAIVE_TOO_MANY) continue;
        ProofFile file = {.path = path};
        EngineOptions options = {.threads = 1, .certificate = &file};
        Budget budget = budget_unlimited();
        Result result = {0};
        engine_find("symmetry")->run(&query, &options, &budget, &result);
        ck_assert_msg(result.answer == ANSWER_UNKNOWN ||
                          result.answer == (expected == NAIVE_YES ? ANSWER_REACHABLE : ANSWER_UNREACHABLE),
                      "seed %" G_GUINT64_FORMAT ": %s", seed, text->str);
        ck_assert_msg(!result.reason || !strstr(result.reason, "does not check"), "seed %" G_GUINT64_FORMAT ": %s",
                      seed, result.reason);
        bool proved = result.answer == ANSWER_UNREACHABLE;
        result_clear(&result);
        if (!proved) continue;
        Certificate c;
        ck_assert(certificate_read(&c, net, path, NULL));
        ck_assert(c.kind == CERTIFICATE_SYMMETRIC && c.symmetries.len && verifies(&c, net));
        proofs++;
        Certificate lie = c; /* without them it has gaps */
        lie.kind = CERTIFICATE_STUBBORN;
        bool gaps = !verifies(&lie, net);
        smaller += gaps;
        lie.kind = CERTIFICATE_SYMMETRIC;
        lie.symmetries.len = 0;
        ck_assert(verifies(&lie, net) == !gaps);
        lie.symmetries = c.symmetries;
        lie.goal = "true";
        ck_assert(!verifies(&lie, net));
        certificate_clear(&c);
    }
    unlink(path);
    printf("%u proofs, %u of them only with symmetries\n", proofs, smaller);
    ck_assert_uint_gt(proofs, rounds() / 4);
    ck_assert_uint_gt(smaller, proofs / 4);
}
END_TEST

/* ---- what is believed to be a symmetry is one ---- */

/* By the definition: where the list takes each node, if it is a list; NULL otherwise. */
static uint32_t *reading_of(const Net *net, const VecU32 *list)
{
    uint32_t places = net->n_places, n = places + net->n_transitions, *to = g_new(uint32_t, n + 1), pairs = 0;
    g_autofree bool *from = g_new0(bool, n + 1), *hit = g_new0(bool, n + 1);
    bool ok = list->len % 2 == 1 && list->len > 1;
    for (uint32_t v = 0; v < n; v++) to[v] = v;
    for (size_t i = 0; ok && i + 1 < list->len; i += 2, pairs++) {
        uint32_t v = list->data[i], w = list->data[i + 1];
        ok = v < n && w < n && (v < places) == (w < places) && !from[v] && !hit[w] &&
             (v >= places || i == 0 || list->data[i - 2] < places);
        if (!ok) break;
        from[v] = hit[w] = true;
        to[v] = w;
    }
    for (uint32_t v = 0; v < n; v++) ok = ok && from[v] == hit[v];
    if (!ok) g_clear_pointer(&to, g_free);
    return to;
}

static bool is_kept(const Net *net, const uint32_t *to, FormulaStore *store, FormulaId goal, Rng *rng)
{
    for (uint32_t t = 0; t < net->n_transitions; t++)
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++)
            for (uint32_t p = 0; p < net->n_places; p++)
                if (net_arc_weight(net, kind, t, p) !=
                    net_arc_weight(net, kind, to[net->n_places + t] - net->n_places, to[p]))
                    return false;
    g_autofree uint64_t *marking = g_new0(uint64_t, net->n_places + 1), *image = g_new0(uint64_t, net->n_places + 1);
    for (int k = 0; k < 50; k++) {
        for (uint32_t p = 0; p < net->n_places; p++) image[to[p]] = marking[p] = rng_below(rng, 3);
        if (holds_at(store, goal, marking) != holds_at(store, goal, image)) return false;
    }
    return true;
}

/* Without one cycle of what is listed, or without all transitions: still a permutation. */
static void drop_some(Rng *rng, const Net *net, VecU32 *list)
{
    if (!list->len) return;
    g_autofree bool *drop = g_new0(bool, net->n_places + net->n_transitions + 1);
    uint32_t at = list->data[rng_below(rng, list->len)];
    for (size_t i = 0; !drop[at]; i = 0) {
        drop[at] = true;
        while (list->data[i] != at) i += 2;
        at = list->data[i + 1];
    }
    bool transitions = rng_chance(rng, 2);
    size_t kept = 0;
    for (size_t i = 0; i < list->len; i += 2) {
        if (transitions ? list->data[i] >= net->n_places : drop[list->data[i]]) continue;
        list->data[kept++] = list->data[i];
        list->data[kept++] = list->data[i + 1];
    }
    list->len = kept;
}

/* One arc gets another weight, where they have some. */
static void change_weight(Rng *rng, Net *net)
{
    ArcKind kind = (ArcKind)rng_below(rng, N_ARC_KINDS);
    if (net->of_transition[kind].weight) net->of_transition[kind].weight[rng_below(rng, net_arc_count(net, kind))]++;
}

/* A permutation of the copies, as it would be listed; then perhaps not quite. */
static void list_of(Rng *rng, const SymmetricNet *s, bool lie, VecU32 *list)
{
    const Net *net = s->net;
    unsigned to[] = {0, 1, 2, 3};
    for (uint64_t k = 1 + rng_below(rng, 5); k > 0; k--) next_permutation(to, s->copies, s->ring);
    for (uint32_t p = 0; p < net->n_places; p++) {
        uint32_t image = symmetric_place(s, to, p);
        if (image == p) continue;
        vec_push(list, p);
        vec_push(list, image);
    }
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        unsigned number, i, j;
        ck_assert(sscanf(net_transition_id(net, t), "t%u_%u_%u", &number, &i, &j) == 3);
        g_autofree char *id = g_strdup_printf("t%u_%u_%u", number, to[i], to[j]);
        uint32_t image = net_find_transition(net, id);
        if (image == t) continue;
        vec_push(list, net->n_places + t);
        vec_push(list, net->n_places + image);
    }
    uint64_t how = lie ? rng_below(rng, 7) : 0;
    if (how == 6) drop_some(rng, net, list);
    size_t pairs = list->len / 2;
    if (!pairs) how = 0;
    size_t a = pairs ? rng_below(rng, pairs) : 0, b = pairs ? rng_below(rng, pairs) : 0;
    uint32_t *at = list->data, moved = pairs ? at[2 * a] : 0, swap = pairs ? at[2 * a + 1] : 0;
    if (how == 0 && lie) change_weight(rng, s->net);
    if (how == 1) at[2 * a + 1] = at[2 * b + 1], at[2 * b + 1] = swap;
    if (how == 2) at[2 * a + rng_below(rng, 2)] = (uint32_t)rng_below(rng, net->n_places + net->n_transitions);
    if (how == 3) at[2 * a] = at[2 * pairs - 2], at[2 * a + 1] = at[2 * pairs - 1], list->len -= 2;
    if (how == 4) vec_push(list, moved);
    if (how == 5) {
        SymmetryMove *moves = (SymmetryMove *)list->data, move = moves[a];
        moves[a] = moves[b];
        moves[b] = move;
    }
    vec_push(list, NET_NONE);
}

START_TEST(lists_are_symmetries_or_refused)
{
    Rng rng = {test_number("MAZURKA_SEED", 4)};
    unsigned accepted = 0, refused = 0, of_goals = 0;
    for (unsigned round = 0; round < 8 * rounds(); round++) {
        uint64_t seed = rng.state;
        bool lie = rng_chance(&rng, 2);
        SymmetricNet s = symmetric_net(&rng);
        g_autoptr(Net) net = s.net;
        g_autoptr(GString) text = g_string_new(NULL);
        some_goal(&rng, &s, text);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        FormulaId goal;
        ck_assert(expression_parse(store, text->str, "goal", &goal, NULL));
        VecU32 list = {0};
        list_of(&rng, &s, lie, &list);
        g_autofree uint32_t *to = reading_of(net, &list);
        bool kept = to && is_kept(net, to, store, goal, &rng);
        Budget budget = budget_unlimited();
        g_autoptr(Symmetries) symmetries = symmetries_new(net, &list, &budget);
        g_autofree char *problem = NULL;
        bool believed = symmetries_check(symmetries, store, goal, &problem);
        ck_assert_msg(!believed || kept, "seed %" G_GUINT64_FORMAT ": believed", seed);
        /* One that moves nothing is none; what the goal means is asked of its form. */
        if (!lie && list.len > 1 && strcmp(text->str, "deadlock") == 0)
            ck_assert_msg(believed, "seed %" G_GUINT64_FORMAT ": %s", seed, problem);
        of_goals += problem && strstr(problem, "changes the goal");
        accepted += believed;
        refused += !believed;
        vec_free(&list);
    }
    printf("%u lists accepted, %u refused, %u of them for the goal\n", accepted, refused, of_goals);
    ck_assert_uint_gt(accepted, rounds());
    ck_assert_uint_gt(refused, rounds());
    ck_assert_uint_gt(of_goals, rounds() / 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("symmetry");
    TEST_CASE(suite, one_marking_stands_for_each_orbit);
    TEST_CASE(suite, the_engine_answers_as_explicit);
    TEST_CASE(suite, proofs_by_symmetry_verify_and_lies_do_not);
    TEST_CASE(suite, lists_are_symmetries_or_refused);
    return test_run(suite);
}
