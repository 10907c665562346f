#include "test.h"

#include "naive.h"
#include "oracle.h"
#include "random_net.h"

#include "lts/explicit.h"
#include "lts/replay.h"
#include "lts/components.h"
#include "lts/tracker.h"
#include "net/builder.h"
#include "net/read.h"
#include "net/rules.h"
#include "small_net.h"

static void check_same(const Net *net, const Explicit *s, const Naive *n, uint64_t seed)
{
    ck_assert_msg(s->store.len == n->markings->len, "seed %" G_GUINT64_FORMAT ": %u markings, naively %u", seed,
                  s->store.len, n->markings->len);
    ck_assert_uint_eq(s->firings, n->from->len);
    ck_assert_uint_eq(s->deadlocks, naive_deadlocks(n));
    ck_assert_uint_eq(s->max_in_place, n->max_in_place);
    ck_assert_uint_eq(s->max_in_marking, n->max_in_marking);
    g_autofree uint64_t *marking = replay_start(net);
    for (uint32_t i = 0; i < s->store.len; i++) {
        netlts_unpack(s->stepper->lts, store_state(&s->store, i), marking);
        g_autoptr(GBytes) key = g_bytes_new(marking, net->n_places * sizeof *marking);
        ck_assert_msg(g_hash_table_lookup(n->number, key) != NULL, "seed %" G_GUINT64_FORMAT, seed);
    }
}

START_TEST(equals_the_naive_search)
{
    for (uint64_t seed = 0; seed < test_rounds(3000, 100000); seed++) {
        g_autoptr(Net) net = random_net(seed);
        g_autoptr(Naive) naive = naive_explore(net, 3000);
        if (!naive->complete) continue;
        g_autoptr(Explicit) search = explicit_new(net);
        Budget budget = budget_unlimited();
        ck_assert_int_eq(explicit_run(search, NULL, &budget), ENDING_COMPLETE);
        check_same(net, search, naive, seed);
    }
}
END_TEST

START_TEST(successors_are_the_edges)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        g_autoptr(Net) net = random_net(seed);
        g_autoptr(Explicit) search = explicit_new(net);
        Budget budget = budget_new(0, 0, 2000);
        if (explicit_run(search, NULL, &budget) != ENDING_COMPLETE) continue;
        VecU32 to = {0}, by = {0};
        for (uint32_t i = 0; i < search->store.len; i++) explicit_successors(search, i, &to, &by);
        ck_assert_uint_eq(to.len, search->firings);
        for (size_t i = 0; i < to.len; i++) ck_assert_uint_lt(to.data[i], search->store.len);
        vec_free(&to);
        vec_free(&by);
    }
}
END_TEST

static bool is_dead(void *data, const NetLts *lts, const uint64_t *state)
{
    (void)data;
    for (uint32_t t = 0; t < lts->lts.n_actions; t++)
        if (lts->lts.enabled(&lts->lts, state, t)) return false;
    return true;
}

/* Length of a shortest path to a dead marking, naively; -1 without one. */
static int shortest(const Naive *n)
{
    g_autofree int *depth = g_new(int, n->markings->len);
    for (guint i = 0; i < n->markings->len; i++) depth[i] = i ? -1 : 0;
    /* Edges come in order of discovery of their sources, so one pass is breadth first. */
    for (guint e = 0; e < n->from->len; e++) {
        guint to = g_array_index(n->to, guint, e);
        if (depth[to] < 0) depth[to] = depth[g_array_index(n->from, guint, e)] + 1;
    }
    int best = -1;
    for (guint i = 0; i < n->markings->len; i++)
        if (naive_enabled(n, i) == 0 && (best < 0 || depth[i] < best)) best = depth[i];
    return best;
}

START_TEST(paths_are_shortest_and_replay)
{
    for (uint64_t seed = 0; seed < 1000; seed++) {
        g_autoptr(Net) net = random_net(seed);
        g_autoptr(Naive) naive = naive_explore(net, 3000);
        if (!naive->complete) continue;
        for (int only_dead = 0; only_dead < 2; only_dead++) {
            g_autoptr(Explicit) search = explicit_new(net);
            ExplicitGoal goal = {.holds = is_dead, .only_dead = only_dead};
            Budget budget = budget_unlimited();
            Ending end = explicit_run(search, &goal, &budget);
            int length = shortest(naive);
            ck_assert_int_eq(end, length < 0 ? ENDING_COMPLETE : ENDING_GOAL);
            if (length < 0) continue;
            VecU32 path = {0};
            explicit_path(search, search->found, &path);
            ck_assert_int_eq((int)path.len, length);
            g_autofree uint64_t *marking = replay_start(net);
            ck_assert_uint_eq(replay_run(net, path.data, path.len, marking), path.len);
            ck_assert(replay_is_dead(net, marking));
            vec_free(&path);
        }
    }
}
END_TEST

