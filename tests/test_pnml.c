/* The PNML reader on small files of our own, dialect by dialect: what is read, and what is refused where. */
#include "test.h"

#include "net/read.h"

#include <string.h>

static Net *read_text(const char *text, const char *net_id, GError **error)
{
    NetReadOptions options = {.net_id = net_id};
    return net_read_bytes(text, strlen(text), "f.pnml", &options, error);
}

static Net *must_read(const char *text)
{
    GError *error = NULL;
    Net *net = read_text(text, NULL, &error);
    ck_assert_msg(net != NULL, "%s\nin %s", error ? error->message : "", text);
    return net;
}

#define NET(body) "<pnml><net id=\"n\" type=\"ptnet\">" body "</net></pnml>"
#define PT "<place id=\"p\"/><transition id=\"t\"/>"
#define ARC(attributes, body) NET(PT "<arc id=\"a\" source=\"p\" target=\"t\" " attributes ">" body "</arc>")

START_TEST(test_arc_dialects)
{
    static const struct {
        const char *text;
        ArcKind kind;
        uint64_t weight;
    } cases[] = {
        {ARC("", ""), ARC_PRE, 1},
        {ARC("", "<inscription><text> 3 </text></inscription>"), ARC_PRE, 3},
        {ARC("", "<inscription><value>4</value></inscription>"), ARC_PRE, 4},
        {ARC("", "<inscription><value>Default,2</value></inscription>"), ARC_PRE, 2},
        {ARC("", "<inscription><value>Default,2,Red,0</value></inscription>"), ARC_PRE, 2},
        {ARC("", "<inscription><graphics/></inscription>"), ARC_PRE, 1},
        {ARC("", "<inscription><text/></inscription>"), ARC_PRE, 1},
        {ARC("", "<inscription><value>2</value><text>2</text></inscription>"), ARC_PRE, 2},
        {ARC("", "<inscription><value/><text>2</text></inscription>"), ARC_PRE, 2},
        {ARC("weight=\"5\"", ""), ARC_PRE, 5},
        {ARC("", "<inscription><text>18446744073709551615</text></inscription>"), ARC_PRE, UINT64_MAX},
        {ARC("", "<arctype><text>normal</text></arctype>"), ARC_PRE, 1},
        {ARC("", "<arctype><text>read</text></arctype>"), ARC_READ, 1},
        {ARC("", "<arctype><text>inhibitor</text></arctype>"), ARC_INHIBIT, 1},
        {ARC("", "<arctype><text>inhibitor</text></arctype><inscription><text>2</text></inscription>"), ARC_INHIBIT, 2},
        {ARC("", "<type value=\"inhibitor\"/>"), ARC_INHIBIT, 1},
        {ARC("", "<type value=\"normal\"/>"), ARC_PRE, 1},
        {ARC("", "<type value=\"read\"/>"), ARC_READ, 1},
        {ARC("", "<type value=\"test\"/>"), ARC_READ, 1},
        {ARC("", "<type><text>test</text></type>"), ARC_READ, 1},
        {ARC("type=\"normal\" inscription=\"1\" weight=\"3\"", ""), ARC_PRE, 3},
        {ARC("type=\"inhibitor\" weight=\"2\"", ""), ARC_INHIBIT, 2},
        {ARC("type=\"tapnInhibitor\" inscription=\"[0,inf)\"", ""), ARC_INHIBIT, 1},
        {ARC("type=\"tapnInhibitor\" inscription=\"[0,inf)\" weight=\"4\"", ""), ARC_INHIBIT, 4},
        {ARC("type=\"timed\" inscription=\"[0,inf)\" weight=\"2\"", ""), ARC_PRE, 2},
        {ARC("type=\"transport\" inscription=\"[0,inf):1\" weight=\"3\"", ""), ARC_PRE, 3},
        {ARC("", "<inscription><inhibitor><text>2</text></inhibitor></inscription>"), ARC_INHIBIT, 2},
        {ARC("", "<inhibitor><inscription><text>2</text></inscription></inhibitor>"), ARC_INHIBIT, 2},
        {ARC("", "<inhibitor><text>2</text></inhibitor>"), ARC_INHIBIT, 2},
        {ARC("", "<arctype>inhibitor</arctype>"), ARC_INHIBIT, 1},
        {ARC("", "<arctype> read<!-- x --> </arctype>"), ARC_READ, 1},
        {ARC("", "<type>inhibitor</type>"), ARC_INHIBIT, 1},
        {ARC("type=\"inhibitor\"", "<arctype>inhibitor</arctype>"), ARC_INHIBIT, 1},
        {ARC("", "<inscription>2</inscription>"), ARC_PRE, 2},
        {ARC("", "<inscription>\n<![CDATA[ 2 ]]></inscription>"), ARC_PRE, 2},
        {ARC("", "<inscription>Default,2</inscription>"), ARC_PRE, 2},
        {ARC("", "<inscription value=\"2\"/>"), ARC_PRE, 2},
        {ARC("", "<inscription value=\"2\"><text>2</text><toolspecific/></inscription>"), ARC_PRE, 2},
        {ARC("weight=\"2\"", "<inscription>2</inscription>"), ARC_PRE, 2},
        {ARC("", "<inscription><inhibitor>2</inhibitor></inscription>"), ARC_INHIBIT, 2},
        {ARC("", "<inhibitor><inscription>2</inscription></inhibitor>"), ARC_INHIBIT, 2},
        {ARC("", "<inhibitor>2</inhibitor>"), ARC_INHIBIT, 2},
        {ARC("", "<hlinscription><text>1'dot</text></hlinscription><inscription>2</inscription>"), ARC_PRE, 2},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Net) net = must_read(cases[i].text);
        ck_assert_msg(net_arc_weight(net, cases[i].kind, 0, 0) == cases[i].weight, "case %zu", i);
        ck_assert_uint_eq(net_arcs_in_file(net), 1);
    }
    g_autoptr(Net) back =
        must_read(NET(PT "<arc id=\"a\" source=\"t\" target=\"p\"><arctype><text>read</text></arctype></arc>"));
    ck_assert_uint_eq(net_arc_weight(back, ARC_READ, 0, 0), 1);
}
END_TEST

