/* The classic prefix: against a naive twin event by event, against explicit search, against the expected
 * figures of real nets, and on the odd nets. */
#include "branching_naive.h"
#include "net/gen.h"
#include "net/read.h"
#include "oracle.h"
#include "order_naive.h"
#include "small_net.h"
#include "test.h"
#include "unfold/bittree.h"
#include "unfold/unfold.h"

static Prefix *run(const Net *net, UnfoldOptions options, uint64_t max_events)
{
    Budget budget = budget_new(0, 0, max_events);
    GError *error = NULL;
    options.relation = RELATION_CLASSIC;
    options.engine = UNFOLD_CLASSIC;
    Prefix *prefix = unfold(net, &options, &budget, &error);
    g_assert_no_error(error);
    return prefix;
}

static Prefix *run_order(const Net *net, Order order)
{
    return run(net, (UnfoldOptions){.order = order, .cutoffs = true}, 0);
}

/* ---- invariants of every prefix ---- */

static void check_shape(const Prefix *x)
{
    uint32_t cutoffs = 0;
    ck_assert(x->has_conditions);
    ck_assert_uint_eq(x->post_start[x->n_events], x->n_conditions);
    for (uint32_t c = 0; c < x->post_start[0]; c++) ck_assert_uint_eq(x->condition_event[c], PREFIX_BOTTOM);
    g_autofree uint32_t *local = g_new(uint32_t, x->n_events + 1);
    for (uint32_t e = 0; e < x->n_events; e++) {
        PrefixRow pre = prefix_pre(x, e);
        uint32_t depth = 1;
        for (uint32_t i = 0; i < pre.len; i++) {
            uint32_t producer = x->condition_event[pre.id[i]];
            if (i) ck_assert_uint_lt(x->condition_place[pre.id[i - 1]], x->condition_place[pre.id[i]]);
            if (producer == PREFIX_BOTTOM) continue;
            ck_assert_uint_lt(producer, e);
            ck_assert(!prefix_is_cutoff(x, producer));
            depth = MAX(depth, x->event_depth[producer] + 1);
        }
        ck_assert_uint_eq(x->event_depth[e], depth);
        for (uint32_t c = x->post_start[e]; c < x->post_start[e + 1]; c++) ck_assert_uint_eq(x->condition_event[c], e);
        ck_assert_uint_eq(prefix_local(x, e, local), x->event_size[e]);
        if (e) ck_assert_uint_le(x->event_size[e - 1], x->event_size[e]);
        if (!prefix_is_cutoff(x, e)) continue;
        cutoffs++;
        uint32_t companion = x->event_companion[e];
        g_autofree uint64_t *mine = g_new(uint64_t, x->net->n_places + 1), *its = g_new(uint64_t, x->net->n_places + 1);
        prefix_marking(x, e, mine);
        prefix_marking(x, companion, its);
        ck_assert(memcmp(mine, its, x->net->n_places * sizeof *mine) == 0);
        if (companion == PREFIX_BOTTOM) continue;
        ck_assert_uint_lt(companion, e);
        ck_assert(!prefix_is_cutoff(x, companion));
    }
    ck_assert_uint_eq(cutoffs, x->n_cutoffs);
}

/* ---- the twin ---- */

/* One number per event whatever its id: transition and preset, conditions as (place, number of the producer). */
static uint32_t intern(GHashTable *names, uint32_t transition, const uint32_t *places, const uint32_t *producers,
                       uint32_t n)
{
    g_autoptr(GString) name = g_string_new(NULL);
    g_string_append_printf(name, "%u:", transition);
    for (uint32_t i = 0; i < n; i++) g_string_append_printf(name, " %u/%u", places[i], producers[i]);
    gpointer known = g_hash_table_lookup(names, name->str);
    if (known) return GPOINTER_TO_UINT(known);
    uint32_t number = g_hash_table_size(names) + 1;
    g_hash_table_insert(names, g_strdup(name->str), GUINT_TO_POINTER(number));
    return number;
}

