/* The parametric prefix against its definition, the published and the oracle's counts, and on a system that is
 * not a net. */
#include "test.h"

#include "base/bitset.h"
#include "lts/netlts.h"
#include "lts/pairs.h"
#include "net/gen.h"
#include "net/read.h"
#include "net/rules.h"
#include "oracle.h"
#include "report/eventgraph.h"
#include "saturate_naive.h"
#include "small_net.h"
#include "unfold/parametric/parametric.h"
#include "unfold/parametric/net.h"

/* ---- names of events that do not depend on numbering ---- */

/* Fills names (as saturate_naive.h makes them) from immediate causes. */
static void name_events(uint32_t n, const uint32_t *action, const uint32_t *cause_start, const uint32_t *cause,
                        uint64_t *names)
{
    size_t words = bitset_words(n) + 1;
    uint64_t *local = g_new0(uint64_t, words * (n + 1));
    for (uint32_t e = 0; e < n; e++) {
        uint64_t *mine = local + e * words, sum = 0;
        for (uint32_t i = cause_start[e]; i < cause_start[e + 1]; i++) bitset_or(mine, local + cause[i] * words, words);
        for (uint32_t f = 0; f < e; f++)
            if (bitset_get(mine, f)) sum += names[f] * names[f] | 1;
        names[e] = (sum + action[e] + 1) * UINT64_C(0x9e3779b97f4a7c15);
        names[e] ^= names[e] >> 29;
        bitset_set(mine, e);
    }
    g_free(local);
}

