/* Nets with alike colours made one against the full expansion: they have the same runs as far as coloured places and
 * transitions go. On random coloured nets step by step, and on nets where it is known what is alike. Their runs become
 * runs of the coloured net. MAZURKA_SOAK=1
 * takes longer. */
#include "test.h"

#include "coloured_text.h"
#include "random_coloured.h"

#include "certify/coloured_game.h"
#include "colour/open.h"
#include "colour/read.h"
#include "colour/unmerge.h"
#include "net/colours.h"

#include <string.h>

static Net *open_text(const char *text, bool merged)
{
    g_autoptr(Input) input = input_bytes(text, strlen(text), "f", NULL);
    GError *error = NULL;
    Net *net = merged ? colour_open_merged(input, NULL, NULL, &error) : colour_open(input, NULL, NULL, &error);
    ck_assert_msg(net != NULL, "%s\n%s", error ? error->message : "", text);
    return net;
}

/* ---- step by step ---- */

enum { MOST_MARKINGS = 400, DEPTH = 4 };

/* What is seen of a marking: the tokens of each coloured place, and which coloured transitions are enabled. */
static char *seen_of(const Net *net, const uint64_t *marking)
{
    const Net *coloured = net_colours_asked(net);
    GString *seen = g_string_new(NULL);
    for (uint32_t p = 0; p < coloured->n_places; p++) {
        NetRange range = net_colours_asked_places(net, p);
        uint64_t sum = 0;
        for (uint32_t i = range.from; i < range.to; i++) sum += marking[i];
        g_string_append_printf(seen, "%" G_GUINT64_FORMAT " ", sum);
    }
    for (uint32_t t = 0; t < coloured->n_transitions; t++) {
        NetRange range = net_colours_asked_transitions(net, t);
        bool enabled = false;
        for (uint32_t i = range.from; i < range.to; i++) enabled = enabled || net_enabled(net, marking, i);
        g_string_append_c(seen, enabled ? '+' : '-');
    }
    return g_string_free(seen, FALSE);
}

static GHashTable *new_set(void)
{
    return g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
}

/* One step from the markings of a level; what is seen of the steps goes to `seen`. */
static GHashTable *step(const Net *net, GHashTable *level, GHashTable *seen)
{
    GHashTable *next = new_set();
    size_t size = net->n_places * sizeof(uint64_t);
    g_autofree uint64_t *now = g_malloc(size + 8);
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init(&iter, level);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        for (uint32_t c = 0; c < net_colours_asked(net)->n_transitions; c++)
            for (uint32_t t = net_colours_asked_transitions(net, c).from; t < net_colours_asked_transitions(net, c).to;
                 t++) {
                const uint64_t *before = g_bytes_get_data(key, NULL);
                memcpy(now, before, size + 8);
                g_autofree char *from = seen_of(net, before);
                if (!net_enabled(net, now, t) || !net_fire(net, now, t)) continue;
                g_autofree char *to = seen_of(net, now);
                g_hash_table_add(seen, g_strdup_printf("%s %u %s", from, c, to));
                g_hash_table_add(next, g_bytes_new(now, size + 8));
            }
    return next;
}

static GHashTable *start(const Net *net)
{
    GHashTable *level = new_set();
    size_t size = net->n_places * sizeof(uint64_t);
    g_autofree char *bytes = g_malloc0(size + 8);
    if (size) memcpy(bytes, net->initial, size);
    g_hash_table_add(level, g_bytes_new(bytes, size + 8));
    return level;
}

static void compare_sets(GHashTable *a, GHashTable *b, uint64_t seed)
{
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init(&iter, a);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        ck_assert_msg(g_hash_table_contains(b, key), "seed %" G_GUINT64_FORMAT ": only one of them has %s", seed,
                      (char *)key);
}

static void compare_steps(const Net *full, const Net *merged, uint64_t seed)
{
    const Net *nets[2] = {full, merged};
    GHashTable *level[2] = {start(full), start(merged)};
    for (int depth = 0; depth < DEPTH; depth++) {
        GHashTable *seen[2];
        for (int i = 0; i < 2; i++) {
            seen[i] = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
            GHashTable *next = step(nets[i], level[i], seen[i]);
            g_hash_table_unref(level[i]);
            level[i] = next;
        }
        compare_sets(seen[0], seen[1], seed);
        compare_sets(seen[1], seen[0], seed);
        for (int i = 0; i < 2; i++) g_hash_table_unref(seen[i]);
        if (g_hash_table_size(level[0]) > MOST_MARKINGS) break;
    }
    for (int i = 0; i < 2; i++) g_hash_table_unref(level[i]);
}

START_TEST(test_random)
{
    uint64_t n = test_rounds(800, 100000), smaller = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        g_autofree char *text = random_coloured(seed);
        g_autoptr(Net) full = open_text(text, false);
        g_autoptr(Net) merged = open_text(text, true);
        ck_assert_uint_le(merged->n_transitions, full->n_transitions);
        if (merged->n_places == full->n_places && merged->n_transitions == full->n_transitions && seed % 16) continue;
        smaller++;
        compare_steps(full, merged, seed);
    }
    ck_assert_msg(smaller > n / 8, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, smaller, n);
}
END_TEST

