/* The writer and the reader of JSON, against json-glib, which shares nothing with them. */
#include "test.h"

#include "base/json.h"
#include "base/json_read.h"
#include "base/rng.h"

#include <json-glib/json-glib.h>

/* Bytes that matter: quotes, escapes, control characters, long characters, what is no UTF-8. */
static void random_text(Rng *rng, char text[16])
{
    static const char *const piece[] = {"a", "\"", "\\", "\n",   "\t", "\x01", "\x7f", "/",
                                        "é", "€",  "𝄞",  "\xff", "{",  "]",    ","};
    size_t n = rng_below(rng, 4);
    text[0] = 0;
    while (n--) strcat(text, piece[rng_below(rng, G_N_ELEMENTS(piece))]);
}

static void write_random(Rng *rng, GString *json, const char *key, unsigned depth)
{
    char text[16];
    random_text(rng, text);
    switch (rng_below(rng, depth < JSON_DEEPEST ? 9 : 6)) {
    case 0: json_null(json, key); return;
    case 1: json_bool(json, key, rng_chance(rng, 2)); return;
    case 2: json_int(json, key, (int64_t)(rng_next(rng) >> rng_below(rng, 64))); return;
    case 3: json_int(json, key, INT64_MIN + (int64_t)rng_below(rng, 3)); return;
    case 4: json_real(json, key, (double)rng_below(rng, 1000000) / 4096 - 100); return;
    case 5: json_string(json, key, text); return;
    default: break;
    }
    bool list = rng_chance(rng, 2);
    json_open(json, key, list ? '[' : '{');
    for (size_t n = rng_below(rng, 4); n; n--) {
        random_text(rng, text);
        write_random(rng, json, list ? NULL : text, depth + 1);
    }
    json_close(json, list ? ']' : '}');
}

static void assert_same(const JsonTree *tree, const JsonItem *ours, JsonNode *theirs);

static void assert_same_object(const JsonTree *tree, const JsonItem *ours, JsonObject *theirs)
{
    g_autoptr(GList) keys = json_object_get_members(theirs);
    for (GList *key = keys; key; key = key->next) {
        const JsonItem *value = json_read_member(tree, ours, key->data);
        ck_assert_ptr_nonnull(value);
        assert_same(tree, value, json_object_get_member(theirs, key->data));
    }
    ck_assert_uint_ge(ours->len, json_object_get_size(theirs)); /* of those with one key the last counts */
}

static void assert_same(const JsonTree *tree, const JsonItem *ours, JsonNode *theirs)
{
    switch (ours->kind) {
    case JSON_NULL: ck_assert(JSON_NODE_HOLDS_NULL(theirs)); return;
    case JSON_BOOL: ck_assert_int_eq(ours->yes, json_node_get_boolean(theirs)); return;
    case JSON_INTEGER:
        ck_assert_uint_eq(json_node_get_value_type(theirs), G_TYPE_INT64);
        ck_assert(ours->integer == json_node_get_int(theirs));
        return;
    case JSON_REAL: /* json-glib has no integers beyond 64 bits */
        ck_assert(ours->real == json_node_get_double(theirs) || ours->real < -0x1p62 || ours->real > 0x1p62);
        return;
    case JSON_TEXT: ck_assert_str_eq(tree->texts->str + ours->text, json_node_get_string(theirs)); return;
    case JSON_OBJECT: assert_same_object(tree, ours, json_node_get_object(theirs)); return;
    case JSON_LIST: break;
    }
    guint n = 0;
    JsonArray *array = json_node_get_array(theirs);
    ck_assert_uint_eq(ours->len, json_array_get_length(array));
    for (JSON_EACH(item, ours)) assert_same(tree, item, json_array_get_element(array, n++));
    ck_assert_uint_eq(n, ours->len);
}

START_TEST(what_is_written_is_read_as_json_glib_reads_it)
{
    Rng rng = {1};
    JsonTree tree = {0};
    for (int i = 0; i < 3000; i++) {
        g_autoptr(GString) json = g_string_new(NULL);
        g_autoptr(JsonParser) parser = json_parser_new();
        write_random(&rng, json, NULL, 0);
        ck_assert_msg(json_parser_load_from_data(parser, json->str, (gssize)json->len, NULL), "%s", json->str);
        ck_assert_msg(json_read(&tree, json->str, json->len, NULL), "%s", json->str);
        ck_assert_uint_eq(tree.nodes.data[0].span, tree.nodes.len);
        assert_same(&tree, tree.nodes.data, json_parser_get_root(parser));
    }
    json_read_free(&tree);
}
END_TEST

