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
        {"(a + b) * 2 > 7", true, false, true},
        {"not a >= 1 or b = 3", true, true, true},
        {"a >= 1 and b >= 3", true, false, false},
        {"a >= 1 -> b >= 4", false, true, true},
        {"(a >= 1) -> (b >= 4)", false, true, true},
        {"b * -1 <= -3", true, false, true},
        {"-(a - 2) * 3 >= 6", false, true, true},
        {"2 * -3 * b + (1 + b) * 6 = 6", true, true, true},
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
        {"(a + b) * a > 1", "--reach:1:11: a number is expected"},
        {"a >= 1 & b >= 1", "'and' is written &&"},
        {"(a + b) * 9223372036854775807 * 9 > 1", "does not fit"},
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
        if (rng_chance(rng, 2)) /* factors behind, negative ones in brackets */
            g_string_append_printf(out, "(a*%d + (b * %d)) * 1 %s %d", (int)ABS(ca), (int)cb, signs[sign], (int)bound);
        else
            g_string_append_printf(out, "%d*a %c %d*b %s %s%d", (int)ABS(ca), cb < 0 ? '-' : '+', (int)ABS(cb),
                                   signs[sign], bound < 0 ? "-" : "", (int)ABS(bound));
        int64_t sum = ABS(ca) * (int64_t)m[0] + cb * (int64_t)m[1];
        const bool values[] = {sum <= bound, sum >= bound, sum<bound, sum> bound, sum == bound, sum != bound};
        return values[sign];
    }
    uint64_t kind = rng_below(rng, 3);
    if (kind == 2) {
        g_string_append(out, rng_chance(rng, 2) ? "!(" : "not (");
        bool inner = random_expression(rng, depth - 1, m, out);
        g_string_append_c(out, ')');
        return !inner;
    }
    g_string_append_c(out, '(');
    bool left = random_expression(rng, depth - 1, m, out);
    g_string_append(out, rng_chance(rng, 2) ? (kind ? " && " : " || ") : kind ? " and " : " or ");
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

/* ---- large numbers ---- */

static const uint64_t large_counts[] = {
    0, 1, 2, 3, UINT32_MAX, (uint64_t)UINT32_MAX + 1, INT64_MAX, 1ull << 63, UINT64_MAX, UINT64_MAX - 1};
static const int64_t large_coefficients[] = {
    1, -1, 2, -3, INT32_MAX, 1ll << 31, -(1ll << 40), 1ll << 61, -(1ll << 62), INT64_MAX - 1, INT64_MAX, -INT64_MAX};

/* sum <= bound by school: 32 bits of the counts at a time, carried by hand. */
static bool naive_at_most(const FormulaTerm *terms, size_t n, int64_t bound, const uint64_t *marking)
{
    __int128 high = 0, low = -(__int128)bound;
    for (size_t i = 0; i < n; i++) {
        high += (__int128)terms[i].coefficient * (__int128)(marking[terms[i].place] >> 32);
        low += (__int128)terms[i].coefficient * (__int128)(marking[terms[i].place] & UINT32_MAX);
    }
    high += low >> 32;
    return high < 0 || (high == 0 && (low & UINT32_MAX) == 0);
}

START_TEST(sums_of_large_numbers_are_exact)
{
    g_autoptr(Net) net = small_net();
    g_autoptr(NetLts) plain = netlts_new(net, 64), narrow = netlts_new(net, 32);
    Rng rng = {7};
    uint32_t yes = 0, compared = 0;
    for (int round = 0; round < 20000; round++) {
        g_autoptr(FormulaStore) store = formula_store_new(net);
        uint64_t m[3], packed[3], bounds[] = {0, 1, INT64_MAX - 1, 1ull << 62, (uint64_t)rng_next(&rng) >> 1};
        FormulaTerm terms[3];
        size_t n = 1 + rng_below(&rng, 3);
        for (uint32_t p = 0; p < 3; p++) m[p] = large_counts[rng_below(&rng, G_N_ELEMENTS(large_counts))];
        for (uint32_t p = 0; p < n; p++)
            terms[p] = (FormulaTerm){p, large_coefficients[rng_below(&rng, G_N_ELEMENTS(large_coefficients))]};
        int64_t bound = (int64_t)bounds[rng_below(&rng, G_N_ELEMENTS(bounds))] * (rng_chance(&rng, 2) ? -1 : 1);
        FormulaId id, opposite;
        if (!formula_at_most(store, terms, n, bound, &id, NULL)) continue; /* 2^63 - 1 itself */
        bool expected = naive_at_most(terms, n, bound, m);
        opposite = formula_not(store, id);
        ck_assert_uint_eq(formula_not(store, opposite), id);
        ck_assert_int_eq(formula_holds(store, id, plain, m), expected);
        ck_assert_int_eq(formula_holds(store, opposite, plain, m), !expected);
        if (netlts_pack(narrow, m, packed)) ck_assert_int_eq(formula_holds(store, id, narrow, packed), expected);
        yes += expected, compared++;
        g_autofree char *text = formula_text(store, id);
        ck_assert_msg(expression_parse(store, text, "printed", &opposite, NULL) && opposite == id, "%s", text);
    }
    ck_assert_uint_gt(compared, 15000);
    ck_assert(yes > compared / 5 && yes < compared * 4 / 5);
}
END_TEST

