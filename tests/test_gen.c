#include "test.h"

#include "naive.h"
#include "oracle.h"
#include "random_net.h"

#include "lts/explicit.h"
#include "net/read.h"
#include "net/rules.h"

#include <glib/gstdio.h>
#include <unistd.h>

static char *source_file(const char *name)
{
    return g_build_filename(g_getenv("SRCDIR") ? g_getenv("SRCDIR") : ".", name, NULL);
}

static char **lines_of(const char *name)
{
    g_autofree char *path = source_file(name);
    g_autofree char *text = NULL;
    ck_assert_msg(g_file_get_contents(path, &text, NULL, NULL), "%s", path);
    return g_strsplit(text, "\n", 0);
}

static void ck_same_net(const Net *a, const Net *b)
{
    ck_assert_uint_eq(a->n_places, b->n_places);
    ck_assert_uint_eq(a->n_transitions, b->n_transitions);
    for (uint32_t p = 0; p < a->n_places; p++) {
        ck_assert_str_eq(net_place_id(a, p), net_place_id(b, p));
        ck_assert_uint_eq(a->initial[p], b->initial[p]);
    }
    for (uint32_t t = 0; t < a->n_transitions; t++) {
        ck_assert_str_eq(net_transition_id(a, t), net_transition_id(b, t));
        for (int kind = 0; kind < N_ARC_KINDS; kind++) {
            NetRow x = net_places(a, kind, t), y = net_places(b, kind, t);
            ck_assert_uint_eq(x.len, y.len);
            for (uint32_t i = 0; i < x.len; i++) {
                ck_assert_uint_eq(x.node[i], y.node[i]);
                ck_assert_uint_eq(net_weight(x, i), net_weight(y, i));
            }
        }
    }
}

START_TEST(rules_mean_what_they_say)
{
    Rules *r = rules_new("rules-%d", 1);
    rules_place(r, 2, "p%d", 1);
    rules_add(r, "t: p1 3*q ?r !2*s -> q 2*z");
    rules_add(r, "u: -> p1");
    rules_add_text(r, "v: p1 p1 ->");
    g_autoptr(Net) net = rules_finish(r);
    ck_assert_str_eq(net->name, "rules-1");
    ck_assert_uint_eq(net->n_places, 5);
    ck_assert_uint_eq(net->initial[net_find_place(net, "p1")], 2);
    uint32_t t = net_find_transition(net, "t");
    ck_assert_uint_eq(net_arc_weight(net, ARC_PRE, t, net_find_place(net, "q")), 3);
    ck_assert_uint_eq(net_arc_weight(net, ARC_POST, t, net_find_place(net, "q")), 1);
    ck_assert_uint_eq(net_arc_weight(net, ARC_READ, t, net_find_place(net, "r")), 1);
    ck_assert_uint_eq(net_arc_weight(net, ARC_INHIBIT, t, net_find_place(net, "s")), 2);
    ck_assert_uint_eq(net_arc_weight(net, ARC_POST, t, net_find_place(net, "z")), 2);
    ck_assert_uint_eq(net_arc_weight(net, ARC_PRE, net_find_transition(net, "v"), 0), 2);
    ck_assert_uint_eq(net_places(net, ARC_PRE, net_find_transition(net, "u")).len, 0);
}
END_TEST

/* Every family: the default net and one of another size have no id twice, and the same call gives the same net. */
START_TEST(families_are_well_formed)
{
    size_t n;
    const GenFamily *families = gen_families(&n);
    ck_assert_uint_ge(n, 20);
    for (size_t i = 0; i < n; i++) {
        char *none[] = {NULL}, *seven[] = {"10", NULL};
        for (int size = 0; size < 2; size++) {
            char **arguments = size ? seven : none;
            g_autoptr(Net) net = gen_net(families[i].name, arguments, 3, NULL);
            ck_assert_msg(net != NULL, "%s", families[i].name);
            ck_assert_uint_gt(net->n_transitions, 0);
            for (uint32_t p = 0; p < net->n_places; p++)
                ck_assert_msg(net_find_transition(net, net_place_id(net, p)) == NET_NONE, "%s: %s is taken twice",
                              families[i].name, net_place_id(net, p));
            g_autoptr(Net) again = gen_net(families[i].name, arguments, 3, NULL);
            ck_same_net(net, again);
        }
    }
}
END_TEST