/* As TAPAAL writes it; the other component is switched off. */
START_TEST(test_tapaal)
{
    g_autoptr(Net) net = must_read(
        "<pnml xmlns=\"http://www.informatik.hu-berlin.de/top/pnml/ptNetb\">"
        "<net active=\"false\" id=\"off\" type=\"P/T net\"><place id=\"X\" initialMarking=\"9\"/></net>"
        "<net active=\"true\" id=\"C\" type=\"P/T net\">"
        "<labels border=\"true\" height=\"1\" positionX=\"0\" positionY=\"0\" width=\"2\">a remark</labels>"
        "<place displayName=\"true\" id=\"P0\" initialMarking=\"2\" invariant=\"&lt; inf\" name=\"P0\" "
        "positionX=\"60\"/>"
        "<place displayName=\"true\" id=\"P1\" initialMarking=\"0\" invariant=\"&lt; inf\" name=\"P1\" "
        "positionX=\"60\"/>"
        "<transition angle=\"0\" id=\"T0\" infiniteServer=\"false\" name=\"T0\" player=\"0\" priority=\"0\" "
        "urgent=\"false\"/>"
        "<transition angle=\"0\" id=\"T1\" infiniteServer=\"false\" name=\"T1\" priority=\"0\" urgent=\"false\"/>"
        "<arc id=\"I0\" inscription=\"[0,inf):1\" source=\"P0\" target=\"T0\" type=\"transport\" weight=\"1\"/>"
        "<arc id=\"O0\" inscription=\"[0,inf):1\" source=\"T0\" target=\"P1\" type=\"transport\" weight=\"1\"/>"
        "<arc id=\"I1\" inscription=\"[0,inf)\" source=\"P1\" target=\"T1\" type=\"timed\" weight=\"2\"/>"
        "<arc id=\"I2\" inscription=\"[0,inf)\" source=\"P0\" target=\"T1\" type=\"tapnInhibitor\" weight=\"1\"/>"
        "<arc id=\"O1\" inscription=\"1\" source=\"T1\" target=\"P0\" type=\"normal\" weight=\"2\"/></net>"
        "<query active=\"true\" name=\"q\" query=\"EF P1 = 2\"/><k-bound bound=\"3\"/>"
        "<feature isColored=\"false\" isGame=\"false\" isTimed=\"true\"/></pnml>");
    ck_assert_str_eq(net->name, "C");
    ck_assert_uint_eq(net->n_places, 2);
    ck_assert_uint_eq(net_arcs_in_file(net), 5);
    uint64_t m[] = {2, 0};
    ck_assert(net_fire(net, m, 0) && !net_enabled(net, m, 1) && net_fire(net, m, 0) && net_fire(net, m, 1));
    ck_assert(m[0] == 2 && m[1] == 0);
}
END_TEST

