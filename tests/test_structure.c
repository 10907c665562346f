/* Classes on hand-made nets; invariants against a plain elimination that keeps everything and filters at the end;
 * safeness against all reachable markings. */
#include "test.h"

#include "naive.h"
#include "net/builder.h"
#include "net/invariant.h"
#include "net/read.h"
#include "net/safeness.h"
#include "net/structure.h"
#include "random_net.h"

#include <string.h>

/* "p>t" and "t>p" arcs over places a-m and transitions n-z. */
static Net *small_net(const char *places, const char *transitions, const char *arcs)
{
    NetBuilder *b = net_builder_new("n");
    for (const char *p = places; *p; p++) net_builder_place(b, (char[]){*p, 0}, NULL, p == places);
    for (const char *t = transitions; *t; t++) net_builder_transition(b, (char[]){*t, 0}, NULL);
    for (; *arcs; arcs += 2) {
        bool pre = strchr(places, arcs[0]) != NULL;
        net_builder_arc(b, pre ? ARC_PRE : ARC_POST, (uint32_t)(strchr(places, arcs[!pre]) - places),
                        (uint32_t)(strchr(transitions, arcs[pre]) - transitions), 1);
    }
    Net *net = net_builder_finish(b, NULL);
    ck_assert_ptr_nonnull(net);
    net_builder_free(b);
    return net;
}

START_TEST(test_classes)
{
    g_autoptr(Net) cycle = small_net("ab", "tu", "attbbuua");
    StructureFacts f = structure_facts(cycle);
    ck_assert(f.ordinary && f.pure && f.conservative && f.state_machine && f.marked_graph && f.free_choice);
    g_autoptr(Net) choice = small_net("abc", "tu", "attbauuc");
    f = structure_facts(choice);
    ck_assert(f.state_machine && !f.marked_graph && f.free_choice && f.extended_free_choice);
    ck_assert_uint_eq(f.sink_places, 2);
    ck_assert_uint_eq(f.source_places, 1);
    g_autoptr(Net) extended = small_net("abcd", "tu", "atbtaubutcud");
    f = structure_facts(extended);
    ck_assert(!f.free_choice && f.extended_free_choice && !f.state_machine && !f.conservative);
    g_autoptr(Net) confused = small_net("abc", "tu", "atbtbutcuc");
    f = structure_facts(confused);
    ck_assert(!f.free_choice && !f.extended_free_choice);
    g_autoptr(Net) loop = small_net("abz", "tuv", "attaatub");
    f = structure_facts(loop);
    ck_assert(!f.pure && !f.ordinary); /* parallel arcs make a weight of 2 */
    ck_assert_uint_eq(f.loops, 1);
    ck_assert_uint_eq(f.isolated_places, 1);
    ck_assert_uint_eq(f.source_transitions, 2);
    ck_assert_uint_eq(f.sink_transitions, 1);
}
END_TEST

/* The twin: dense rows [y | y C], all combinations, filtered for minimal support only at the very end. */
enum { MAX_NODES = 16, MAX_TWIN = 3000 };
typedef struct TwinRow {
    int64_t y[MAX_NODES], c[MAX_NODES];
} TwinRow;

static bool twin_support_in(const TwinRow *a, const TwinRow *b, uint32_t n)
{
    for (uint32_t p = 0; p < n; p++)
        if (a->y[p] && !b->y[p]) return false;
    return true;
}