START_TEST(bad_arguments_are_refused)
{
    const struct {
        const char *family, *argument, *message;
    } cases[] = {
        {"nosuch", "1", "there is no family 'nosuch'"},
        {"ring", "x", "N is a number from 2 to 1000000, not 'x'"},
        {"ring", "-3", "not '-3'"},
        {"ring", "1", "N is a number from 2"},
        {"3sat", "/nonexistent.cnf", "nonexistent"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *arguments[] = {(char *)cases[i].argument, NULL};
        GError *error = NULL;
        ck_assert(!gen_net(cases[i].family, arguments, 0, &error));
        ck_assert_msg(strstr(error->message, cases[i].message) != NULL, "%s", error->message);
        g_error_free(error);
    }
    char *many[] = {"3", "4", NULL};
    GError *error = NULL;
    ck_assert(!gen_net("ring", many, 0, &error));
    ck_assert_str_eq(error->message, "ring takes 1 number");
    g_error_free(error);
}
END_TEST

/* ---- random nets keep their promises ---- */

START_TEST(random_nets_keep_their_promises)
{
    guint acyclic_seen = 0;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        Rng rng = {seed};
        GenRandom o = {
            .acyclic = seed & 1,
            .reads = seed >> 1 & 1,
            .loops = seed >> 2 & 1,
            .inhibitors = seed >> 3 & 1,
            .sinks = seed >> 4 & 1,
            .weight = 1 + (seed >> 5 & 1) * 2,
        };
        bool safe = seed >> 6 & 1;
        g_autoptr(Net) net = safe ? gen_random_safe(&rng, &o) : gen_random_bounded(&rng, &o);
        g_autoptr(Naive) naive = naive_explore(net, 20000);
        if (!o.reads) ck_assert_uint_eq(net_arc_count(net, ARC_READ), 0);
        if (!o.inhibitors) ck_assert_uint_eq(net_arc_count(net, ARC_INHIBIT), 0);
        if (safe) ck_assert_uint_le(naive->max_in_place, 1);
        if (!o.loops)
            for (uint32_t t = 0; t < net->n_transitions; t++) {
                NetRow pre = net_places(net, ARC_PRE, t);
                for (uint32_t i = 0; i < pre.len; i++)
                    ck_assert_uint_eq(net_arc_weight(net, ARC_POST, t, pre.node[i]), 0);
            }
        if (!naive->complete || !o.acyclic) continue;
        /* Acyclic: repeatedly remove markings without successors. */
        acyclic_seen++;
        guint n = naive->markings->len, left = n;
        g_autofree guint *out = g_new0(guint, n);
        for (guint e = 0; e < naive->from->len; e++) out[g_array_index(naive->from, guint, e)]++;
        g_autofree bool *gone = g_new0(bool, n);
        for (bool more = true; more;) {
            more = false;
            for (guint i = 0; i < n; i++)
                if (!gone[i] && !out[i]) gone[i] = more = true, left--;
            memset(out, 0, n * sizeof *out);
            for (guint e = 0; e < naive->from->len; e++)
                if (!gone[g_array_index(naive->to, guint, e)]) out[g_array_index(naive->from, guint, e)]++;
        }
        ck_assert_uint_eq(left, 0);
    }
    ck_assert_uint_ge(acyclic_seen, 500);
}
END_TEST

/* ---- 3sat ---- */

static bool satisfiable(const int32_t *literals, int clauses, unsigned n)
{
    for (unsigned assignment = 0; assignment < 1u << n; assignment++) {
        const int32_t *at = literals;
        bool all = true;
        for (int j = 0; j < clauses; j++) {
            bool some = false;
            for (; *at; at++) some |= (assignment >> (ABS(*at) - 1) & 1) == (*at > 0);
            at++;
            all &= some;
        }
        if (all) return true;
    }
    return false;
}

static bool t_fires(const Net *net)
{
    g_autoptr(Naive) naive = naive_explore(net, 100000);
    ck_assert(naive->complete);
    uint32_t t = net_find_transition(net, "t");
    for (guint e = 0; e < naive->by->len; e++)
        if (g_array_index(naive->by, guint, e) == t) {
            ck_assert_msg(naive_enabled(naive, g_array_index(naive->to, guint, e)) == 0, "t does not end everything");
            return true;
        }
    return false;
}

START_TEST(sat_nets_decide_satisfiability)
{
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "mazurka-test-XXXXXX", NULL);
    int fd = g_mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    Rng rng = {11};
    guint yes = 0;
    for (int round = 0; round < 120; round++) {
        unsigned n = 1 + (unsigned)rng_below(&rng, 4);
        int clauses = 1 + (int)rng_below(&rng, 10);
        int32_t literals[64], *at = literals;
        g_autoptr(GString) text = g_string_new("c random\n");
        g_string_append_printf(text, "p cnf %u %d\n", n, clauses);
        for (int j = 0; j < clauses; j++) {
            for (int k = 0; k < 1 + j % 3; k++) {
                *at = 1 + (int32_t)rng_below(&rng, n);
                if (rng_chance(&rng, 2)) *at = -*at;
                g_string_append_printf(text, "%d ", *at++);
            }
            *at++ = 0;
            g_string_append(text, "0\n");
        }
        ck_assert(g_file_set_contents(path, text->str, -1, NULL));
        char *arguments[] = {path, NULL};
        g_autoptr(Net) net = gen_net("3sat", arguments, 0, NULL);
        bool expected = satisfiable(literals, clauses, n);
        ck_assert_msg(t_fires(net) == expected, "%s", text->str);
        yes += expected;
    }
    ck_assert(yes > 10 && yes < 110);
    g_unlink(path);
}
END_TEST

/* ---- the nets that ship ---- */

