/* The read-aware prefix: against the definition and the parametric engine event by event, against explicit search
 * through its own conditions, on unsafe nets, and against published counts. */
#include "test.h"

#include "base/bitset.h"
#include "lts/netlts.h"
#include "net/gen.h"
#include "net/read.h"
#include "oracle.h"
#include "saturate_naive.h"
#include "small_net.h"
#include "unfold/context/context.h"
#include "unfold/parametric/net.h"

static Prefix *build(const Net *net, Relation relation, Order order, bool cutoffs, uint64_t most)
{
    UnfoldOptions options = {.relation = relation, .order = order, .cutoffs = cutoffs};
    Budget budget = budget_new(0, 0, most);
    Prefix *prefix = context_unfold(net, &options, &budget, NULL);
    ck_assert_ptr_nonnull(prefix);
    return prefix;
}

/* ---- names of events that do not depend on numbering ---- */

/* As saturate_naive.h makes them; the last bit says cutoff. Sorted. */
static uint64_t *names_of(uint32_t n, const uint32_t *transition, const uint32_t *cause_start, const uint32_t *cause,
                          const uint32_t *companion)
{
    size_t words = bitset_words(n) + 1;
    g_autofree uint64_t *local = g_new0(uint64_t, words * (n + 1));
    uint64_t *names = g_new(uint64_t, n + 1);
    for (uint32_t e = 0; e < n; e++) {
        uint64_t *mine = local + e * words, sum = 0;
        for (uint32_t i = cause_start[e]; i < cause_start[e + 1]; i++) {
            ck_assert_uint_lt(cause[i], e);
            ck_assert_msg(!bitset_get(mine, cause[i]), "a cause that is not maximal");
            bitset_or(mine, local + cause[i] * words, words);
        }
        for (uint32_t f = 0; f < e; f++)
            if (bitset_get(mine, f)) sum += names[f] * names[f] | 1;
        names[e] = (sum + transition[e] + 1) * UINT64_C(0x9e3779b97f4a7c15);
        names[e] ^= names[e] >> 29;
        bitset_set(mine, e);
    }
    for (uint32_t e = 0; e < n; e++) names[e] = names[e] << 1 | (companion[e] != PREFIX_NONE);
    return names;
}

