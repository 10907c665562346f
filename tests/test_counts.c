#include "test.h"

#include "explore/netexplore.h"
#include "lts/explicit.h"
#include "net/gen.h"
#include "program_net.h"
#include "oracle.h"
#include "small_net.h"

#include <unistd.h>

/* Published and recomputed numbers of maximal configurations and events: the programs of nets/programs, small nets,
 * and (when the corpus is there) the figures of the reference program. */

enum { ALWAYS, SOAK };

typedef struct Row {
    const char *program, *defines; /* "A=1 B=2" */
    Relation relation;
    uint64_t maximal, events; /* events 0: not known */
    int when;
} Row;

static const Row ROWS[] = {
    /* DPU's mutex programs ([DPU18] Table 1); the relation does not matter */
    {"pi", "N=5", RELATION_CLASSIC, 120, 1623, ALWAYS},
    {"pi", "N=6", RELATION_READ, 720, 10221, ALWAYS},
    {"pi", "N=7", RELATION_CLASSIC, 5040, 75113, ALWAYS},
    {"pi", "N=8", RELATION_CLASSIC, 40320, 629787, ALWAYS},
    {"mpat", "K=3", RELATION_LOOPS, 48, 491, ALWAYS},
    {"mpat", "K=4", RELATION_CLASSIC, 384, 3822, ALWAYS},
    {"mpat", "K=5", RELATION_CLASSIC, 3840, 38017, ALWAYS},
    {"mpat", "K=6", RELATION_CLASSIC, 46080, 455876, ALWAYS},
    {"mpat", "K=7", RELATION_CLASSIC, 645120, 6381783, SOAK},
    {"disp", "S=5 R=2", RELATION_CLASSIC, 137, 1603, ALWAYS},
    {"disp", "S=5 R=3", RELATION_CLASSIC, 1482, 17594, ALWAYS},
    {"disp", "S=5 R=4", RELATION_CLASSIC, 15282, 185330, ALWAYS},
    {"disp", "S=5 R=5", RELATION_CLASSIC, 151032, 1869116, ALWAYS},
    {"mpc", "P=2 W=5", RELATION_CLASSIC, 60, 397, ALWAYS},
    {"mpc", "P=3 W=5", RELATION_CLASSIC, 2958, 7832, ALWAYS},
    {"mpc", "P=4 W=5", RELATION_CLASSIC, 314064, 578835, ALWAYS},
    {"pol", "N=3 K=2", RELATION_CLASSIC, 33, 540, ALWAYS},
    {"pol", "N=7 K=3", RELATION_CLASSIC, 2440, 51317, ALWAYS},
    {"pol", "N=8 K=3", RELATION_CLASSIC, 3700, 82819, ALWAYS},
    {"pol", "N=9 K=3", RELATION_CLASSIC, 5332, 126755, ALWAYS},
    {"pol", "N=10 K=3", RELATION_CLASSIC, 7384, 185975, ALWAYS},
    {"pol", "N=11 K=3", RELATION_CLASSIC, 9904, 263617, ALWAYS},
    {"pol", "N=12 K=3", RELATION_CLASSIC, 12940, 363107, ALWAYS},
    {"fig1", "N=3", RELATION_READ, 6, 20, ALWAYS},
    {"fig1", "N=5", RELATION_READ, 10, 39, ALWAYS},
    /* POET's acyclic programs ([POET15] Table 1) */
    {"stf", "", RELATION_CLASSIC, 6, 0, ALWAYS},
    {"spin08", "", RELATION_CLASSIC, 84, 0, ALWAYS},
    {"fib", "N=5", RELATION_READ, 8953, 0, ALWAYS},
    {"ccnf", "P=4", RELATION_READ, 16, 16, ALWAYS},
    {"ccnf", "P=8", RELATION_READ, 256, 32, ALWAYS},
    {"ccnf", "P=9", RELATION_CLASSIC, 512, 36, ALWAYS},
    {"ssb", "N=0", RELATION_READ, 4, 12, ALWAYS},
    {"ssb", "N=1", RELATION_READ, 22, 0, ALWAYS},
    {"ssb", "N=3", RELATION_READ, 169, 0, ALWAYS},
    {"ssb", "N=4", RELATION_READ, 336, 0, ALWAYS},
    {"ssb", "N=8", RELATION_READ, 2014, 0, ALWAYS},
    {"prodcons", "ROUNDS=2", RELATION_CLASSIC, 90, 0, ALWAYS},
    {"prodcons", "ROUNDS=3", RELATION_CLASSIC, 1680, 0, ALWAYS},
    {"prodcons", "ROUNDS=5", RELATION_CLASSIC, 756756, 0, SOAK},
    {"prodcons2", "ROUNDS=2", RELATION_CLASSIC, 36, 0, ALWAYS},
    {"prodcons2", "ROUNDS=3", RELATION_CLASSIC, 400, 0, ALWAYS},
    {"prodcons2", "ROUNDS=5", RELATION_CLASSIC, 63504, 0, SOAK},
    /* Concuerror's families ([ODPOR14]) */
    {"readers", "N=2", RELATION_READ, 4, 0, ALWAYS},
    {"readers", "N=3", RELATION_READ, 8, 0, ALWAYS},
    {"readers", "N=8", RELATION_READ, 256, 0, ALWAYS},
    {"readers", "N=13", RELATION_READ, 8192, 0, ALWAYS},
    {"lastzero", "N=1", RELATION_READ, 2, 6, ALWAYS},
    {"lastzero", "N=2", RELATION_READ, 5, 18, ALWAYS},
    {"lastzero", "N=3", RELATION_READ, 12, 41, ALWAYS},
    {"lastzero", "N=4", RELATION_READ, 28, 83, ALWAYS},
    {"lastzero", "N=5", RELATION_READ, 64, 160, ALWAYS},
    {"lastzero", "N=10", RELATION_READ, 3328, 0, ALWAYS},
    {"example1", "", RELATION_READ, 4, 12, ALWAYS},
    {"example2", "", RELATION_READ, 7, 0, ALWAYS},
    {"example2", "SHORT=1", RELATION_READ, 5, 0, ALWAYS},
    {"filesystem", "N=14", RELATION_READ, 2, 0, ALWAYS},
    {"filesystem", "N=16", RELATION_READ, 8, 0, ALWAYS},
    {"filesystem", "N=18", RELATION_READ, 32, 0, ALWAYS},
    {"filesystem", "N=19", RELATION_READ, 64, 0, ALWAYS},
    {"indexer", "N=12", RELATION_READ, 8, 0, ALWAYS},
    {"indexer", "N=13", RELATION_READ, 64, 0, ALWAYS},
    {"indexer", "N=15", RELATION_READ, 4096, 0, SOAK},
    {"worked", "Z=-2 X=-2", RELATION_READ, 4, 10, ALWAYS},
    {"worked", "Z=-1 X=-2", RELATION_READ, 5, 12, ALWAYS},
    {"fig2", "", RELATION_READ, 4, 23, ALWAYS},
    {"opposite", "", RELATION_CLASSIC, 3, 16, ALWAYS},
    {"opposite", "", RELATION_READ, 3, 16, ALWAYS},
    {"opposite", "", RELATION_LOOPS, 3, 16, ALWAYS},
};