START_TEST(test_refusals)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {ARC("", "<arctype><text>reset</text></arctype>"), "reset arcs are not supported"},
        {ARC("type=\"transport\"", ""), "timed arcs are not supported (age interval )"},
        {ARC("type=\"timed\" inscription=\"3\"", ""), "timed arcs are not supported (age interval 3)"},
        {ARC("type=\"timed\" inscription=\"[0,5]\"", ""), "timed arcs are not supported (age interval [0,5])"},
        {ARC("type=\"transport\" inscription=\"[0,inf)x\"", ""),
         "timed arcs are not supported (age interval [0,inf)x)"},
        {ARC("type=\"transport\" inscription=\"(0,inf):1\"", ""),
         "timed arcs are not supported (age interval (0,inf):1)"},
        {ARC("", "<type value=\"transport\"/>"), "transport arcs are not supported"},
        {NET("<transition id=\"t\" player=\"1\"/>"), "games"},
        {NET("<transition id=\"t\" urgent=\"true\"/>"), "urgent transitions"},
        {"<pnml><net id=\"n\"/><feature isGame=\"true\"/></pnml>", "games (TAPAAL) are not supported"},
        {"<pnml><feature isStochastic=\"true\"/><net id=\"n\"/></pnml>", "stochastic nets (TAPAAL) are not supported"},
        {"<pnml><net id=\"n\" active=\"false\"/></pnml>", "holds no net"},
        {ARC("type=\"normal\" inscription=\"[1,2]\"", ""), "timed arcs are not supported"},
        {ARC("", "<type value=\"abc\"/>"), "abc arcs are not supported"},
        {ARC("", "<inscription><text>0</text></inscription>"), "weight 0"},
        {ARC("", "<inscription><text>-2</text></inscription>"), "weight: -2 is negative"},
        {ARC("", "<inscription><text>1.5</text></inscription>"), "\"1.5\" is not a natural number"},
        {ARC("", "<inscription><text>x</text></inscription>"), "\"x\" is not"},
        {ARC("", "<inscription><structure/></inscription>"), "coloured inscriptions"},
        {ARC("", "<inscription><text>18446744073709551616</text></inscription>"), "larger than 2^64 - 1"},
        {ARC("", "<inscription><text>1</text><text>2</text></inscription>"), "two different texts, \"1\" and \"2\""},
        {NET("<place id=\"p\"><initialMarking><text>1180591620717411303424</text></initialMarking></place>"),
         "larger than 2^64 - 1"},
        {NET("<place id=\"p\"><initialMarking><text>-1</text></initialMarking></place>"), "f.pnml:1:"},
        {NET("<place id=\"p\"><initialMarking><value>A,1,B,1</value></initialMarking></place>"), "coloured tokens"},
        {NET("<place id=\"p\"><initialMarking><value>A,1</value></initialMarking></place>"
             "<place id=\"q\"><initialMarking><value>B,1</value></initialMarking></place>"),
         "coloured tokens"},
        {NET("<place id=\"p\"><initialMarking><multiset/></initialMarking></place>"), "token objects"},
        {NET("<place id=\"p\"><capacity><value>3</value></capacity></place>"), "capacity"},
        {NET("<place id=\"p\" invariant=\"&lt;= 3\"/>"), "time invariants"},
        {NET("<place id=\"p\"><type><structure><usersort declaration=\"c\"/></structure></type></place>"),
         "coloured nets"},
        {NET("<transition id=\"t\"><condition/></transition>"), "conditions of transitions"},
        {NET("<place id=\"p\"/><place id=\"p\"/>"), "the id \"p\" is taken"},
        {NET("<place id=\"p\"/><transition id=\"p\"/>"), "the id \"p\" is taken"},
        {NET("<place/>"), "no id"},
        {NET("<place id=\"\"/>"), "no id"},
        {NET(PT "<arc source=\"p\"/>"), "no target"},
        {NET(PT "<arc source=\"p\" target=\"q\"/>"), "target \"q\" is no place or transition"},
        {NET(PT "<arc source=\"q\" target=\"t\"/>"), "source \"q\" is no place or transition"},
        {NET(PT "<place id=\"q\"/><arc source=\"p\" target=\"q\"/>"), "from a place to a place"},
        {NET(PT "<arc source=\"t\" target=\"t\"/>"), "from a transition to a transition"},
        {NET(PT "<arc source=\"t\" target=\"p\" type=\"inhibitor\"/>"), "must go from a place"},
        {NET("<referencePlace id=\"r\" ref=\"s\"/><referencePlace id=\"s\" ref=\"r\"/>"), "cycle"},
        {NET("<referencePlace id=\"r\" ref=\"r\"/>"), "cycle"},
        {NET("<referencePlace id=\"r\" ref=\"q\"/>"), "\"q\", which is no place"},
        {NET("<transition id=\"t\"/><referencePlace id=\"r\" ref=\"t\"/>"), "\"t\", which is no place"},
        {NET("<transition id=\"t\"/><referenceTransition id=\"u\" ref=\"t\"/><referencePlace id=\"r\" ref=\"u\"/>"),
         "\"u\", which is no place"},
        {NET("<referencePlace id=\"r\"/>"), "no attribute ref"},
        {NET("<page id=\"x\"><net id=\"m\"/></page>"), "a net inside a page"},
        {NET("<foo/>"), "only unknown elements"},
        {ARC("", "<arctype>reset</arctype>"), "reset arcs"},
        {ARC("", "<arctype><kind>inhibitor</kind></arctype>"), "<kind> is not understood"},
        {ARC("", "<arctype><text><b>inhibitor</b></text></arctype>"), "<b> is not understood"},
        {ARC("type=\"read\"", "<arctype>inhibitor</arctype>"), "two different types"},
        {ARC("", "<arctype>read</arctype><type value=\"inhibitor\"/>"), "two different types"},
        {ARC("", "<inscription>two</inscription>"), "\"two\" is not a natural number"},
        {ARC("", "<inscription>2<text>3</text></inscription>"), "two different texts"},
        {ARC("", "<inscription value=\"2\"><text>3</text></inscription>"), "two different texts"},
        {ARC("", "<inscription>2</inscription><inscription>3</inscription>"), "weight: 3 here, 2 before"},
        {ARC("weight=\"2\"", "<inscription>3</inscription>"), "weight: 3 here, 2 before"},
        {ARC("", "<hlinscription><text>2'dot</text></hlinscription>"), "without a plain <inscription>"},
        {ARC("", "<binding><text>x</text></binding>"), "bindings of arcs"},
        {NET("<place id=\"p\"><initialMarking><tokens>3</tokens></initialMarking></place>"),
         "<tokens> is not understood"},
        {NET("<place id=\"p\"><initialMarking>3 x</initialMarking></place>"), "\"3 x\" is not a natural number"},
        {NET("<place id=\"p\" initialMarking=\"1\"><initialMarking>3</initialMarking></place>"), "3 here, 1 before"},
        {NET("<place id=\"p\"><hlinitialMarking><text>1'dot</text></hlinitialMarking></place>"),
         "without a plain <initialMarking>"},
        {NET("<place id=\"p\"><capacity>1</capacity></place>"), "with a capacity"},
        {NET("<place id=\"p\" capacity=\"1\"/>"), "with a capacity"},
        {NET("<transition id=\"t\"><guard/></transition>"), "guards of transitions"},
        {NET("<transition id=\"t\"><interval/></transition>"), "time intervals"},
        {NET("<transition id=\"t\" urgent=\"true\"/>"), "urgent transitions"},
        {NET("<transition id=\"t\"><timed>true</timed></transition><transition id=\"u\"/>"), "immediate transitions"},
        {NET("<transition id=\"t\"><timed>maybe</timed></transition>"), "neither true nor false"},
        {NET("<transition id=\"t\"/><transition id=\"u\"><priority><value>2</value></priority></transition>"),
         "priorities of transitions are not supported (2 here, 1 before)"},
        {"<pnml><shared-place name=\"x\"/><net id=\"n\"/></pnml>", "places shared"},
        {"<pnml><net id=\"n\" type=\"http://x/tpn\"/></pnml>", "this is a timed net"},
        {NET("<place id=\"p\"/><finalmarkings><marking><place idref=\"p\"><n>1</n></place></marking></finalmarkings>"),
         "<n> is not understood"},
        {"<pnml/>", "holds no net"},
        {"<net/>", "the outermost element is <net>"},
        {"<pnml><net id=\"n\" type=\"http://x/symmetricnet\"/></pnml>", "symmetricnet are not supported"},
        {"<pnml><net id=\"n\" type=\"http://x/highlevelnet\"/></pnml>", "highlevelnet are not supported"},
        {"<pnml><net id=\"n\" type=\"http://x/pt-hlpng\"/></pnml>", "pt-hlpng are not supported"},
        {"<pnml><net id=\"a\"/><net id=\"b\"/></pnml>", "2 nets (a, b); choose one with --net"},
        {NET("<place id=\"p\"/><finalmarkings><marking><place "
             "idref=\"q\"><text>1</text></place></marking></finalmarkings>"),
         "\"q\" is no place"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        Net *net = read_text(cases[i].text, NULL, &error);
        ck_assert_msg(net == NULL, "case %zu was read: %s", i, cases[i].text);
        ck_assert_msg(strstr(error->message, cases[i].message) != NULL, "case %zu: %s", i, error->message);
        ck_assert_msg(g_str_has_prefix(error->message, "f.pnml:1:"), "case %zu: %s", i, error->message);
        g_error_free(error);
    }
}
END_TEST

