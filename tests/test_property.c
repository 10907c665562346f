#include "test.h"

#include "net/builder.h"
#include "prop/property.h"

static Net *small_net(void)
{
    g_autoptr(NetBuilder) b = net_builder_new("small");
    net_builder_place(b, "p-1", NULL, 1);
    net_builder_place(b, "p-2", NULL, 2);
    net_builder_transition(b, "t-1", NULL);
    net_builder_arc(b, ARC_PRE, 1, 0, 3);
    return net_builder_finish(b, NULL);
}

#define HEAD "<?xml version=\"1.0\"?><property-set xmlns=\"http://mcc.lip6.fr/\">"
#define PROPERTY(id, body)                                                                                             \
    "<property><id>" id "</id><description>any <b>text</b></description><formula>" body "</formula></property>"
#define LE(a, b) "<integer-le>" a b "</integer-le>"
#define TOKENS(p) "<tokens-count><place>" p "</place></tokens-count>"
#define CONSTANT(n) "<integer-constant>" n "</integer-constant>"

static PropertySet *read_text(FormulaStore *store, const char *text, GError **error)
{
    return property_read_bytes(store, text, strlen(text), "x.xml", error);
}

START_TEST(formulas_are_read_with_their_quantifier)
{
    g_autoptr(Net) net = small_net();
    g_autoptr(FormulaStore) store = formula_store_new(net);
    const struct {
        const char *body, *text;
        PropertyKind kind;
    } cases[] = {
        {"<exists-path><finally>" LE(CONSTANT("2"), TOKENS("p-2")) "</finally></exists-path>", "2 <= \"p-2\"",
         PROPERTY_EXISTS},
        {"<all-paths><globally><negation>" LE(TOKENS("p-1"), TOKENS("p-2")) "</negation></globally></all-paths>",
         "\"p-2\" + 1 <= \"p-1\"", PROPERTY_ALWAYS},
        {"<all-paths><globally><disjunction><is-fireable><transition>t-1</transition></is-fireable><deadlock/></"
         "disjunction></globally></all-paths>",
         "fireable(\"t-1\") || deadlock", PROPERTY_ALWAYS},
        {"<exists-path><finally><conjunction><true/>" LE("<integer-sum>" TOKENS("p-1") TOKENS("p-1")
                                                             CONSTANT("1") "</integer-sum>",
                                                         CONSTANT("4")) "</conjunction></finally></exists-path>",
         "\"p-1\" <= 1", PROPERTY_EXISTS},
        {"<impossibility>" LE("<integer-difference>" TOKENS("p-1") TOKENS("p-2") "</integer-difference>",
                              CONSTANT("0")) "</impossibility>",
         "\"p-2\" + 1 <= \"p-1\"", PROPERTY_ALWAYS},
        {"<exists-path><finally><integer-eq>" TOKENS("p-1") CONSTANT("1") "</integer-eq></finally></exists-path>",
         "\"p-1\" <= 1 && 1 <= \"p-1\"", PROPERTY_EXISTS},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strconcat(HEAD "<property><id>a-", "1</id><formula>", cases[i].body,
                                            "</formula></property></property-set>", NULL);
        GError *error = NULL;
        g_autoptr(PropertySet) set = read_text(store, text, &error);
        ck_assert_msg(set != NULL, "%s", error ? error->message : "");
        ck_assert_uint_eq(set->properties.len, 1);
        ck_assert_str_eq(set->properties.data[0].id, "a-1");
        ck_assert_int_eq(set->properties.data[0].kind, cases[i].kind);
        g_autofree char *printed = formula_text(store, set->properties.data[0].formula);
        ck_assert_str_eq(printed, cases[i].text);
    }
}
END_TEST

START_TEST(bounds_and_unsupported_properties_do_not_spoil_the_file)
{
    g_autoptr(Net) net = small_net();
    g_autoptr(FormulaStore) store = formula_store_new(net);
    const char *text = HEAD PROPERTY("b", "<place-bound><place>p-2</place><place>p-1</place></place-bound>")
        PROPERTY("ltl", "<all-paths><finally><deadlock/></finally></all-paths>") PROPERTY(
            "ctl",
            "<all-paths><globally><exists-path><finally><deadlock/></finally></exists-path></globally></all-paths>")
            PROPERTY("next", "<exists-path><next><deadlock/></next></exists-path>") PROPERTY(
                "until", "<exists-path><until><before><true/></before><reach><deadlock/></reach></until></exists-path>")
                PROPERTY("ok", "<exists-path><finally><deadlock/></finally></exists-path>") "</property-set>";
    GError *error = NULL;
    g_autoptr(PropertySet) set = read_text(store, text, &error);
    ck_assert_msg(set != NULL, "%s", error ? error->message : "");
    ck_assert_uint_eq(set->properties.len, 6);
    ck_assert_int_eq(set->properties.data[0].kind, PROPERTY_BOUND);
    ck_assert_uint_eq(set->properties.data[0].places.len, 2);
    for (size_t i = 1; i < 5; i++) ck_assert_int_eq(set->properties.data[i].kind, PROPERTY_UNSUPPORTED);
    ck_assert_int_eq(set->properties.data[5].kind, PROPERTY_EXISTS);
}
END_TEST

