/* The builder, the net's accessors and firing rule, and the ll_net reader and writer. */
#include "test.h"

#include "base/rng.h"
#include "net/builder.h"
#include "net/read.h"
#include "net/write.h"

#include <string.h>

static Net *finish(NetBuilder *builder)
{
    GError *error = NULL;
    Net *net = net_builder_finish(builder, &error);
    ck_assert_msg(net != NULL, "%s", error ? error->message : "");
    net_builder_free(builder);
    return net;
}

START_TEST(test_builder_sorts_and_merges)
{
    NetBuilder *b = net_builder_new("n");
    for (int i = 0; i < 3; i++) {
        char id[] = {'p', (char)('0' + i), 0};
        net_builder_place(b, id, NULL, (uint64_t)i);
    }
    net_builder_transition(b, "t0", "first");
    net_builder_transition(b, "t1", NULL);
    net_builder_arc(b, ARC_PRE, 2, 1, 1);
    net_builder_arc(b, ARC_PRE, 0, 1, 2);
    net_builder_arc(b, ARC_PRE, 2, 1, 5);
    net_builder_arc(b, ARC_READ, 1, 0, 2);
    net_builder_arc(b, ARC_READ, 1, 0, 7);
    net_builder_arc(b, ARC_INHIBIT, 1, 0, 9);
    net_builder_arc(b, ARC_INHIBIT, 1, 0, 8);
    net_builder_arc(b, ARC_POST, 1, 0, 1);
    Net *net = finish(b);
    ck_assert_uint_eq(net->n_merged, 3);
    ck_assert_uint_eq(net_arcs_in_file(net), 8);
    NetRow row = net_places(net, ARC_PRE, 1);
    ck_assert_uint_eq(row.len, 2);
    ck_assert_uint_eq(row.node[0], 0);
    ck_assert_uint_eq(row.node[1], 2);
    ck_assert_uint_eq(net_weight(row, 1), 6);
    ck_assert_uint_eq(net_arc_weight(net, ARC_READ, 0, 1), 7);
    ck_assert_uint_eq(net_arc_weight(net, ARC_INHIBIT, 0, 1), 8);
    ck_assert_uint_eq(net_arc_weight(net, ARC_PRE, 0, 1), 0);
    ck_assert_uint_eq(net_transitions(net, ARC_PRE, 2).len, 1);
    ck_assert_uint_eq(net_max_weight(net), 8);
    ck_assert_str_eq(net_transition_label(net, 0), "first");
    ck_assert_str_eq(net_transition_label(net, 1), "t1");
    ck_assert_uint_eq(net_find_place(net, "p2"), 2);
    ck_assert_uint_eq(net_find_transition(net, "p2"), NET_NONE);
    ck_assert_uint_eq(net_find_place(net, "p3"), NET_NONE);
    ck_assert(!net->of_transition[ARC_POST].weight);
    g_autofree char *summary = net_summary(net);
    ck_assert_str_eq(summary, "3 places, 2 transitions, 8 arcs, 1 read, 1 inhibitor, 3 parallel");
    net_free(net);
}
END_TEST

START_TEST(test_builder_many_ids)
{
    enum { N = 20000 };
    NetBuilder *b = net_builder_new("n");
    char id[32];
    for (uint32_t i = 0; i < N; i++) {
        snprintf(id, sizeof id, "node_%u", i);
        ck_assert_uint_eq(net_builder_place(b, id, NULL, 0), i);
        ck_assert_uint_eq(net_builder_transition(b, id, NULL), i); /* a place and a transition may share an id */
    }
    NetNodeKind kind;
    ck_assert_uint_eq(net_builder_find(b, "node_77x", 7, NET_NODE, &kind), 77);
    ck_assert_int_eq(kind, NET_PLACE);
    ck_assert_uint_eq(net_builder_find(b, "node_", 5, NET_NODE, NULL), NET_NONE);
    Net *net = finish(b);
    for (uint32_t i = 0; i < N; i++) {
        snprintf(id, sizeof id, "node_%u", i);
        ck_assert_uint_eq(net_find_place(net, id), i);
        ck_assert_uint_eq(net_find_transition(net, id), i);
    }
    net_free(net);
}
END_TEST

START_TEST(test_builder_refuses)
{
    GError *error = NULL;
    NetBuilder *b = net_builder_new("n");
    net_builder_place(b, "p", NULL, 0);
    net_builder_place(b, "p", NULL, 0);
    ck_assert_ptr_null(net_builder_finish(b, &error));
    ck_assert_ptr_nonnull(strstr(error->message, "two places have the id \"p\""));
    g_clear_error(&error);
    net_builder_free(b);

    b = net_builder_new("n");
    net_builder_place(b, "p", NULL, 0);
    net_builder_transition(b, "t", NULL);
    net_builder_arc(b, ARC_PRE, 0, 0, UINT64_MAX);
    net_builder_arc(b, ARC_PRE, 0, 0, 1);
    ck_assert_ptr_null(net_builder_finish(b, &error));
    ck_assert_ptr_nonnull(strstr(error->message, "2^64 - 1"));
    g_clear_error(&error);
    net_builder_free(b);
}
END_TEST