/* Bit 31 set: a cutoff. Sorted. */
static GArray *names_of_prefix(GHashTable *names, const Prefix *x)
{
    g_autofree uint32_t *number = g_new(uint32_t, x->n_events + 1);
    GArray *out = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (uint32_t e = 0; e < x->n_events; e++) {
        PrefixRow pre = prefix_pre(x, e);
        uint32_t places[NAIVE_PLACES], producers[NAIVE_PLACES];
        for (uint32_t i = 0; i < pre.len; i++) {
            uint32_t producer = x->condition_event[pre.id[i]];
            places[i] = x->condition_place[pre.id[i]];
            producers[i] = producer == PREFIX_BOTTOM ? 0 : number[producer];
        }
        number[e] = intern(names, x->event_transition[e], places, producers, pre.len);
        uint32_t shown = number[e] | (uint32_t)prefix_is_cutoff(x, e) << 31;
        g_array_append_val(out, shown);
    }
    g_array_sort(out, naive_by_value);
    return out;
}

static GArray *names_of_twin(GHashTable *names, const NaiveBranching *b)
{
    uint32_t number[NAIVE_MAX];
    GArray *out = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (uint32_t e = 0; e < b->n_events; e++) {
        uint32_t places[NAIVE_PLACES], producers[NAIVE_PLACES];
        for (uint32_t i = 0; i < b->events[e].n_preset; i++) {
            uint32_t c = b->events[e].preset[i];
            places[i] = b->place[c];
            producers[i] = b->producer[c] == NAIVE_MAX ? 0 : number[b->producer[c]];
        }
        number[e] = intern(names, b->events[e].transition, places, producers, b->events[e].n_preset);
        uint32_t shown = number[e] | (uint32_t)b->events[e].cutoff << 31;
        g_array_append_val(out, shown);
    }
    g_array_sort(out, naive_by_value);
    return out;
}

static void check_same(const Prefix *x, const NaiveBranching *b, uint64_t seed)
{
    g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GArray) of_twin = names_of_twin(names, b), of_prefix = names_of_prefix(names, x);
    ck_assert_msg(x->n_conditions == b->n_conditions, "seed %u: conditions", (unsigned)seed);
    ck_assert_msg(of_twin->len == of_prefix->len, "seed %u order %d: %u events, twin %u", (unsigned)seed, b->order,
                  of_prefix->len, of_twin->len);
    for (uint32_t i = 0; i < of_twin->len; i++)
        ck_assert_msg(g_array_index(of_twin, uint32_t, i) == g_array_index(of_prefix, uint32_t, i),
                      "seed %u order %d: other events or cutoffs", (unsigned)seed, b->order);
}

/* A few with a dozen machines, so that postsets pass the width of a group. */
static Net *safe_net(uint64_t seed)
{
    Rng rng = {seed * 7919 + 5};
    GenRandom options = {.reads = rng_chance(&rng, 3), .loops = rng_chance(&rng, 3), .sinks = rng_chance(&rng, 4)};
    if (rng_chance(&rng, 8)) options.components = 9 + (uint32_t)rng_below(&rng, 4), options.states = 2;
    return gen_random_safe(&rng, &options);
}

/* Machines that all wait for each other: presets and postsets of 9 to 20 places. */
static Net *barrier_net(uint32_t n, bool choice)
{
    Rules *rules = rules_new("barrier");
    g_autoptr(GString) in = g_string_new(NULL), out = g_string_new(NULL);
    for (uint32_t i = 0; i < n; i++) {
        rules_place(rules, 1, "a%u", i);
        if (i < 4) rules_add(rules, "go%u: a%u -> b%u", i, i, i);
        if (i < 2 && choice) rules_add(rules, "or%u: a%u -> b%u", i, i, i);
        g_string_append_printf(in, " %s%u", i < 4 ? "b" : "a", i);
        g_string_append_printf(out, " a%u", i);
    }
    rules_add(rules, "all:%s ->%s", in->str, out->str);
    rules_add(rules, "some: a%u a%u -> a%u a%u", n - 1, n - 2, n - 1, n - 2);
    return rules_finish(rules);
}

