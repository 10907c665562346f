#include "test.h"

#include "lts/cover.h"
#include "net/builder.h"
#include "verify/examination.h"

#include <string.h>

enum { MOST_PLACES = 6, MOST_BASIS = 3000 };

/* Any arcs at all: most of these nets are unbounded somewhere. */
static Net *wild_net(Rng *rng)
{
    uint32_t places = 2 + (uint32_t)rng_below(rng, 4), transitions = 1 + (uint32_t)rng_below(rng, 5);
    g_autoptr(NetBuilder) b = net_builder_new("wild");
    char name[16];
    for (uint32_t p = 0; p < places; p++) {
        g_snprintf(name, sizeof name, "p%u", p);
        net_builder_place(b, name, NULL, rng_below(rng, 3));
    }
    for (uint32_t t = 0; t < transitions; t++) {
        g_snprintf(name, sizeof name, "t%u", t);
        net_builder_transition(b, name, NULL);
        for (uint32_t p = 0; p < places; p++) {
            if (rng_chance(rng, 3))
                net_builder_arc(b, ARC_PRE, p, t, 1 + rng_below(rng, 2));
            else if (rng_chance(rng, 6))
                net_builder_arc(b, ARC_READ, p, t, 1 + rng_below(rng, 2));
            if (rng_chance(rng, 3)) net_builder_arc(b, ARC_POST, p, t, 1 + rng_below(rng, 2));
        }
    }
    return net_builder_finish(b, NULL);
}

typedef struct Need {
    uint64_t count[MOST_PLACES];
} Need;

static bool at_least(const Net *net, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t p = 0; p < net->n_places; p++)
        if (a[p] < b[p]) return false;
    return true;
}

/* The twin, by another way: backwards from what is asked to what is enough before (Abdulla et al. 1996). 1 yes, 0 no,
 * -1 too much. */
static int coverable(const Net *net, uint32_t place, uint64_t count)
{
    VEC(Need) basis = {0};
    Need asked = {0};
    asked.count[place] = count;
    vec_push(&basis, asked);
    int answer = 0;
    for (size_t i = 0; i < basis.len && !answer; i++) {
        if (at_least(net, net->initial, basis.data[i].count)) answer = 1;
        for (uint32_t t = 0; t < net->n_transitions && !answer; t++) {
            Need before;
            for (uint32_t p = 0; p < net->n_places; p++) {
                uint64_t pre = net_arc_weight(net, ARC_PRE, t, p), post = net_arc_weight(net, ARC_POST, t, p);
                uint64_t after = basis.data[i].count[p] > post ? basis.data[i].count[p] - post : 0;
                before.count[p] = MAX(after + pre, net_arc_weight(net, ARC_READ, t, p));
            }
            bool known = false;
            for (size_t k = 0; k < basis.len && !known; k++) known = at_least(net, before.count, basis.data[k].count);
            if (!known) vec_push(&basis, before);
        }
        if (basis.len > MOST_BASIS) answer = -1;
    }
    vec_free(&basis);
    return answer;
}

static uint64_t largest(const Cover *cover, uint32_t place, uint32_t *node)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < cover_count(cover); i++)
        if (cover_marking(cover, i)[place] >= most) most = cover_marking(cover, i)[place], *node = i;
    return most;
}

START_TEST(bounds_are_those_of_backward_search)
{
    uint64_t rounds = test_rounds(2000, 40000);
    uint32_t infinite = 0, finite = 0, complete = 0;
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        Rng rng = {seed * 31};
        g_autoptr(Net) net = wild_net(&rng);
        g_autoptr(Cover) cover = cover_new(net);
        Budget budget = budget_new(TEST_PLENTY, 0, 0);
        if (!cover_run(cover, seed, NULL, NULL, &budget)) continue;
        complete++;
        for (uint32_t p = 0; p < net->n_places; p++) {
            uint32_t node = 0;
            uint64_t most = largest(cover, p, &node);
            VecU32 path = {0};
            cover_path(cover, node, &path);
            ck_assert_msg(cover_check(net, path.data, path.len, p, NULL) == (most == COVER_OMEGA), "seed %d place %u",
                          (int)seed, p);
            vec_free(&path);
            if (most == COVER_OMEGA) {
                ck_assert_msg(coverable(net, p, 17) != 0, "seed %d place %u is not unbounded", (int)seed, p);
                infinite++;
            } else {
                ck_assert_msg(coverable(net, p, most) != 0, "seed %d place %u never has %d", (int)seed, p, (int)most);
                ck_assert_msg(coverable(net, p, most + 1) != 1, "seed %d place %u can have %d", (int)seed, p,
                              (int)most + 1);
                finite++;
            }
        }
    }
    ck_assert_uint_gt(complete * 10, rounds * 9);
    ck_assert_uint_gt(infinite, 1000);
    ck_assert_uint_gt(finite, 1000);
}
END_TEST