/* A fault belongs to its property: it has a position, and the rest of the file is read. */
static void check_fault(FormulaStore *store, const char *text, const char *message)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *file =
        g_strconcat(HEAD PROPERTY("before", "<exists-path><finally><deadlock/></finally></exists-path>"), text,
                    PROPERTY("after", "<all-paths><globally><true/></globally></all-paths>"), "</property-set>", NULL);
    g_autoptr(PropertySet) set = read_text(store, file, &error);
    ck_assert_msg(set != NULL, "%s: %s", text, error ? error->message : "");
    ck_assert_uint_eq(set->properties.len, 3);
    ck_assert_int_eq(set->properties.data[0].kind, PROPERTY_EXISTS);
    ck_assert_int_eq(set->properties.data[2].kind, PROPERTY_ALWAYS);
    ck_assert_uint_eq(set->properties.data[2].formula, FORMULA_ID_TRUE);
    const Property *faulty = &set->properties.data[1];
    ck_assert_msg(faulty->kind == PROPERTY_FAULTY, "%s", text);
    ck_assert_msg(strstr(faulty->reason, message) != NULL, "%s: %s", text, faulty->reason);
    ck_assert_msg(g_str_has_prefix(faulty->reason, "x.xml:1:"), "%s", faulty->reason);
    ck_assert_uint_eq(faulty->formula, 0);
    for (const char *at = faulty->id; *at; at++) ck_assert_msg(g_ascii_isgraph(*at), "id \"%s\"", faulty->id);
    ck_assert_str_ne(faulty->id, "before");
}

#define TRUE_FORMULA "<formula><all-paths><globally><true/></globally></all-paths></formula>"
#define NAMED(id) "<property><id>" id "</id>" TRUE_FORMULA "</property>"

