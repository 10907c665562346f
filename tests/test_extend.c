#include "test.h"

#include "explore/extend.h"
#include "net/gen.h"
#include "sat/sat.h"

/* Extensions of a configuration given as a run, by the definition: every causally closed subset H of its
 * firings, every transition enabled after H on which all maximal firings of H depend. Sets are masks. */
enum { MOST = 14 };

typedef struct Run {
    const Net *net;
    const Indep *indep;
    uint32_t label[MOST];
    uint32_t below[MOST]; /* causal past, itself included */
    uint32_t n;
} Run;

static void run_add(Run *run, uint32_t t)
{
    run->below[run->n] = 1u << run->n;
    for (uint32_t i = 0; i < run->n; i++)
        if (indep_dependent(run->indep, run->label[i], t)) run->below[run->n] |= run->below[i];
    run->label[run->n++] = t;
}

static bool is_history(const Run *run, uint32_t h, uint32_t t)
{
    uint64_t marking[64];
    memcpy(marking, run->net->initial, run->net->n_places * sizeof *marking);
    for (uint32_t i = 0; i < run->n; i++) {
        if (!(h >> i & 1)) continue;
        if (run->below[i] & ~h) return false;
        if (!net_enabled(run->net, marking, run->label[i]) || !net_fire(run->net, marking, run->label[i])) ck_abort();
        bool maximal = true;
        for (uint32_t j = i + 1; j < run->n; j++) maximal &= !(h >> j & 1 && run->below[j] >> i & 1);
        if (maximal && !indep_dependent(run->indep, run->label[i], t)) return false;
    }
    return net_enabled(run->net, marking, t);
}

typedef struct Seen {
    GHashTable *pairs; /* (t, mask) */
    guint twice;
} Seen;

static void see(void *data, uint32_t label, const uint64_t *history)
{
    Seen *seen = data;
    uint64_t key = (uint64_t)label << 32 | history[0];
    seen->twice += !g_hash_table_add(seen->pairs, g_memdup2(&key, sizeof key));
}

static bool in_run(const Run *run, uint32_t t, uint32_t h)
{
    for (uint32_t i = 0; i < run->n; i++)
        if (run->label[i] == t && !(h >> i & 1) && run->below[i] == (h | 1u << i)) return true;
    return false;
}

/* Takes a random run, pushing its events one by one, and compares what was found on the way. */
static guint compare(const Net *net, const NetLts *lts, const Indep *indep, ExtendMethod method, Rng *rng)
{
    Events events;
    events_init(&events, false);
    Config c;
    config_init(&c, &lts->lts, indep, &events, CONFIG_STANDBY_STEP);
    Budget budget = budget_unlimited();
    Extend *x = extend_new(&c, lts, method, &budget);
    Seen seen = {.pairs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL)};
    Run run = {.net = net, .indep = indep};
    ck_assert(extend_newest(x, see, &seen));
    uint32_t wanted = 4 + (uint32_t)rng_below(rng, MOST - 4);
    while (run.n < wanted) {
        uint32_t enabled[64], n = 0;
        for (uint32_t t = 0; t < net->n_transitions && n < 64; t++)
            if (lts->lts.enabled(&lts->lts, c.state, t)) enabled[n++] = t;
        if (!n) break;
        uint32_t t = enabled[rng_below(rng, n)];
        uint64_t *history = g_new0(uint64_t, c.words);
        for (BITSET_EACH(i, config_touch(&c, t), c.words)) bitset_or(history, config_local(&c, (uint32_t)i), c.words);
        bool fresh;
        uint32_t e = config_intern(&c, t, history, &fresh);
        ck_assert_uint_ne(e, EVENT_NONE);
        ck_assert(fresh);
        ck_assert_uint_eq(config_first_conflict(&c, t, history), EVENT_NONE);
        g_free(history);
        if (!config_push(&c, e)) break;
        extend_pushed(x);
        run_add(&run, t);
        ck_assert(extend_newest(x, see, &seen));
    }
    guint expected = 0, in = 0;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        guint here = 0;
        for (uint32_t h = 0; h < 1u << run.n; h++) {
            if (!is_history(&run, h, t)) continue;
            uint64_t key = (uint64_t)t << 32 | h;
            ck_assert(g_hash_table_contains(seen.pairs, &key));
            expected++, here++;
            in += in_run(&run, t, h);
        }
        uint64_t *one = g_new0(uint64_t, c.words);
        int exists = extend_exists(x, t, one);
        ck_assert_int_eq(exists, here ? 1 : -1);
        if (here) ck_assert(is_history(&run, (uint32_t)one[0], t));
        g_free(one);
        Seen again = {.pairs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL)};
        ck_assert(extend_label(x, t, see, &again));
        ck_assert_uint_eq(g_hash_table_size(again.pairs), here);
        g_hash_table_destroy(again.pairs);
    }
    ck_assert_uint_eq(in, run.n);
    ck_assert_uint_eq(g_hash_table_size(seen.pairs), expected);
    ck_assert_uint_eq(seen.twice, 0);
    while (c.n) {
        extend_popping(x);
        config_pop(&c);
    }
    g_hash_table_destroy(seen.pairs);
    extend_free(x);
    config_clear(&c);
    events_clear(&events);
    return expected - in;
}

START_TEST(extensions_are_those_of_the_definition)
{
    static const Relation relations[] = {RELATION_NONE, RELATION_CLASSIC, RELATION_READ, RELATION_LOOPS,
                                         RELATION_PROVED};
    Rng rng = {3};
    guint rounds = test_rounds(300, 4000), found = 0;
    for (guint round = 0; round < rounds; round++) {
        GenRandom g = {.reads = rng_chance(&rng, 2),
                       .loops = rng_chance(&rng, 2),
                       .inhibitors = rng_chance(&rng, 3),
                       .weight = 1 + (uint32_t)rng_below(&rng, 3),
                       .sinks = rng_chance(&rng, 3)};
        bool safe = rng_chance(&rng, 2);
        g_autoptr(Net) net = safe ? gen_random_safe(&rng, &g) : gen_random_bounded(&rng, &g);
        g_autoptr(Indep) indep = indep_new(net, relations[round % G_N_ELEMENTS(relations)]);
        g_autoptr(NetLts) lts = netlts_new(net, safe ? 1 : 16);
        g_autoptr(NetLts) wide = netlts_new(net, 16);
        uint64_t seed = rng_next(&rng);
        guint n[3];
        for (int method = 0; method < 3; method++)
            n[method] = compare(net, lts, indep, (ExtendMethod)method, &(Rng){seed});
        guint counted = compare(net, wide, indep, EXTEND_STRUCTURE, &(Rng){seed});
        ck_assert_uint_eq(n[0], n[1]);
        ck_assert_uint_eq(n[0], n[2]);
        if (safe) ck_assert_uint_eq(n[0], counted);
        found += n[0];
    }
    ck_assert_uint_gt(found, rounds * 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("extend");
    TEST_CASE(suite, extensions_are_those_of_the_definition);
    return test_run(suite);
}