static int compare_names(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t *history_names(const Prefix *p)
{
    const PrefixHistories *h = &p->histories;
    g_autofree uint32_t *transition = g_new(uint32_t, h->n + 1);
    for (uint32_t i = 0; i < h->n; i++) transition[i] = p->event_transition[h->event[i]];
    uint64_t *names = names_of(h->n, transition, h->cause_start, h->cause, h->companion);
    qsort(names, h->n, sizeof *names, compare_names);
    return names;
}

/* ---- random nets ---- */

/* Any small net; most are unsafe, many have transitions that consume or test nothing. */
static Net *wild_net(Rng *rng)
{
    Rules *r = rules_new("wild");
    uint64_t places = 2 + rng_below(rng, 6), transitions = 1 + rng_below(rng, 6);
    for (uint64_t p = 0; p < places; p++) rules_place(r, rng_below(rng, 2), "p%u", (unsigned)p);
    for (uint64_t t = 0; t < transitions; t++) {
        g_autoptr(GString) in = g_string_new(NULL);
        g_autoptr(GString) out = g_string_new(NULL);
        for (uint64_t p = 0; p < places; p++) {
            uint64_t kind = rng_below(rng, 13);
            if (kind < 2 || kind == 3) g_string_append_printf(in, " p%u", (unsigned)p);
            if (kind == 2 || kind == 3) g_string_append_printf(out, " p%u", (unsigned)p);
            if (kind == 4 || kind == 5) g_string_append_printf(in, " ?p%u", (unsigned)p);
        }
        g_autofree char *rule = g_strdup_printf("t%u:%s ->%s", (unsigned)t, in->str, out->str);
        rules_add_text(r, rule);
    }
    return rules_finish(r);
}

static Net *safe_net(Rng *rng, uint32_t transitions)
{
    GenRandom options = {.reads = true,
                         .loops = true,
                         .sinks = true,
                         .acyclic = rng_chance(rng, 3),
                         .transitions = transitions,
                         .states = (uint32_t)(2 + rng_below(rng, 2)),
                         .components = (uint32_t)(1 + rng_below(rng, 4))};
    return gen_random_safe(rng, &options);
}

/* All reachable markings as strings of 0 and 1. NULL when a place gets a second token. */
static GHashTable *reachable(const Net *net)
{
    GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GPtrArray *todo = g_ptr_array_new();
    uint64_t *marking = g_new0(uint64_t, net->n_places + 1);
    char *first = g_new0(char, net->n_places + 1);
    bool safe = true;
    for (uint32_t p = 0; p < net->n_places; p++) first[p] = (char)('0' + net->initial[p]);
    g_hash_table_add(seen, first);
    g_ptr_array_add(todo, first);
    for (guint i = 0; i < todo->len && safe; i++)
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            for (uint32_t p = 0; p < net->n_places; p++) marking[p] = (uint64_t)(((char *)todo->pdata[i])[p] - '0');
            if (!net_enabled(net, marking, t)) continue;
            net_fire(net, marking, t);
            char *next = g_new0(char, net->n_places + 1);
            for (uint32_t p = 0; p < net->n_places; p++) {
                safe &= marking[p] <= 1;
                next[p] = (char)('0' + marking[p]);
            }
            if (g_hash_table_contains(seen, next)) {
                g_free(next);
                continue;
            }
            g_hash_table_add(seen, next);
            g_ptr_array_add(todo, next);
        }
    g_ptr_array_free(todo, TRUE);
    g_free(marking);
    if (!safe) g_clear_pointer(&seen, g_hash_table_unref);
    return seen;
}

/* ---- the definition ---- */

START_TEST(definition)
{
    Rng rng = {31};
    int rounds = test_rounds(3000, 60000);
    uint64_t compared = 0, events = 0, histories_more = 0;
    for (int round = 0; round < rounds; round++) {
        bool wild = round % 3 == 0;
        g_autoptr(Net) net = wild ? wild_net(&rng) : safe_net(&rng, (uint32_t)(4 + rng_below(&rng, 10)));
        Relation relation = rng_chance(&rng, 2) ? RELATION_READ : RELATION_LOOPS;
        Order order = (Order)rng_below(&rng, N_ORDERS);
        bool cutoffs = !rng_chance(&rng, 5);
        g_autoptr(Prefix) p = build(net, relation, order, cutoffs, NAIVE_EVENTS);
        if (p->end != ENDING_COMPLETE) continue;
        g_autoptr(NetLts) lts = netlts_new(net, 1);
        g_autoptr(Indep) indep = indep_new(net, relation);
        NaivePrefix *naive = naive_saturate(&lts->lts, indep, order, cutoffs);
        if (!naive->too_big) {
            g_autofree uint64_t *mine = history_names(p), *its = g_new(uint64_t, naive->n + 1);
            for (uint32_t e = 0; e < naive->n; e++) its[e] = naive->event[e].name << 1 | naive->event[e].cutoff;
            qsort(its, naive->n, sizeof *its, compare_names);
            ck_assert_msg(naive->n == p->histories.n && memcmp(mine, its, naive->n * sizeof *mine) == 0,
                          "round %d: %s %s cutoffs %d: %u events instead of %u", round, relation_name(relation),
                          order_name(order), cutoffs, p->histories.n, naive->n);
            compared++;
            events += naive->n;
            histories_more += p->histories.n > p->n_events;
        }
        naive_free(naive);
    }
    printf("definition: %" G_GUINT64_FORMAT " prefixes, %" G_GUINT64_FORMAT " events\n", compared, events);
    ck_assert_uint_gt(compared, 1500);
    ck_assert_uint_gt(events, 20000);
    ck_assert_uint_gt(histories_more, 200);
}
END_TEST