/* Texts with bytes changed, put in and left out: never a fault, and what passes is what json-glib sees. */
START_TEST(changed_texts_are_refused_or_read_alike)
{
    Rng rng = {2};
    JsonTree tree = {0};
    unsigned passed = 0;
    for (int i = 0; i < 20000; i++) {
        static const char bytes[] = "{}[]:,\"\\/ue0123456789.-+ntf\n \xc3";
        g_autoptr(GString) json = g_string_new(NULL);
        write_random(&rng, json, NULL, 0);
        size_t at = rng_below(&rng, json->len);
        if (rng_chance(&rng, 2)) g_string_erase(json, (gssize)at, 1);
        if (rng_chance(&rng, 2)) g_string_insert_c(json, (gssize)at, bytes[rng_below(&rng, sizeof bytes - 1)]);
        g_autofree char *exact = g_memdup2(json->str, json->len); /* so that tools see a read behind the end */
        if (!json_read(&tree, exact, json->len, NULL)) continue;
        g_autoptr(JsonParser) parser = json_parser_new();
        ck_assert_msg(json_parser_load_from_data(parser, json->str, (gssize)json->len, NULL), "%s", json->str);
        assert_same(&tree, tree.nodes.data, json_parser_get_root(parser));
        passed++;
    }
    ck_assert_uint_gt(passed, 1000);
    json_read_free(&tree);
}
END_TEST

START_TEST(json_is_what_the_standard_says)
{
    static const struct {
        const char *text;
        bool good;
    } cases[] = {{"0", true},
                 {" [ ] ", true},
                 {"-0.5e+3", true},
                 {"\"\\ud834\\udd1e\"", true},
                 {"{}", true},
                 {"[[[[[[1]]]]]]", true},
                 {"[1,{\"a\":[]}]", true},
                 {"\"\\/\\b\\f\"", true},
                 {"", false},
                 {"[[[[[[[1]]]]]]]", false},
                 {"[1,]", false},
                 {"{\"a\":1,}", false},
                 {"01", false},
                 {"+1", false},
                 {"1.", false},
                 {".5", false},
                 {"1e", false},
                 {"-", false},
                 {"nul", false},
                 {"True", false},
                 {"[1 2]", false},
                 {"{1:2}", false},
                 {"{\"a\"}", false},
                 {"'a'", false},
                 {"\"a", false},
                 {"\"\\x\"", false},
                 {"\"\\ud834\"", false},
                 {"\"\\udd1e\"", false},
                 {"\"\\u0000\"", false},
                 {"\"\n\"", false},
                 {"1 1", false},
                 {"[1]]", false},
                 {"/**/1", false},
                 {"[", false},
                 {"\"\xff\"", false},
                 {"NaN", false}};
    JsonTree tree = {0};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        ck_assert_msg(json_read(&tree, cases[i].text, strlen(cases[i].text), NULL) == cases[i].good, "%s",
                      cases[i].text);
    json_read_free(&tree);
}
END_TEST

START_TEST(numbers_are_exact)
{
    g_autoptr(GString) json = g_string_new(NULL);
    json_open(json, NULL, '[');
    json_tokens(json, NULL, ~(Total)0);
    json_digits(json, NULL, "18446744073709551615");
    json_rounded(json, NULL, 1.0 / 3);
    json_real(json, NULL, 0.0 / 0.0);
    json_close(json, ']');
    ck_assert_str_eq(json->str, "[340282366920938463463374607431768211455,18446744073709551615,0.3333,null]");
    JsonTree tree = {0};
    static const char limits[] = "[9223372036854775807,-9223372036854775808,9223372036854775808]";
    ck_assert(json_read(&tree, limits, strlen(limits), NULL));
    ck_assert(tree.nodes.data[1].kind == JSON_INTEGER && tree.nodes.data[1].integer == INT64_MAX);
    ck_assert(tree.nodes.data[2].kind == JSON_INTEGER && tree.nodes.data[2].integer == INT64_MIN);
    ck_assert(tree.nodes.data[3].kind == JSON_REAL && tree.nodes.data[3].real == 0x1p63);
    json_read_free(&tree);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json");
    TEST_CASE(suite, what_is_written_is_read_as_json_glib_reads_it);
    TEST_CASE(suite, changed_texts_are_refused_or_read_alike);
    TEST_CASE(suite, json_is_what_the_standard_says);
    TEST_CASE(suite, numbers_are_exact);
    return test_run(suite);
}
