/* Writing a net and reading it again gives an equal one: random nets with every kind of arc, odd names, units,
 * notes and final markings through PNML, what the other formats can hold through each of them. */
#include "test.h"

#include "base/rng.h"
#include "net/builder.h"
#include "net/read.h"
#include "net/write.h"

#include <glib/gstdio.h>
#include <string.h>

enum { ALL_KINDS = (1 << N_ARC_KINDS) - 1 };

static const char *const odd_names[] = {
    "a b", "<&>\"'", "\xc3\xa9t\xc3\xa9", " lead", "trail ", "tab\tnl\ncr\r", "", "arc1", "arc-2",
    "%x",  "0",      "\xf0\x9f\x8d\x8b",  "]]>",   "&amp;"};

/* Arcs up to this weight; kinds as bits; `odd`: names that only PNML can hold; units and blanks in names exclude each
 * other. */
static Net *make_net(uint64_t seed, bool odd, unsigned kinds, uint64_t most)
{
    Rng rng = {seed};
    NetBuilder *b = net_builder_new(odd && rng_chance(&rng, 2) ? "odd \"name\" <1>" : "net");
    bool units = rng_chance(&rng, 3), notes = rng_chance(&rng, 2);
    uint32_t n_places = (uint32_t)rng_below(&rng, 12), n_transitions = (uint32_t)rng_below(&rng, 12);
    char id[64];
    for (uint32_t i = 0; i < n_places + n_transitions; i++) {
        const char *name = odd_names[rng_below(&rng, G_N_ELEMENTS(odd_names))];
        snprintf(id, sizeof id, "%s%u", odd && !units && rng_chance(&rng, 2) ? name : "node", i);
        const char *label = odd && rng_chance(&rng, 2) ? odd_names[rng_below(&rng, G_N_ELEMENTS(odd_names))] : NULL;
        uint64_t tokens = rng_chance(&rng, 8) ? UINT64_MAX - rng_below(&rng, 2) : rng_below(&rng, 3);
        if (i < n_places)
            net_builder_place(b, id, label, tokens);
        else
            net_builder_transition(b, id, label);
        if (odd && notes && i >= n_places && rng_chance(&rng, 2))
            net_builder_set_note(b, i - n_places, "main.c:12: x < 3");
    }
    for (uint32_t t = 0; t < n_transitions; t++)
        for (uint32_t p = 0; p < n_places; p++)
            for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
                if (!rng_chance(&rng, 5) || !(kinds >> kind & 1)) continue;
                net_builder_arc(b, kind, p, t, rng_chance(&rng, 4) ? 1 + rng_next(&rng) % most : 1);
            }
    if (odd && units && n_places) {
        NetNupn *nupn = g_new0(NetNupn, 1);
        nupn->n_units = 1 + (uint32_t)rng_below(&rng, 3);
        nupn->units = g_new0(NetUnit, nupn->n_units);
        nupn->root = nupn->n_units - 1;
        nupn->safe = rng_chance(&rng, 2);
        for (uint32_t u = 0; u < nupn->n_units; u++) {
            NetUnit *unit = &nupn->units[u];
            unit->id = g_strdup_printf("u<%u>", u);
            unit->places = g_new(uint32_t, n_places);
            for (uint32_t p = u; p < n_places; p += nupn->n_units) unit->places[unit->n_places++] = p;
            unit->subunits = g_new(uint32_t, 1);
            if (u) unit->subunits[unit->n_subunits++] = u - 1;
        }
        net_builder_set_nupn(b, nupn);
    }
    if (odd && rng_chance(&rng, 2)) net_builder_set_final(b, "\"a b\" >= 1 && x < 3");
    GError *error = NULL;
    Net *net = net_builder_finish(b, &error);
    ck_assert_msg(net != NULL, "%s", error ? error->message : "");
    net_builder_free(b);
    return net;
}

static void check_rows(const NetArcs *a, const NetArcs *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        NetRow x = net_row(a, i), y = net_row(b, i);
        ck_assert_uint_eq(x.len, y.len);
        for (uint32_t k = 0; k < x.len; k++) {
            ck_assert_uint_eq(x.node[k], y.node[k]);
            ck_assert_uint_eq(net_weight(x, k), net_weight(y, k));
        }
    }
}

static void check_nupn(const NetNupn *a, const NetNupn *b)
{
    ck_assert_int_eq(!a, !b);
    if (!a) return;
    ck_assert_uint_eq(a->n_units, b->n_units);
    ck_assert_uint_eq(a->root, b->root);
    ck_assert_int_eq(a->safe, b->safe);
    for (uint32_t u = 0; u < a->n_units; u++) {
        ck_assert_str_eq(a->units[u].id, b->units[u].id);
        ck_assert_uint_eq(a->units[u].n_places, b->units[u].n_places);
        ck_assert_uint_eq(a->units[u].n_subunits, b->units[u].n_subunits);
        for (uint32_t i = 0; i < a->units[u].n_places; i++)
            ck_assert_uint_eq(a->units[u].places[i], b->units[u].places[i]);
        for (uint32_t i = 0; i < a->units[u].n_subunits; i++)
            ck_assert_uint_eq(a->units[u].subunits[i], b->units[u].subunits[i]);
    }
}