START_TEST(shipped_nets_are_generated)
{
    g_auto(GStrv) lines = lines_of("nets/LIST.tsv");
    guint n = 0;
    for (char **line = lines + 1; *line && **line; line++, n++) {
        g_auto(GStrv) column = g_strsplit(*line, "\t", 0);
        g_auto(GStrv) words = g_strsplit(column[1], " ", 0);
        g_autofree char *name = g_strdup_printf("nets/%s", column[0]), *path = source_file(name);
        g_autoptr(Net) read = net_read_file(path, NULL, NULL);
        ck_assert_msg(read != NULL, "%s", path);
        g_autoptr(Net) made = gen_net(words[0], words + 1, 7, NULL);
        ck_same_net(read, made);
    }
    ck_assert_uint_ge(n, 30);
}
END_TEST

START_TEST(shipped_nets_have_the_expected_figures)
{
    g_auto(GStrv) lines = lines_of("nets/EXPECT.tsv");
    g_autoptr(GHashTable) done = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)explicit_free);
    g_autoptr(GPtrArray) nets = g_ptr_array_new_with_free_func((GDestroyNotify)net_free);
    guint compared = 0;
    for (char **line = lines + 1; *line && **line; line++) {
        g_auto(GStrv) column = g_strsplit(*line, "\t", 0);
        ck_assert_uint_eq(g_strv_length(column), 4);
        Explicit *search = g_hash_table_lookup(done, column[0]);
        if (!search) {
            g_autofree char *name = g_strdup_printf("nets/%s", column[0]), *path = source_file(name);
            Net *net = net_read_file(path, NULL, NULL);
            ck_assert_msg(net != NULL, "%s", path);
            g_ptr_array_add(nets, net);
            search = explicit_new(net);
            Budget budget = budget_unlimited();
            ck_assert_int_eq(explicit_run(search, NULL, &budget), ENDING_COMPLETE);
            g_hash_table_insert(done, g_strdup(column[0]), search);
        }
        const struct {
            const char *name;
            uint64_t value;
        } figures[] = {
            {"markings", search->store.len},
            {"firings", search->firings},
            {"deadlocks", search->deadlocks},
            {"max_tokens_in_place", search->max_in_place},
            {"max_tokens_in_marking", search->max_in_marking},
        };
        for (size_t i = 0; i < G_N_ELEMENTS(figures); i++) {
            if (strcmp(figures[i].name, column[1]) != 0) continue;
            ck_assert_msg(figures[i].value == g_ascii_strtoull(column[2], NULL, 10), "%s", *line);
            compared++;
        }
    }
    ck_assert_uint_ge(compared, 150);
}
END_TEST

/* Families that the reference program has too: the same figures for other sizes. */
START_TEST(families_have_the_oracles_figures)
{
    static const struct {
        const char *theirs, *ours;
    } names[] = {
        {"ccnf", "ccnf"},
        {"chain", "chain"},
        {"choice", "choice"},
        {"dekker", "dekker"},
        {"fms", "fms"},
        {"indep", "independent"},
        {"peterson", "peterson"},
        {"phil", "philosophers"},
        {"prodcons", "producer-consumer"},
        {"readers", "readers"},
        {"readersloop", "readers-loop"},
        {"ring", "ring"},
        {"sdpor", "counter-race"},
        {"wrr", "write-reads"},
    };
    g_auto(Oracle) oracle = {0};
    if (!oracle_open(&oracle)) return;
    guint n = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        for (guint size = 1; size <= 10; size++) {
            g_autofree char *key = g_strdup_printf("%s-%u.pnml", names[i].theirs, size);
            JsonObject *e = oracle_part(oracle_part(oracle.all, key), "explicit");
            if (!e) continue;
            g_autoptr(Net) net = gen_net_of_size(names[i].ours, size);
            g_autoptr(Explicit) search = explicit_new(net);
            Budget budget = budget_unlimited();
            explicit_run(search, NULL, &budget);
            ck_assert_msg(search->store.len == (guint64)json_object_get_int_member(e, "markings"), "%s", key);
            ck_assert_msg(search->firings == (guint64)json_object_get_int_member(e, "edges"), "%s", key);
            ck_assert_msg(search->deadlocks == (guint64)json_object_get_int_member(e, "deadlocks"), "%s", key);
            ck_assert_msg(search->max_in_marking == (guint64)json_object_get_int_member(e, "max_tokens_in_marking"),
                          "%s", key);
            n++;
        }
    ck_assert_uint_ge(n, 35);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gen");
    TEST_CASE(suite, rules_mean_what_they_say);
    TEST_CASE(suite, families_are_well_formed);
    TEST_CASE(suite, bad_arguments_are_refused);
    TEST_CASE(suite, random_nets_keep_their_promises);
    TEST_CASE(suite, sat_nets_decide_satisfiability);
    TEST_CASE(suite, shipped_nets_are_generated);
    TEST_CASE(suite, shipped_nets_have_the_expected_figures);
    TEST_CASE(suite, families_have_the_oracles_figures);
    return test_run(suite);
}