/* The examination as a whole, on the same nets. */
START_TEST(examined_bounds_are_those_of_backward_search)
{
    uint32_t known = 0, infinite = 0, asked = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        Rng rng = {seed * 77};
        g_autoptr(Net) net = wild_net(&rng);
        VecU32 sums[MOST_PLACES] = {0};
        ExaminationBound bounds[MOST_PLACES] = {0};
        for (uint32_t p = 0; p < net->n_places; p++) vec_push(&sums[p], p);
        uint64_t work = 0;
        Budget budget = budget_new(TEST_PLENTY, 0, 0);
        budget_by_work(&budget, &work, 0.5);
        Examination x = {.net = net, .options = {.seed = seed, .threads = 1}};
        examination_bounds(&x, sums, net->n_places, &budget, bounds, NULL, NULL);
        for (uint32_t p = 0; p < net->n_places; p++) {
            asked++;
            known += bounds[p].known;
            infinite += bounds[p].infinite;
            if (bounds[p].infinite) {
                ck_assert_msg(coverable(net, p, 17) != 0, "seed %d place %u is not unbounded", (int)seed, p);
            } else if (bounds[p].known) {
                ck_assert_msg(coverable(net, p, bounds[p].value) != 0, "seed %d place %u never has its bound",
                              (int)seed, p);
                ck_assert_msg(coverable(net, p, bounds[p].value + 1) != 1, "seed %d place %u passes its bound",
                              (int)seed, p);
            }
            g_free(bounds[p].reason);
            vec_free(&sums[p]);
        }
    }
    ck_assert_uint_eq(known, asked);
    ck_assert_uint_gt(infinite, 30);
}
END_TEST

/* An omega that no single repeated run shows: first a is pumped, then turned into b for ever. */
START_TEST(omegas_are_nested)
{
    g_autoptr(NetBuilder) b = net_builder_new("nested");
    static const char *const names[] = {"first", "second", "a", "b"};
    for (size_t i = 0; i < 4; i++) net_builder_place(b, names[i], NULL, i == 0);
    net_builder_transition(b, "pump", NULL);
    net_builder_transition(b, "switch", NULL);
    net_builder_transition(b, "turn", NULL);
    net_builder_arc(b, ARC_READ, 0, 0, 1);
    net_builder_arc(b, ARC_POST, 2, 0, 1);
    net_builder_arc(b, ARC_PRE, 0, 1, 1);
    net_builder_arc(b, ARC_POST, 1, 1, 1);
    net_builder_arc(b, ARC_READ, 1, 2, 1);
    net_builder_arc(b, ARC_PRE, 2, 2, 1);
    net_builder_arc(b, ARC_POST, 3, 2, 1);
    g_autoptr(Net) net = net_builder_finish(b, NULL);
    uint32_t run[] = {0, 1, 2}, wrong[] = {0, 2}, finite[] = {1, 2};
    ck_assert(cover_check(net, run, 3, 3, NULL) && cover_check(net, run, 2, 2, NULL));
    ck_assert(!cover_check(net, run, 2, 3, NULL) && !cover_check(net, wrong, 2, 3, NULL) &&
              !cover_check(net, finite, 2, 3, NULL));
}
END_TEST

START_TEST(inhibitors_are_refused)
{
    g_autoptr(NetBuilder) b = net_builder_new("inhibited");
    net_builder_place(b, "a", NULL, 0);
    net_builder_transition(b, "t", NULL);
    net_builder_arc(b, ARC_INHIBIT, 0, 0, 1);
    net_builder_arc(b, ARC_POST, 0, 0, 1);
    g_autoptr(Net) net = net_builder_finish(b, NULL);
    ck_assert_ptr_null(cover_new(net));
    ck_assert(!cover_check(net, (uint32_t[]){0}, 1, 0, NULL));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cover");
    TEST_CASE(suite, bounds_are_those_of_backward_search);
    TEST_CASE(suite, examined_bounds_are_those_of_backward_search);
    TEST_CASE(suite, omegas_are_nested);
    TEST_CASE(suite, inhibitors_are_refused);
    return test_run(suite);
}