/* The width doubles again and again while the search goes on. */
START_TEST(counters_widen)
{
    g_autoptr(Net) net = small_net("a | t: a -> 3*b | u: 3*b -> 200*c | v: 200*c -> 70000*d"
                                   " | w: 70000*d -> 9223372036854775807*e"
                                   " | x: 9223372036854775807*e -> 18446744073709551615*a");
    g_autoptr(Explicit) search = explicit_new(net);
    Budget budget = budget_new(0, 0, 2000);
    ck_assert_uint_eq(search->stepper->width, 1);
    /* Round the cycle once more and the first place cannot hold its tokens: it is unbounded. */
    ck_assert_int_eq(explicit_run(search, NULL, &budget), ENDING_UNBOUNDED);
    ck_assert_uint_eq(search->stepper->width, 64);
    ck_assert_uint_eq(search->max_in_place, UINT64_MAX);
    VecU32 path = {0};
    explicit_path(search, 5, &path);
    ck_assert_uint_eq(path.len, 5);
    for (uint32_t i = 0; i < 5; i++) ck_assert_uint_eq(path.data[i], i);
    vec_free(&path);
}
END_TEST

START_TEST(overflow_is_reported)
{
    g_autoptr(Net) net = small_net("3*a | t: a -> 9223372036854775807*d");
    g_autoptr(Explicit) search = explicit_new(net);
    Budget budget = budget_unlimited();
    ck_assert_int_eq(explicit_run(search, NULL, &budget), ENDING_OVERFLOW);
    ck_assert_uint_eq(search->store.len, 3);
}
END_TEST

START_TEST(unboundedness_is_proved)
{
    g_autoptr(Net) net = small_net("a | t: a -> b | u: b -> a 2*c | v: 3*c -> c");
    g_autoptr(Explicit) search = explicit_new(net);
    Budget budget = budget_new(0, 0, 1000000);
    ck_assert_int_eq(explicit_run(search, NULL, &budget), ENDING_UNBOUNDED);
    VecU32 path = {0};
    explicit_path(search, search->found, &path);
    const Unbounded *proof = &search->unbounded;
    ck_assert_uint_eq(proof->place, net_find_place(net, "c"));
    ck_assert(proof->from < proof->to && proof->to <= path.len);
    /* The part repeats, as often as one likes. */
    g_autofree uint64_t *marking = replay_start(net);
    ck_assert_uint_eq(replay_run(net, path.data, proof->to, marking), proof->to);
    uint64_t before = marking[proof->place];
    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(replay_run(net, path.data + proof->from, proof->to - proof->from, marking),
                          proof->to - proof->from);
    ck_assert_uint_ge(marking[proof->place], before + 100);
    vec_free(&path);

    /* An inhibitor stops the growth at 300: bounded, and no proof to the contrary. */
    g_autoptr(Net) stopped = small_net("a | t: a !300*b -> a b");
    g_autoptr(Explicit) complete = explicit_new(stopped);
    ck_assert_int_eq(explicit_run(complete, NULL, &budget), ENDING_COMPLETE);
    ck_assert_uint_eq(complete->store.len, 301);

    /* Many tokens alone are no proof. */
    g_autoptr(Net) many = small_net("a | t: a -> 600*b | u: b -> c");
    g_autoptr(Explicit) whole = explicit_new(many);
    ck_assert_int_eq(explicit_run(whole, NULL, &budget), ENDING_COMPLETE);
    ck_assert_uint_eq(whole->store.len, 602);
}
END_TEST