static void check_counts(const Net *net, Relation relation, ExploreOptions options, uint64_t maximal, uint64_t events)
{
    g_autoptr(Indep) indep = indep_new(net, relation);
    Budget budget = budget_unlimited();
    NetExplore run;
    netexplore_run(&run, net, indep, &options, false, &budget);
    const ExploreStats *s = explore_stats(run.explorer);
    ck_assert(netexplore_complete(&run));
    ck_assert_uint_eq(s->leaves[LEAF_MAXIMAL], maximal);
    if (events && !s->forgotten) ck_assert_uint_eq(s->events, events);
    if (options.alternatives == ALTERNATIVES_OPTIMAL) ck_assert_uint_eq(s->leaves[LEAF_BLOCKED], 0);
    netexplore_clear(&run);
}

START_TEST(programs_have_their_counts)
{
    for (size_t i = 0; i < G_N_ELEMENTS(ROWS); i++) {
        const Row *row = &ROWS[i];
        if (row->when == SOAK && !test_soak()) continue;
        g_autoptr(Net) net = program_net(row->program, row->defines);
        printf("%s %s\n", row->program, row->defines);
        check_counts(net, row->relation, (ExploreOptions){.cache = CACHE_UNLIMITED}, row->maximal, row->events);
        if (row->maximal > 300) continue;
        for (int search = 1; search < 4; search++)
            check_counts(net, row->relation, (ExploreOptions){.cache = 0, .search = (SearchOrder)search}, row->maximal,
                         row->events);
        for (uint32_t k = 0; k < 4; k++)
            check_counts(net, row->relation,
                         (ExploreOptions){.cache = CACHE_UNLIMITED,
                                          .k = k,
                                          .alternatives = k ? ALTERNATIVES_PARTIAL : ALTERNATIVES_SOURCE},
                         row->maximal, row->events);
    }
}
END_TEST

