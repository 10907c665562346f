#include "test.h"

#include "base/rng.h"
#include "net/builder.h"
#include "prop/expression.h"

/* Three places, two transitions: t takes a, u takes 2 b and is inhibited by c. */
static Net *small_net(void)
{
    g_autoptr(NetBuilder) b = net_builder_new("small");
    net_builder_place(b, "a", NULL, 1);
    net_builder_place(b, "b", NULL, 3);
    net_builder_place(b, "odd-id", NULL, 0);
    net_builder_transition(b, "t", NULL);
    net_builder_transition(b, "u.1", NULL);
    net_builder_arc(b, ARC_PRE, 0, 0, 1);
    net_builder_arc(b, ARC_PRE, 1, 1, 2);
    net_builder_arc(b, ARC_INHIBIT, 2, 1, 1);
    return net_builder_finish(b, NULL);
}

static bool holds(const Net *net, FormulaStore *store, const char *text, const uint64_t *marking)
{
    FormulaId id;
    GError *error = NULL;
    ck_assert_msg(expression_parse(store, text, "test", &id, &error), "%s: %s", text, error ? error->message : "");
    g_autoptr(NetLts) lts = netlts_new(net, 64);
    return formula_holds(store, id, lts, marking);
}

START_TEST(expressions_mean_what_they_say)
{
    g_autoptr(Net) net = small_net();
    g_autoptr(FormulaStore) store = formula_store_new(net);
    const uint64_t m[] = {1, 3, 0}, dead[] = {0, 1, 0}, inhibited[] = {0, 5, 1};
    const struct {
        const char *text;
        bool at_m, at_dead, at_inhibited;
    } cases[] = {
        {"a + 2*b >= 7", true, false, true},
        {"a >= 1 && b < 3 || !fireable(t)", false, true, true},
        {"fireable(t, u.1)", true, false, false},
        {"deadlock", false, true, true},
        {"!!deadlock => false", true, false, false},
        {"\"odd-id\" = 1", false, false, true},
        {"\"odd-id\" != 1", true, true, false},
        {"-a - b <= -4", true, false, true},
        {"3 > tokens(a, b)", false, true, false},
        {"2*(a - b) > b - 2*a", false, false, false},
        {"(a == 0) && ((b) > (0))", false, true, true},
        {"a >= 0", true, true, true},
        {"a < 0 || b <= -1", false, false, false},
        {"2*3 <= 6 && 0 < 1", true, true, true},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        ck_assert_msg(holds(net, store, cases[i].text, m) == cases[i].at_m, "%s", cases[i].text);
        ck_assert_msg(holds(net, store, cases[i].text, dead) == cases[i].at_dead, "%s", cases[i].text);
        ck_assert_msg(holds(net, store, cases[i].text, inhibited) == cases[i].at_inhibited, "%s", cases[i].text);
    }
}
END_TEST