/* Along a ring of many places nothing ever covers anything: every marking is compared with those before it. */
START_TEST(looking_for_growth_is_measured)
{
    enum { PLACES = 512, FIRINGS = 8 * PLACES };
    Rules *rules = rules_new("ring");
    for (unsigned i = 0; i < PLACES; i++) rules_place(rules, i == PLACES - 1, "p%u", i);
    for (unsigned i = PLACES; i-- > 0;) {
        g_autofree char *rule = g_strdup_printf("t%u: p%u -> p%u", i, i, (i + PLACES - 1) % PLACES);
        rules_add_text(rules, rule);
    }
    g_autoptr(Net) net = rules_finish(rules);
    g_autofree uint32_t *run = g_new(uint32_t, FIRINGS);
    for (uint32_t i = 0; i < FIRINGS; i++) run[i] = i % PLACES;
    uint64_t work = 0;
    Budget budget = budget_unlimited();
    budget_by_work(&budget, &work, 0);
    Budget part = budget_child(&budget, 0.01, NULL);
    Unbounded proof;
    ck_assert(!unbounded_on_run(net, run, FIRINGS, &part, &proof));
    ck_assert_int_eq(budget_ending(&part), ENDING_TIME);
}
END_TEST

START_TEST(memory_limit_stops)
{
    g_autoptr(Net) net = gen_net_of_size("independent", 60);
    g_autoptr(Explicit) search = explicit_new(net);
    uint64_t limit = budget_resident() + (32 << 20);
    Budget budget = budget_new(TEST_PLENTY, limit, 0);
    ck_assert(ending_is_limit(explicit_run(search, NULL, &budget)));
    ck_assert_int_eq(budget_ending(&budget), ENDING_MEMORY);
    ck_assert_uint_le(budget_resident(), limit + limit / 20);
}
END_TEST

/* The store against a GHashTable, with states that differ little. */
START_TEST(store_keeps_what_it_gets)
{
    Rng rng = {5};
    for (uint32_t words = 1; words <= 3; words++) {
        Store store;
        store_init(&store, words);
        g_autoptr(GHashTable) twin =
            g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
        Budget budget = budget_unlimited();
        for (int i = 0; i < 60000; i++) {
            uint64_t state[3] = {0};
            for (uint32_t w = 0; w < words; w++) state[w] = rng_below(&rng, words == 1 ? 40000 : 150);
            GBytes *key = g_bytes_new(state, words * sizeof *state);
            guint known = GPOINTER_TO_UINT(g_hash_table_lookup(twin, key));
            uint64_t hash = store_hash(&store, state);
            ck_assert_uint_eq(store_find(&store, state, hash), known ? known - 1 : STORE_NONE);
            bool fresh;
            uint32_t j = store_add(&store, state, hash, &fresh, &budget);
            ck_assert(fresh == !known);
            ck_assert_uint_eq(j, known ? known - 1 : store.len - 1);
            if (known)
                g_bytes_unref(key);
            else
                g_hash_table_insert(twin, key, GUINT_TO_POINTER(j + 1));
        }
        ck_assert_uint_eq(store.len, g_hash_table_size(twin));
        ck_assert_uint_le(store_bytes(&store), (uint64_t)store.len * (words * 8 + 16) + (3 << 20));
        store_clear(&store);
    }
}
END_TEST

/* Going round from the one behind `last`. */
static uint32_t next_enabled(const Net *net, const uint64_t *marking, uint32_t from, uint32_t to, uint32_t last)
{
    for (uint32_t i = 1; i <= to - from; i++) {
        uint32_t t = from + (last - from + i) % (to - from);
        if (net_enabled(net, marking, t)) return t;
    }
    return NET_NONE;
}

/* Few places that many transitions test, some with inhibitors and weights: few are enabled, many wait for one place. */
static Net *crowded_net(uint64_t seed)
{
    Rng rng = {seed};
    g_autoptr(NetBuilder) builder = net_builder_new("crowded");
    uint32_t n_places = 2 + (uint32_t)rng_below(&rng, 6), n = 30 + (uint32_t)rng_below(&rng, 40);
    for (uint32_t p = 0; p < n_places; p++) {
        g_autofree char *id = g_strdup_printf("p%u", p);
        net_builder_place(builder, id, NULL, rng_below(&rng, 3));
    }
    for (uint32_t t = 0; t < n; t++) {
        g_autofree char *id = g_strdup_printf("t%u", t);
        net_builder_transition(builder, id, NULL);
        for (uint32_t p = 0; p < n_places; p++) {
            static const ArcKind kinds[] = {ARC_PRE, ARC_PRE, ARC_POST, ARC_READ, ARC_INHIBIT};
            if (rng_chance(&rng, 2)) continue;
            ArcKind kind = kinds[rng_below(&rng, G_N_ELEMENTS(kinds))];
            net_builder_arc(builder, kind, p, t, 1 + rng_below(&rng, 3));
            if (kind == ARC_PRE && rng_chance(&rng, 3))
                net_builder_arc(builder, ARC_POST, p, t, 1 + rng_below(&rng, 3));
        }
    }
    return net_builder_finish(builder, NULL);
}