/* More is avoided as k grows, everything by optimal alternatives ([DPU18] Table 1 shows the same trend). */
START_TEST(blocked_runs_become_fewer_with_k)
{
    static const struct {
        const char *program, *defines;
    } rows[] = {{"disp", "S=5 R=3"}, {"mpc", "P=3 W=5"}, {"pol", "N=7 K=3"}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(Net) net = program_net(rows[i].program, rows[i].defines);
        g_autoptr(Indep) indep = indep_new(net, RELATION_CLASSIC);
        uint64_t blocked[5];
        for (uint32_t k = 1; k <= 4; k++) {
            ExploreOptions options = {
                .cache = CACHE_UNLIMITED, .k = k, .alternatives = k < 4 ? ALTERNATIVES_PARTIAL : ALTERNATIVES_OPTIMAL};
            Budget budget = budget_unlimited();
            NetExplore run;
            netexplore_run(&run, net, indep, &options, false, &budget);
            blocked[k] = explore_stats(run.explorer)->leaves[LEAF_BLOCKED];
            netexplore_clear(&run);
        }
        printf("%s: %lu %lu %lu %lu\n", rows[i].program, blocked[1], blocked[2], blocked[3], blocked[4]);
        ck_assert_uint_gt(blocked[1], 0);
        ck_assert_uint_gt(blocked[1], blocked[2]);
        ck_assert_uint_ge(blocked[2], blocked[3]);
        ck_assert_uint_eq(blocked[4], 0);
    }
}
END_TEST

