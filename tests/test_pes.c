#include "test.h"

#include "explore/netexplore.h"
#include "naive.h"
#include "net/gen.h"
#include "random_net.h"

static const Relation RELATIONS[] = {RELATION_NONE, RELATION_CLASSIC, RELATION_READ, RELATION_LOOPS, RELATION_PROVED};

static Indep *random_relation(Rng *rng, const Net *net)
{
    return indep_new(net, RELATIONS[rng_below(rng, G_N_ELEMENTS(RELATIONS))]);
}

/* A layout that never overflows in a test. */
enum { WIDE = 64 };

/* ---- a configuration that walks about ---- */

/* Adds the event of a random enabled action; false when none is enabled. */
static bool push_random(Config *c, Rng *rng, Trees *trees)
{
    uint32_t n = c->lts->n_actions, from = n ? (uint32_t)rng_below(rng, n) : 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t label = (from + k) % n;
        if (!c->lts->enabled(c->lts, c->state, label)) continue;
        uint64_t *history = g_new0(uint64_t, c->words);
        for (BITSET_EACH(i, config_touch(c, label), c->words))
            bitset_or(history, config_local(c, (uint32_t)i), c->words);
        bool fresh;
        uint32_t e = config_intern(c, label, history, &fresh);
        g_free(history);
        ck_assert_uint_ne(e, EVENT_NONE);
        if (fresh && trees) trees_add(trees, e);
        events_ref(c->events, e);
        ck_assert(config_push(c, e));
        return true;
    }
    return false;
}

static void pop_one(Config *c)
{
    uint32_t e = vec_last(&c->event);
    config_pop(c);
    events_unref(c->events, e);
}

/* ---- states ---- */

/* The marking after some of the labels, by the firing rule alone. */
static bool fire_all(const Net *net, const uint32_t *labels, uint32_t n, const uint64_t *keep, uint64_t *marking)
{
    memcpy(marking, net->initial, net->n_places * sizeof *marking);
    for (uint32_t i = 0; i < n; i++)
        if (!keep || bitset_get(keep, i))
            if (!net_enabled(net, marking, labels[i]) || !net_fire(net, marking, labels[i])) return false;
    return true;
}

static void check_state(const Net *net, Config *c, const uint64_t *set)
{
    uint64_t *state = g_new0(uint64_t, c->lts->state_words), *marking = g_new0(uint64_t, net->n_places + 1);
    ck_assert(fire_all(net, c->label.data, c->n, set, marking));
    ck_assert(config_state_of(c, set, state));
    ck_assert(memcmp(state, marking, net->n_places * sizeof *state) == 0);
    g_free(state);
    g_free(marking);
}

/* The labels of [f] in causal order by a recursion of its own. */
static void labels_below(const Events *events, uint32_t f, GArray *labels, GHashTable *seen)
{
    if (!g_hash_table_add(seen, GUINT_TO_POINTER(f + 1))) return;
    for (uint32_t k = 0; k < events->event.data[f].n_causes; k++)
        labels_below(events, events_causes(events, f)[k], labels, seen);
    g_array_append_val(labels, events->event.data[f].label);
}

static void check_event_state(const Net *net, Config *c, uint32_t f)
{
    GArray *labels = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    GHashTable *seen = g_hash_table_new(NULL, NULL);
    labels_below(c->events, f, labels, seen);
    uint64_t *state = g_new0(uint64_t, c->lts->state_words), *marking = g_new0(uint64_t, net->n_places + 1);
    ck_assert(fire_all(net, (uint32_t *)(void *)labels->data, labels->len, NULL, marking));
    ck_assert(config_state_of_event(c, f, state));
    ck_assert(memcmp(state, marking, net->n_places * sizeof *state) == 0);
    g_free(state);
    g_free(marking);
    g_array_free(labels, TRUE);
    g_hash_table_destroy(seen);
}