START_TEST(test_firing)
{
    NetBuilder *b = net_builder_new("n");
    net_builder_place(b, "a", NULL, 3);
    net_builder_place(b, "b", NULL, UINT64_MAX - 1);
    net_builder_place(b, "c", NULL, 1);
    net_builder_transition(b, "t", NULL);
    net_builder_arc(b, ARC_PRE, 0, 0, 2);
    net_builder_arc(b, ARC_POST, 1, 0, 1);
    net_builder_arc(b, ARC_READ, 0, 0, 3);
    net_builder_arc(b, ARC_INHIBIT, 2, 0, 2);
    Net *net = finish(b);
    uint64_t m[] = {3, UINT64_MAX - 1, 1};
    ck_assert(net_enabled(net, m, 0));
    ck_assert(net_fire(net, m, 0));
    ck_assert(m[0] == 1 && m[1] == UINT64_MAX && m[2] == 1);
    ck_assert(!net_enabled(net, m, 0)); /* the read arc wants 3 */
    m[0] = 3;
    ck_assert(!net_fire(net, m, 0)); /* overflow: nothing changes */
    ck_assert(m[0] == 3 && m[1] == UINT64_MAX);
    m[2] = 2;
    ck_assert(!net_enabled(net, m, 0)); /* inhibited */
    net_free(net);
}
END_TEST

START_TEST(test_ll_net)
{
    const char *text = "PEP\nPTNet\nFORMAT_N2\n% "
                       "comment\nPL\n\"start\"M1m1\n7\"x\"\n\"\"30@30\nTR\n1\"go\"\nTP\n1<7w3\nPT\n1>1\nRA\n1<8\n";
    GError *error = NULL;
    g_autoptr(Net) net = net_read_bytes(text, strlen(text), "a.ll_net", NULL, &error);
    ck_assert_msg(net != NULL, "%s", error ? error->message : "");
    ck_assert_uint_eq(net->n_places, 3);
    ck_assert_str_eq(net_place_id(net, 2), "P8");
    ck_assert_uint_eq(net->initial[0], 1);
    ck_assert_uint_eq(net_arc_weight(net, ARC_POST, 0, 1), 3);
    ck_assert_uint_eq(net_arc_weight(net, ARC_READ, 0, 2), 1);
    ck_assert_uint_eq(net_arc_weight(net, ARC_PRE, 0, 0), 1);
}
END_TEST

START_TEST(test_ll_net_refuses)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"PEP", "a:1:4: the file ends inside its header"},
        {"PEP\nPTNet\nFORMAT_X\n", "a:3:1: FORMAT_N"},
        {"PEP\nPTNet\nFORMAT_N\nXX\n", "a:4:1: unknown section"},
        {"PEP\nPTNet\nFORMAT_N\nPL\n1\"a\n", "closing double quote"},
        {"PEP\nPTNet\nFORMAT_N\nPL\n1\"a\"\n1\"b\"\n", "defined twice"},
        {"PEP\nPTNet\nFORMAT_N\nPL\n0\"a\"\n", "out of range"},
        {"PEP\nPTNet\nFORMAT_N\nPL\n4294967296\"a\"\n", "out of range"},
        {"PEP\nPTNet\nFORMAT_N\nPL\n1\"a\"M99999999999999999999\n", "larger than 2^64 - 1"},
        {"PEP\nPTNet\nFORMAT_N\nPL\n1\"a\"\nTR\n1\"t\"\nPT\n2>1\n", "a:9:4: there is no place number 2"},
        {"PEP\nPTNet\nFORMAT_N\nPL\n1\"a\"\nTR\n1\"t\"\nPT\n1>1w0\n", "at least 1"},
        {"PEP\nPTNet\nFORMAT_N\nPL\n1\"a\"\nTR\n1\"t\"\nPT\n1<1\n", "'>' is expected"},
        {"PEP\nPTNet\nFORMAT_N\nPL\n1\"\xff\"\n", "not valid UTF-8"},
        {"", "the file is empty"},
        {"hello", "neither PNML"},
        {"\x1f\x8b\x08", "a: the compressed data ends too early"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        Net *net = net_read_bytes(cases[i].text, strlen(cases[i].text), "a", NULL, &error);
        ck_assert_msg(net == NULL, "case %zu was read", i);
        ck_assert_msg(strstr(error->message, cases[i].message) != NULL, "case %zu: %s", i, error->message);
        g_error_free(error);
    }
}
END_TEST

/* What ll_net cannot hold is refused and leaves no file behind. */
START_TEST(test_ll_net_cannot_hold)
{
    for (int what = 0; what < 3; what++) {
        NetBuilder *b = net_builder_new("n");
        net_builder_place(b, what == 1 ? "a\"b" : "a", "label", 0);
        net_builder_transition(b, "t", NULL);
        if (what == 0) net_builder_arc(b, ARC_INHIBIT, 0, 0, 1);
        if (what == 2) net_builder_set_final(b, "a >= 1");
        Net *net = finish(b);
        g_autofree char *path = g_strdup_printf("test_net_%d.ll_net", what);
        GError *error = NULL;
        ck_assert(!net_write_file(net, path, &error));
        ck_assert_ptr_nonnull(strstr(error->message, "ll_net cannot hold"));
        ck_assert(!g_file_test(path, G_FILE_TEST_EXISTS));
        g_autofree char *part = g_strconcat(path, ".part", NULL);
        ck_assert(!g_file_test(part, G_FILE_TEST_EXISTS));
        g_autofree char *losses = net_write_losses(net, path);
        ck_assert_str_eq(losses, "1 labels");
        ck_assert_ptr_null(net_write_losses(net, "x.pnml"));
        g_clear_error(&error);
        ck_assert(!net_write_file(net, "x.nosuch", &error));
        ck_assert_ptr_nonnull(strstr(error->message, ".pnml .ll_net .lola"));
        g_clear_error(&error);
        net_free(net);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("net");
    TEST_CASE(suite, test_builder_sorts_and_merges);
    TEST_CASE(suite, test_builder_many_ids);
    TEST_CASE(suite, test_builder_refuses);
    TEST_CASE(suite, test_firing);
    TEST_CASE(suite, test_ll_net);
    TEST_CASE(suite, test_ll_net_refuses);
    TEST_CASE(suite, test_ll_net_cannot_hold);
    return test_run(suite);
}