/* The number of rows, -1 when there are too many. */
static int twin_invariants(const Net *net, TwinRow *rows)
{
    int n = 0;
    memset(rows, 0, MAX_TWIN * sizeof *rows);
    for (uint32_t p = 0; p < net->n_places; p++, n++) {
        rows[n].y[p] = 1;
        for (uint32_t t = 0; t < net->n_transitions; t++)
            rows[n].c[t] = (int64_t)net_arc_weight(net, ARC_POST, t, p) - (int64_t)net_arc_weight(net, ARC_PRE, t, p);
    }
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        int before = n;
        for (int i = 0; i < before; i++)
            for (int j = 0; j < before; j++) {
                if (rows[i].c[t] <= 0 || rows[j].c[t] >= 0) continue;
                if (n == MAX_TWIN) return -1;
                for (uint32_t p = 0; p < net->n_places; p++)
                    rows[n].y[p] = -rows[j].c[t] * rows[i].y[p] + rows[i].c[t] * rows[j].y[p];
                for (uint32_t u = 0; u < net->n_transitions; u++)
                    rows[n].c[u] = -rows[j].c[t] * rows[i].c[u] + rows[i].c[t] * rows[j].c[u];
                for (uint32_t k = 0; k < MAX_NODES; k++)
                    if (rows[n].y[k] > 1000000 || rows[n].c[k] > 1000000 || rows[n].c[k] < -1000000) return -1;
                n++;
            }
        int kept = 0;
        for (int i = 0; i < n; i++)
            if (!rows[i].c[t]) rows[kept++] = rows[i];
        n = kept;
    }
    static bool minimal[MAX_TWIN];
    for (int i = 0; i < n; i++) {
        minimal[i] = true;
        for (int j = 0; j < n; j++) {
            if (j == i || !twin_support_in(&rows[j], &rows[i], net->n_places)) continue;
            bool equal = twin_support_in(&rows[i], &rows[j], net->n_places);
            if (!equal || j < i) minimal[i] = false; /* of equal supports the first is kept */
        }
    }
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (minimal[i]) rows[kept++] = rows[i];
    return kept;
}

static bool same_ray(const Invariant *y, const TwinRow *row, uint32_t n_places)
{
    uint32_t i = 0;
    int64_t scale = 0;
    for (uint32_t p = 0; p < n_places; p++) {
        bool in = i < y->len && y->place[i] == p;
        if (in != (row->y[p] != 0)) return false;
        if (!in) continue;
        int64_t weight = (int64_t)y->weight[i++];
        if (!scale) scale = row->y[p] / weight;
        if (row->y[p] != scale * weight) return false;
    }
    return true;
}

START_TEST(test_invariants_against_twin)
{
    TwinRow *rows = g_new(TwinRow, MAX_TWIN);
    int compared = 0, found = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        g_autoptr(Net) net = random_net(seed);
        if (net->n_places > MAX_NODES || net->n_transitions > MAX_NODES) continue;
        int n = twin_invariants(net, rows);
        if (n < 0) continue;
        Budget budget = budget_unlimited();
        g_autoptr(Invariants) invariants = invariant_compute(net, 0, &budget);
        ck_assert(invariants->all);
        ck_assert_msg((int)invariants->n == n, "net %" G_GUINT64_FORMAT ": %u invariants, expected %d", seed,
                      invariants->n, n);
        for (uint32_t k = 0; k < invariants->n; k++) {
            int matches = 0;
            for (int i = 0; i < n; i++) matches += same_ray(&invariants->item[k], &rows[i], net->n_places);
            ck_assert_msg(matches == 1, "net %" G_GUINT64_FORMAT ", invariant %u", seed, k);
        }
        compared++, found += n;
    }
    ck_assert_int_gt(compared, 200);
    ck_assert_int_gt(found, 300);
    g_free(rows);
}
END_TEST

/* Cut short at every amount of work, what comes out is still invariant. */
START_TEST(test_invariants_cut_short)
{
    for (uint64_t seed = 1; seed <= 60; seed++)
        for (uint64_t work = 1; work < 3000; work *= 3) {
            g_autoptr(Net) net = random_net(seed);
            Budget budget = budget_unlimited();
            g_autoptr(Invariants) invariants = invariant_compute(net, work, &budget);
            for (uint32_t k = 0; k < invariants->n; k++)
                for (uint32_t t = 0; t < net->n_transitions; t++) {
                    const Invariant *y = &invariants->item[k];
                    int64_t sum = 0;
                    for (uint32_t i = 0; i < y->len; i++)
                        sum += (int64_t)y->weight[i] * ((int64_t)net_arc_weight(net, ARC_POST, t, y->place[i]) -
                                                        (int64_t)net_arc_weight(net, ARC_PRE, t, y->place[i]));
                    ck_assert_int_eq(sum, 0);
                }
        }
}
END_TEST

