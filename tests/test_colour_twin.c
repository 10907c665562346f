/* The expansion of random coloured nets against two twins that share no code with it: the expansion by definition, node
 * for node and arc for arc, and the token game on coloured markings, marking for marking. MAZURKA_SOAK=1 takes longer.
 */
#include "test.h"

#include "coloured_text.h"
#include "random_coloured.h"

#include "certify/coloured_game.h"
#include "certify/coloured_net.h"
#include "certify/digest.h"
#include "colour/expand.h"
#include "colour/read.h"

#include <string.h>

static ColourNet *read_text(const char *text)
{
    g_autoptr(Input) input = input_bytes(text, strlen(text), "f", NULL);
    GError *error = NULL;
    Net *plain;
    ColourNet *net;
    ck_assert_msg(colour_read(input, NULL, &plain, &net, &error), "%s\n%s", error ? error->message : "", text);
    ck_assert(!plain && net);
    return net;
}

/* ---- node for node ---- */

static void compare_nets(const Net *a, const Net *b, uint64_t seed)
{
    ck_assert_msg(a->n_places == b->n_places && a->n_transitions == b->n_transitions,
                  "seed %" G_GUINT64_FORMAT ": %u/%u against %u/%u", seed, a->n_places, a->n_transitions, b->n_places,
                  b->n_transitions);
    for (uint32_t p = 0; p < a->n_places; p++) ck_assert_str_eq(net_place_id(a, p), net_place_id(b, p));
    for (uint32_t t = 0; t < a->n_transitions; t++) ck_assert_str_eq(net_transition_id(a, t), net_transition_id(b, t));
    g_autofree char *x = digest_of(a), *y = digest_of(b);
    ck_assert_msg(strcmp(x, y) == 0, "seed %" G_GUINT64_FORMAT ": other arcs or tokens", seed);
}

/* ---- marking for marking ---- */

enum { MOST_MARKINGS = 60, DEPTH = 3 };

/* A marking as a sorted list of what is there. */
static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *join_sorted(GPtrArray *parts)
{
    g_ptr_array_sort(parts, by_text);
    g_ptr_array_add(parts, NULL);
    return g_strjoinv(" ", (char **)parts->pdata);
}

static char *text_of_game(const Game *game)
{
    g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);
    for (uint32_t p = 0; p < game->net->places.len; p++)
        for (size_t i = 0; i < game->marking[p].len; i++) {
            GString *name = g_string_new(NULL);
            coloured_game_name_place(game->net, p, game->marking[p].data[i].colour, name);
            g_string_append_printf(name, "=%" G_GUINT64_FORMAT, game->marking[p].data[i].count);
            g_ptr_array_add(parts, g_string_free(name, FALSE));
        }
    return join_sorted(parts);
}

static char *text_of_net(const Net *net, const uint64_t *marking)
{
    g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);
    for (uint32_t p = 0; p < net->n_places; p++)
        if (marking[p])
            g_ptr_array_add(parts, g_strdup_printf("%s=%" G_GUINT64_FORMAT, net_place_id(net, p), marking[p]));
    return join_sorted(parts);
}

typedef struct Found {
    GHashTable *markings; /* texts */
    GPtrArray *firings;   /* "marking -> transition -> marking" */
} Found;

static Found found_new(void)
{
    return (Found){g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                   g_ptr_array_new_with_free_func(g_free)};
}

static void found_clear(Found *found)
{
    g_hash_table_unref(found->markings);
    g_ptr_array_unref(found->firings);
}

static GameBag *copy_marking(const Game *game)
{
    GameBag *copy = g_new0(GameBag, game->net->places.len + 1);
    for (size_t p = 0; p < game->net->places.len; p++)
        vec_append(&copy[p], game->marking[p].data, game->marking[p].len);
    return copy;
}

static void set_marking(Game *game, GameBag *marking)
{
    for (size_t p = 0; p < game->net->places.len; p++) {
        vec_clear(&game->marking[p]);
        vec_append(&game->marking[p], marking[p].data, marking[p].len);
    }
}