START_TEST(small_nets_have_their_counts)
{
    static const struct {
        const char *net;
        struct {
            Relation relation;
            uint64_t maximal, events;
        } figures[3];
    } nets[] = {
        {"p a | r: a ?p -> | c: p ->", {{RELATION_CLASSIC, 2, 3}, {RELATION_READ, 2, 3}}},
        {"p a b | r: a ?p -> | s: b ?p -> | c: p ->", {{RELATION_CLASSIC, 5, 9}, {RELATION_READ, 4, 6}}},
        {"p a b d | r: a ?p -> | s: b ?p -> | u: d ?p -> | c: p ->",
         {{RELATION_CLASSIC, 16, 31}, {RELATION_READ, 8, 11}}},
        {"p a b d e | r: a ?p -> | s: b ?p -> | u: d ?p -> | v: e ?p -> | c: p ->",
         {{RELATION_CLASSIC, 65, 129}, {RELATION_READ, 16, 20}}},
        {"x a b | w: a x -> x | v: b x -> x",
         {{RELATION_CLASSIC, 2, 4}, {RELATION_READ, 2, 4}, {RELATION_LOOPS, 1, 2}}},
        {"2*p | t: p -> q", {{RELATION_CLASSIC, 1, 2}}},
        {"2*p x y | a: p x -> | b: p y ->", {{RELATION_CLASSIC, 2, 4}}},
        {"a b0 x | A: a x -> da x | B0: b0 -> b1 | B: b1 x -> db x", {{RELATION_CLASSIC, 2, 5}}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(nets); i++) {
        g_autoptr(Net) net = small_net(nets[i].net);
        for (int k = 0; k < 3 && nets[i].figures[k].maximal; k++)
            for (size_t cache = 0; cache < 3; cache++)
                check_counts(net, nets[i].figures[k].relation,
                             (ExploreOptions){.cache = cache ? cache - 1 : CACHE_UNLIMITED}, nets[i].figures[k].maximal,
                             nets[i].figures[k].events);
    }
}
END_TEST

typedef struct Targets {
    uint32_t t;
    GHashTable *events;
} Targets;

static void note_targets(void *data, LeafKind kind, const Config *c)
{
    Targets *targets = data;
    ck_assert_int_eq(kind, LEAF_MAXIMAL);
    for (uint32_t i = 0; i < c->n; i++)
        if (c->label.data[i] == targets->t) g_hash_table_add(targets->events, GUINT_TO_POINTER(c->event.data[i]));
}

/* [DPU18] Fig. 6, repaired (mazurka-theory(7), trap 4): (x1 or not x2 or x3) and (not x1 or not x2) and (x1 or not x3)
 * as a net. The paper's relation: n_i depends on p_i, t on all. Here it is valid. */
START_TEST(formula_net_has_its_counts)
{
    static const char formula[] = "p cnf 3 3\n1 -2 3 0\n-1 -2 0\n1 -3 0\n";
    g_autofree char *path = NULL;
    int file = g_file_open_tmp("fig6-XXXXXX.cnf", &path, NULL);
    ck_assert_int_ge(file, 0);
    close(file);
    ck_assert(g_file_set_contents(path, formula, -1, NULL));
    char *arguments[] = {path, NULL};
    g_autoptr(Net) net = gen_net("3sat", arguments, 0, NULL);
    unlink(path);
    ck_assert(net && net->n_transitions == 7);
    static const uint32_t dependent[] = {0, 1, 2, 3, 4, 5, 6, 0, 6, 1, 6, 2, 6, 3, 6, 4, 6, 5};
    g_autoptr(Indep) paper = indep_from_pairs(7, dependent, G_N_ELEMENTS(dependent) / 2);
    g_autoptr(Indep) proved = indep_new(net, RELATION_PROVED);
    for (uint32_t a = 0; a < 7; a++)
        for (uint32_t b = 0; b < 7; b++) ck_assert(indep_dependent(paper, a, b) || !indep_dependent(proved, a, b));
    for (int variant = 0; variant < 12; variant++) {
        Targets targets = {6, g_hash_table_new(NULL, NULL)};
        ExploreOptions options = {.cache = CACHE_UNLIMITED,
                                  .search = (SearchOrder)(variant % 4),
                                  .extend = (ExtendMethod)(variant / 4),
                                  .leaf = note_targets,
                                  .data = &targets};
        Budget budget = budget_unlimited();
        NetExplore run;
        netexplore_run(&run, net, paper, &options, false, &budget);
        ck_assert(netexplore_complete(&run));
        ck_assert_uint_eq(explore_stats(run.explorer)->leaves[LEAF_MAXIMAL], 5);
        ck_assert_uint_eq(explore_stats(run.explorer)->events, 11);
        ck_assert_uint_eq(g_hash_table_size(targets.events), 5);
        netexplore_clear(&run);
        g_hash_table_destroy(targets.events);
    }
}
END_TEST

/* Programs that do not end: cutoffs must, and every dead marking is found. */
START_TEST(endless_programs_keep_their_deadlocks)
{
    static const struct {
        const char *program, *defines;
    } rows[] = {
        {"dekker", "FOREVER=0"},
        {"dekker", "FOREVER=1"},
        {"lamport", "FOREVER=0"},
        {"lamport", "FOREVER=1"},
        {"peterson", "FOREVER=0"},
        {"peterson", "FOREVER=1"},
        {"pgsql", ""},
        {"szymanski", "FOREVER=0"},
        {"prodcons", ""},
        {"prodcons2", ""},
        {"rwlock", "LOCK=1"},
        {"lostwakeup", ""},
        {"philosophers", "N=4"},
    };
    guint finished = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(Net) net = program_net(rows[i].program, rows[i].defines);
        g_autoptr(Indep) indep = indep_new(net, RELATION_READ);
        g_autoptr(Explicit) all = explicit_new(net);
        Budget budget = budget_unlimited();
        ck_assert_int_eq(explicit_run(all, NULL, &budget), ENDING_COMPLETE);
        for (int variant = 0; variant < 12; variant++) {
            ExploreOptions options = {.cutoffs = true,
                                      .order = (Order)(variant % 4),
                                      .search = (SearchOrder)((variant + variant / 4) % 4),
                                      .cache = variant % 3 == 0   ? CACHE_UNLIMITED
                                               : variant % 3 == 1 ? 0
                                                                  : 50,
                                      .alternatives = (AlternativeKind)(variant / 4),
                                      .k = 1};
            /* Without a cache few events are recognised as cutoffs: some explorations are too long. */
            Budget limit = budget_new(0, 0, options.cache ? 0 : 30000);
            NetExplore run;
            netexplore_run(&run, net, indep, &options, false, &limit);
            if (netexplore_complete(&run)) {
                size_t dead;
                explore_dead(run.explorer, &dead);
                ck_assert_uint_eq(dead, all->deadlocks);
                finished++;
            } else {
                ck_assert(!options.cache && ending_is_limit(run.end));
            }
            netexplore_clear(&run);
        }
    }
    ck_assert_uint_ge(finished, 11 * G_N_ELEMENTS(rows));
}
END_TEST