static void check_equal(const Net *a, const Net *b)
{
    ck_assert_uint_eq(a->n_places, b->n_places);
    ck_assert_uint_eq(a->n_transitions, b->n_transitions);
    for (uint32_t p = 0; p < a->n_places; p++) {
        ck_assert_str_eq(net_place_id(a, p), net_place_id(b, p));
        ck_assert_str_eq(net_place_label(a, p), net_place_label(b, p));
        ck_assert_uint_eq(a->initial[p], b->initial[p]);
    }
    for (uint32_t t = 0; t < a->n_transitions; t++) {
        ck_assert_str_eq(net_transition_id(a, t), net_transition_id(b, t));
        ck_assert_str_eq(net_transition_label(a, t), net_transition_label(b, t));
        ck_assert_str_eq(net_transition_note(a, t), net_transition_note(b, t));
    }
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        check_rows(&a->of_transition[kind], &b->of_transition[kind], a->n_transitions);
        check_rows(&a->of_place[kind], &b->of_place[kind], a->n_places);
    }
    check_nupn(a->nupn, b->nupn);
    ck_assert_int_eq(g_strcmp0(a->final, b->final), 0);
}

static void check_round_trip(const Net *net, const char *path, uint64_t seed)
{
    GError *error = NULL;
    ck_assert_msg(net_write_file(net, path, &error), "%" G_GUINT64_FORMAT ": %s", seed, error ? error->message : "");
    g_autoptr(Net) again = net_read_file(path, NULL, &error);
    ck_assert_msg(again != NULL, "%" G_GUINT64_FORMAT ": %s", seed, error ? error->message : "");
    check_equal(net, again);
    ck_assert_ptr_null(again->ignored);
    if (g_str_has_suffix(path, ".pnml")) ck_assert_str_eq(net->name, again->name);
    g_unlink(path);
}

START_TEST(test_pnml)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        g_autoptr(Net) net = make_net(seed, true, ALL_KINDS, UINT64_MAX - 1);
        check_round_trip(net, "test_roundtrip.pnml", seed);
    }
}
END_TEST

/* Nets of the kinds of arcs that a format keeps are all written and come back; with inhibitor arcs they come back or
 * are refused. */
START_TEST(test_every_format)
{
    for (FormatId id = 0; id < N_FORMATS; id++) {
        const Format *format = format_of(id);
        int len = (int)strcspn(format->endings, " ");
        g_autofree char *path = g_strdup_printf("test_roundtrip%.*s", len, format->endings);
        unsigned kinds = 1 << ARC_PRE | 1 << ARC_POST | (format->keeps & FORMAT_KEEPS_READS ? 1 << ARC_READ : 0);
        for (uint64_t seed = 1; seed <= 300; seed++) {
            bool inhibitors = seed % 4 == 0;
            g_autoptr(Net) net = make_net(seed, false, kinds | (inhibitors ? 1 << ARC_INHIBIT : 0),
                                          format->keeps & FORMAT_KEEPS_WEIGHTS ? UINT64_MAX - 1 : 9);
            g_autoptr(GError) error = NULL;
            if (net->n_places && (!inhibitors || net_write_file(net, path, &error))) check_round_trip(net, path, seed);
            if (error) ck_assert_msg(strstr(error->message, "cannot hold inhibitor arcs"), "%s", error->message);
        }
    }
}
END_TEST

START_TEST(test_not_xml)
{
    NetBuilder *b = net_builder_new("n");
    net_builder_place(b, "bell\a", NULL, 0);
    g_autoptr(Net) net = net_builder_finish(b, NULL);
    net_builder_free(b);
    GError *error = NULL;
    ck_assert(!net_write_file(net, "test_roundtrip_bell.pnml", &error));
    ck_assert_ptr_nonnull(strstr(error->message, "PNML cannot hold"));
    ck_assert(!g_file_test("test_roundtrip_bell.pnml", G_FILE_TEST_EXISTS));
    g_error_free(error);
}
END_TEST

/* Real nets, both ways. */
START_TEST(test_corpus_nets)
{
    if (!test_corpus()) return;
    static const char *const files[] = {"nets/cont/dme4.ll_net",
                                        "nets/plain/dme4.ll_net",
                                        "mcc/Angiogenesis-PT-01/model.pnml",
                                        "mcc/AutonomousCar-PT-01a/model.pnml",
                                        "wild/w52-sarahtattersall-inhibitorArc.xml",
                                        "wild/w28-lip6-normal.xml",
                                        "wild/w44-pm4py-ex1.pnml"};
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(test_corpus(), files[i], NULL);
        GError *error = NULL;
        g_autoptr(Net) net = net_read_file(path, NULL, &error);
        ck_assert_msg(net != NULL, "%s", error ? error->message : "");
        g_clear_pointer(&net->ignored, g_free);
        check_round_trip(net, "test_roundtrip_corpus.pnml", i);
        if (g_str_has_suffix(path, ".ll_net")) check_round_trip(net, "test_roundtrip_corpus.ll_net", i);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("roundtrip");
    TEST_CASE(suite, test_pnml);
    TEST_CASE(suite, test_every_format);
    TEST_CASE(suite, test_not_xml);
    TEST_CASE(suite, test_corpus_nets);
    return test_run(suite);
}