/* Every spelling of a marking; none is lost. */
START_TEST(test_markings)
{
    static const char *const three[] = {
        "<initialMarking>3</initialMarking>",
        "<initialMarking>\n 3\t</initialMarking>",
        "<initialMarking>+03</initialMarking>",
        "<initialMarking value=\"3\"/>",
        "<initialMarking><text>3</text></initialMarking>",
        "<initialMarking><value>Default,3</value></initialMarking>",
        "<initialMarking><text><!-- so many -->3</text><graphics/><toolspecific/></initialMarking>",
        "<initialMarking><text><![CDATA[3]]></text></initialMarking>",
        "<initialMarking><text>&#51;</text></initialMarking>",
        "<initialMarking>3</initialMarking><initialMarking><text>3</text></initialMarking>",
        "<y:initialMarking xmlns:y=\"u\">3</y:initialMarking>",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(three); i++) {
        g_autofree char *text = g_strconcat("<pnml xmlns=\"u\"><net id=\"n\"><place id=\"p\"><name>A b</name>",
                                            three[i], "</place></net></pnml>", NULL);
        g_autoptr(Net) net = must_read(text);
        ck_assert_msg(net->initial[0] == 3, "%s", three[i]);
        ck_assert_str_eq(net_place_label(net, 0), "A b");
    }
}
END_TEST