START_TEST(tracker_equals_the_firing_rule)
{
    for (uint64_t seed = 0; seed < 800; seed++) {
        g_autoptr(Net) net = seed < 500 ? random_net(seed) : crowded_net(seed);
        g_autoptr(Tracker) tracker = tracker_new(net);
        g_autofree uint64_t *marking = replay_start(net);
        Rng rng = {seed};
        for (int step = 0; step < 40; step++) {
            uint32_t n = 0;
            for (uint32_t t = 0; t < net->n_transitions; t++) {
                n += net_enabled(net, marking, t);
                ck_assert(tracker_is_enabled(tracker, t) == net_enabled(net, marking, t));
                ck_assert(tracker_is_enabled(tracker, t) == (tracker_unmet(tracker, t) == 0));
            }
            ck_assert_uint_eq(n, tracker->n_enabled);
            ck_assert(memcmp(marking, tracker->marking, net->n_places * sizeof *marking) == 0);
            if (!n) break;
            uint32_t from = (uint32_t)rng_below(&rng, net->n_transitions),
                     to = from + 1 + (uint32_t)rng_below(&rng, net->n_transitions - from),
                     last = from + (uint32_t)rng_below(&rng, to - from);
            ck_assert_uint_eq(tracker_next_enabled(tracker, from, to, last),
                              next_enabled(net, marking, from, to, last));
            uint32_t t = tracker->enabled[rng_below(&rng, n)];
            tracker_fire(tracker, t);
            if (rng_chance(&rng, 3))
                tracker_unfire(tracker, t);
            else
                net_fire(net, marking, t);
        }
    }
}
END_TEST

/* ---- the graph ---- */

/* Naively: which markings are reachable from which, by repeated passes. */
static bool *closure(const Naive *n)
{
    guint size = n->markings->len;
    bool *reach = g_new0(bool, (gsize)size *size);
    for (guint i = 0; i < size; i++) reach[i * size + i] = true;
    for (guint e = 0; e < n->from->len; e++)
        reach[g_array_index(n->from, guint, e) * size + g_array_index(n->to, guint, e)] = true;
    for (guint k = 0; k < size; k++)
        for (guint i = 0; i < size; i++)
            if (reach[i * size + k])
                for (guint j = 0; j < size; j++) reach[i * size + j] |= reach[k * size + j];
    return reach;
}

static bool naively_live(const Naive *n, const bool *reach, uint32_t t)
{
    guint size = n->markings->len;
    for (guint i = 0; i < size; i++) {
        bool again = false;
        for (guint j = 0; j < size; j++) again |= reach[i * size + j] && net_enabled(n->net, naive_marking(n, j), t);
        if (!again) return false;
    }
    return true;
}

static guint naive_components(const Naive *n, const bool *reach)
{
    guint size = n->markings->len, components = 0;
    for (guint i = 0; i < size; i++) {
        bool first = true;
        for (guint j = 0; j < i; j++) first &= !(reach[i * size + j] && reach[j * size + i]);
        components += first;
    }
    return components;
}

/* What components tell: how many there are, and of transitions which fire and which can fire again from everywhere,
 * that is, in every component that cannot be left. */
typedef struct Graph {
    guint n_components, n_transitions;
    bool cyclic;
    bool *fires, *live, *here; /* here: in the component at hand */
    uint32_t *told;            /* of each marking its component, from 1 on; 0: none yet */
    GArray *targets;           /* of the firings in the component at hand */
} Graph;

static void note_firing(void *data, uint32_t from, uint32_t transition, uint32_t to)
{
    Graph *g = data;
    ck_assert_uint_eq(g->told[from], 0);
    g->fires[transition] = g->here[transition] = true;
    g_array_append_val(g->targets, to);
}