START_TEST(constants_are_added_up_exactly_or_refused_with_a_position)
{
    g_autoptr(Net) net = small_net();
    g_autoptr(FormulaStore) store = formula_store_new(net);
    const uint64_t m[] = {1, UINT64_MAX, 0};
    const struct {
        const char *text;
        bool holds;
    } good[] = {
        {"9223372036854775807 + 9223372036854775807 >= 9223372036854775807 + 9223372036854775806 + a", true},
        {"9223372036854775807 + 9223372036854775807 > 9223372036854775807 + 9223372036854775806 + a", false},
        {"b > 9223372036854775806", true},
        {"9223372036854775807*b > 9223372036854775807*b - a", true},
        {"9223372036854775807*b + 9223372036854775807*a >= 1", true},
        {"9223372036854775807*b - 9223372036854775806*b = b", true},
        {"9223372036854775806*b - 9223372036854775807*b + 1 <= 0", true},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++)
        ck_assert_msg(holds(net, store, good[i].text, m) == good[i].holds, "%s", good[i].text);
    static const char *const bad[] = {
        "a > 0 && b >= 9223372036854775808",
        "a > 0 && b <= 9223372036854775807",
        "a > 0 && b > 9223372036854775807",
        "a > 0 && 9223372036854775807*b > -9223372036854775807*b",
        "a > 0 && b + 9223372036854775807 < 0 - 9223372036854775807",
        "a > 0 && 4611686018427387904*(2*b - 3*a) = 0",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        FormulaId id;
        g_autoptr(GError) error = NULL;
        ck_assert_msg(!expression_parse(store, bad[i], "--reach", &id, &error), "%s", bad[i]);
        ck_assert_msg(g_str_has_prefix(error->message, "--reach:1:") && strstr(error->message, "not fit 64 bits"), "%s",
                      error->message);
    }
}
END_TEST

/* ---- formulas as graphs ---- */

START_TEST(nested_exclusive_ors_take_a_node_each)
{
    enum { PARTS = 400 };
    g_autoptr(Net) net = small_net();
    g_autoptr(NetLts) lts = netlts_new(net, 64);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId all = FORMULA_ID_FALSE;
    for (int i = 0; i < PARTS; i++) {
        FormulaId part;
        ck_assert(formula_at_most(store, &(FormulaTerm){(uint32_t)i % 3, -1}, 1, -1 - i, &part, NULL));
        FormulaId sides[] = {formula_and(store, (FormulaId[]){all, formula_not(store, part)}, 2),
                             formula_and(store, (FormulaId[]){formula_not(store, all), part}, 2)};
        all = formula_or(store, sides, 2);
    }
    ck_assert_uint_lt(store->nodes.len, 20 * PARTS);
    ck_assert(formula_is_shared(store, all));
    ck_assert_uint_eq(formula_not(store, formula_not(store, all)), all);
    ck_assert_ptr_null(formula_text(store, all));
    VecU32 below = {0};
    formula_below(store, all, &below);
    for (size_t i = 1; i < below.len; i++) ck_assert_uint_lt(below.data[i - 1], below.data[i]);
    ck_assert_uint_eq(below.data[below.len - 1], all);
    vec_free(&below);
    Rng rng = {3};
    for (int round = 0; round < 50; round++) {
        uint64_t m[3];
        bool odd = false;
        for (int p = 0; p < 3; p++) m[p] = rng_below(&rng, PARTS + 5);
        for (int i = 0; i < PARTS; i++) odd ^= m[i % 3] > (uint64_t)i;
        ck_assert_int_eq(formula_holds(store, all, lts, m), odd);
        ck_assert_int_eq(formula_holds(store, formula_not(store, all), lts, m), !odd);
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
    TEST_CASE(suite, sums_of_large_numbers_are_exact);
    TEST_CASE(suite, constants_are_added_up_exactly_or_refused_with_a_position);
    TEST_CASE(suite, nested_exclusive_ors_take_a_node_each);
    return test_run(suite);
}