START_TEST(faults_belong_to_their_property)
{
    g_autoptr(Net) net = small_net();
    g_autoptr(FormulaStore) store = formula_store_new(net);
#define FAULTY(body) PROPERTY("x", "<exists-path><finally>" body "</finally></exists-path>")
    const struct {
        const char *text, *message;
    } cases[] = {
        {FAULTY(LE(TOKENS("p_1"), CONSTANT("1"))), "there is no place \"p_1\" in the net; the nearest is \"p-1\""},
        {FAULTY("<is-fireable><transition>q</transition></is-fireable>"), "there is no transition \"q\""},
        {FAULTY("<is-fireable></is-fireable>"), "names no transition"},
        {FAULTY(LE(TOKENS("p-1"), "")), "exactly two"},
        {FAULTY(LE("<deadlock/>", CONSTANT("1"))), "<deadlock> does not belong inside <integer-le>"},
        {FAULTY(TOKENS("p-1")), "<tokens-count> does not belong inside <finally>"},
        {FAULTY("<negation><deadlock/><deadlock/></negation>"), "exactly 1"},
        {FAULTY(LE(CONSTANT("1"), CONSTANT("99999999999999999999"))), "64-bit"},
        {FAULTY("<nonsense/>"), "<nonsense> is not known"},
        {FAULTY("<formula><true/></formula>"), "<formula> is not known"},
        {FAULTY("<true><deadlock/></true>"), "<deadlock> does not belong inside <true>"},
        {FAULTY("<is-fireable><true/><transition>t-1</transition></is-fireable>"), "<true> does not belong"},
        {FAULTY(LE("<tokens-count><deadlock/><place>p-1</place></tokens-count>", CONSTANT("1"))),
         "<deadlock> does not belong"},
        {FAULTY(LE("<integer-constant>1<true/></integer-constant>", CONSTANT("1"))), "<true> does not belong"},
        {FAULTY("<negation>not <true/></negation>"), "text inside <negation>"},
        {PROPERTY("x", "AG p-1 &lt;= 1"), "text inside <formula>"},
        {"<property><id>x</id></property>", "no formula"},
        {"<property/>", "no id"},
        {"<property><id>x</id><formula/></property>", "this <formula> is empty"},
        {"<property><id>x</id><formula> </formula></property>", "this <formula> is empty"},
        {"<property><id>x</id>" TRUE_FORMULA TRUE_FORMULA "</property>", "several formulas"},
        {"<property><id>x</id>" TRUE_FORMULA "<formula/></property>", "several formulas"},
        {PROPERTY("x", "<true/><true/>"), "several things"},
        {PROPERTY("x", "<place-bound><place>p-1</place></place-bound><place-bound><place>p-2</place></place-bound>"),
         "several things"},
        {PROPERTY("x", "<place-bound><place>p-1</place></place-bound><true/>"), "several things"},
        {PROPERTY("x", "<negation><place-bound><place>p-1</place></place-bound></negation>"),
         "<place-bound> does not belong inside <negation>"},
        {"<property><id>x</id><description><formula><true/></formula></description></property>", "no formula"},
        {"<property><id>x</id><property>" TRUE_FORMULA "</property></property>", "inside a <property>"},
        {"<property>" TRUE_FORMULA "</property>", "no id"},
        {NAMED(""), "no id"},
        {NAMED(" "), "no id"},
        {NAMED("a b"), "white space"},
        {NAMED("a\nFORMULA before FALSE TECHNIQUES FORGED"), "white space"},
        {NAMED("a\xc2\xa0"
               "b"),
         "white space"},
        {NAMED("a\xe2\x80\xa8"
               "b"),
         "white space"},
        {NAMED("a&#9;b"), "white space"},
        {NAMED("a\xc2\x9b"
               "b"),
         "control character"},
        {NAMED("a\xe2\x80\xae"
               "b"),
         "control character"},
        {NAMED("a\xef\xbb\xbf"
               "b"),
         "control character"},
        {NAMED("a<b>c</b>"), "inside an <id>"},
        {"<property><id>x</id><id>y</id>" TRUE_FORMULA "</property>", "several ids"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) check_fault(store, cases[i].text, cases[i].message);
    g_autofree char *name = g_strnfill(PROPERTY_MAX_ID + 1, 'x'),
                    *long_id = g_strconcat("<property><id>", name, "</id>" TRUE_FORMULA "</property>", NULL);
    check_fault(store, long_id, "too long");
    g_autoptr(PropertySet) twice =
        read_text(store, HEAD NAMED("a") NAMED("b") NAMED("a") NAMED("a") "</property-set>", NULL);
    ck_assert_uint_eq(twice->properties.len, 4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(twice->properties.data[i].kind, i == 1 ? PROPERTY_ALWAYS : PROPERTY_FAULTY);
    ck_assert_str_eq(twice->properties.data[0].id, "a");
    ck_assert(g_str_has_prefix(twice->properties.data[2].id, "property-1-"));
    ck_assert_str_ne(twice->properties.data[2].id, twice->properties.data[3].id);
}
END_TEST

/* A proposal costs a look at every node of the net: a file of nothing but unknown names gets a few. */
START_TEST(proposals_are_few)
{
    g_autoptr(Net) net = small_net();
    g_autoptr(FormulaStore) store = formula_store_new(net);
    g_autoptr(GString) text = g_string_new(HEAD);
    for (int i = 0; i < 100; i++)
        g_string_append_printf(text, "<property><id>x%d</id><formula>%s</formula></property>", i,
                               "<place-bound><place>p_1</place></place-bound>");
    g_string_append(text, "</property-set>");
    g_autoptr(PropertySet) set = read_text(store, text->str, NULL);
    int proposals = 0;
    for (size_t i = 0; i < 100; i++) proposals += strstr(set->properties.data[i].reason, "the nearest is") != NULL;
    ck_assert_int_gt(proposals, 0);
    ck_assert_int_lt(proposals, 50);
}
END_TEST

START_TEST(bad_files_are_refused_with_a_position)
{
    g_autoptr(Net) net = small_net();
    g_autoptr(FormulaStore) store = formula_store_new(net);
    const struct {
        const char *text, *message;
    } cases[] = {
        {HEAD "<property>", "x.xml:1:"},
        {"<pnml/>", "<property-set> is expected"},
        {"", "x.xml"},
        {"<property-set/>", "x.xml:1:"},
        {HEAD "</property-set>", "there is no property in it"},
        {HEAD "<description>none</description></property-set>", "there is no property in it"},
        {HEAD "<group><property><id>a</id></property></group></property-set>", "does not stand in <property-set>"},
        {"<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY e "
         "\"boom\">]><property-set><property><id>&e;</id></property></property-set>",
         "entity declarations are refused (\"e\")"},
        {"<!DOCTYPE a [<!ENTITY a0 \"lol\"><!ENTITY a1 \"&a0;&a0;\">]><property-set x=\"&a1;\"/>",
         "entity declarations"},
        {"<!DOCTYPE a [<!ATTLIST property id CDATA \"x\">]><property-set/>", "attribute declarations"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        PropertySet *set = read_text(store, cases[i].text, &error);
        ck_assert_msg(set == NULL, "%s", cases[i].text);
        ck_assert_msg(strstr(error->message, cases[i].message) != NULL, "case %zu: %s", i, error->message);
    }
}
END_TEST

START_TEST(deep_nesting_is_refused)
{
    g_autoptr(Net) net = small_net();
    g_autoptr(FormulaStore) store = formula_store_new(net);
    g_autoptr(GString) text = g_string_new(HEAD "<property><id>a</id><formula>");
    for (int i = 0; i < 200000; i++) g_string_append(text, "<negation>");
    g_autoptr(GError) error = NULL;
    ck_assert(read_text(store, text->str, &error) == NULL);
    ck_assert_msg(strstr(error->message, "nested") || strstr(error->message, "depth"), "%s", error->message);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("property");
    TEST_CASE(suite, formulas_are_read_with_their_quantifier);
    TEST_CASE(suite, bounds_and_unsupported_properties_do_not_spoil_the_file);
    TEST_CASE(suite, faults_belong_to_their_property);
    TEST_CASE(suite, proposals_are_few);
    TEST_CASE(suite, bad_files_are_refused_with_a_position);
    TEST_CASE(suite, deep_nesting_is_refused);
    return test_run(suite);
}