/* ---- runs of the file ---- */

enum { LONGEST_RUN = 40 };

static ColourNet *read_text(const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Input) input = input_bytes(text, strlen(text), "f", NULL);
    Net *net = NULL;
    ColourNet *coloured = NULL;
    ck_assert_msg(colour_read(input, NULL, &net, &coloured, &error) && coloured, "%s",
                  error ? error->message : "plain");
    return coloured;
}

/* As far as it goes. */
static void random_run(const Net *net, Rng *rng, VecU32 *run)
{
    g_autofree uint64_t *marking = g_new0(uint64_t, net->n_places + 1);
    for (uint32_t p = 0; p < net->n_places; p++) marking[p] = net->initial[p];
    for (int steps = 0; steps < LONGEST_RUN; steps++) {
        VecU32 enabled = {0};
        for (uint32_t t = 0; t < net->n_transitions; t++)
            if (net_enabled(net, marking, t)) vec_push(&enabled, t);
        uint32_t t = enabled.len ? enabled.data[rng_below(rng, enabled.len)] : NET_NONE;
        vec_free(&enabled);
        if (t == NET_NONE || !net_fire(net, marking, t)) break;
        vec_push(run, t);
    }
}

/* Fires what it became on the file's net, by definition, and compares the tokens of each coloured place. */
static void replay_unmerged(const ColourNet *coloured, const Net *merged, const VecU32 *run, uint64_t seed)
{
    Budget budget = budget_unlimited();
    g_autoptr(Unmerge) unmerge = unmerge_new(coloured, &budget);
    ck_assert(unmerge);
    g_autoptr(GPtrArray) names = unmerge_run(unmerge, merged, run->data, run->len, &budget);
    ck_assert_msg(names && names->len == run->len, "seed %" G_GUINT64_FORMAT, seed);
    g_autoptr(Game) game = coloured_game_new(coloured);
    g_autofree uint64_t *binding = g_new0(uint64_t, coloured->variables.len + 1);
    g_autofree uint64_t *marking = g_new0(uint64_t, merged->n_places + 1);
    for (uint32_t p = 0; p < merged->n_places; p++) marking[p] = merged->initial[p];
    for (guint i = 0; i < names->len; i++) {
        uint32_t transition;
        const char *name = g_ptr_array_index(names, i);
        ck_assert_msg(coloured_game_read_binding(game, name, &transition, binding), "%s", name);
        ck_assert_msg(coloured_game_fire(game, transition, binding) == GAME_FIRED, "seed %" G_GUINT64_FORMAT ": %s",
                      seed, name);
        NetRange firings = net_colours_asked_transitions(merged, transition);
        ck_assert(firings.from <= run->data[i] && run->data[i] < firings.to);
        ck_assert(net_fire(merged, marking, run->data[i]));
        for (uint32_t p = 0; p < coloured->places.len; p++) {
            uint64_t here = 0, there = 0;
            for (size_t k = 0; k < game->marking[p].len; k++) here += game->marking[p].data[k].count;
            for (uint32_t k = net_colours_asked_places(merged, p).from; k < net_colours_asked_places(merged, p).to; k++)
                there += marking[k];
            ck_assert_uint_eq(here, there);
        }
    }
}

START_TEST(test_unmerge)
{
    uint64_t n = test_rounds(600, 20000), runs = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        g_autofree char *text = random_coloured(seed);
        g_autoptr(Net) merged = open_text(text, true);
        if (!merged->colours->merged) continue;
        g_autoptr(ColourNet) coloured = read_text(text);
        Rng rng = {seed};
        VecU32 run = {0};
        random_run(merged, &rng, &run);
        replay_unmerged(coloured, merged, &run, seed);
        runs += run.len > 1;
        vec_free(&run);
    }
    ck_assert_msg(runs > n / 20, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, runs, n);
}
END_TEST

/* ---- what is alike ---- */

#define FIVE                                                                                                           \
    SORT("five", CYCLIC(CONSTANT("a") CONSTANT("b") CONSTANT("c") CONSTANT("d") CONSTANT("e")))                        \
    VARIABLE("x", "five") VARIABLE("y", "five")
#define FROM_P(arcs) DECLARE(FIVE) PLACE("p", "five", ALL("five")) EMPTY_PLACE("q", "five") arcs
#define MOVE(id) ARC("p", id, VAR("x")) ARC(id, "q", VAR("x"))