START_TEST(test_invariants_overflow)
{
    NetBuilder *b = net_builder_new("n");
    for (int i = 0; i < 4; i++) net_builder_place(b, (char[]){(char)('a' + i), 0}, NULL, UINT64_MAX);
    for (int i = 0; i < 3; i++) {
        net_builder_transition(b, (char[]){(char)('t' + i), 0}, NULL);
        net_builder_arc(b, ARC_PRE, (uint32_t)i, (uint32_t)i, UINT64_C(3037000493) - (uint64_t)i);
        net_builder_arc(b, ARC_POST, (uint32_t)i + 1, (uint32_t)i, UINT64_C(4037000507) + (uint64_t)i);
    }
    g_autoptr(Net) net = net_builder_finish(b, NULL);
    net_builder_free(b);
    Budget budget = budget_unlimited();
    g_autoptr(Invariants) invariants = invariant_compute(net, 0, &budget);
    ck_assert(!invariants->all); /* the only one has coefficients of about 96 bits */
    ck_assert_uint_eq(invariants->n, 0);
    StructureFacts facts = structure_facts(net);
    ck_assert_uint_eq(facts.initial_tokens, UINT64_MAX);
}
END_TEST

START_TEST(test_safeness_against_markings)
{
    int answers[3] = {0};
    for (uint64_t seed = 1; seed <= 400; seed++) {
        g_autoptr(Net) net = random_net(seed);
        Budget budget = budget_unlimited();
        g_autoptr(Invariants) invariants = invariant_compute(net, 0, &budget);
        SafeAnswer answer = safeness_decide(net, invariants, NULL);
        g_autoptr(Naive) all = naive_explore(net, 5000);
        answers[answer]++;
        if (answer == SAFE_YES) ck_assert_msg(all->max_in_place <= 1, "net %" G_GUINT64_FORMAT " is not safe", seed);
        if (answer == SAFE_NO && all->complete)
            ck_assert_msg(all->max_in_place > 1, "net %" G_GUINT64_FORMAT " is safe", seed);
    }
    ck_assert_int_gt(answers[SAFE_YES], 50);
    ck_assert_int_gt(answers[SAFE_NO], 50);
}
END_TEST

/* Units prove safeness only when no transition can put a second token into one. */
START_TEST(test_safeness_by_units)
{
    static const char *const form =
        "<pnml><net id=\"n\"><place id=\"p\"><initialMarking><text>1</text></initialMarking></place><place id=\"q\"/>"
        "<transition id=\"t\"/><transition id=\"s\"/><arc source=\"p\" target=\"t\"/><arc source=\"t\" target=\"q\"/>"
        "<arc source=\"q\" target=\"s\"/>%s<toolspecific tool=\"nupn\"><structure root=\"u\" safe=\"true\">"
        "<unit id=\"u\"><places>p q</places></unit></structure></toolspecific></net></pnml>";
    static const char *const more[] = {"", "<transition id=\"x\"/><arc source=\"x\" target=\"q\"/>"};
    for (int i = 0; i < 2; i++) {
        g_autofree char *text = g_strdup_printf(form, more[i]);
        GError *error = NULL;
        g_autoptr(Net) net = net_read_bytes(text, strlen(text), "f", NULL, &error);
        ck_assert_msg(net != NULL, "%s", error ? error->message : "");
        ck_assert_int_eq(safeness_decide(net, NULL, NULL), i ? SAFE_NO : SAFE_YES);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("structure");
    TEST_CASE(suite, test_classes);
    TEST_CASE(suite, test_invariants_against_twin);
    TEST_CASE(suite, test_invariants_cut_short);
    TEST_CASE(suite, test_invariants_overflow);
    TEST_CASE(suite, test_safeness_against_markings);
    TEST_CASE(suite, test_safeness_by_units);
    return test_run(suite);
}