/* The name of a firing says which one it is. */
static void check_name(const Game *game, const char *name, uint32_t transition, const uint64_t *binding)
{
    uint32_t same;
    g_autofree uint64_t *again = g_new0(uint64_t, game->net->variables.len + 1);
    ck_assert(coloured_game_read_binding(game, name, &same, again) && same == transition);
    for (size_t i = 0; i < game->variables[same].len; i++) {
        uint32_t v = game->variables[same].data[i];
        ck_assert_uint_eq(again[v], binding[v]);
    }
}

/* Goes through the bindings of a transition: the first has all 0. False: there are no more. */
static bool next_binding(const Game *game, uint32_t transition, uint64_t *binding)
{
    const VecU32 *variables = &game->variables[transition];
    for (size_t i = variables->len; i-- > 0;) {
        uint32_t v = variables->data[i];
        if (++binding[v] < sort_at(&game->net->sorts, game->net->variables.data[v].sort)->size) return true;
        binding[v] = 0;
    }
    return false;
}

/* All firings at one marking of the queue. */
static void play_at(Game *game, GPtrArray *queue, guint at, uint64_t *binding, Found *found)
{
    g_autoptr(GString) name = g_string_new(NULL);
    set_marking(game, queue->pdata[at]);
    g_autofree char *before = text_of_game(game);
    for (uint32_t t = 0; t < game->net->transitions.len; t++) {
        memset(binding, 0, game->net->variables.len * sizeof *binding);
        do {
            if (coloured_game_fire(game, t, binding) != GAME_FIRED) continue;
            g_string_truncate(name, 0);
            coloured_game_name_binding(game, t, binding, name);
            check_name(game, name->str, t, binding);
            char *after = text_of_game(game);
            g_ptr_array_add(found->firings, g_strdup_printf("%s -> %s -> %s", before, name->str, after));
            if (g_hash_table_add(found->markings, after)) g_ptr_array_add(queue, copy_marking(game));
            set_marking(game, queue->pdata[at]);
        } while (next_binding(game, t, binding));
    }
}

/* Breadth first; false when there are too many markings. */
static bool play(const ColourNet *net, Found *found)
{
    g_autoptr(Game) game = coloured_game_new(net);
    g_autoptr(GPtrArray) queue = g_ptr_array_new();
    uint64_t *binding = g_new0(uint64_t, net->variables.len + 1);
    g_hash_table_add(found->markings, text_of_game(game));
    g_ptr_array_add(queue, copy_marking(game));
    guint next = 0, level_end = 1;
    for (int depth = 0; depth < DEPTH && queue->len < MOST_MARKINGS; depth++, level_end = queue->len)
        for (; next < level_end; next++) play_at(game, queue, next, binding, found);
    for (guint i = 0; i < queue->len; i++) {
        for (size_t p = 0; p < net->places.len; p++) vec_free(&((GameBag *)queue->pdata[i])[p]);
        g_free(queue->pdata[i]);
    }
    g_free(binding);
    return queue->len < MOST_MARKINGS;
}

static void search(const Net *net, Found *found)
{
    g_autoptr(GPtrArray) queue = g_ptr_array_new_with_free_func(g_free);
    size_t size = net->n_places * sizeof(uint64_t);
    uint64_t *now = g_malloc0(size + 8);
    g_ptr_array_add(queue, g_memdup2(net->initial, size ? size : 1));
    g_hash_table_add(found->markings, text_of_net(net, net->initial));
    guint next = 0, level_end = 1;
    for (int depth = 0; depth < DEPTH && queue->len < MOST_MARKINGS; depth++, level_end = queue->len)
        for (; next < level_end; next++)
            for (uint32_t t = 0; t < net->n_transitions; t++) {
                if (size) memcpy(now, queue->pdata[next], size);
                g_autofree char *before = text_of_net(net, now);
                if (!net_enabled(net, now, t) || !net_fire(net, now, t)) continue;
                char *after = text_of_net(net, now);
                g_ptr_array_add(found->firings,
                                g_strdup_printf("%s -> %s -> %s", before, net_transition_id(net, t), after));
                if (g_hash_table_add(found->markings, after)) g_ptr_array_add(queue, g_memdup2(now, size ? size : 1));
            }
    g_free(now);
}