static void compare_with_twin(const Net *net, uint64_t seed)
{
    /* Usual; for large configurations and with weak hashes; for large nets from the first event on, or later; for dense
     * nets, off and on again; full. */
    static const UnfoldOptions ways[] = {{.cutoffs = true},
                                         {.cutoffs = true, .deep = 1, .hash_bits = 4},
                                         {.cutoffs = true, .lean = 1},
                                         {.cutoffs = true, .lean = 6, .deep = 1, .hash_bits = 4},
                                         {.lean = 3},
                                         {.cutoffs = true, .dense = 1},
                                         {.cutoffs = true, .dense = 5, .deep = 1},
                                         {.dense = 7},
                                         {.cutoffs = false}};
    for (int order = 0; order < N_ORDERS; order++)
        for (size_t way = 0; way < G_N_ELEMENTS(ways); way++) {
            UnfoldOptions options = ways[way];
            bool cutoffs = options.cutoffs;
            if (!cutoffs && order) continue; /* they do not matter then */
            options.order = (Order)order;
            g_autofree NaiveBranching *twin = naive_branching(net, order, cutoffs, 45);
            if (twin->too_large) continue;
            g_autoptr(Prefix) x = run(net, options, 0);
            ck_assert_int_eq(x->end, ENDING_COMPLETE);
            check_shape(x);
            check_same(x, twin, seed);
        }
}

START_TEST(twin_agrees)
{
    uint64_t n = test_rounds(2500, 20000);
    for (uint64_t seed = 1; seed <= n; seed++) {
        g_autoptr(Net) net = safe_net(seed);
        if (net->n_places > NAIVE_PLACES) continue;
        compare_with_twin(net, seed);
    }
    for (uint32_t size = 8; size <= 20; size += 3) {
        g_autoptr(Net) plain = barrier_net(size, false), choice = barrier_net(size, true);
        compare_with_twin(plain, 0);
        compare_with_twin(choice, 0);
    }
}
END_TEST

/* ---- explicit search ---- */

/* Reachable markings of nets with at most 32 places as 2 bits per place; false when a place gets two tokens
 * (then *bad is not looked at further) or there are too many. */
typedef struct Reachable {
    GHashTable *markings; /* of guint64 keys */
    bool unsafe, too_many;
} Reachable;

static uint64_t *copy_key(uint64_t key)
{
    uint64_t *copy = g_new(uint64_t, 1);
    *copy = key;
    return copy;
}

static Reachable explore(const Net *net)
{
    Reachable r = {g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL), false, false};
    g_autoptr(GArray) todo = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    uint64_t m = 0;
    for (uint32_t p = 0; p < net->n_places; p++) {
        if (net->initial[p] > 1) r.unsafe = true;
        m |= (net->initial[p] & 1) << p;
    }
    g_hash_table_add(r.markings, copy_key(m));
    g_array_append_val(todo, m);
    while (todo->len && !r.unsafe && !r.too_many) {
        m = g_array_index(todo, uint64_t, todo->len - 1);
        g_array_set_size(todo, todo->len - 1);
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            uint64_t counts[64], next = 0;
            for (uint32_t p = 0; p < net->n_places; p++) counts[p] = m >> p & 1;
            if (!net_enabled(net, counts, t)) continue;
            net_fire(net, counts, t);
            for (uint32_t p = 0; p < net->n_places; p++) {
                if (counts[p] > 1) r.unsafe = true;
                next |= (counts[p] & 1) << p;
            }
            if (g_hash_table_contains(r.markings, &next)) continue;
            g_hash_table_add(r.markings, copy_key(next));
            g_array_append_val(todo, next);
            r.too_many = g_hash_table_size(r.markings) > 3000;
        }
    }
    return r;
}

/* All configurations of non-cutoffs as sets of conditions on their cut; each must have an event of the prefix
 * for every transition its marking enables. False when there are too many. */