static void note_component(void *data, const Component *component)
{
    Graph *g = data;
    bool leaves = false;
    g->n_components++;
    for (size_t i = 0; i < component->n; i++) {
        ck_assert_uint_eq(g->told[component->member[i]], 0);
        g->told[component->member[i]] = g->n_components;
    }
    for (guint i = 0; i < g->targets->len; i++) {
        uint32_t target = g->told[g_array_index(g->targets, uint32_t, i)];
        ck_assert_uint_ne(target, 0);
        leaves |= target != g->n_components;
    }
    ck_assert(component->bottom == !leaves);
    for (guint t = 0; t < g->n_transitions && component->bottom; t++) g->live[t] &= g->here[t];
    g->cyclic |= component->cyclic;
    memset(g->here, 0, g->n_transitions);
    g_array_set_size(g->targets, 0);
}

static Graph *graph_new(const Explicit *search)
{
    Graph *g = g_new0(Graph, 1);
    g->n_transitions = search->net->n_transitions;
    g->fires = g_new0(bool, g->n_transitions + 1);
    g->live = g_new0(bool, g->n_transitions + 1);
    g->here = g_new0(bool, g->n_transitions + 1);
    memset(g->live, true, g->n_transitions);
    g->told = g_new0(uint32_t, search->store.len);
    g->targets = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    Budget budget = budget_unlimited();
    ck_assert(components_visit(search, &(ComponentVisitor){note_component, note_firing, g}, &budget));
    for (uint32_t i = 0; i < search->store.len; i++) ck_assert_uint_ne(g->told[i], 0);
    return g;
}

static void graph_free(Graph *g)
{
    g_free(g->fires);
    g_free(g->live);
    g_free(g->here);
    g_free(g->told);
    g_array_free(g->targets, TRUE);
    g_free(g);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Graph, graph_free)

START_TEST(the_graph_is_known)
{
    guint live = 0, not_live = 0, terminating = 0;
    for (uint64_t seed = 0; seed < test_rounds(600, 20000); seed++) {
        g_autoptr(Net) net = random_net(seed);
        g_autoptr(Naive) naive = naive_explore(net, 60);
        if (!naive->complete) continue;
        g_autoptr(Explicit) search = explicit_new(net);
        Budget budget = budget_unlimited();
        explicit_run(search, NULL, &budget);
        g_autoptr(Graph) graph = graph_new(search);
        g_autofree bool *reach = closure(naive);
        ck_assert_uint_eq(graph->n_components, naive_components(naive, reach));
        bool loop = graph->n_components < naive->markings->len;
        for (guint e = 0; e < naive->from->len; e++)
            loop |= g_array_index(naive->from, guint, e) == g_array_index(naive->to, guint, e);
        ck_assert(graph->cyclic == loop);
        terminating += !loop;
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            bool expected = naively_live(naive, reach, t), fires = false;
            for (guint e = 0; e < naive->by->len; e++) fires |= g_array_index(naive->by, guint, e) == t;
            ck_assert_msg(graph->live[t] == expected, "seed %" G_GUINT64_FORMAT ", transition %u", seed, t);
            ck_assert(graph->fires[t] == fires);
            live += expected;
            not_live += fires && !expected;
        }
    }
    ck_assert(live > 100 && not_live > 100 && terminating > 100);
}
END_TEST

/* ---- published figures ---- */

START_TEST(oracle_figures)
{
    g_auto(Oracle) oracle = {0};
    if (!oracle_open(&oracle)) return;
    guint n = 0;
    for (GList *at = oracle.files; at; at = at->next) {
        JsonObject *expected = oracle_part(oracle_part(oracle.all, at->data), "explicit");
        if (!expected || !json_object_has_member(expected, "markings")) continue;
        g_autoptr(Net) net = oracle_net(&oracle, at->data);
        g_autoptr(Explicit) search = explicit_new(net);
        Budget budget = budget_unlimited();
        ck_assert_int_eq(explicit_run(search, NULL, &budget), ENDING_COMPLETE);
        ck_assert_uint_eq(search->store.len, (guint64)json_object_get_int_member(expected, "markings"));
        ck_assert_uint_eq(search->firings, (guint64)json_object_get_int_member(expected, "edges"));
        ck_assert_uint_eq(search->deadlocks, (guint64)json_object_get_int_member(expected, "deadlocks"));
        ck_assert_uint_eq(search->max_in_place, (guint64)json_object_get_int_member(expected, "bound"));
        ck_assert_uint_eq(search->max_in_marking,
                          (guint64)json_object_get_int_member(expected, "max_tokens_in_marking"));
        n++;
    }
    ck_assert_uint_ge(n, 40);
}
END_TEST