/* What does not change the behaviour is noted, with a net type that nobody knows. */
START_TEST(test_noted)
{
    g_autoptr(Net) net = must_read(
        "<pnml><net id=\"n\" type=\"fred\"><transition id=\"t\"><rate>2</rate><timed>true</timed></transition>"
        "<transition id=\"u\"><timed>true</timed><priority>7</priority></transition></net></pnml>");
    ck_assert_str_eq(net->ignored, "1 rate, the unknown net type \"fred\"");
}
END_TEST

/* A message that repeats part of the file is not cut inside a character. */
START_TEST(test_messages_are_whole)
{
    for (int lead = 0; lead < 8; lead++) {
        g_autoptr(GString) word = g_string_new(NULL);
        for (int i = 0; i < lead; i++) g_string_append_c(word, 'x');
        for (int i = 0; i < 60; i++) g_string_append(word, i % 2 ? "\xe2\x82\xac" : "\xf0\x9f\x8e\xb5");
        static const char *const files[][2] = {
            {"<pnml><net id=\"n\"><place id=\"p\"><initialMarking>", "</initialMarking></place></net></pnml>"},
            {"<pnml><net id=\"n\"><place id=\"p\"/><arc source=\"p\" target=\"", "\"/></net></pnml>"},
            {"<pnml><net id=\"n\"><referencePlace id=\"r\" ref=\"", "\"/></net></pnml>"},
            {"<pnml><net id=\"n\"><place id=\"p\"/><finalmarkings><marking><place idref=\"",
             "\"/></marking></finalmarkings></net></pnml>"},
        };
        for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
            g_autofree char *text = g_strconcat(files[i][0], word->str, files[i][1], NULL);
            g_autoptr(GError) error = NULL;
            ck_assert_ptr_null(read_text(text, NULL, &error));
            ck_assert_msg(g_utf8_validate(error->message, -1, NULL), "%s", error->message);
            ck_assert_ptr_nonnull(strstr(error->message, "..."));
        }
    }
}
END_TEST