/* Larger nets, the parametric engine as reference. */
START_TEST(parametric)
{
    Rng rng = {32};
    int rounds = test_rounds(150, 3000);
    uint64_t compared = 0, events = 0;
    for (int round = 0; round < rounds; round++) {
        g_autoptr(Net) net = safe_net(&rng, (uint32_t)(12 + rng_below(&rng, 30)));
        UnfoldOptions options = {.relation = round % 2 ? RELATION_READ : RELATION_LOOPS,
                                 .order = (Order)rng_below(&rng, N_ORDERS),
                                 .cutoffs = true};
        g_autoptr(Prefix) p = build(net, options.relation, options.order, true, 2000);
        if (p->end != ENDING_COMPLETE) continue;
        Budget budget = budget_new(0, 0, 4000);
        g_autoptr(Prefix) q = parametric_net_unfold(net, &options, &budget, NULL);
        if (ending_is_limit(q->end) && p->histories.n < 2000) ck_assert_uint_eq(q->n_events, p->histories.n);
        g_autofree uint64_t *mine = history_names(p);
        g_autofree uint64_t *its =
            names_of(q->n_events, q->event_transition, q->cause_start, q->cause, q->event_companion);
        qsort(its, q->n_events, sizeof *its, compare_names);
        ck_assert_msg(q->n_events == p->histories.n && memcmp(mine, its, q->n_events * sizeof *mine) == 0,
                      "round %d: %s %s: %u events instead of %u", round, relation_name(options.relation),
                      order_name(options.order), p->histories.n, q->n_events);
        compared++;
        events += q->n_events;
    }
    printf("parametric: %" G_GUINT64_FORMAT " prefixes, %" G_GUINT64_FORMAT " events\n", compared, events);
    ck_assert_uint_gt(compared, 100);
}
END_TEST

/* Nets without reads and loops go to the classic engine: the same prefix. */
START_TEST(nothing_to_read)
{
    Rng rng = {35};
    unsigned events = 0;
    for (int round = 0; round < 200; round++) {
        GenRandom shape = {.sinks = true, .transitions = (uint32_t)(6 + rng_below(&rng, 20))};
        g_autoptr(Net) net = gen_random_safe(&rng, &shape);
        UnfoldOptions options = {.relation = round % 2 ? RELATION_READ : RELATION_LOOPS,
                                 .order = (Order)rng_below(&rng, N_ORDERS),
                                 .cutoffs = true};
        Budget budget = budget_new(0, 0, 5000);
        g_autoptr(Prefix) q = unfold(net, &options, &budget, NULL);
        g_autoptr(Prefix) p = build(net, options.relation, options.order, true, 5000);
        ck_assert_int_eq(q->relation, options.relation);
        ck_assert_int_eq(p->end, q->end);
        if (p->end != ENDING_COMPLETE) continue;
        ck_assert_uint_eq(prefix_count(q), p->histories.n);
        ck_assert_uint_eq(prefix_count_cutoffs(q), p->histories.n_cutoffs);
        ck_assert_uint_eq(q->n_conditions, p->n_conditions);
        events += p->histories.n;
    }
    ck_assert_uint_gt(events, 2000);
}
END_TEST

/* ---- completeness through the conditions ---- */

static bool has_all(const uint64_t *cut, PrefixRow row)
{
    for (uint32_t i = 0; i < row.len; i++)
        if (!bitset_get(cut, row.id[i])) return false;
    return true;
}

static char *marking_of_cut(const Prefix *p, const uint64_t *cut)
{
    char *marking = g_new0(char, p->net->n_places + 1);
    memset(marking, '0', p->net->n_places);
    for (uint32_t c = 0; c < p->n_conditions; c++) {
        if (!bitset_get(cut, c)) continue;
        ck_assert_int_eq(marking[p->condition_place[c]], '0');
        marking[p->condition_place[c]] = '1';
    }
    return marking;
}