typedef struct Figures {
    char *states, *transitions, *in_place, *in_marking;
} Figures;

static void figures_free(gpointer data)
{
    Figures *f = data;
    g_free(f->states);
    g_free(f->transitions);
    g_free(f->in_place);
    g_free(f->in_marking);
    g_free(f);
}

/* instance -> Figures from verdicts.tsv. */
static GHashTable *state_space_figures(const char *corpus)
{
    g_autofree char *path = g_strdup_printf("%s/mcc/verdicts.tsv", corpus);
    char *text = NULL;
    ck_assert(g_file_get_contents(path, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", 0);
    g_free(text);
    GHashTable *figures = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, figures_free);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) column = g_strsplit(*line, "\t", 0);
        if (g_strv_length(column) < 4 || strcmp(column[1], "StateSpace") != 0) continue;
        Figures *f = g_hash_table_lookup(figures, column[0]);
        if (!f) g_hash_table_insert(figures, g_strdup(column[0]), f = g_new0(Figures, 1));
        char **slot = strcmp(column[2], "STATES") == 0               ? &f->states
                      : strcmp(column[2], "TRANSITIONS") == 0        ? &f->transitions
                      : strcmp(column[2], "MAX_TOKEN_IN_PLACE") == 0 ? &f->in_place
                                                                     : &f->in_marking;
        *slot = g_strdup(column[3]);
    }
    return figures;
}

static void check_figure(const char *instance, const char *expected, uint64_t got)
{
    if (!expected) return;
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, got);
    ck_assert_msg(strcmp(text, expected) == 0, "%s: %s, published %s", instance, text, expected);
}

START_TEST(contest_figures)
{
    const char *corpus = test_corpus();
    if (!corpus) return;
    g_autoptr(GHashTable) figures = state_space_figures(corpus);
    g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(figures), (GCompareFunc)strcmp);
    double largest = test_soak() ? 1000000 : 20000;
    guint n = 0;
    for (GList *at = names; at; at = at->next) {
        const Figures *f = g_hash_table_lookup(figures, at->data);
        if (!f->states || g_ascii_strtod(f->states, NULL) > largest || !g_ascii_isdigit(f->states[0])) continue;
        g_autofree char *path = g_strdup_printf("%s/mcc/%s/model.pnml", corpus, (char *)at->data);
        g_autoptr(Net) net = net_read_file(path, NULL, NULL);
        ck_assert_msg(net != NULL, "%s", path);
        g_autoptr(Explicit) search = explicit_new(net);
        Budget budget = budget_unlimited();
        ck_assert_int_eq(explicit_run(search, NULL, &budget), ENDING_COMPLETE);
        check_figure(at->data, f->states, search->store.len);
        check_figure(at->data, f->transitions, search->firings);
        check_figure(at->data, f->in_place, search->max_in_place);
        check_figure(at->data, f->in_marking, search->max_in_marking);
        n++;
    }
    printf("contest figures: %u instances\n", n);
    ck_assert_uint_ge(n, 25);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("explicit");
    TEST_CASE(suite, equals_the_naive_search);
    TEST_CASE(suite, successors_are_the_edges);
    TEST_CASE(suite, paths_are_shortest_and_replay);
    TEST_CASE(suite, counters_widen);
    TEST_CASE(suite, overflow_is_reported);
    TEST_CASE(suite, unboundedness_is_proved);
    TEST_CASE(suite, looking_for_growth_is_measured);
    TEST_CASE(suite, memory_limit_stops);
    TEST_CASE(suite, store_keeps_what_it_gets);
    TEST_CASE(suite, tracker_equals_the_firing_rule);
    TEST_CASE(suite, the_graph_is_known);
    TEST_CASE(suite, oracle_figures);
    TEST_CASE(suite, contest_figures);
    return test_run(suite);
}