START_TEST(test_position)
{
    GError *error = NULL;
    ck_assert_ptr_null(
        read_text("<pnml>\n<net id=\"n\">\n<place id=\"p\"/>\n <place id=\"p\"/>\n</net></pnml>", NULL, &error));
    ck_assert_str_eq(error->message, "f.pnml:4:15: the id \"p\" is taken by another place or transition");
    g_clear_error(&error);
    /* An arc that waits for its nodes keeps its own position. */
    ck_assert_ptr_null(
        read_text("<pnml>\n<net id=\"n\">\n<arc source=\"x\" target=\"y\"/>\n\n</net></pnml>", NULL, &error));
    ck_assert_ptr_nonnull(strstr(error->message, "f.pnml:3:"));
    g_clear_error(&error);
}
END_TEST

START_TEST(test_pages_and_references)
{
    g_autoptr(Net) net = must_read(
        NET("<arc id=\"a\" source=\"r2\" target=\"u\"/><page id=\"1\"><page id=\"2\"><place id=\"p\">"
            "<name><text>\n in \n</text></name><initialMarking><text>7</text></initialMarking></place>"
            "<referencePlace id=\"r2\" ref=\"r1\"/></page><referencePlace id=\"r1\" ref=\"p\"/>"
            "<referenceTransition id=\"u\" ref=\"t\"/><graphics/></page><transition id=\"t\"><graphics/></transition>"
            "<arc id=\"b\" source=\"t\" target=\"r1\"/>"));
    ck_assert_uint_eq(net->n_places, 1);
    ck_assert_uint_eq(net->n_transitions, 1);
    ck_assert_uint_eq(net->initial[0], 7);
    ck_assert_str_eq(net_place_label(net, 0), "in");
    ck_assert_uint_eq(net_arc_weight(net, ARC_PRE, 0, 0), 1);
    ck_assert_uint_eq(net_arc_weight(net, ARC_POST, 0, 0), 1);
    ck_assert_str_eq(net->ignored, "2 graphics");
}
END_TEST