static bool check_complete(const Prefix *x, const Reachable *r)
{
    if (x->n_conditions > 128) return false;
    g_autoptr(GHashTable) met = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autoptr(GHashTable) markings = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autoptr(GArray) todo = g_array_new(FALSE, FALSE, sizeof(NaiveSet));
    NaiveSet cut = 0;
    for (uint32_t c = 0; c < x->post_start[0]; c++) cut |= (NaiveSet)1 << c;
    g_array_append_val(todo, cut);
    while (todo->len) {
        cut = g_array_index(todo, NaiveSet, todo->len - 1);
        g_array_set_size(todo, todo->len - 1);
        uint64_t counts[64] = {0}, m = 0;
        for (uint32_t c = 0; c < x->n_conditions; c++)
            if (cut >> c & 1) {
                counts[x->condition_place[c]] = 1;
                m |= UINT64_C(1) << x->condition_place[c];
            }
        if (!g_hash_table_contains(markings, &m)) g_hash_table_add(markings, copy_key(m));
        ck_assert(g_hash_table_contains(r->markings, &m));
        bool has[64] = {false};
        for (uint32_t e = 0; e < x->n_events; e++) {
            PrefixRow pre = prefix_pre(x, e);
            NaiveSet takes = 0, next;
            for (uint32_t i = 0; i < pre.len; i++) takes |= (NaiveSet)1 << pre.id[i];
            if (takes & ~cut) continue;
            has[x->event_transition[e]] = true;
            if (prefix_is_cutoff(x, e)) continue;
            next = cut & ~takes;
            for (uint32_t c = x->post_start[e]; c < x->post_start[e + 1]; c++) next |= (NaiveSet)1 << c;
            if (next == cut) continue;
            uint64_t key =
                (uint64_t)next * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(next >> 64) * UINT64_C(0xff51afd7ed558ccd);
            if (g_hash_table_contains(met, &key)) continue;
            g_hash_table_add(met, copy_key(key));
            g_array_append_val(todo, next);
        }
        for (uint32_t t = 0; t < x->net->n_transitions; t++) ck_assert(has[t] == net_enabled(x->net, counts, t));
        if (g_hash_table_size(met) > 4000) return false;
    }
    ck_assert_uint_eq(g_hash_table_size(markings), g_hash_table_size(r->markings));
    return true;
}

START_TEST(prefix_is_complete)
{
    unsigned checked = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        g_autoptr(Net) net = safe_net(seed);
        if (net->n_places > 64 || net->n_transitions > 64) continue;
        Reachable r = explore(net);
        ck_assert(!r.unsafe);
        for (int order = 0; order < N_ORDERS && !r.too_many; order++) {
            g_autoptr(Prefix) x = run(net, (UnfoldOptions){.order = (Order)order, .cutoffs = true}, 3000);
            if (x->end != ENDING_COMPLETE) continue;
            checked += check_complete(x, &r);
            if (order_is_total((Order)order))
                ck_assert_uint_le(x->n_events - x->n_cutoffs, g_hash_table_size(r.markings));
        }
        g_hash_table_unref(r.markings);
    }
    ck_assert_uint_gt(checked, 2000);
}
END_TEST

/* Nets that may or may not be safe: explicit search decides, and the run must show it. */
START_TEST(safeness_is_found_out)
{
    unsigned safe = 0, unsafe = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        Rng rng = {seed * 31 + 7};
        GenRandom options = {.tokens = 1 + rng_chance(&rng, 10), .weight = rng_chance(&rng, 6) ? 2 : 1};
        options.reads = rng_chance(&rng, 3);
        options.loops = rng_chance(&rng, 3);
        options.places = 4 + (uint32_t)rng_below(&rng, 6);
        g_autoptr(Net) net = gen_random_bounded(&rng, &options);
        Reachable r = explore(net);
        for (int order = 0; order < N_ORDERS; order++) {
            UnfoldOptions how = {
                .order = (Order)order, .cutoffs = true, .lean = (uint32_t)seed % 3, .dense = (uint32_t)seed % 4};
            g_autoptr(Prefix) x = run(net, how, 20000);
            if (r.too_many || ending_is_limit(x->end)) continue;
            ck_assert_msg((x->end == ENDING_UNSAFE) == r.unsafe, "seed %u order %d", (unsigned)seed, order);
            unsafe += r.unsafe;
            safe += !r.unsafe;
            if (!r.unsafe) continue;
            g_autofree uint64_t *counts = g_memdup2(net->initial, net->n_places * sizeof(uint64_t));
            for (uint32_t i = 0; i < x->unsafe_len; i++) {
                for (uint32_t p = 0; p < net->n_places; p++) ck_assert_uint_le(counts[p], 1);
                ck_assert(net_enabled(net, counts, x->unsafe_run[i]));
                net_fire(net, counts, x->unsafe_run[i]);
            }
            ck_assert_uint_gt(counts[x->unsafe_place], 1);
        }
        g_hash_table_unref(r.markings);
    }
    ck_assert_uint_gt(safe, 500);
    ck_assert_uint_gt(unsafe, 500);
}
END_TEST

/* ---- expected figures ---- */

