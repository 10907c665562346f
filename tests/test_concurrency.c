#include "test.h"

#include "breadth.h"
#include "net/concurrency.h"
#include "random_net.h"

typedef struct Seen {
    const Net *net;
    const Concurrency *relation;
    uint64_t *together; /* pairs met, in the same layout */
    bool outside;       /* something was met that the relation excludes */
} Seen;

static bool visit(const uint64_t *marking, void *data)
{
    Seen *seen = data;
    for (uint32_t p = 0; p < seen->net->n_places; p++)
        for (uint32_t q = 0; q < seen->net->n_places && marking[p]; q++) {
            if (p == q ? marking[p] < 2 : !marking[q]) continue;
            bitset_set(seen->together + p * seen->relation->words, q);
            seen->outside |= !concurrency_has(seen->relation, p, q);
        }
    for (uint32_t p = 0; p < seen->net->n_places; p++)
        seen->outside |= marking[p] && !bitset_get(seen->relation->marked, p);
    for (uint32_t t = 0; t < seen->net->n_transitions; t++)
        seen->outside |= net_enabled(seen->net, marking, t) && !seen->relation->fires[t];
    return seen->outside;
}

/* Nothing that is reachable is excluded; on many nets the relation is exact, so that it says something. */
START_TEST(relation_holds_what_is_reachable)
{
    uint64_t rounds = test_rounds(3000, 40000);
    uint32_t exact = 0, compared = 0, safe = 0, better = 0, excluded = 0;
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        g_autoptr(Net) net = random_net(seed);
        Budget budget = budget_unlimited();
        g_autoptr(Invariants) invariants = invariant_compute(net, 0, &budget);
        size_t pairs[2] = {0};
        for (int with = 0; with < 2; with++) {
            g_autoptr(Concurrency) relation = concurrency_new(net, with ? invariants : NULL, &budget);
            if (!relation) continue;
            size_t all = relation->words * net->n_places;
            g_autofree uint64_t *together = g_new0(uint64_t, all + 1);
            Seen seen = {net, relation, together, false};
            NaiveAnswer answer = naive_search(net, 2000, visit, &seen, NULL);
            ck_assert_msg(!seen.outside, "seed %d", (int)seed);
            pairs[with] = bitset_count(relation->rows, all);
            if (answer == NAIVE_TOO_MANY) continue;
            compared++;
            exact += bitset_equal(relation->rows, together, all);
            bool one = true;
            for (uint32_t p = 0; p < net->n_places; p++) one &= !concurrency_has(relation, p, p);
            safe += one;
            for (uint32_t t = 0; t < net->n_transitions; t++) excluded += !relation->fires[t];
        }
        better += pairs[1] < pairs[0];
    }
    ck_assert_uint_gt(compared, rounds);
    ck_assert_uint_gt(exact, rounds / 10);
    ck_assert_uint_gt(safe, rounds / 4);
    ck_assert_uint_gt(better, rounds / 150);
    ck_assert_uint_gt(excluded, rounds / 50);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("concurrency");
    TEST_CASE(suite, relation_holds_what_is_reachable);
    return test_run(suite);
}