/* A chain of 50000 references used by as many arcs: linear, not quadratic. */
START_TEST(test_long_reference_chain)
{
    enum { N = 50000 };
    GString *text = g_string_new("<pnml><net id=\"n\"><transition id=\"t\"/><place id=\"r0\"/>");
    for (int i = N; i > 0; i--) {
        g_string_append_printf(text, "<referencePlace id=\"r%d\" ref=\"r%d\"/>", i, i - 1);
        g_string_append_printf(text, "<arc source=\"r%d\" target=\"t\"/>", i);
    }
    g_string_append(text, "</net></pnml>");
    g_autoptr(Net) net = must_read(text->str);
    ck_assert_uint_eq(net_arc_weight(net, ARC_PRE, 0, 0), N);
    g_string_free(text, TRUE);
}
END_TEST

START_TEST(test_several_nets)
{
    const char *text =
        "<pnml><net id=\"a\"><place id=\"p\"/></net><net id=\"b\"><place id=\"p\"/><place id=\"q\"/></net></pnml>";
    GError *error = NULL;
    g_autoptr(Net) net = read_text(text, "b", &error);
    ck_assert_ptr_nonnull(net);
    ck_assert_uint_eq(net->n_places, 2);
    ck_assert_str_eq(net->name, "b");
    ck_assert_ptr_null(read_text(text, "c", &error));
    ck_assert_ptr_nonnull(strstr(error->message, "no net \"c\" here, only: a, b"));
    g_clear_error(&error);
}
END_TEST

START_TEST(test_names)
{
    g_autoptr(Net) net =
        must_read("<x:pnml xmlns:x=\"u\" xmlns:y=\"v\"><x:net><x:place id=\"p\" name=\"A\" initialMarking=\"2\"/>"
                  "<x:place id=\"q\"><y:name><y:text>no</y:text></y:name><x:name><x:text>  </x:text></x:name></x:place>"
                  "<x:place id=\"&lt;r&gt;\"><x:name><x:text xml:space=\"preserve\"> "
                  "<![CDATA[<&]]>&#233;</x:text></x:name></x:place>"
                  "</x:net></x:pnml>");
    ck_assert_str_eq(net->name, "f.pnml");
    ck_assert_str_eq(net_place_label(net, 0), "A");
    ck_assert_uint_eq(net->initial[0], 2);
    ck_assert_str_eq(net_place_label(net, 1), "q");
    ck_assert_str_eq(net_place_id(net, 2), "<r>");
    ck_assert_str_eq(net_place_label(net, 2), " <&\xc3\xa9");
    ck_assert_str_eq(net->ignored, "1 name");
}
END_TEST

START_TEST(test_final_markings)
{
    g_autoptr(Net) net =
        must_read(NET("<place id=\"a\"/><place id=\"b\"/><place id=\"c\"/><finalmarkings><marking><place idref=\"b\">"
                      "<text>2</text></place></marking><marking/></finalmarkings>"));
    ck_assert_str_eq(net->final, "(\"b\" >= 2 && \"b\" <= 2 && \"a\" + \"c\" <= 0) || (\"a\" + \"b\" + \"c\" <= 0)");
}
END_TEST

#define UNITS(units)                                                                                                   \
    NET("<place id=\"p\"/><place id=\"q\"/><toolspecific tool=\"nupn\" version=\"1.1\"><size places=\"2\"/>"           \
        "<structure units=\"2\" root=\"u\" safe=\"true\">" units "</structure></toolspecific>")