static void compare_runs(const ColourNet *coloured, const Net *net, uint64_t seed)
{
    Found a = found_new(), b = found_new();
    if (play(coloured, &a)) {
        search(net, &b);
        ck_assert_msg(g_hash_table_size(a.markings) == g_hash_table_size(b.markings) &&
                          a.firings->len == b.firings->len,
                      "seed %" G_GUINT64_FORMAT ": %u markings and %u firings against %u and %u", seed,
                      g_hash_table_size(a.markings), a.firings->len, g_hash_table_size(b.markings), b.firings->len);
        g_ptr_array_sort(a.firings, by_text);
        g_ptr_array_sort(b.firings, by_text);
        for (guint i = 0; i < a.firings->len; i++) ck_assert_str_eq(a.firings->pdata[i], b.firings->pdata[i]);
    }
    found_clear(&a);
    found_clear(&b);
}

START_TEST(test_twins)
{
    uint64_t n = test_rounds(2000, 100000);
    uint64_t first = test_number("MAZURKA_SEED", 1), firing = 0;
    for (uint64_t seed = first; seed < first + n; seed++) {
        g_autofree char *text = random_coloured(seed);
        g_autoptr(ColourNet) coloured = read_text(text);
        GError *error = NULL;
        g_autoptr(Net) net = colour_expand(coloured, "f", NULL, &error);
        ck_assert_msg(net != NULL, "seed %" G_GUINT64_FORMAT ": %s\n%s", seed, error ? error->message : "", text);
        g_autoptr(Net) naive = coloured_net_expand(coloured, NULL);
        compare_nets(net, naive, seed);
        if (seed % 4 == 0) compare_runs(coloured, net, seed);
        firing += net->n_transitions > 2;
    }
    ck_assert_uint_gt(firing, n / 4); /* most of them do something */
}
END_TEST

/* Two places hold a token each, and the transition takes both: its six variables have 64 million bindings, the guard is
 * a disjunction, and 20 can fire. The checker finds them without trying all. */
#define TRIPLE(a, b, c) "<tuple>" ST(a) ST(b) ST(c) "</tuple>"
#define TWENTY(value) INT(value, 0, 19)
static const char trains[] =
    NET(DECLARE(SORT("c", RANGE(0, 19)) SORT("ccc", PRODUCT(USE("c") USE("c") USE("c"))) VARIABLE("a", "c")
                    VARIABLE("x", "c") VARIABLE("b", "c") VARIABLE("y", "c") VARIABLE("z", "c") VARIABLE("t", "c"))
            PLACE("train", "ccc", TRIPLE(TWENTY(3), TWENTY(19), TWENTY(7)))
                PLACE("depot", "ccc", TRIPLE(TWENTY(1), TWENTY(5), TWENTY(6)))
                    GUARDED("go", TWO("or", TWO("lessthan", VAR("x"), VAR("a")), TWO("equality", VAR("x"), VAR("b"))))
                        ARC("train", "go", TRIPLE(VAR("t"), VAR("a"), VAR("x")))
                            ARC("depot", "go", TRIPLE(VAR("b"), VAR("y"), VAR("z")))
                                ARC("go", "train", TRIPLE(ONE("successor", VAR("t")), VAR("a"), VAR("x")))
                                    ARC("go", "depot", TRIPLE(VAR("b"), VAR("y"), VAR("z"))));

static void both_make(const char *text, uint32_t n_transitions)
{
    g_autoptr(ColourNet) coloured = read_text(text);
    g_autoptr(Net) net = colour_expand(coloured, "f", NULL, NULL), naive = coloured_net_expand(coloured, NULL);
    ck_assert_uint_eq(naive->n_transitions, n_transitions);
    compare_nets(net, naive, 0);
}

START_TEST(test_many_variables)
{
    both_make(trains, 20);
}
END_TEST

/* Numbers of more than a byte are in order, too. */
static const char many[] =
    NET(DECLARE(SORT("c", RANGE(0, 299)) VARIABLE("x", "c") VARIABLE("y", "c")) PLACE("p", "c", ALL("c"))
            EMPTY_PLACE("q", "c") GUARDED("t", TWO("equality", ONE("successor", VAR("x")), VAR("y")))
                ARC("p", "t", VAR("x")) ARC("t", "q", VAR("y")));

START_TEST(test_many_colours)
{
    both_make(many, 300);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("colour_twin");
    TEST_CASE(suite, test_many_variables);
    TEST_CASE(suite, test_many_colours);
    TEST_CASE(suite, test_twins);
    return test_run(suite);
}