START_TEST(standby_states_are_those_recomputed)
{
    static const uint32_t steps[] = {0, 1, 2, 3, 7, 64};
    uint32_t longest = 0, states = 0;
    for (guint round = 0; round < 240; round++) {
        Rng rng = {round};
        g_autoptr(Net) net = random_net(round);
        g_autoptr(NetLts) lts = netlts_new(net, WIDE);
        g_autoptr(Indep) indep = random_relation(&rng, net);
        Events events;
        Config c;
        events_init(&events, false);
        config_init(&c, &lts->lts, indep, &events, steps[round % G_N_ELEMENTS(steps)]);
        for (int step = 0; step < 200; step++) {
            bool up = rng_chance(&rng, 4) || c.n > 150;
            if ((up || !push_random(&c, &rng, NULL)) && c.n) pop_one(&c);
            longest = MAX(longest, c.n);
            if (!rng_chance(&rng, 3) || !c.n) continue;
            uint64_t *set = g_new0(uint64_t, c.words);
            for (int k = 0; k < 3; k++) {
                check_state(net, &c, set);
                bitset_or(set, config_local(&c, (uint32_t)rng_below(&rng, c.n)), c.words);
                states++;
            }
            g_free(set);
            check_event_state(net, &c, (uint32_t)rng_below(&rng, events.event.len));
        }
        config_clear(&c);
        events_clear(&events);
    }
    ck_assert_uint_gt(longest, 64);
    ck_assert_uint_gt(states, 10000);
}
END_TEST

/* ---- causality and conflict, by definition ---- */

typedef struct Past {
    uint32_t n, words;
    uint64_t *below; /* rows over event ids, the event itself included; empty for dead ids */
} Past;

static void add_past(const Events *events, uint32_t e, uint64_t *set)
{
    if (bitset_get(set, e)) return;
    bitset_set(set, e);
    for (uint32_t k = 0; k < events->event.data[e].n_causes; k++) add_past(events, events_causes(events, e)[k], set);
}

static Past past_new(const Events *events)
{
    Past p = {.n = (uint32_t)events->event.len, .words = (uint32_t)bitset_words(events->event.len)};
    p.below = g_new0(uint64_t, (size_t)p.n * p.words + 1);
    for (uint32_t e = 0; e < p.n; e++)
        if (!events->event.data[e].dead) add_past(events, e, p.below + (size_t)e * p.words);
    return p;
}

static bool naive_below(const Past *p, uint32_t e, uint32_t f)
{
    return e != f && bitset_get(p->below + (size_t)f * p->words, e);
}

/* Some event of one past and one of the other depend on each other and are not ordered. */
static bool naive_conflict(const Past *p, const Events *events, const Indep *indep, const uint64_t *one,
                           const uint64_t *other)
{
    for (BITSET_EACH(a, one, p->words))
        for (BITSET_EACH(b, other, p->words)) {
            uint32_t g = (uint32_t)a, h = (uint32_t)b;
            if (g == h || naive_below(p, g, h) || naive_below(p, h, g)) continue;
            if (indep_dependent(indep, events->event.data[g].label, events->event.data[h].label)) return true;
        }
    return false;
}

typedef struct Asked {
    guint pairs, below, conflicts, fits, misfits, forgotten;
} Asked;

static void compare_pairs(const Trees *trees, const Config *c, const Past *p, Rng *rng, Asked *asked)
{
    const Events *events = c->events;
    for (int k = 0; k < 60; k++) {
        uint32_t e = (uint32_t)rng_below(rng, p->n), f = (uint32_t)rng_below(rng, p->n);
        if (events->event.data[e].dead || events->event.data[f].dead) continue;
        bool below = naive_below(p, e, f);
        bool conflict =
            naive_conflict(p, events, c->indep, p->below + (size_t)e * p->words, p->below + (size_t)f * p->words);
        ck_assert(trees_below(trees, e, f) == below);
        ck_assert(trees_conflict(trees, e, f) == conflict);
        asked->pairs++;
        asked->below += below;
        asked->conflicts += conflict;
    }
}

/* The first event of C in conflict with [f]. */
static uint32_t naive_fits(const Config *c, const Past *p, uint32_t f)
{
    for (uint32_t i = 0; i < c->n; i++) {
        const uint64_t *one = p->below + (size_t)c->event.data[i] * p->words;
        if (naive_conflict(p, c->events, c->indep, one, p->below + (size_t)f * p->words)) return i;
    }
    return EVENT_NONE;
}

static uint32_t conflict_of(Config *c, uint32_t f)
{
    uint32_t conflict, asleep;
    bool fits = config_fits(c, f, &conflict, &asleep);
    ck_assert_int_eq(fits, conflict == EVENT_NONE && asleep == EVENT_NONE);
    return conflict;
}