static const struct {
    const char *text;
    uint32_t places, transitions;
} known[] = {
    /* nobody asks which one it is */
    {NET(FROM_P(TRANSITION("t") MOVE("t"))), 2, 1},
    /* constants of guards make classes: a | b c | d e */
    {NET(FROM_P(GUARDED("t", TWO("equality", VAR("x"), OP("a"))) GUARDED("u", TWO("lessthan", VAR("x"), OP("d")))
                    MOVE("t") MOVE("u"))),
     5, 3},
    {NET(FROM_P(GUARDED("t", TWO("or", TWO("inequality", ONE("successor", VAR("x")), OP("a")),
                                 TWO("greaterthan", OP("b"), VAR("x")))) MOVE("t"))),
     5, 2},
    /* a constant that is taken is a class of its own */
    {NET(FROM_P(TRANSITION("t") ARC("p", "t", OP("c")) ARC("t", "q", OP("d")))), 3, 1},
    /* two tokens of any colours, but not two of one colour */
    {NET(FROM_P(TRANSITION("t") ARC("p", "t", TWO("add", VAR("x"), VAR("y"))))), 1, 1},
    {NET(FROM_P(TRANSITION("t") ARC("p", "t", TIMES(2, VAR("x"))))), 5, 5},
    {NET(FROM_P(TRANSITION("t") ARC("p", "t", TWO("add", VAR("x"), VAR("x"))))), 5, 5},
    /* compared with each other, with the next, on two arcs, taken all at once, subtracted */
    {NET(FROM_P(GUARDED("t", TWO("inequality", VAR("x"), VAR("y"))) ARC("p", "t", TWO("add", VAR("x"), VAR("y"))))), 5,
     20},
    {NET(FROM_P(TRANSITION("t") MOVE("t") ARC("t", "p", ONE("successor", VAR("x"))) TRANSITION("u")
                    ARC("p", "u", VAR("x")) ARC("q", "u", VAR("x")))),
     10, 10},
    {NET(FROM_P(TRANSITION("t") ARC("p", "t", ALL("five")) ARC("t", "q", VAR("x")))), 6, 1},
    {NET(FROM_P(TRANSITION("t") MOVE("t") ARC("t", "p", TWO("subtract", ALL("five"), VAR("x"))))), 6, 5},
    /* a marking with a subtraction, which leaves a b d e once */
    {NET(DECLARE(FIVE) PLACE("p", "five", TWO("subtract", ALL("five"), TIMES(2, OP("c")))) TRANSITION("t")
             ARC("p", "t", VAR("x"))),
     4, 4},
    /* classes of billions of colours would take gigabytes: where few are used, they are few anyway */
    {NET(DECLARE(SORT("n", RANGE(1, 4000000000)) VARIABLE("i", "n") VARIABLE("k", "n"))
             PLACE("p", "n", INT(7, 1, 4000000000)) EMPTY_PLACE("q", "n")
                 GUARDED("t", TWO("and", TWO("lessthan", VAR("i"), INT(9, 1, 4000000000)),
                                  TWO("equality", VAR("k"), INT(4, 1, 4000000000)))) ARC("p", "t", VAR("i"))
                     ARC("t", "q", VAR("i"))),
     2, 1},
    /* one part of a pair matters, the other does not */
    {NET(DECLARE(FIVE SORT("pair", PRODUCT(USE("five") USE("five"))))
             PLACE("p", "pair", TWO("tuple", ALL("five"), ALL("five"))) PLACE("q", "five", ALL("five")) TRANSITION("t")
                 ARC("p", "t", TWO("tuple", VAR("x"), VAR("y"))) ARC("q", "t", VAR("x"))
                     ARC("t", "p", TWO("tuple", VAR("x"), OP("a")))),
     10, 5},
};

START_TEST(test_known)
{
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
        g_autoptr(Net) full = open_text(known[i].text, false);
        g_autoptr(Net) merged = open_text(known[i].text, true);
        ck_assert_msg(merged->n_places == known[i].places && merged->n_transitions == known[i].transitions,
                      "%zu: %u places and %u transitions", i, merged->n_places, merged->n_transitions);
        compare_steps(full, merged, i);
    }
}
END_TEST

/* Only what the file has can be named. */
START_TEST(test_names)
{
    g_autoptr(Net) merged = open_text(known[0].text, true);
    NetRange range;
    ck_assert(merged->colours->merged && net_colours_named_places(merged, "p", &range) && range.to - range.from == 1);
    ck_assert_uint_eq(merged->initial[range.from], 5);
    ck_assert(!net_colours_named_places(merged, net_place_id(merged, range.from), &range));
    ck_assert(net_colours_named_transitions(merged, "t", &range) && range.to - range.from == 1);
    ck_assert(!net_colours_named_transitions(merged, net_transition_id(merged, range.from), &range));
}
END_TEST

/* Five tokens are there to be taken, and no sixth. */
START_TEST(test_no_run)
{
    g_autoptr(Net) merged = open_text(known[0].text, true);
    g_autoptr(ColourNet) coloured = read_text(known[0].text);
    Budget budget = budget_unlimited();
    g_autoptr(Unmerge) unmerge = unmerge_new(coloured, &budget);
    const uint32_t run[6] = {0};
    g_autoptr(GPtrArray) names = unmerge_run(unmerge, merged, run, 5, &budget);
    ck_assert(names && names->len == 5);
    ck_assert_ptr_null(unmerge_run(unmerge, merged, run, 6, &budget));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("colour_merge");
    TEST_CASE(suite, test_known);
    TEST_CASE(suite, test_names);
    TEST_CASE(suite, test_no_run);
    TEST_CASE(suite, test_random);
    TEST_CASE(suite, test_unmerge);
    return test_run(suite);
}
