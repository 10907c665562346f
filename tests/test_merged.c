/* Merged processes: against their definition event by event, on random nets and on those of the corpus. */
#include "merged_naive.h"
#include "net/gen.h"
#include "net/read.h"
#include "small_net.h"
#include "test.h"
#include "unfold/merged/merged.h"

static char *name_of(const Merged *m, uint32_t e)
{
    GPtrArray *parts[3];
    for (int k = 0; k < 3; k++) {
        parts[k] = g_ptr_array_new_with_free_func(g_free);
        for (MERGED_EACH(c, m, k, e))
            g_ptr_array_add(parts[k],
                            g_strdup_printf("%s.%u", net_place_id(m->net, m->place.data[*c]), m->depth.data[*c]));
    }
    return naive_name(net_transition_id(m->net, m->transition.data[e]), parts);
}

/* True when both could be made. */
static bool compare(const Net *net, Relation relation, uint32_t most, double seconds)
{
    NaiveMerged expected = naive_merged(net, relation, most);
    bool done = false;
    if (!expected.too_big) {
        Budget budget = budget_new(seconds, 0, 0);
        GError *error = NULL;
        g_autoptr(Merged) m = merged_unfold(net, relation, &budget, &error);
        g_assert_no_error(error);
        done = m->end == ENDING_COMPLETE;
        ck_assert(done || seconds > 0);
        for (uint32_t e = 0; e < m->n_events && done; e++) {
            g_autofree char *name = name_of(m, e);
            ck_assert_msg(g_hash_table_contains(m->live.data[e] ? expected.live : expected.cutoffs, name),
                          "%s, %s: %s %s is too much", net->name, relation_name(relation),
                          m->live.data[e] ? "live" : "cutoff", name);
        }
        if (done) {
            ck_assert_uint_eq(m->n_live, g_hash_table_size(expected.live));
            ck_assert_uint_eq(m->n_events - m->n_live, g_hash_table_size(expected.cutoffs));
        }
    }
    naive_merged_clear(&expected);
    return done;
}

START_TEST(random_nets_as_defined)
{
    Rng rng = {2006};
    uint64_t n = test_rounds(2500, 20000), done = 0;
    for (uint64_t round = 0; round < n; round++) {
        GenRandom kind = {.acyclic = rng_chance(&rng, 3),
                          .reads = rng_chance(&rng, 2),
                          .loops = rng_chance(&rng, 2),
                          .sinks = rng_chance(&rng, 2)};
        g_autoptr(Net) net = gen_random_safe(&rng, &kind);
        for (Relation relation = RELATION_CLASSIC; relation <= RELATION_LOOPS; relation++)
            done += compare(net, relation, 3000, 0);
    }
    ck_assert_uint_gt(done, 2 * n);
}
END_TEST

static bool any_dead(const Net *net)
{
    g_autoptr(GHashTable) markings = naive_distances(net, 100000);
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init(&iter, markings);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        bool dead = true;
        for (uint32_t t = 0; t < net->n_transitions && dead; t++)
            dead = !net_enabled(net, g_bytes_get_data(key, NULL), t);
        if (dead) return true;
    }
    return false;
}

START_TEST(dead_markings_are_inside)
{
    Rng rng = {2011};
    for (unsigned round = 0, dead = 0; round < 100 || dead < 5; round++) {
        g_autoptr(Net) net = gen_random_safe(&rng, &(GenRandom){.reads = true, .loops = true, .sinks = round % 2});
        Budget budget = budget_unlimited();
        Relation relation = RELATION_CLASSIC + round % 3;
        g_autoptr(Merged) m = merged_unfold(net, relation, &budget, NULL);
        ck_assert_int_eq(merged_dead(m, &budget), any_dead(net) ? SAT_YES : SAT_NO);
        dead += any_dead(net);
    }
}
END_TEST

START_TEST(odd_nets)
{
    g_autoptr(Net) unsafe = small_net("p r | a: p -> q r"), weighted = small_net("2*p | a: 2*p -> q"),
                   idle = small_net("p | a: p -> p");
    Budget budget = budget_unlimited();
    g_autoptr(Merged) m = merged_unfold(unsafe, RELATION_CLASSIC, &budget, NULL);
    ck_assert_int_eq(m->end, ENDING_UNSAFE);
    ck_assert_str_eq(net_place_id(unsafe, m->unsafe_place), "r");
    g_autoptr(GError) error = NULL;
    ck_assert_ptr_null(merged_unfold(weighted, RELATION_CLASSIC, &budget, &error));
    ck_assert_ptr_nonnull(error);
    ck_assert(compare(idle, RELATION_CLASSIC, 100, 0));
    ck_assert(compare(idle, RELATION_LOOPS, 100, 0));
}
END_TEST

/* Those of the corpus whose prefix and markings are few. */
START_TEST(real_nets_as_defined)
{
    if (!test_corpus()) return;
    uint32_t most = test_soak() ? 20000 : 400, done = 0;
    static const char *const folders[] = {"plain", "cont"};
    for (size_t k = 0; k < G_N_ELEMENTS(folders); k++) {
        g_autofree char *path = g_build_filename(test_corpus(), "nets", folders[k], NULL);
        g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
        for (const char *name; folder && (name = g_dir_read_name(folder));) {
            g_autofree char *file = g_build_filename(path, name, NULL);
            g_autoptr(Net) net = net_read_file(file, NULL, NULL);
            if (!net) continue;
            bool one = compare(net, k ? RELATION_READ : RELATION_CLASSIC, most, most > 1000 ? 60 : 0);
            done += one;
            if (one && test_soak()) printf("as defined: %s/%s\n", folders[k], name);
        }
    }
    ck_assert_uint_gt(done, 5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("merged");
    TEST_CASE(suite, odd_nets);
    TEST_CASE(suite, random_nets_as_defined);
    TEST_CASE(suite, dead_markings_are_inside);
    TEST_CASE(suite, real_nets_as_defined);
    return test_run(suite);
}