/* Fires the events that are no cutoffs in the occurrence net and collects the markings of all cuts. */
static GHashTable *covered(const Prefix *p, size_t most)
{
    size_t words = bitset_words(p->n_conditions) + 1;
    GHashTable *cuts = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    GHashTable *markings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GPtrArray *todo = g_ptr_array_new();
    g_autofree uint64_t *cut = g_new0(uint64_t, words);
    for (uint32_t c = 0; c < p->n_conditions && p->condition_event[c] == PREFIX_BOTTOM; c++) bitset_set(cut, c);
    GBytes *first = g_bytes_new(cut, words * sizeof *cut);
    g_hash_table_add(cuts, first);
    g_ptr_array_add(todo, first);
    for (guint i = 0; i < todo->len && i < most; i++) {
        const uint64_t *at = g_bytes_get_data(todo->pdata[i], NULL);
        g_hash_table_add(markings, marking_of_cut(p, at));
        for (uint32_t e = 0; e < p->n_events; e++) {
            if (prefix_is_cutoff(p, e) || !has_all(at, prefix_pre(p, e)) || !has_all(at, prefix_read(p, e))) continue;
            memcpy(cut, at, words * sizeof *cut);
            PrefixRow pre = prefix_pre(p, e);
            for (uint32_t k = 0; k < pre.len; k++) bitset_clear(cut, pre.id[k]);
            for (uint32_t c = p->post_start[e]; c < p->post_start[e + 1]; c++) bitset_set(cut, c);
            GBytes *next = g_bytes_new(cut, words * sizeof *cut);
            if (g_hash_table_contains(cuts, next)) {
                g_bytes_unref(next);
                continue;
            }
            g_hash_table_add(cuts, next);
            g_ptr_array_add(todo, next);
        }
    }
    bool all = todo->len <= most;
    g_ptr_array_free(todo, TRUE);
    g_hash_table_unref(cuts);
    if (!all) g_clear_pointer(&markings, g_hash_table_unref);
    return markings;
}

/* A cutoff's marking is its companion's, the companion is no cutoff and no larger; an event is a cutoff iff all its
 * histories are. */
static void check_cutoffs(const Prefix *p)
{
    const PrefixHistories *h = &p->histories;
    g_autofree uint64_t *one = g_new0(uint64_t, p->net->n_places + 1), *two = g_new0(uint64_t, p->net->n_places + 1);
    g_autofree bool *live = g_new0(bool, p->n_events + 1);
    for (uint32_t i = 0; i < h->n; i++) {
        ck_assert_uint_le(h->first[h->event[i]], i);
        ck_assert(i == 0 || h->size[i - 1] <= h->size[i]);
        prefix_history_marking(p, i, one);
        if (h->companion[i] == PREFIX_NONE) {
            live[h->event[i]] = true;
            continue;
        }
        prefix_history_marking(p, h->companion[i], two);
        ck_assert_mem_eq(one, two, p->net->n_places * sizeof *one);
        if (h->companion[i] == PREFIX_BOTTOM) continue;
        ck_assert_uint_lt(h->companion[i], i);
        ck_assert_uint_eq(h->companion[h->companion[i]], PREFIX_NONE);
    }
    for (uint32_t e = 0; e < p->n_events; e++) ck_assert_int_eq(live[e], !prefix_is_cutoff(p, e));
}