static void compare_fits(Config *c, const Past *p, Rng *rng, Asked *asked)
{
    const Trees *trees = c->trees;
    for (int k = 0; k < 10; k++) {
        uint32_t f = (uint32_t)rng_below(rng, p->n);
        if (c->events->event.data[f].dead || c->events->event.data[f].position != EVENT_NONE) continue;
        uint32_t expected = naive_fits(c, p, f);
        ck_assert_uint_eq(conflict_of(c, f), expected);
        size_t outside = c->outside.len;
        c->trees = NULL;
        ck_assert_uint_eq(conflict_of(c, f), expected);
        c->trees = trees;
        if (expected == EVENT_NONE) ck_assert_uint_eq(c->outside.len, outside);
        asked->fits += expected == EVENT_NONE;
        asked->misfits += expected != EVENT_NONE;
    }
}

static void forget(void *data, uint32_t e)
{
    trees_forget(data, e);
}

START_TEST(trees_know_causality_and_conflict)
{
    Asked asked = {0};
    for (guint round = 0; round < 300; round++) {
        Rng rng = {round + 3};
        g_autoptr(Net) net = random_net(round);
        g_autoptr(NetLts) lts = netlts_new(net, WIDE);
        g_autoptr(Indep) indep = random_relation(&rng, net);
        Events events;
        Config c;
        events_init(&events, true);
        config_init(&c, &lts->lts, indep, &events, 1);
        Trees *trees = trees_new(&events, indep, 1 + round % 5);
        config_use_trees(&c, trees);
        for (int step = 0; step < 150; step++) {
            bool up = rng_chance(&rng, 3) || c.n > 30;
            if ((up || !push_random(&c, &rng, trees)) && c.n)
                for (uint32_t k = 1 + (uint32_t)rng_below(&rng, 4); k && c.n; k--) pop_one(&c);
            if (rng_chance(&rng, 8)) {
                uint64_t before = events.forgotten;
                events_trim(&events, rng_below(&rng, 10), forget, trees);
                asked.forgotten += (guint)(events.forgotten - before);
            }
            if (!rng_chance(&rng, 10) || !events.event.len) continue;
            Past p = past_new(&events);
            compare_pairs(trees, &c, &p, &rng, &asked);
            compare_fits(&c, &p, &rng, &asked);
            g_free(p.below);
        }
        config_clear(&c);
        trees_free(trees);
        events_clear(&events);
    }
    printf("%u pairs, %u ordered, %u in conflict; %u events fit, %u do not; %u forgotten\n", asked.pairs, asked.below,
           asked.conflicts, asked.fits, asked.misfits, asked.forgotten);
    ck_assert_uint_gt(asked.below, 10000);
    ck_assert_uint_gt(asked.conflicts, 10000);
    ck_assert_uint_gt(asked.pairs - asked.below - asked.conflicts, 10000);
    ck_assert_uint_gt(asked.fits, 1000);
    ck_assert_uint_gt(asked.misfits, 1000);
    ck_assert_uint_gt(asked.forgotten, 1000);
}
END_TEST

START_TEST(cliques_cover_the_dependences)
{
    for (guint round = 0; round < 300; round++) {
        Rng rng = {round};
        g_autoptr(Net) net = random_net(round);
        g_autoptr(Indep) indep = random_relation(&rng, net);
        g_autoptr(Cliques) cliques = cliques_new(indep);
        for (uint32_t a = 0; a < indep->n; a++) {
            ck_assert_uint_gt(cliques->start[a + 1], cliques->start[a]);
            for (uint32_t b = 0; b < indep->n; b++) {
                bool together = false;
                for (uint32_t i = cliques->start[a]; i < cliques->start[a + 1]; i++)
                    for (uint32_t j = cliques->start[b]; j < cliques->start[b + 1]; j++)
                        together |= cliques->of[i] == cliques->of[j];
                ck_assert(together == indep_dependent(indep, a, b));
            }
        }
        ck_assert_uint_le(cliques->n, (indep->start[indep->n] + indep->n) / 2);
    }
}
END_TEST

/* ---- fingerprints ---- */

START_TEST(fingerprints_follow_firing)
{
    guint fired = 0;
    for (guint round = 0; round < 200; round++) {
        Rng rng = {round + 7};
        g_autoptr(Net) net = random_net(round);
        unsigned width = 1u << rng_below(&rng, 7);
        g_autoptr(NetLts) lts = netlts_new(net, MAX(netlts_initial_width(net), width));
        const Lts *l = &lts->lts;
        uint64_t *state = g_new0(uint64_t, l->state_words);
        l->initial(l, state);
        uint64_t print = l->fingerprint(l, state);
        for (int step = 0; step < 100 && l->n_actions; step++) {
            uint32_t t = (uint32_t)rng_below(&rng, l->n_actions);
            if (!l->enabled(l, state, t) || !l->fire(l, state, t)) continue;
            print += l->effect(l, t);
            ck_assert_uint_eq(print, l->fingerprint(l, state));
            fired++;
            if (!rng_chance(&rng, 5)) continue;
            l->unfire(l, state, t);
            print -= l->effect(l, t);
            ck_assert_uint_eq(print, l->fingerprint(l, state));
        }
        g_free(state);
    }
    ck_assert_uint_gt(fired, 1000);
}
END_TEST