static void check_figures(const Net *net, Order order, bool cutoffs, int64_t events, int64_t conditions,
                          int64_t n_cutoffs)
{
    for (uint32_t way = 0; way <= (events < 3000) * 2; way++) {
        UnfoldOptions how = {.order = order, .cutoffs = cutoffs, .lean = way == 1, .dense = way == 2 ? 400 : 0};
        g_autoptr(Prefix) x = run(net, how, 0);
        ck_assert_msg(x->end == ENDING_COMPLETE && x->n_events == events && x->n_conditions == conditions &&
                          x->n_cutoffs == n_cutoffs,
                      "%s %s: %u events, %u conditions, %u cutoffs", net->name, order_name(order), x->n_events,
                      x->n_conditions, x->n_cutoffs);
    }
}

START_TEST(real_nets_have_the_expected_figures)
{
    if (!test_corpus()) return;
    g_autofree char *path = g_build_filename(test_corpus(), "nets", "expected.tsv", NULL);
    g_autofree char *text = NULL;
    ck_assert(g_file_get_contents(path, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    unsigned rows = 0;
    for (char **line = lines + 1; *line && **line; line++) {
        g_auto(GStrv) f = g_strsplit(*line, "\t", -1);
        if (strcmp(f[3], "TO") == 0) continue;
        g_autofree char *name = g_strconcat(f[0], ".ll_net", NULL);
        g_autofree char *file = g_build_filename(test_corpus(), "nets", "plain", name, NULL);
        g_autoptr(Net) net = net_read_file(file, NULL, NULL);
        ck_assert_ptr_nonnull(net);
        check_figures(net, ORDER_ERV, true, atoi(f[3]), atoi(f[4]), atoi(f[5]));
        check_figures(net, ORDER_MOLE, true, atoi(f[6]), atoi(f[7]), atoi(f[8]));
        rows++;
    }
    ck_assert_uint_ge(rows, 90);
}
END_TEST

START_TEST(the_oracle_agrees)
{
    g_auto(Oracle) oracle = {0};
    if (!oracle_open(&oracle)) return;
    unsigned checked = 0;
    for (GList *file = oracle.files; file; file = file->next) {
        JsonObject *classic = oracle_part(oracle_part(oracle.all, file->data), "classic");
        if (!classic) continue;
        g_autoptr(Net) net = oracle_net(&oracle, file->data);
        for (int order = 0; order <= N_ORDERS; order++) {
            const char *key = order < N_ORDERS ? order_name((Order)order) : "full";
            JsonObject *row = oracle_part(classic, key);
            if (!row) continue;
            check_figures(net, order < N_ORDERS ? (Order)order : ORDER_ERV, order < N_ORDERS,
                          json_object_get_int_member(row, "events"), json_object_get_int_member(row, "conditions"),
                          order < N_ORDERS ? json_object_get_int_member(row, "cutoffs") : 0);
            checked++;
        }
    }
    ck_assert_uint_gt(checked, 150);
}
END_TEST

/* ---- large nets ---- */

/* Sets made from each other by small changes, against the words themselves. */
START_TEST(sets_in_a_tree_are_sets)
{
    Rng rng = {77};
    for (uint32_t words = 1; words < 400; words = words * 3 + 1) {
        enum { SETS = 300 };
        BitTree tree;
        BitDelta delta;
        bittree_init(&tree, words);
        bittree_delta_init(&delta, words);
        g_autofree uint64_t *sets = g_new0(uint64_t, (size_t)SETS * words), *out = g_new(uint64_t, words);
        uint32_t roots[SETS] = {0};
        for (uint32_t i = 1; i < SETS; i++) {
            uint32_t from = (uint32_t)rng_below(&rng, i);
            uint64_t *set = sets + (size_t)i * words;
            memcpy(set, sets + (size_t)from * words, words * sizeof *set);
            for (uint64_t n = rng_below(&rng, 4); n > 0; n--) {
                uint32_t word = (uint32_t)rng_below(&rng, words);
                uint64_t bits = UINT64_C(1) << rng_below(&rng, 3);
                set[word] ^= bits;
                bittree_delta_toggle(&delta, word, bits);
            }
            roots[i] = bittree_apply(&tree, roots[from], &delta);
            bittree_get(&tree, roots[i], out);
            ck_assert(memcmp(out, set, words * sizeof *set) == 0);
            ck_assert_uint_eq(bittree_put(&tree, set), roots[i]);
            for (uint32_t j = 0; j < i; j++)
                ck_assert((roots[i] == roots[j]) == !memcmp(set, sets + (size_t)j * words, words * sizeof *set));
        }
        bittree_delta_clear(&delta);
        bittree_clear(&tree);
    }
}
END_TEST

/* What is concurrent costs nothing by itself: one event per transition, in little memory. */
START_TEST(large_nets_need_little_memory)
{
    static const struct {
        const char *family;
        uint64_t size;
        uint32_t events, cutoffs;
    } nets[] = {{"independent", 20000, 20000, 0}, {"chain", 8000, 8000, 0}, {"philosophers", 4000, 12000, 4000}};
    for (size_t i = 0; i < G_N_ELEMENTS(nets); i++) {
        g_autoptr(Net) net = gen_net_of_size(nets[i].family, nets[i].size);
        Budget budget = budget_new(0, budget_resident() + (100 << 20), 0);
        UnfoldOptions options = {.relation = RELATION_CLASSIC, .order = ORDER_ERV, .cutoffs = true};
        g_autoptr(Prefix) x = unfold(net, &options, &budget, NULL);
        ck_assert_msg(x->end == ENDING_COMPLETE, "%s: %u events", net->name, x->n_events);
        ck_assert_uint_eq(x->n_events, nets[i].events);
        ck_assert_uint_eq(x->n_cutoffs, nets[i].cutoffs);
    }
}
END_TEST

/* ---- odd nets ---- */

START_TEST(empty_and_isolated)
{
    g_autoptr(Net) empty = small_net(" ");
    g_autoptr(Prefix) none = run_order(empty, ORDER_ERV);
    ck_assert(none->end == ENDING_COMPLETE && none->n_events == 0 && none->n_conditions == 0);

    g_autoptr(Net) place = small_net("p");
    g_autoptr(Prefix) one = run_order(place, ORDER_ERV);
    ck_assert(one->end == ENDING_COMPLETE && one->n_events == 0 && one->n_conditions == 1);

    /* No preset, no postset: one event, a cutoff as it is back at the initial marking. */
    g_autoptr(Net) lonely = small_net("p | t: ->");
    g_autoptr(Prefix) once = run_order(lonely, ORDER_ERV);
    ck_assert(once->end == ENDING_COMPLETE && once->n_events == 1 && once->n_cutoffs == 1);
    ck_assert_uint_eq(once->event_companion[0], PREFIX_BOTTOM);
    g_autoptr(Prefix) uncut = run(lonely, (UnfoldOptions){.order = ORDER_ERV}, 0);
    ck_assert(uncut->end == ENDING_COMPLETE && uncut->n_events == 1 && uncut->n_cutoffs == 0);

    /* A sink loses its token. */
    g_autoptr(Net) sink = small_net("p | t: p ->");
    g_autoptr(Prefix) lost = run_order(sink, ORDER_MOLE);
    ck_assert(lost->end == ENDING_COMPLETE && lost->n_events == 1 && lost->n_conditions == 1 && !lost->n_cutoffs);
}
END_TEST

static void check_unsafe(const char *text, uint32_t length, const char *place)
{
    g_autoptr(Net) net = small_net(text);
    for (int order = 0; order < N_ORDERS; order++)
        for (int cutoffs = 0; cutoffs < 2; cutoffs++) {
            g_autoptr(Prefix) x = run(net, (UnfoldOptions){.order = (Order)order, .cutoffs = cutoffs}, 1000);
            ck_assert_msg(x->end == ENDING_UNSAFE && x->unsafe_len == length, "%s: end %d, run %u", text, x->end,
                          x->unsafe_len);
            ck_assert_str_eq(net_place_id(net, x->unsafe_place), place);
        }
}

START_TEST(second_tokens)
{
    check_unsafe("2*p | t: p -> q", 0, "p");
    check_unsafe("p | t: p -> 2*q", 1, "q");
    check_unsafe("p | t: p -> p q", 2, "q");
    check_unsafe("p q | t: p -> q", 1, "q");
    check_unsafe("p | t: -> q", 2, "q"); /* fires twice */
    check_unsafe("p q | t: -> q", 1, "q");
    check_unsafe("p q | t: p -> r | u: q -> r", 2, "r");                         /* in different processes */
    check_unsafe("p | t: ?p -> p", 1, "p");                                      /* a read and an output */
    check_unsafe("a b | t: a -> c | u: b -> d | v: c -> e | w: d -> e", 4, "e"); /* a place without consumers */
}
END_TEST

START_TEST(weights_and_inhibitors)
{
    /* An input weight of 2 is never there in a safe net. */
    g_autoptr(Net) heavy = small_net("p | t: 2*p -> q | u: p -> r");
    g_autoptr(Prefix) x = run_order(heavy, ORDER_ERV);
    ck_assert(x->end == ENDING_COMPLETE && x->n_events == 1 && x->n_conditions == 2);
    g_autoptr(Net) heavy_read = small_net("p | t: ?2*p -> q");
    g_autoptr(Prefix) y = run_order(heavy_read, ORDER_ERV);
    ck_assert(y->end == ENDING_COMPLETE && y->n_events == 0);
    /* A read is a loop here: two readers exclude each other's order, 2 + 2 events. */
    g_autoptr(Net) readers = small_net("p a b | t: ?p a -> c | u: ?p b -> d");
    g_autoptr(Prefix) z = run(readers, (UnfoldOptions){.order = ORDER_ERV}, 0);
    ck_assert(z->n_events == 4 && z->n_conditions == 11);
    /* Read and consumed: the read adds nothing. */
    g_autoptr(Net) both = small_net("p | t: p ?p -> q");
    g_autoptr(Prefix) w = run_order(both, ORDER_ERV);
    ck_assert(w->n_events == 1 && w->n_conditions == 2);

    g_autoptr(Net) inhibited = small_net("p q | t: p !q -> r");
    UnfoldOptions options = {
        .engine = UNFOLD_CLASSIC, .relation = RELATION_CLASSIC, .order = ORDER_ERV, .cutoffs = true};
    Budget budget = budget_unlimited();
    g_autoptr(GError) error = NULL;
    ck_assert_ptr_null(unfold(inhibited, &options, &budget, &error));
    ck_assert_ptr_nonnull(error);
    /* Two tokens never are there to inhibit. */
    g_autoptr(Net) harmless = small_net("p q | t: p !2*q -> r");
    g_autoptr(Prefix) v = run_order(harmless, ORDER_ERV);
    ck_assert(v->end == ENDING_COMPLETE && v->n_events == 1);
}
END_TEST

/* ---- limits, goals, determinism ---- */

static bool stop_at(uint32_t event, uint32_t transition, const uint64_t *marking, void *data)
{
    (void)transition, (void)marking;
    return event == *(uint32_t *)data;
}

START_TEST(limits_and_goals)
{
    g_autoptr(Net) cycle = small_net("p | t: p -> q | u: q -> p");
    g_autoptr(Prefix) endless = run(cycle, (UnfoldOptions){.order = ORDER_ERV}, 100);
    ck_assert(endless->end == ENDING_EVENTS && endless->n_events == 100);
    check_shape(endless);
    /* A limit that is just enough is no limit. */
    g_autoptr(Prefix) enough = run(cycle, (UnfoldOptions){.order = ORDER_ERV, .cutoffs = true}, 2);
    ck_assert(enough->end == ENDING_COMPLETE && enough->n_events == 2);
    g_autoptr(Prefix) short_of = run(cycle, (UnfoldOptions){.order = ORDER_ERV, .cutoffs = true}, 1);
    ck_assert(ending_is_limit(short_of->end) && short_of->n_events == 1);

    uint32_t wanted = 7;
    UnfoldOptions options = {.order = ORDER_ERV, .goal = stop_at, .goal_data = &wanted};
    g_autoptr(Prefix) stopped = run(cycle, options, 0);
    ck_assert(stopped->end == ENDING_GOAL && stopped->goal_event == 7 && stopped->n_events == 8);
    check_shape(stopped);
}
END_TEST

static void check_identical(const Prefix *a, const Prefix *b)
{
    ck_assert_uint_eq(a->n_events, b->n_events);
    ck_assert_uint_eq(a->n_conditions, b->n_conditions);
    size_t events = a->n_events * sizeof(uint32_t), conditions = a->n_conditions * sizeof(uint32_t);
    ck_assert(memcmp(a->event_transition, b->event_transition, events) == 0);
    ck_assert(memcmp(a->event_companion, b->event_companion, events) == 0);
    ck_assert(memcmp(a->pre, b->pre, a->pre_start[a->n_events] * sizeof(uint32_t)) == 0);
    ck_assert(memcmp(a->condition_event, b->condition_event, conditions) == 0);
}

/* The goal of one unfolding runs another one: no state is shared. */
static bool unfold_inside(uint32_t event, uint32_t transition, const uint64_t *marking, void *data)
{
    (void)transition, (void)marking;
    if (event % 16 == 0) {
        g_autoptr(Prefix) inner = run_order(data, ORDER_MOLE);
        ck_assert_int_eq(inner->end, ENDING_COMPLETE);
    }
    return false;
}

START_TEST(unfoldings_are_independent)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        g_autoptr(Net) net = safe_net(seed), other = safe_net(seed + 1000);
        g_autoptr(Prefix) alone = run(net, (UnfoldOptions){.order = ORDER_ERV, .cutoffs = true}, 500);
        UnfoldOptions options = {.order = ORDER_ERV, .cutoffs = true, .goal = unfold_inside, .goal_data = other};
        g_autoptr(Prefix) nested = run(net, options, 500);
        check_identical(alone, nested);
    }
}
END_TEST