START_TEST(completeness)
{
    Rng rng = {33};
    uint64_t compared = 0, markings = 0;
    for (int round = 0; round < 700; round++) {
        g_autoptr(Net) net = round % 4 ? safe_net(&rng, (uint32_t)(4 + rng_below(&rng, 12))) : wild_net(&rng);
        g_autoptr(GHashTable) expected = reachable(net);
        if (!expected) continue;
        Relation relation = rng_chance(&rng, 2) ? RELATION_READ : RELATION_LOOPS;
        Order order = rng_chance(&rng, 2) ? ORDER_ERV : ORDER_MOLE;
        g_autoptr(Prefix) p = build(net, relation, order, true, 0);
        ck_assert_int_eq(p->end, ENDING_COMPLETE);
        ck_assert_uint_le(p->histories.n - p->histories.n_cutoffs, g_hash_table_size(expected));
        check_cutoffs(p);
        g_autoptr(GHashTable) found = covered(p, 3000);
        if (!found) continue;
        GHashTableIter iter;
        gpointer key;
        g_hash_table_iter_init(&iter, found);
        while (g_hash_table_iter_next(&iter, &key, NULL)) ck_assert(g_hash_table_contains(expected, key));
        ck_assert_msg(g_hash_table_size(found) == g_hash_table_size(expected), "round %d: %u markings instead of %u",
                      round, g_hash_table_size(found), g_hash_table_size(expected));
        compared++;
        markings += g_hash_table_size(found);
    }
    printf("completeness: %" G_GUINT64_FORMAT " prefixes, %" G_GUINT64_FORMAT " markings\n", compared, markings);
    ck_assert_uint_gt(compared, 400);
}
END_TEST

/* ---- unsafe nets ---- */

static void check_run(const Prefix *p)
{
    const Net *net = p->net;
    g_autofree uint64_t *marking = g_new0(uint64_t, net->n_places + 1);
    memcpy(marking, net->initial, net->n_places * sizeof *marking);
    for (uint32_t i = 0; i < p->unsafe_len; i++) {
        for (uint32_t q = 0; q < net->n_places; q++) ck_assert_uint_le(marking[q], 1);
        ck_assert(net_enabled(net, marking, p->unsafe_run[i]));
        net_fire(net, marking, p->unsafe_run[i]);
    }
    ck_assert_uint_eq(marking[p->unsafe_place], 2);
}

START_TEST(safeness)
{
    Rng rng = {34};
    unsigned safe = 0, unsafe = 0;
    for (int round = 0; round < 20000; round++) {
        g_autoptr(Net) net = wild_net(&rng);
        g_autoptr(GHashTable) markings = reachable(net);
        g_autoptr(Prefix) p =
            build(net, round % 2 ? RELATION_READ : RELATION_LOOPS, (Order)rng_below(&rng, N_ORDERS), true, 0);
        ck_assert_msg(p->end == (markings ? ENDING_COMPLETE : ENDING_UNSAFE), "round %d", round);
        if (!markings) check_run(p);
        safe += markings != NULL;
        unsafe += markings == NULL;
    }
    printf("safeness: %u safe, %u unsafe\n", safe, unsafe);
    ck_assert_uint_gt(safe, 2000);
    ck_assert_uint_gt(unsafe, 2000);
}
END_TEST

/* ---- small cases ---- */

static void expect(const char *text, Relation relation, bool cutoffs, uint32_t events, uint32_t contextual,
                   uint32_t cut)
{
    g_autoptr(Net) net = small_net(text);
    g_autoptr(Prefix) p = build(net, relation, ORDER_ERV, cutoffs, 1000);
    ck_assert_int_eq(p->end, ENDING_COMPLETE);
    ck_assert_msg(p->histories.n == events && p->n_events == contextual && p->histories.n_cutoffs == cut,
                  "%s: %u events, %u contextual, %u cutoffs", text, p->histories.n, p->n_events,
                  p->histories.n_cutoffs);
}