START_TEST(fingerprints_tell_markings_apart)
{
    guint markings = 0;
    for (guint round = 0; round < 200; round++) {
        g_autoptr(Net) net = random_net(round);
        g_autoptr(NetLts) lts = netlts_new(net, WIDE);
        Naive *naive = naive_explore(net, 2000);
        GHashTable *prints = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
        for (guint i = 0; i < naive->markings->len; i++) {
            uint64_t print =
                lts->lts.fingerprint(&lts->lts, g_bytes_get_data(g_ptr_array_index(naive->markings, i), NULL));
            g_hash_table_add(prints, g_memdup2(&print, sizeof print));
        }
        ck_assert_uint_eq(g_hash_table_size(prints), naive->markings->len);
        markings += naive->markings->len;
        g_hash_table_destroy(prints);
        naive_free(naive);
    }
    ck_assert_uint_gt(markings, 1000);
}
END_TEST

/* ---- the explorer is the same under every way of keeping states and relations ---- */

static void same_exploration(const Net *net, const Indep *indep, ExploreOptions options, const ExploreStats *expected,
                             Ending end)
{
    Budget budget = budget_new(0, 0, 3000);
    NetExplore run;
    netexplore_run(&run, net, indep, &options, false, &budget);
    const ExploreStats *s = explore_stats(run.explorer);
    ck_assert_int_eq(run.end, end);
    for (int kind = 0; kind < N_LEAF_KINDS; kind++) ck_assert_uint_eq(s->leaves[kind], expected->leaves[kind]);
    ck_assert_uint_eq(s->events, expected->events);
    ck_assert_uint_eq(s->forgotten, expected->forgotten);
    ck_assert_uint_eq(s->cutoffs, expected->cutoffs);
    ck_assert_uint_eq(s->nodes, expected->nodes);
    ck_assert_uint_eq(s->alternatives, expected->alternatives);
    netexplore_clear(&run);
}

START_TEST(no_way_of_keeping_states_changes_the_exploration)
{
    static const size_t caches[] = {CACHE_UNLIMITED, CACHE_UNLIMITED, 0, 5};
    guint cut = 0, forgetful = 0;
    for (guint round = 0; round < 250; round++) {
        Rng rng = {round + 99};
        g_autoptr(Net) net = random_net(round);
        g_autoptr(Indep) indep = random_relation(&rng, net);
        ExploreOptions options = {.cutoffs = !rng_chance(&rng, 4),
                                  .order = (Order)rng_below(&rng, N_ORDERS),
                                  .search = (SearchOrder)rng_below(&rng, 4),
                                  .cache = caches[rng_below(&rng, G_N_ELEMENTS(caches))],
                                  .standby = STANDBY_NONE};
        Budget budget = budget_new(0, 0, 3000);
        NetExplore run;
        netexplore_run(&run, net, indep, &options, false, &budget);
        ExploreStats expected = *explore_stats(run.explorer);
        cut += expected.cutoffs > 0;
        forgetful += expected.cutoffs && expected.forgotten;
        for (int k = 0; k < 4; k++) {
            options.standby = (uint32_t)rng_below(&rng, 6);
            options.skip_step = (uint32_t)rng_below(&rng, 5);
            options.print_bits = k == 0 ? 1 : k == 1 ? 4 : 0;
            same_exploration(net, indep, options, &expected, run.end);
        }
        netexplore_clear(&run);
    }
    ck_assert_uint_gt(cut, 60);
    ck_assert_uint_gt(forgetful, 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pes");
    TEST_CASE(suite, standby_states_are_those_recomputed);
    TEST_CASE(suite, cliques_cover_the_dependences);
    TEST_CASE(suite, trees_know_causality_and_conflict);
    TEST_CASE(suite, fingerprints_follow_firing);
    TEST_CASE(suite, fingerprints_tell_markings_apart);
    TEST_CASE(suite, no_way_of_keeping_states_changes_the_exploration);
    return test_run(suite);
}