START_TEST(errors_name_the_place_and_the_nearest_id)
{
    g_autoptr(Net) net = small_net();
    g_autoptr(FormulaStore) store = formula_store_new(net);
    const struct {
        const char *text, *message;
    } cases[] = {
        {"a >= 1 && odd_id > 0", "--reach:1:11: there is no place \"odd_id\"; the nearest is \"odd-id\""},
        {"fireable(v)", "--reach:1:10: there is no transition \"v\"; the nearest is \"t\""},
        {"(a + b) * 2 > 1", "comparison"},
        {"a >= ", "--reach:1:6:"},
        {"a", "comparison"},
        {"a >= 1 b", "should end here"},
        {"a >= 99999999999999999999", "does not fit"},
        {"9223372036854775807*a + 9223372036854775807*a > 1", "does not fit"},
        {"a # 1", "double quotes"},
        {"\"a > 1", "closing double quote"},
        {"", "a place is expected"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        FormulaId id;
        g_autoptr(GError) error = NULL;
        ck_assert_msg(!expression_parse(store, cases[i].text, "--reach", &id, &error), "%s", cases[i].text);
        ck_assert_msg(strstr(error->message, cases[i].message) != NULL, "%s", error->message);
    }
}
END_TEST

START_TEST(deep_nesting_is_refused)
{
    g_autoptr(Net) net = small_net();
    g_autoptr(FormulaStore) store = formula_store_new(net);
    GString *text = g_string_new(NULL);
    for (int i = 0; i < 100000; i++) g_string_append(text, i % 2 ? "(true&&" : "(a>1||");
    FormulaId id;
    g_autoptr(GError) error = NULL;
    ck_assert(!expression_parse(store, text->str, "x", &id, &error));
    ck_assert(strstr(error->message, "nested") != NULL);
    g_string_free(text, TRUE);
}
END_TEST

/* A random expression and, beside it, its value by a direct reading. */
static bool random_expression(Rng *rng, int depth, const uint64_t *m, GString *out)
{
    if (depth == 0 || rng_chance(rng, 4)) {
        int64_t ca = (int64_t)rng_below(rng, 5) - 2, cb = (int64_t)rng_below(rng, 5) - 2,
                bound = (int64_t)rng_below(rng, 9) - 4;
        static const char *const signs[] = {"<=", ">=", "<", ">", "==", "!="};
        uint64_t sign = rng_below(rng, 6);
        g_string_append_printf(out, "%d*a %c %d*b %s %s%d", (int)ABS(ca), cb < 0 ? '-' : '+', (int)ABS(cb), signs[sign],
                               bound < 0 ? "-" : "", (int)ABS(bound));
        int64_t sum = ABS(ca) * (int64_t)m[0] + cb * (int64_t)m[1];
        const bool values[] = {sum <= bound, sum >= bound, sum<bound, sum> bound, sum == bound, sum != bound};
        return values[sign];
    }
    uint64_t kind = rng_below(rng, 3);
    if (kind == 2) {
        g_string_append(out, "!(");
        bool inner = random_expression(rng, depth - 1, m, out);
        g_string_append_c(out, ')');
        return !inner;
    }
    g_string_append_c(out, '(');
    bool left = random_expression(rng, depth - 1, m, out);
    g_string_append(out, kind ? " && " : " || ");
    bool right = random_expression(rng, depth - 1, m, out);
    g_string_append_c(out, ')');
    return kind ? left && right : left || right;
}

START_TEST(random_expressions_keep_their_value_and_print_back)
{
    g_autoptr(Net) net = small_net();
    g_autoptr(NetLts) lts = netlts_new(net, 64);
    Rng rng = {42};
    for (int round = 0; round < 5000; round++) {
        g_autoptr(FormulaStore) store = formula_store_new(net);
        const uint64_t m[] = {rng_below(&rng, 4), rng_below(&rng, 4), 0};
        g_autoptr(GString) text = g_string_new(NULL);
        bool expected = random_expression(&rng, 5, m, text);
        FormulaId id, again, opposite;
        ck_assert_msg(expression_parse(store, text->str, "random", &id, NULL), "%s", text->str);
        ck_assert_msg(formula_holds(store, id, lts, m) == expected, "%s at %u %u", text->str, (unsigned)m[0],
                      (unsigned)m[1]);
        opposite = formula_not(store, id);
        ck_assert(formula_holds(store, opposite, lts, m) != expected);
        ck_assert_uint_eq(formula_not(store, opposite), id);
        g_autofree char *printed = formula_text(store, id);
        ck_assert_msg(expression_parse(store, printed, "printed", &again, NULL), "%s", printed);
        ck_assert_msg(again == id, "%s -> %s", text->str, printed);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formula");
    TEST_CASE(suite, expressions_mean_what_they_say);
    TEST_CASE(suite, errors_name_the_place_and_the_nearest_id);
    TEST_CASE(suite, deep_nesting_is_refused);
    TEST_CASE(suite, random_expressions_keep_their_value_and_print_back);
    return test_run(suite);
}