START_TEST(small_cases)
{
    /* a reader and the consumer, which comes with and without the reader before it */
    expect("p q | r: q ?p -> s | c: p ->", RELATION_READ, false, 3, 2, 0);
    /* the same as a loop: three events when it consumes, and again when it only reads */
    expect("p q | r: q p -> s p | c: p ->", RELATION_READ, false, 3, 3, 0);
    expect("p q | r: q p -> s p | c: p ->", RELATION_LOOPS, false, 3, 2, 0);
    /* a transition that only reads, at a marking that is no event's: its repetition is a cutoff */
    expect("a b | x: a -> p | y: b -> q | r: ?p ?q ->", RELATION_READ, true, 4, 3, 1);
    /* it reads what is marked at first: back at the initial marking at once */
    expect("p | r: ?p -> | c: p ->", RELATION_READ, true, 2, 2, 1);
    /* it tests nothing and does nothing */
    expect("p | n: -> | c: p ->", RELATION_READ, true, 2, 2, 1);
    /* two that read what the other consumes exclude each other */
    expect("p q | t: p ?q -> | u: q ?p ->", RELATION_READ, false, 2, 2, 0);
    /* [POET15] Fig. 1 */
    expect("x0 w q1 q2 | w: w x0 -> x1 | a0: q1 ?x0 -> | a1: q1 ?x1 -> | b0: q2 ?x0 -> | b1: q2 ?x1 ->", RELATION_READ,
           false, 10, 5, 0);
}
END_TEST

START_TEST(readers)
{
    static const uint32_t expected[] = {0, 3, 6, 11, 20, 37, 70};
    for (unsigned n = 1; n <= 6; n++) {
        g_autoptr(GString) text = g_string_new("p");
        for (unsigned i = 0; i < n; i++) g_string_append_printf(text, " q%u", i);
        for (unsigned i = 0; i < n; i++) g_string_append_printf(text, "| r%u: q%u ?p -> s%u", i, i, i);
        g_string_append(text, "| c: p -> d");
        expect(text->str, RELATION_READ, false, expected[n], n + 1, 0);
    }
}
END_TEST

START_TEST(limits)
{
    g_autoptr(Net) net = small_net("p x | a: p -> q | b: q -> p | c: x ?p -> y | d: y -> x");
    for (uint32_t most = 1; most < 6; most++) {
        g_autoptr(Prefix) p = build(net, RELATION_READ, ORDER_ERV, false, most);
        ck_assert(ending_is_limit(p->end));
        ck_assert_int_eq(p->end, ENDING_EVENTS);
        ck_assert_uint_eq(p->histories.n, most);
    }
    g_autoptr(Net) pure = small_net("p | r: ?p -> ");
    g_autoptr(Prefix) chain = build(pure, RELATION_READ, ORDER_ERV, false, 50);
    ck_assert_uint_eq(chain->histories.n, 50);
    ck_assert_uint_eq(chain->n_events, 1);
    g_autoptr(Net) many = small_net("2*p | a: p -> q");
    g_autoptr(Prefix) p = build(many, RELATION_READ, ORDER_ERV, true, 0);
    ck_assert_int_eq(p->end, ENDING_UNSAFE);
    ck_assert_uint_eq(p->unsafe_len, 0);
    const char *refused[] = {"p | a: 2*p -> q", "p | a: p !q -> q"};
    for (int i = 0; i < 2; i++) {
        g_autoptr(Net) bad = small_net(refused[i]);
        g_autoptr(GError) error = NULL;
        UnfoldOptions options = {.relation = RELATION_READ};
        Budget budget = budget_unlimited();
        ck_assert_ptr_null(context_unfold(bad, &options, &budget, &error));
        ck_assert_ptr_nonnull(error);
    }
}
END_TEST

/* ---- recorded figures ---- */