START_TEST(test_nupn)
{
    g_autoptr(Net) net = must_read(UNITS("<unit id=\"u\"><places>p</places><subunits>v</subunits></unit>"
                                         "<unit id=\"v\"><places>\n q</places><subunits/></unit>"));
    ck_assert_uint_eq(net->nupn->n_units, 2);
    ck_assert(net->nupn->safe);
    ck_assert_uint_eq(net->nupn->root, 0);
    ck_assert_uint_eq(net->nupn->units[1].places[0], 1);
    ck_assert_uint_eq(net->nupn->units[0].subunits[0], 1);
    static const char *const bad[][2] = {
        {UNITS("<unit id=\"u\"><places>p q x</places></unit>"), "\"x\" in unit \"u\" is no place"},
        {UNITS("<unit id=\"u\"><places>p q q</places></unit>"), "in two units"},
        {UNITS("<unit id=\"u\"><places>p</places></unit>"), "in no unit"},
        {UNITS("<unit id=\"u\"><places>p q</places><subunits>w</subunits></unit>"),
         "\"w\" of unit \"u\" is not defined"},
        {UNITS("<unit id=\"u\"/><unit id=\"u\"/>"), "two units"},
        {UNITS("<unit id=\"v\"><places>p q</places></unit>"), "root unit \"u\" is not defined"},
        {UNITS("<unit id=\"u\"><places>p q</places></unit><unit id=\"v\"/>"), "no tree"},
        {UNITS("<unit id=\"u\"><places>p q</places><subunits>u</subunits></unit>"), "no tree"},
        {UNITS("<unit id=\"u\"><places>p q</places></unit><unit id=\"v\"><subunits>w</subunits></unit><unit id=\"w\">"
               "<subunits>v</subunits></unit>"),
         "no tree"},
        {UNITS("<unit/>"), "no id"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        GError *error = NULL;
        ck_assert_msg(read_text(bad[i][0], NULL, &error) == NULL, "case %zu", i);
        ck_assert_msg(strstr(error->message, bad[i][1]) != NULL, "case %zu: %s", i, error->message);
        g_clear_error(&error);
    }
}
END_TEST

START_TEST(test_encodings)
{
    static const char *const encodings[] = {"UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "ISO-8859-1"};
    for (size_t i = 0; i < G_N_ELEMENTS(encodings); i++)
        for (int crlf = 0; crlf < 2; crlf++) {
            g_autofree char *text = g_strdup_printf(
                "<?xml version=\"1.0\" encoding=\"%s\"?>%s<pnml>%s<net id=\"n\"><place id=\"p\xc3\xa9\"/></net></pnml>",
                encodings[i], crlf ? "\r\n" : "\n", crlf ? "\r\n" : "");
            gsize length;
            g_autofree char *bytes = g_convert(text, -1, encodings[i], "UTF-8", NULL, &length, NULL);
            ck_assert_ptr_nonnull(bytes);
            GError *error = NULL;
            g_autoptr(Net) net = net_read_bytes(bytes, length, "f.pnml", NULL, &error);
            ck_assert_msg(net != NULL, "%s: %s", encodings[i], error ? error->message : "");
            ck_assert_str_eq(net_place_id(net, 0), "p\xc3\xa9");
        }
    g_autoptr(Net) marked = must_read("\xef\xbb\xbf<pnml><net id=\"n\"><place id=\"p\xc3\xa9\"/></net></pnml>");
    ck_assert_str_eq(net_place_id(marked, 0), "p\xc3\xa9");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pnml");
    TEST_CASE(suite, test_arc_dialects);
    TEST_CASE(suite, test_tapaal);
    TEST_CASE(suite, test_refusals);
    TEST_CASE(suite, test_markings);
    TEST_CASE(suite, test_noted);
    TEST_CASE(suite, test_messages_are_whole);
    TEST_CASE(suite, test_position);
    TEST_CASE(suite, test_pages_and_references);
    TEST_CASE(suite, test_long_reference_chain);
    TEST_CASE(suite, test_several_nets);
    TEST_CASE(suite, test_names);
    TEST_CASE(suite, test_final_markings);
    TEST_CASE(suite, test_nupn);
    TEST_CASE(suite, test_encodings);
    return test_run(suite);
}