static int compare_names(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Cutoffs count as different events. */
static void mark_and_sort(uint64_t *names, const bool *cutoff, uint32_t n)
{
    for (uint32_t e = 0; e < n; e++) names[e] = names[e] << 1 | cutoff[e];
    qsort(names, n, sizeof *names, compare_names);
}

static bool agrees(const Lts *lts, const Indep *indep, Order order, bool cutoffs, uint32_t *n_events)
{
    Budget budget = budget_new(0, 0, NAIVE_EVENTS);
    ScheduleRules rules = {.order = order, .cutoffs = cutoffs};
    g_autoptr(Parametric) p = parametric_new(lts, indep, rules, &budget);
    if (p->end != ENDING_COMPLETE) return true;
    NaivePrefix *naive = naive_saturate(lts, indep, order, cutoffs);
    bool same = true;
    if (!naive->too_big) {
        *n_events = p->n_events;
        same = naive->n == p->n_events && naive->n_cutoffs == p->n_cutoffs;
        uint64_t mine[NAIVE_EVENTS + 1], its[NAIVE_EVENTS + 1];
        bool cut_mine[NAIVE_EVENTS], cut_its[NAIVE_EVENTS];
        name_events(p->n_events, p->action, p->cause_start, p->cause, mine);
        for (uint32_t e = 0; e < p->n_events; e++) cut_mine[e] = p->companion[e] != PREFIX_NONE;
        for (uint32_t e = 0; e < naive->n; e++) its[e] = naive->event[e].name, cut_its[e] = naive->event[e].cutoff;
        mark_and_sort(mine, cut_mine, p->n_events);
        mark_and_sort(its, cut_its, naive->n);
        same = same && memcmp(mine, its, naive->n * sizeof *mine) == 0;
    }
    naive_free(naive);
    return same;
}

static Net *random_net(Rng *rng, int kind)
{
    GenRandom safe = {
        .reads = true, .loops = true, .sinks = true, .inhibitors = kind == 1, .acyclic = rng_chance(rng, 2)};
    GenRandom bounded = {
        .reads = true, .loops = true, .weight = 2, .inhibitors = kind == 3, .acyclic = rng_chance(rng, 2)};
    return kind < 2 ? gen_random_safe(rng, &safe) : gen_random_bounded(rng, &bounded);
}

START_TEST(definition)
{
    Rng rng = {21};
    uint64_t compared = 0, events = 0;
    for (int round = 0; round < 1200; round++) {
        g_autoptr(Net) net = random_net(&rng, round % 4);
        g_autoptr(NetLts) lts = netlts_new(net, 8);
        Relation relation = (Relation)rng_below(&rng, RELATION_FILE);
        Order order = (Order)rng_below(&rng, N_ORDERS);
        bool cutoffs = !rng_chance(&rng, 4);
        g_autoptr(Indep) indep = indep_new(net, relation);
        uint32_t n = 0;
        ck_assert_msg(agrees(&lts->lts, indep, order, cutoffs, &n), "round %d: %s %s cutoffs %d", round,
                      relation_name(relation), order_name(order), cutoffs);
        compared += n > 0;
        events += n;
    }
    printf("definition: %" G_GUINT64_FORMAT " prefixes, %" G_GUINT64_FORMAT " events\n", compared, events);
    ck_assert_uint_gt(compared, 800);
    ck_assert_uint_gt(events, 7000);
}
END_TEST

/* ---- a system that is not a net: threads over shared variables with values ---- */

enum { THREADS = 3, LENGTH = 3, VARIABLES = 2, ACTIONS = THREADS * LENGTH };
typedef enum { OP_WRITE, OP_ADD, OP_AWAIT, OP_JUMP_IF } Op;
typedef struct Program {
    Lts lts;
    struct {
        Op op;
        uint8_t variable, value, target;
    } code[ACTIONS];
} Program;

/* State: one byte per program counter, then one per variable, in one word. */
static uint8_t peek(const uint64_t *state, unsigned i)
{
    return (uint8_t)(state[0] >> (8 * i));
}
static void poke(uint64_t *state, unsigned i, unsigned value)
{
    state[0] = (state[0] & ~(UINT64_C(255) << (8 * i))) | (uint64_t)(value & 255) << (8 * i);
}
static void program_initial(const Lts *lts, uint64_t *state)
{
    (void)lts;
    state[0] = 0;
}
static bool program_enabled(const Lts *lts, const uint64_t *state, uint32_t a)
{
    const Program *p = (const Program *)lts;
    if (peek(state, a / LENGTH) != a % LENGTH) return false;
    return p->code[a].op != OP_AWAIT || peek(state, THREADS + p->code[a].variable) == p->code[a].value;
}
static bool program_fire(const Lts *lts, uint64_t *state, uint32_t a)
{
    const Program *p = (const Program *)lts;
    unsigned thread = a / LENGTH, variable = THREADS + p->code[a].variable, next = a % LENGTH + 1;
    if (p->code[a].op == OP_WRITE) poke(state, variable, p->code[a].value);
    if (p->code[a].op == OP_ADD) poke(state, variable, (peek(state, variable) + 1u) % 3);
    if (p->code[a].op == OP_JUMP_IF && peek(state, variable) == p->code[a].value) next = p->code[a].target;
    poke(state, thread, next);
    return true;
}

static void random_program(Rng *rng, Program *p)
{
    *p = (Program){.lts = {.n_actions = ACTIONS,
                           .state_words = 1,
                           .initial = program_initial,
                           .enabled = program_enabled,
                           .fire = program_fire}};
    for (uint32_t a = 0; a < ACTIONS; a++) {
        p->code[a].op = (Op)rng_below(rng, 4);
        p->code[a].variable = (uint8_t)rng_below(rng, VARIABLES);
        p->code[a].value = (uint8_t)rng_below(rng, 2);
        p->code[a].target = (uint8_t)rng_below(rng, LENGTH + 1);
    }
}

static Indep *program_indep(const Program *p)
{
    uint32_t pairs[2 * ACTIONS * ACTIONS];
    size_t n = 0;
    for (uint32_t a = 0; a < ACTIONS; a++)
        for (uint32_t b = a + 1; b < ACTIONS; b++) {
            bool writes = p->code[a].op <= OP_ADD || p->code[b].op <= OP_ADD;
            bool adds = p->code[a].op == OP_ADD && p->code[b].op == OP_ADD;
            if (a / LENGTH != b / LENGTH && (p->code[a].variable != p->code[b].variable || !writes || adds)) continue;
            pairs[2 * n] = a;
            pairs[2 * n++ + 1] = b;
        }
    return indep_from_pairs(ACTIONS, pairs, n);
}

START_TEST(programs)
{
    Rng rng = {22};
    uint64_t compared = 0, events = 0;
    for (int round = 0; round < 80; round++) {
        Program p;
        random_program(&rng, &p);
        g_autoptr(Indep) indep = program_indep(&p);
        Order order = (Order)rng_below(&rng, N_ORDERS);
        uint32_t n = 0;
        ck_assert_msg(agrees(&p.lts, indep, order, true, &n), "round %d %s", round, order_name(order));
        compared += n > 0;
        events += n;
    }
    printf("programs: %" G_GUINT64_FORMAT " prefixes, %" G_GUINT64_FORMAT " events\n", compared, events);
    ck_assert_uint_gt(compared, 40);
}
END_TEST

/* ---- published counts ---- */

static Net *readers(unsigned n)
{
    Rules *r = rules_new("readers-%u", n);
    rules_place(r, 1, "p");
    for (unsigned i = 0; i < n; i++) {
        rules_place(r, 1, "q%u", i);
        rules_add(r, "t%u: q%u ?p -> r%u", i, i, i);
    }
    rules_add(r, "tc: p -> c");
    return rules_finish(r);
}

static Prefix *unfolded(const Net *net, Relation relation, Order order, bool cutoffs)
{
    UnfoldOptions options = {.relation = relation, .order = order, .cutoffs = cutoffs};
    Budget budget = budget_unlimited();
    GError *error = NULL;
    Prefix *prefix = parametric_net_unfold(net, &options, &budget, &error);
    ck_assert_msg(prefix != NULL, "%s", error ? error->message : "");
    return prefix;
}

START_TEST(published)
{
    static const uint32_t classic[] = {0, 3, 9, 31, 129, 651, 3913};
    for (unsigned n = 1; n <= 6; n++) {
        g_autoptr(Net) net = readers(n);
        g_autoptr(Prefix) a = unfolded(net, RELATION_CLASSIC, ORDER_ERV, false);
        g_autoptr(Prefix) b = unfolded(net, RELATION_READ, ORDER_ERV, false);
        ck_assert_uint_eq(a->n_events, classic[n]);
        ck_assert_uint_eq(b->n_events, n + (1u << n));
    }
    for (unsigned n = 1; n <= 8; n *= 2) {
        Rules *r = rules_new("ccnf-%u", n);
        for (unsigned i = 0; i < n; i++) {
            rules_place(r, 1, "x%u", i);
            rules_place(r, 1, "a%u", i);
            rules_place(r, 1, "b%u", i);
            rules_add(r, "s%u: a%u x%u -> x%u", i, i, i, i);
            rules_add(r, "t%u: b%u x%u -> x%u", i, i, i, i);
        }
        g_autoptr(Net) net = rules_finish(r);
        g_autoptr(Prefix) p = unfolded(net, RELATION_CLASSIC, ORDER_ERV, false);
        ck_assert_uint_eq(p->n_events, 4 * n);
    }
}
END_TEST

/* [POET15] Fig. 1: a writer and two readers of x. */
START_TEST(write_read_read)
{
    Rules *r = rules_new("wrr");
    rules_place(r, 1, "x0");
    rules_place(r, 1, "w");
    rules_place(r, 1, "q1");
    rules_place(r, 1, "q2");
    rules_add(r, "w: w x0 -> x1");
    for (unsigned i = 1; i <= 2; i++)
        for (unsigned v = 0; v < 2; v++) rules_add(r, "r%u_%u: q%u ?x%u -> y%u_%u", i, v, i, v, i, v);
    g_autoptr(Net) net = rules_finish(r);
    g_autoptr(Prefix) p = unfolded(net, RELATION_READ, ORDER_ERV, false);
    ck_assert_uint_eq(p->n_events, 10);
    g_autoptr(NetLts) lts = netlts_new(net, 1);
    g_autoptr(Indep) indep = indep_new(net, RELATION_READ);
    NaivePrefix *naive = naive_saturate(&lts->lts, indep, ORDER_ERV, false);
    ck_assert_uint_eq(naive->n, 10);
    naive_list(naive);
    unsigned maximal = 0;
    for (uint32_t c = 0; c < naive->n_configurations; c++) {
        bool larger = false;
        for (uint32_t d = 0; d < naive->n_configurations; d++) {
            bool inside = c != d;
            for (int w = 0; w < NAIVE_WORDS; w++)
                inside &= !(naive->configuration[c].w[w] & ~naive->configuration[d].w[w]);
            larger |= inside;
        }
        maximal += !larger;
    }
    ck_assert_uint_eq(maximal, 4);
    naive_free(naive);
}
END_TEST

/* ---- the oracle's figures ---- */

static unsigned check_relation(const Net *net, Relation relation, JsonObject *expected)
{
    unsigned compared = 0;
    for (int order = 0; order <= N_ORDERS; order++) {
        const char *name = order == N_ORDERS ? "full" : order_name((Order)order);
        JsonObject *figures = oracle_part(expected, name);
        if (!figures) continue;
        int64_t events = oracle_figure(figures, "events"), cutoffs = oracle_figure(figures, "cutoffs");
        if (events < 0) continue;
        g_autoptr(Prefix) p = unfolded(net, relation, order == N_ORDERS ? ORDER_ERV : (Order)order, order < N_ORDERS);
        ck_assert_msg(p->end == ENDING_COMPLETE && p->n_events == events && (cutoffs < 0 || p->n_cutoffs == cutoffs),
                      "%s %s %s: %u events, %u cutoffs instead of %d, %d", net->name, relation_name(relation), name,
                      p->n_events, p->n_cutoffs, (int)events, (int)cutoffs);
        compared++;
    }
    return compared;
}

START_TEST(oracle_figures)
{
    static const struct {
        const char *name;
        Relation relation;
    } relations[] = {
        {"empty", RELATION_NONE}, {"classic", RELATION_CLASSIC}, {"read", RELATION_READ}, {"effect", RELATION_LOOPS}};
    g_auto(Oracle) oracle = {0};
    if (!oracle_open(&oracle)) return;
    unsigned compared = 0;
    for (GList *file = oracle.files; file; file = file->next) {
        g_autoptr(Net) net = oracle_net(&oracle, file->data);
        JsonObject *expected = oracle_part(oracle_part(oracle.all, file->data), "parametric");
        for (size_t i = 0; i < G_N_ELEMENTS(relations); i++)
            compared += check_relation(net, relations[i].relation, oracle_part(expected, relations[i].name));
    }
    printf("oracle: %u prefixes\n", compared);
    ck_assert_uint_gt(compared, 500);
}
END_TEST

/* ---- pruning by obstacles ---- */

/* Larger nets than the definition can take: the engine asserts that it finds no event twice, and the number of
 * non-cutoffs is at most the number of markings. */
START_TEST(larger_nets)
{
    Rng rng = {26};
    uint64_t events = 0;
    for (int round = 0; round < 300; round++) {
        GenRandom options = {
            .places = 8, .transitions = 8, .tokens = 3, .weight = 2, .reads = true, .inhibitors = round % 2};
        g_autoptr(Net) net = gen_random_bounded(&rng, &options);
        UnfoldOptions how = {.relation = (Relation)rng_below(&rng, RELATION_FILE), .order = ORDER_ERV, .cutoffs = true};
        Budget budget = budget_new(0, 0, 3000);
        g_autoptr(Prefix) p = parametric_net_unfold(net, &how, &budget, NULL);
        ck_assert_uint_eq(p->n_events - p->n_cutoffs + 1, p->n_markings);
        events += p->n_events;
    }
    printf("larger nets: %" G_GUINT64_FORMAT " events\n", events);
    ck_assert_uint_gt(events, 5000);
}
END_TEST

/* `early` feeds p but is independent of t: while it can fire, q is empty. Only its successor is a candidate for t's
 * histories when the slow chain has at last provided r. */
START_TEST(hidden_remover)
{
    g_autoptr(Net) net = small_net("a s0 | t: p q r -> done | early: a -> p b | later: b -> q | one: s0 -> s1"
                                   " | two: s1 -> s2 | three: s2 -> r");
    g_autoptr(Indep) proved = indep_new(net, RELATION_PROVED);
    ck_assert(!indep_dependent(proved, net_find_transition(net, "early"), net_find_transition(net, "t")));
    for (Relation relation = RELATION_CLASSIC; relation <= RELATION_PROVED; relation++) {
        g_autoptr(Prefix) p = unfolded(net, relation, ORDER_ERV, true);
        ck_assert_uint_eq(p->n_events, 6);
    }
}
END_TEST

/* Two ways to mark p; `next` comes after the first of them. Histories that leave `first` out must leave it out too. */
START_TEST(left_out)
{
    Rules *r = rules_new("two-ways");
    rules_place(r, 1, "a");
    rules_place(r, 1, "c");
    rules_place(r, 1, "s0");
    rules_add(r, "second: c -> p");
    rules_add(r, "first: a -> p b");
    rules_add(r, "next: b -> q");
    rules_add(r, "t: p q r -> done");
    for (unsigned i = 0; i < 3; i++) rules_add(r, "s%u: s%u -> s%u", i, i, i + 1);
    rules_add(r, "end: s3 -> r");
    g_autoptr(Net) net = rules_finish(r);
    for (Relation relation = RELATION_CLASSIC; relation <= RELATION_PROVED; relation++) {
        g_autoptr(Prefix) p = unfolded(net, relation, ORDER_ERV, false);
        /* `second` also comes after t; but it never provides the last token that t lacks, which `proved` sees. */
        ck_assert_uint_eq(p->n_events, relation == RELATION_PROVED ? 8 : 10);
    }
}
END_TEST

/* A token that inhibits is taken away by an older event than the newest one. */
START_TEST(inhibitor_removed)
{
    g_autoptr(Net) net = small_net("p s0 | t: q !p -> done | clear: p -> | one: s0 -> s1 | two: s1 -> q");
    for (Relation relation = RELATION_CLASSIC; relation <= RELATION_PROVED; relation++) {
        g_autoptr(Prefix) p = unfolded(net, relation, ORDER_ERV, true);
        ck_assert_uint_eq(p->n_events, 4);
    }
}
END_TEST

/* ---- the other engines, event by event ---- */

/* Sorted names of all events, cutoffs marked. */
static uint64_t *names_of(const Prefix *p, uint32_t *n)
{
    g_autoptr(EventGraph) g = eventgraph_new(p);
    uint64_t *names = g_new(uint64_t, g->n + 1);
    name_events(g->n, g->transition, g->cause_start, g->cause, names);
    mark_and_sort(names, g->cutoff, g->n);
    *n = g->n;
    return names;
}

/* False when the net is not safe. */
static bool same_as(UnfoldEngine engine, const Net *net, Relation relation, Order order, bool cutoffs,
                    uint32_t *n_events)
{
    UnfoldOptions options = {.engine = engine, .relation = relation, .order = order, .cutoffs = cutoffs};
    Budget budget = budget_new(0, 0, 3000);
    g_autoptr(Prefix) a = unfold(net, &options, &budget, NULL);
    ck_assert_ptr_nonnull(a);
    if (a->end != ENDING_COMPLETE) return false;
    g_autoptr(Prefix) b = unfolded(net, relation, order, cutoffs);
    ck_assert_int_eq(b->end, ENDING_COMPLETE);
    uint32_t n, m;
    g_autofree uint64_t *mine = names_of(b, &m), *its = names_of(a, &n);
    ck_assert_msg(n == m && memcmp(mine, its, n * sizeof *mine) == 0, "%s: %s %s: %u and %u events", net->name,
                  relation_name(relation), order_name(order), m, n);
    *n_events += n;
    return true;
}

static void compare_on_random_nets(UnfoldEngine engine, const Relation *relations, size_t n, uint64_t seed)
{
    Rng rng = {seed};
    uint32_t events = 0, compared = 0;
    for (int round = 0; round < 400; round++) {
        GenRandom options = {
            .components = 3, .states = 3, .transitions = 8, .reads = true, .loops = true, .acyclic = round % 2};
        g_autoptr(Net) net = gen_random_safe(&rng, &options);
        Relation relation = relations[rng_below(&rng, n)];
        compared += same_as(engine, net, relation, (Order)rng_below(&rng, N_ORDERS), round % 4 != 1, &events);
    }
    printf("random nets: %u prefixes, %u events\n", compared, events);
    ck_assert_uint_gt(compared, 300);
    ck_assert_uint_gt(events, 2500);
}

static void compare_on_real_nets(UnfoldEngine engine, const char *folder, Relation relation)
{
    static const char *const names[] = {"ab_gesc", "dme4",     "elevator_2", "furnace_1.fsa",
                                        "key_2",   "peterson", "knuth_2"};
    uint32_t events = 0;
    if (!test_corpus()) return;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        for (Order order = ORDER_ERV; order <= ORDER_MOLE; order++) {
            g_autofree char *file = g_strdup_printf("%s.ll_net", names[i]);
            g_autofree char *path = g_build_filename(test_corpus(), "nets", folder, file, NULL);
            g_autoptr(Net) net = net_read_file(path, NULL, NULL);
            ck_assert_ptr_nonnull(net);
            ck_assert(same_as(engine, net, relation, order, true, &events));
        }
    printf("real nets, %s: %u events\n", relation_name(relation), events);
}

/* What comes back is under the relation that was asked for, or it is refused. */
START_TEST(every_engine_and_relation)
{
    g_autoptr(Net) net = small_net("p a b c | x: a ?p -> x | y: b ?p -> y | take: c p -> z");
    uint32_t events = 0, refused = 0;
    for (UnfoldEngine engine = UNFOLD_AUTO; engine <= UNFOLD_PARAMETRIC; engine++)
        for (Relation relation = RELATION_NONE; relation < RELATION_FILE; relation++) {
            UnfoldOptions options = {.engine = engine, .relation = relation, .order = ORDER_ERV, .cutoffs = true};
            g_autoptr(GError) error = NULL;
            Budget budget = budget_new(0, 0, 0);
            g_autoptr(Prefix) prefix = unfold(net, &options, &budget, &error);
            if (error) {
                ck_assert_int_eq(error->code, ERROR_UNSUPPORTED);
                ck_assert(engine != UNFOLD_AUTO && engine != UNFOLD_PARAMETRIC);
                refused++;
                continue;
            }
            ck_assert_int_eq(prefix->relation, relation);
            ck_assert(same_as(engine, net, relation, ORDER_ERV, true, &events));
        }
    ck_assert_uint_eq(refused, 6); /* context: none and classic; classic: all others */
}
END_TEST

START_TEST(classic_engine)
{
    static const Relation relations[] = {RELATION_CLASSIC};
    compare_on_random_nets(UNFOLD_CLASSIC, relations, 1, 24);
    compare_on_real_nets(UNFOLD_CLASSIC, "plain", RELATION_CLASSIC);
}
END_TEST

START_TEST(context_engine)
{
    static const Relation relations[] = {RELATION_READ, RELATION_LOOPS, RELATION_PROVED};
    compare_on_random_nets(UNFOLD_CONTEXT, relations, 3, 25);
    compare_on_real_nets(UNFOLD_CONTEXT, "cont", RELATION_READ);
    compare_on_real_nets(UNFOLD_CONTEXT, "plain", RELATION_LOOPS);
    compare_on_real_nets(UNFOLD_CONTEXT, "cont", RELATION_PROVED);
}
END_TEST

/* Where nothing is read the classic engine serves the other relations too; it has no histories. */
START_TEST(chosen_engine)
{
    static const Relation relations[] = {RELATION_READ, RELATION_LOOPS, RELATION_PROVED};
    compare_on_random_nets(UNFOLD_AUTO, relations, 3, 26);
    compare_on_real_nets(UNFOLD_AUTO, "plain", RELATION_PROVED);
    g_autoptr(Net) net = gen_net_of_size("slotted-ring", 3);
    g_autoptr(Prefix) classic = unfolded(net, RELATION_CLASSIC, ORDER_ERV, true);
    for (size_t i = 0; i < G_N_ELEMENTS(relations); i++) {
        Budget budget = budget_unlimited();
        UnfoldOptions options = {.relation = relations[i], .order = ORDER_ERV, .cutoffs = true};
        g_autoptr(Prefix) prefix = unfold(net, &options, &budget, NULL);
        ck_assert_uint_eq(prefix->n_events, classic->n_events);
        ck_assert_uint_eq(prefix->n_cutoffs, classic->n_cutoffs);
        ck_assert_int_eq(prefix->relation, relations[i]);
        ck_assert_uint_eq(prefix->histories.n, 0);
    }
}
END_TEST

/* ---- the computation tree ---- */

static void same_numbers(const uint32_t *a, const uint32_t *b, uint32_t n, const char *what, int round)
{
    for (uint32_t i = 0; i < n; i++) ck_assert_msg(a[i] == b[i], "round %d: %s %u", round, what, i);
}

/* Where all actions depend on each other nothing is searched for. An empty list of doubts sends the same relation
 * through the search. */
START_TEST(tree_is_the_unfolding_under_none)
{
    Rng rng = {91};
    uint32_t events = 0, ends[ENDING_OVERFLOW + 1] = {0};
    for (int round = 0; round < 1200; round++) {
        g_autoptr(Net) net = random_net(&rng, round % 4);
        g_autoptr(Indep) plain = indep_new(net, RELATION_NONE), doubted = indep_new(net, RELATION_NONE);
        doubted->doubt_start = g_new0(uint32_t, doubted->n + 1);
        doubted->doubtful = g_new0(uint32_t, 1);
        UnfoldOptions options = {.relation = RELATION_NONE, .order = (Order)rng_below(&rng, N_ORDERS)};
        options.cutoffs = !rng_chance(&rng, 4);
        Budget budgets[] = {budget_new(0, 0, 400), budget_new(0, 0, 400)};
        options.indep = plain;
        g_autoptr(Prefix) tree = parametric_net_unfold(net, &options, &budgets[0], NULL);
        options.indep = doubted;
        g_autoptr(Prefix) searched = parametric_net_unfold(net, &options, &budgets[1], NULL);
        ck_assert_int_eq(tree->end, searched->end);
        ck_assert_uint_eq(tree->n_events, searched->n_events);
        ck_assert_uint_eq(tree->n_cutoffs, searched->n_cutoffs);
        ck_assert_uint_eq(tree->n_markings, searched->n_markings);
        uint32_t n = tree->n_events;
        same_numbers(tree->event_transition, searched->event_transition, n, "transition", round);
        same_numbers(tree->event_companion, searched->event_companion, n, "companion", round);
        same_numbers(tree->event_size, searched->event_size, n, "size", round);
        same_numbers(tree->event_depth, searched->event_depth, n, "depth", round);
        same_numbers(tree->cause_start, searched->cause_start, n + 1, "causes", round);
        same_numbers(tree->cause, searched->cause, tree->cause_start[n], "cause", round);
        ck_assert_uint_eq(tree->unsafe_len, searched->unsafe_len);
        ck_assert_uint_eq(tree->pump_from, searched->pump_from);
        same_numbers(tree->unsafe_run, searched->unsafe_run, tree->unsafe_len, "run", round);
        events += n;
        ends[tree->end]++;
    }
    ck_assert_uint_gt(events, 20000);
    ck_assert(ends[ENDING_COMPLETE] > 100 && ends[ENDING_EVENTS] > 10);
}
END_TEST

/* ---- relations that are wrong ---- */

START_TEST(wrong_pairs)
{
    Rng rng = {23};
    unsigned refuted = 0, passed = 0;
    for (int round = 0; round < 500; round++) {
        g_autoptr(Net) net = random_net(&rng, round % 4);
        if (net->n_transitions < 2) continue;
        uint32_t t = (uint32_t)rng_below(&rng, net->n_transitions), u = (uint32_t)rng_below(&rng, net->n_transitions);
        if (t == u) continue;
        g_autofree char *text =
            g_strdup_printf("base loops\n%s %s\n", net_transition_id(net, t), net_transition_id(net, u));
        g_autoptr(Indep) indep = pairs_read(net, text, "pairs", NULL);
        ck_assert_ptr_nonnull(indep);
        Budget budget = budget_new(0, 0, 2000);
        UnfoldOptions options = {.relation = RELATION_FILE, .indep = indep, .order = ORDER_ERV, .cutoffs = true};
        g_autoptr(Prefix) p = parametric_net_unfold(net, &options, &budget, NULL);
        ck_assert_ptr_nonnull(p);
        if (p->end != ENDING_REFUTED) {
            passed++;
            continue;
        }
        refuted++;
        ck_assert((p->pair[0] == t && p->pair[1] == u) || (p->pair[0] == u && p->pair[1] == t));
        g_autoptr(NetLts) lts = netlts_new(net, 64);
        g_autofree uint64_t *state = g_new0(uint64_t, 3 * (lts->lts.state_words + 1));
        lts->lts.initial(&lts->lts, state);
        for (uint32_t i = 0; i < p->unsafe_len; i++) {
            ck_assert(lts->lts.enabled(&lts->lts, state, p->unsafe_run[i]));
            lts->lts.fire(&lts->lts, state, p->unsafe_run[i]);
        }
        ck_assert(lts->lts.enabled(&lts->lts, state, p->pair[0]));
        Commute found = commute_after(&lts->lts, state, p->pair[0], p->pair[1], state + lts->lts.state_words);
        ck_assert(found != COMMUTE_YES);
        ck_assert_int_eq(found, p->violation);
    }
    printf("wrong pairs: %u refuted, %u not met\n", refuted, passed);
    ck_assert_uint_gt(refuted, 50);
}
END_TEST

/* ---- nets without end ---- */

static void check_pump(const Net *net, const Prefix *p)
{
    ck_assert_int_eq(p->end, ENDING_UNBOUNDED);
    g_autofree uint64_t *m = g_memdup2(net->initial, net->n_places * sizeof(uint64_t)), *before = NULL;
    for (uint32_t i = 0; i <= p->unsafe_len; i++) {
        if (i == p->pump_from) before = g_memdup2(m, net->n_places * sizeof(uint64_t));
        if (i == p->unsafe_len) break;
        ck_assert(net_enabled(net, m, p->unsafe_run[i]));
        ck_assert(net_fire(net, m, p->unsafe_run[i]));
    }
    bool more = false;
    for (uint32_t q = 0; q < net->n_places; q++) {
        ck_assert_uint_ge(m[q], before[q]);
        more |= m[q] > before[q];
    }
    ck_assert(more);
}

START_TEST(unbounded)
{
    static const char *const rules[][3] = {
        {"source: -> p"},
        {"source: -> p", "take: p -> q", "back: q q -> "},
        {"make: a -> b", "more: b -> a c", "use: c ?a -> d"},
        {"grow: a -> a a", "sink: 3*a -> b", "hold: b !2*b -> b c"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++)
        for (Relation relation = 0; relation < RELATION_FILE; relation++)
            for (Order order = 0; order < N_ORDERS; order++) {
                Rules *r = rules_new("unbounded");
                rules_place(r, 1, "a");
                for (size_t j = 0; j < 3 && rules[i][j]; j++) rules_add_text(r, rules[i][j]);
                g_autoptr(Net) net = rules_finish(r);
                g_autoptr(Prefix) p = unfolded(net, relation, order, true);
                check_pump(net, p);
            }
}
END_TEST

START_TEST(without_cutoffs)
{
    g_autoptr(Net) net = small_net("a | go: a -> b | back: b -> a");
    g_autoptr(Prefix) p = unfolded(net, RELATION_CLASSIC, ORDER_ERV, false);
    ck_assert_int_eq(p->end, ENDING_ENDLESS);
    ck_assert_uint_eq(p->unsafe_len, 2);
    UnfoldOptions options = {.relation = RELATION_CLASSIC, .order = ORDER_ERV};
    Budget budget = budget_new(0, 0, 100);
    g_autoptr(Prefix) q = parametric_net_unfold(net, &options, &budget, NULL);
    ck_assert(ending_is_limit(q->end));
    ck_assert_int_eq(q->end, ENDING_EVENTS);
    ck_assert_uint_eq(q->n_events, 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("parametric");
    TEST_CASE(suite, definition);
    TEST_CASE(suite, programs);
    TEST_CASE(suite, published);
    TEST_CASE(suite, write_read_read);
    TEST_CASE(suite, oracle_figures);
    TEST_CASE(suite, larger_nets);
    TEST_CASE(suite, hidden_remover);
    TEST_CASE(suite, left_out);
    TEST_CASE(suite, inhibitor_removed);
    TEST_CASE(suite, every_engine_and_relation);
    TEST_CASE(suite, classic_engine);
    TEST_CASE(suite, context_engine);
    TEST_CASE(suite, chosen_engine);
    TEST_CASE(suite, tree_is_the_unfolding_under_none);
    TEST_CASE(suite, wrong_pairs);
    TEST_CASE(suite, unbounded);
    TEST_CASE(suite, without_cutoffs);
    return test_run(suite);
}