static unsigned check_figures(const Net *net, Relation relation, JsonObject *expected)
{
    unsigned compared = 0;
    for (int order = 0; order <= N_ORDERS; order++) {
        const char *name = order == N_ORDERS ? "full" : order_name((Order)order);
        JsonObject *figures = oracle_part(expected, name);
        if (!figures || !json_object_has_member(figures, "events")) continue;
        int64_t events = json_object_get_int_member(figures, "events");
        int64_t cutoffs = order == N_ORDERS ? 0 : json_object_get_int_member(figures, "cutoffs");
        g_autoptr(Prefix) p =
            build(net, relation, order == N_ORDERS ? ORDER_ERV : (Order)order, order < N_ORDERS, 100000);
        ck_assert_msg(p->end == ENDING_COMPLETE && p->histories.n == events && p->histories.n_cutoffs == cutoffs,
                      "%s %s %s: %u events, %u cutoffs instead of %d, %d", net->name, relation_name(relation), name,
                      p->histories.n, p->histories.n_cutoffs, (int)events, (int)cutoffs);
        compared++;
    }
    return compared;
}

static bool takes(const Net *net)
{
    for (uint32_t p = 0; p < net->n_places; p++)
        if (net->initial[p] > 1) return false;
    return net_is_ordinary(net);
}

START_TEST(oracle_figures)
{
    g_auto(Oracle) oracle = {0};
    if (!oracle_open(&oracle)) return;
    unsigned compared = 0;
    for (GList *file = oracle.files; file; file = file->next) {
        g_autoptr(Net) net = oracle_net(&oracle, file->data);
        JsonObject *expected = oracle_part(oracle.all, file->data), *explicit = oracle_part(expected, "explicit");
        if (!takes(net) || !explicit || !json_object_has_member(explicit, "safe") ||
            !json_object_get_boolean_member(explicit, "safe"))
            continue;
        expected = oracle_part(expected, "parametric");
        compared += check_figures(net, RELATION_READ, oracle_part(expected, "read"));
        compared += check_figures(net, RELATION_LOOPS, oracle_part(expected, "effect"));
    }
    printf("oracle: %u prefixes\n", compared);
    ck_assert_uint_gt(compared, 100);
}
END_TEST

/* Two rows of the table differ from the definition, see bench/relations/README; the oracle agrees with us there. */
static bool disputed(const char *name)
{
    return strcmp(name, "knuth_2") == 0 || strcmp(name, "knuth_2.sync") == 0;
}

START_TEST(table)
{
    if (!test_corpus()) return;
    g_autofree char *path = g_build_filename(test_corpus(), "nets", "expected.tsv", NULL), *text = NULL;
    ck_assert(g_file_get_contents(path, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    unsigned compared = 0;
    for (char **line = lines + 1; *line && **line; line++) {
        g_auto(GStrv) field = g_strsplit(*line, "\t", -1);
        if (g_strv_length(field) < 13 || !g_ascii_isdigit(*field[9])) continue;
        g_autofree char *name = g_strconcat(field[0], ".ll_net", NULL);
        g_autofree char *file = g_build_filename(test_corpus(), "nets", "cont", name, NULL);
        g_autoptr(Net) net = net_read_file(file, NULL, NULL);
        ck_assert_ptr_nonnull(net);
        g_autoptr(Prefix) p = build(net, RELATION_READ, ORDER_ERV, true, 0);
        ck_assert_int_eq(p->end, ENDING_COMPLETE);
        if (disputed(field[0])) continue;
        const uint32_t mine[] = {p->histories.n, p->n_events, p->n_conditions, p->histories.n_cutoffs};
        for (int i = 0; i < 4; i++)
            ck_assert_msg(mine[i] == strtoull(field[9 + i], NULL, 10), "%s: column %d is %u, not %s", field[0], i,
                          mine[i], field[9 + i]);
        compared++;
    }
    printf("table: %u nets\n", compared);
    ck_assert_uint_ge(compared, 57);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("context");
    TEST_CASE(suite, small_cases);
    TEST_CASE(suite, readers);
    TEST_CASE(suite, definition);
    TEST_CASE(suite, parametric);
    TEST_CASE(suite, nothing_to_read);
    TEST_CASE(suite, completeness);
    TEST_CASE(suite, safeness);
    TEST_CASE(suite, limits);
    TEST_CASE(suite, oracle_figures);
    TEST_CASE(suite, table);
    return test_run(suite);
}