/* ---- orders ---- */

static bool full_has_larger(void *data, int which, uint32_t depth, uint32_t transition)
{
    GArray **full = data;
    for (uint32_t i = 0; i < full[which]->len; i++) {
        OrderStep s = g_array_index(full[which], OrderStep, i);
        if (s.depth == depth && s.transition > transition) return true;
    }
    return false;
}

/* Short differences and long ones, which are sorted in another way; or, with nothing in common, whole configurations.
 */
START_TEST(differences_decide_as_wholes_do)
{
    Rng rng = {11};
    uint32_t decided[N_ORDERS] = {0};
    g_autoptr(OrderWork) work = order_work_new(4);
    for (int round = 0; round < 20000; round++) {
        GArray *full[2];
        OrderStep parts[2][64], given[2][64];
        bool is_long = rng_chance(&rng, 8);
        uint32_t common = (uint32_t)rng_below(&rng, 6), n = 1 + (uint32_t)rng_below(&rng, is_long ? 60 : 6);
        uint32_t depths = is_long ? 12 : 3, transitions = is_long && rng_chance(&rng, 2) ? 1 : 4;
        for (int i = 0; i < 2; i++) full[i] = g_array_new(FALSE, FALSE, sizeof(OrderStep));
        for (uint32_t k = 0; k < common + n; k++)
            for (int i = 0; i < 2; i++) {
                OrderStep s = {1 + (uint32_t)rng_below(&rng, depths), (uint32_t)rng_below(&rng, transitions)};
                if (k < common && i == 1) s = g_array_index(full[0], OrderStep, k);
                if (k >= common) parts[i][k - common] = s;
                g_array_append_val(full[i], s);
            }
        for (int order = 0; order < N_ORDERS; order++) {
            OrderAsk ask = {common ? full_has_larger : NULL, full};
            memcpy(given, parts, sizeof given);
            int by_parts = order_compare(work, (Order)order, given[0], given[1], n, ask);
            int whole = naive_order((Order)order, (OrderStep *)full[0]->data, common + n, (OrderStep *)full[1]->data,
                                    common + n);
            decided[order] += whole != 0;
            ck_assert_msg((by_parts > 0) - (by_parts < 0) == whole, "round %d order %d", round, order);
        }
        for (int i = 0; i < 2; i++) g_array_free(full[i], TRUE);
    }
    ck_assert(decided[ORDER_MCMILLAN] == 0 && decided[ORDER_PARIKH] > 10000 &&
              decided[ORDER_ERV] > decided[ORDER_PARIKH]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("classic");
    TEST_CASE(suite, twin_agrees);
    TEST_CASE(suite, prefix_is_complete);
    TEST_CASE(suite, safeness_is_found_out);
    TEST_CASE(suite, real_nets_have_the_expected_figures);
    TEST_CASE(suite, the_oracle_agrees);
    TEST_CASE(suite, sets_in_a_tree_are_sets);
    TEST_CASE(suite, large_nets_need_little_memory);
    TEST_CASE(suite, empty_and_isolated);
    TEST_CASE(suite, second_tokens);
    TEST_CASE(suite, weights_and_inhibitors);
    TEST_CASE(suite, limits_and_goals);
    TEST_CASE(suite, unfoldings_are_independent);
    TEST_CASE(suite, differences_decide_as_wholes_do);
    return test_run(suite);
}