/* ---- the reference figures ---- */

START_TEST(reference_figures)
{
    static const struct {
        const char *theirs;
        Relation ours;
    } names[] = {
        {"empty", RELATION_NONE}, {"classic", RELATION_CLASSIC}, {"read", RELATION_READ}, {"effect", RELATION_LOOPS}};
    g_auto(Oracle) oracle = {0};
    if (!oracle_open(&oracle)) return;
    guint compared = 0, dead_compared = 0;
    for (GList *f = oracle.files; f; f = f->next) {
        JsonObject *entry = oracle_part(oracle.all, f->data), *explicit = oracle_part(entry, "explicit");
        g_autoptr(Net) net = oracle_net(&oracle, f->data);
        for (size_t r = 0; r < G_N_ELEMENTS(names); r++) {
            JsonObject *figures = oracle_part(oracle_part(entry, "parametric"), names[r].theirs),
                       *full = oracle_part(figures, "full");
            if (full && json_object_has_member(full, "maximal") &&
                json_object_get_boolean_member(explicit, "terminating")) {
                for (uint32_t k = 0; k < 3; k++)
                    check_counts(net, names[r].ours,
                                 (ExploreOptions){.cache = CACHE_UNLIMITED,
                                                  .k = k,
                                                  .alternatives = k ? ALTERNATIVES_PARTIAL : ALTERNATIVES_OPTIMAL},
                                 (uint64_t)json_object_get_int_member(full, "maximal"),
                                 (uint64_t)json_object_get_int_member(full, "events"));
                compared++;
            }
            if (!figures || !oracle_part(figures, "mcmillan") ||
                json_object_has_member(oracle_part(figures, "mcmillan"), "too_big"))
                continue;
            if (!explicit || !json_object_has_member(explicit, "deadlocks")) continue;
            g_autoptr(Indep) indep = indep_new(net, names[r].ours);
            ExploreOptions options = {
                .cutoffs = true, .order = (Order)(compared % N_ORDERS), .cache = compared % 2 ? 0 : CACHE_UNLIMITED};
            Budget budget = budget_new(0, 0, options.cache ? 0 : 30000);
            NetExplore run;
            netexplore_run(&run, net, indep, &options, false, &budget);
            size_t dead;
            explore_dead(run.explorer, &dead);
            if (netexplore_complete(&run)) {
                ck_assert_uint_eq(dead, (uint64_t)json_object_get_int_member(explicit, "deadlocks"));
                dead_compared++;
            }
            netexplore_clear(&run);
        }
    }
    ck_assert_uint_gt(compared, 40);
    ck_assert_uint_gt(dead_compared, 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("counts");
    TEST_CASE(suite, programs_have_their_counts);
    TEST_CASE(suite, blocked_runs_become_fewer_with_k);
    TEST_CASE(suite, small_nets_have_their_counts);
    TEST_CASE(suite, formula_net_has_its_counts);
    TEST_CASE(suite, endless_programs_keep_their_deadlocks);
    TEST_CASE(suite, reference_figures);
    return test_run(suite);
}
