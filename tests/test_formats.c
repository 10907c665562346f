/* Text formats other than ll_net: what each construct means, what is refused and where, that converting keeps the
 * reachable markings, and the workflow nets of the corpus with their known numbers of states. */
#include "test.h"

#include "lts/explicit.h"
#include "net/gen.h"
#include "net/loops.h"
#include "net/read.h"
#include "net/write.h"
#include "random_net.h"

#include <string.h>

static Net *read_as(FormatId id, const char *text, GError **error)
{
    ck_assert_msg(format_of_content(text, strlen(text)) == id, "%s is not detected: %s", format_of(id)->name, text);
    return net_read_bytes(text, strlen(text), "f", NULL, error);
}

/* The net as TINA writes it, which shows everything but `ignored`. */
static char *shown(const Net *net)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    GError *error = NULL;
    ck_assert_msg(tina_write(net, out, &error), "%s", error ? error->message : "");
    fclose(out);
    char *copy = g_strdup(text);
    free(text);
    return copy;
}

typedef struct Good {
    const char *text, *net, *ignored;
} Good;

static void check_good(FormatId id, const Good *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        GError *error = NULL;
        g_autoptr(Net) net = read_as(id, cases[i].text, &error);
        ck_assert_msg(net != NULL, "case %zu: %s", i, error ? error->message : "");
        g_autofree char *text = shown(net);
        const char *body = strchr(text, '\n') + 1;
        ck_assert_msg(strcmp(body, cases[i].net) == 0, "case %zu: %s", i, body);
        ck_assert_msg(g_strcmp0(net->ignored, cases[i].ignored) == 0, "case %zu: %s", i, net->ignored);
    }
}

typedef struct Bad {
    const char *text, *message;
} Bad;

static void check_bad(FormatId id, const Bad *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        g_autoptr(GError) error = NULL;
        Net *net = read_as(id, cases[i].text, &error);
        ck_assert_msg(net == NULL, "case %zu was read", i);
        ck_assert_msg(g_str_has_prefix(error->message, cases[i].message), "case %zu: %s", i, error->message);
    }
}

START_TEST(lola_constructs)
{
    static const Good cases[] = {
        {"PLACE a, b; MARKING a: 2, b; TRANSITION t CONSUME a: 3, b; PRODUCE b: 1;",
         "pl a (2)\npl b (1)\ntr t a*3 b -> b\n", NULL},
        {"{ c } // d\nPLACE SAFE: a; SAFE 7: b,c; d;\nMARKING ;\nTRANSITION t STRONG FAIR CONSUME; PRODUCE a, a:2;"
         "TRANSITION u WEAK FAIR CONSUME a:0; PRODUCE;",
         "pl a\npl b\npl c\npl d\ntr t -> a*3\ntr u ->\n", "3 SAFE, 2 FAIR, 1 arcs of weight 0"},
        {"PLACE 1,a##b.c,<x>\"y\",PLACES; MARKING 1:1,1:2; TRANSITION 1 CONSUME a##b.c{:}: 2 // ;\n; PRODUCE "
         "<x>\"y\",;",
         "pl {1} (3)\npl {a##b.c}\npl {<x>\"y\"}\npl PLACES\ntr {1} {a##b.c}*2 -> {<x>\"y\"}\n", NULL},
        {"PLACE a; MARKING a:1; ANALYSE MARKING a:0", "pl a (1)\n", "1 question"},
        {"PLACE;MARKING;", "", NULL},
        {"\xef\xbb\xbfPLACE a/b,\xc3\xa9; MARKING; FORMULA EXPATH", "pl {a/b}\npl {\xc3\xa9}\n", "1 question"},
    };
    check_good(FORMAT_lola, cases, G_N_ELEMENTS(cases));
}
END_TEST

START_TEST(lola_refusals)
{
    static const Bad cases[] = {
        {"PLACE a; MARKING a: 1 TRANSITION t", "f:1:23: ',' or ';' is expected here, not \"TRANSITION\""},
        {"PLACE a, a; MARKING;", "f:1:10: there is a place of this name already"},
        {"PLACE a;\nMARKING b;", "f:2:9: there is no place \"b\""},
        {"PLACE a; MARKING;\nTRANSITION t CONSUME b; PRODUCE;", "f:2:22: there is no place \"b\""},
        {"PLACE a; MARKING; TRANSITION t CONSUME; PRODUCE; TRANSITION t CONSUME; PRODUCE;",
         "f:1:61: there is a transition of this name already"},
        {"PLACE a; MARKING a: x;", "f:1:21: a number is expected here, not \"x\""},
        {"PLACE a; MARKING a: 18446744073709551616;", "f:1:21: this number is larger than 2^64 - 1"},
        {"PLACE a; MARKING a: 18446744073709551615, a;", "f:1:43: more than 2^64 - 1 tokens"},
        {"PLACE a; MARKING; { no end", "f:1:19: this comment has no end"},
        {"PLACE a; MARKING; TRANSITION t PRODUCE;", "f:1:32: CONSUME is expected here, not \"PRODUCE\""},
        {"PLACE a; MARKING; TRANSITION t CONSUME;", "f:1:40: PRODUCE is expected, but the file ends here"},
        {"PLACE a; MARKING; x", "f:1:19: TRANSITION is expected here, not \"x\""},
        {"PLACE a;", "f:1:9: MARKING is expected, but the file ends here"},
        {"PLACE MARKING;", "f:1:7: the name of a place is expected here, not \"MARKING\""},
        {"PLACE a\xff; MARKING;", "f:1:7: this name is not valid UTF-8 text"},
        {"SORT s = [1,2]; PLACE a: s;", "f:1:1: SORT: high-level LoLA nets are not supported"},
        {"FUNCTION f(x: s): s\nPLACE a: s;", "f:1:1: FUNCTION: high-level LoLA nets are not supported"},
        {"PLACE a: s; MARKING;", "f:1:8: places with a sort (high-level LoLA nets) are not supported"},
        {"PLACE a; MARKING; TRANSITION t\nVAR x: s;", "f:2:1: VAR: high-level LoLA nets are not supported"},
        {"PLACE a; MARKING; TRANSITION t GUARD x = y", "f:1:32: GUARD: high-level LoLA nets are not supported"},
        {"PLACE SAFE x: a;", "f:1:12: a number is expected here, not \"x\""},
    };
    check_bad(FORMAT_lola, cases, G_N_ELEMENTS(cases));
}
END_TEST

START_TEST(tpn_constructs)
{
    static const Good cases[] = {
        {"-- a net\nplace \"i 1\" init 3;\nplace o;\ntrans \"t\"~\"label\" in \"i 1\" \"i 1\" out o, o, o;\ntrans u;",
         "pl {i 1} (3)\npl o\ntr t : label {i 1}*2 -> o*3\ntr u ->\n", NULL},
        {"trans t in p out p -- p\nq;place p;place q init 0;", "pl p\npl q\ntr t p -> p q\n", NULL},
        {"trans t~t\nout p;place p;", "pl p\ntr t -> p\n", NULL},
        {"place \"place\";trans \"in\" in \"place\" out \"place\";", "pl place\ntr in place -> place\n", NULL},
    };
    check_good(FORMAT_tpn, cases, G_N_ELEMENTS(cases));
}
END_TEST

START_TEST(tpn_refusals)
{
    static const Bad cases[] = {
        {"place \"a;\nplace b;", "f:1:7: the name's closing double quote is missing"},
        {"place a; place a;", "f:1:16: this name is taken already"},
        {"place a\ntrans t;", "f:2:1: ; is expected here, not \"trans\""},
        {"place a init x;", "f:1:14: a number is expected here"},
        {"place a init 18446744073709551616;", "f:1:14: this number is larger than 2^64 - 1"},
        {"trans t in a\nout b;", "f:1:12: there is no place \"a\""},
        {"trans t~;", "f:1:9: a label is expected here, not \";\""},
        {"trans t in a", "f:1:13: a place, in, out or ; is expected, but the file ends here"},
        {"place \"\";", "f:1:7: the name of a place is expected here, not \"\"\"\""},
        {"place a; arc b;", "f:1:10: place or trans is expected here, not \"arc\""},
        {"place \"\xff\";", "f:1:8: this name is not valid UTF-8 text"},
        {"place in;", "f:1:7: the name of a place is expected here, not \"in\""},
    };
    check_bad(FORMAT_tpn, cases, G_N_ELEMENTS(cases));
}
END_TEST

START_TEST(tina_constructs)
{
    static const Good cases[] = {
        {"# first\n\nnet n\ntr t : go [0,w[ p*2 q?3 r?-4 -> s*5 p\npl p (1)\npl q : {a b} (2K)\r\n",
         "pl p (1)\npl q : {a b} (2000)\npl r\npl s\ntr t : go p*2 q?3 r?-4 -> p s*5\n", NULL},
        {"pl p (3M) t*2 u -> v*3 w?2 x?-1\n",
         "pl p (3000000)\ntr t -> p*2\ntr u -> p\ntr v p*3 ->\ntr w p?2 ->\ntr x p?-1 ->\n", NULL},
        {"lb t {later}\nlb p x'_\ntr t p->q\ntr t p -> q", "pl p : x'_\npl q\ntr t : later p*2 -> q*2\n", NULL},
        {"tr {\\{\\}\\\\ x} {p\nq} -> r.1\nnt n 0 {a note\nof two lines}\nnt m 1 x",
         "pl {p\nq}\npl {r.1}\ntr {\\{\\}\\\\ x} {p\nq} -> {r.1}\n", "2 notes"},
        {"tr a\ntr b ->\ntr c p*0 q?0 \\\n -> r\ntr p\n", "pl p\npl q\npl r\ntr a ->\ntr b ->\ntr c -> r\ntr p ->\n",
         "2 arcs of weight 0"},
        {"pl p (18E)\npl p (18E)", "pl p (18000000000000000000)\n", NULL},
    };
    check_good(FORMAT_tina, cases, G_N_ELEMENTS(cases));
}
END_TEST

START_TEST(tina_refusals)
{
    static const Bad cases[] = {
        {"tr t [1,2] p -> q", "f:1:6: timed transitions are not supported: the interval [1,2] is not [0,w["},
        {"tr t ]0,w[", "f:1:6: timed transitions are not supported: the interval ]0,w[ is not [0,w["},
        {"tr t [0,0]", "f:1:6: timed transitions are not supported: the interval [0,0] is not [0,w["},
        {"tr t [0,w", "f:1:10: the interval's closing bracket is missing"},
        {"tr t p!2 -> q", "f:1:7: stopwatch arcs are not supported"},
        {"tr t\ntr u\npr t > u", "f:3:1: priorities (pr) are not supported"},
        {"tr t p -> q?2", "f:1:12: an output cannot be a test"},
        {"pl p t?2 -> u", "f:1:7: an output cannot be a test"},
        {"tr t p?-0", "f:1:7: an inhibitor arc's weight must be at least 1"},
        {"tr t p? -> q", "f:1:8: a number is expected here"},
        {"tr t p*19E", "f:1:8: this number is larger than 2^64 - 1"},
        {"pl p (1)\npl p (2)", "f:2:6: another line has given this place other tokens"},
        {"pl p (1", "f:1:8: ')' is expected here"},
        {"pl {p", "f:1:4: the closing } is missing"},
        {"pl {}", "f:1:4: this name is empty"},
        {"pl p\nlb q x", "f:2:4: there is no place or transition of this name"},
        {"tr t p -> q -> r", "f:1:13: the end of the line is expected here"},
        {"tr t p -> q )", "f:1:13: the end of the line is expected here"},
        {"pl p\nplace q", "f:2:1: a line of a TINA net begins with"},
        {"tr \n", "f:1:4: the name of a transition is expected here"},
        {"pl {\xff}", "f:1:4: this name is not valid UTF-8 text"},
    };
    check_bad(FORMAT_tina, cases, G_N_ELEMENTS(cases));
}
END_TEST

/* Lines end with a line feed, a carriage return or both; positions count them alike. */
START_TEST(ends_of_lines)
{
    static const struct {
        FormatId id;
        const char *net, *fault, *message;
    } cases[] = {
        {FORMAT_ll_net, "PEP\nPetriBox\nFORMAT_N\nPL\n1\"p\"9@9M1\n% q\n2\"q\"9@9\nTR\n1\"t\"9@9\nTP\n1<2\nPT\n1>1\n",
         "AB\n", "f:14:1: "},
        {FORMAT_lola, "// a\nPLACE p, q; // ; r\nMARKING p; // p\nTRANSITION t // u\nCONSUME p;\nPRODUCE q;\n", "A\n",
         "f:7:1: "},
        {FORMAT_tpn, "-- a\nplace p init 1; -- p\n-- q\nplace q;\ntrans t in p\nout q;\n", "A\n", "f:7:1: "},
        {FORMAT_tina, "# a\nnet n\n# b\n\ntr t p \\\n-> q\npl p (1)\n", "A\n", "f:8:1: "},
    };
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(ends); k++) {
            g_auto(GStrv) lines = g_strsplit(cases[i].net, "\n", -1);
            g_autofree char *text = g_strjoinv(ends[k], lines), *with_fault = g_strconcat(text, cases[i].fault, NULL);
            GError *error = NULL;
            g_autoptr(Net) net = read_as(cases[i].id, text, &error);
            ck_assert_msg(net != NULL, "%zu %zu: %s", i, k, error ? error->message : "");
            g_autofree char *said = shown(net);
            ck_assert_msg(g_str_has_suffix(said, "\npl p (1)\npl q\ntr t p -> q\n"), "%zu %zu: %s", i, k, said);
            ck_assert_ptr_null(read_as(cases[i].id, with_fault, &error));
            ck_assert_msg(g_str_has_prefix(error->message, cases[i].message), "%zu %zu: %s", i, k, error->message);
            g_error_free(error);
        }
}
END_TEST

/* What each format is told by, and what none of them is. */
START_TEST(other_texts_are_no_nets)
{
    static const char *const texts[] = {"",       "place",  "PLACES a;", "network x", "tr",         "places \"a\";",
                                        "thread", "# only", "{ PLACE }", "// PLACE",  "-- place x", "param N = 3;"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        ck_assert_msg(format_of_content(texts[i], strlen(texts[i])) == N_FORMATS, "%s", texts[i]);
}
END_TEST

/* A budget that ends while a text is read ends the reading, with the place where that was. */
START_TEST(budgets_end_reading)
{
    enum { LINES = 200000 };
    for (FormatId id = 0; id < N_FORMATS; id++) {
        if (!format_of(id)->read_text) continue;
        g_autoptr(NetBuilder) big = net_builder_new("n");
        for (uint32_t i = 0; i < LINES; i++) {
            g_autofree char *name = g_strdup_printf("p%u", i);
            net_builder_place(big, name, NULL, 1);
        }
        g_autoptr(Net) net = net_builder_finish(big, NULL);
        char *data = NULL;
        size_t len;
        FILE *out = open_memstream(&data, &len);
        ck_assert(net_write_as(net, id, out, NULL));
        fclose(out);
        Budget budget = budget_new(1e-9, 0, 0);
        g_autoptr(GError) error = NULL;
        g_autoptr(NetBuilder) builder = net_builder_new("n");
        Text text = {data, data, data + len, "f", &budget, &error};
        ck_assert(!format_of(id)->read_text(&text, builder));
        ck_assert(error->code == ERROR_SPENT && strstr(error->message, ": not read to its end: time limit"));
        ck_assert_uint_lt(net_builder_n_places(builder), LINES);
        free(data);
    }
}
END_TEST

enum { MANY = 20000 };

/* Markings, firings, deadlocks; all 0 when there are too many. */
typedef struct Space {
    uint64_t markings, firings, deadlocks;
} Space;

static Space space_of(const Net *net)
{
    g_autoptr(Explicit) search = explicit_new(net);
    Budget budget = budget_new(0, 0, MANY);
    if (explicit_run(search, NULL, &budget) != ENDING_COMPLETE) return (Space){0};
    return (Space){search->store.len, search->firings, search->deadlocks};
}

static void check_space(const Net *net, const Net *other, uint64_t seed)
{
    Space a = space_of(net), b = space_of(other);
    ck_assert_msg(a.markings == b.markings && a.firings == b.firings && a.deadlocks == b.deadlocks,
                  "%" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " markings, %" G_GUINT64_FORMAT " after", seed,
                  a.markings, b.markings);
}

/* Through every format, read arcs become loops where it has none. */
START_TEST(conversion_keeps_markings)
{
    uint64_t n_written[N_FORMATS] = {0}, n = test_rounds(150, 3000);
    for (uint64_t seed = 1; seed <= n; seed++) {
        g_autoptr(Net) net = random_net(seed);
        for (FormatId id = 0; id < N_FORMATS; id++) {
            char *text = NULL;
            size_t len;
            FILE *out = open_memstream(&text, &len);
            g_autoptr(GError) error = NULL;
            bool written = net_write_as(net, id, out, &error);
            fclose(out);
            ck_assert(written || strstr(error->message, "cannot hold inhibitor arcs"));
            if (written) {
                g_autoptr(Net) again = net_read_bytes(text, len, "f", NULL, &error);
                ck_assert_msg(again != NULL, "%s", error ? error->message : "");
                check_space(net, again, seed);
                n_written[id]++;
            }
            free(text);
        }
    }
    for (FormatId id = 0; id < N_FORMATS; id++) ck_assert_uint_gt(n_written[id], n / 2);
}
END_TEST

/* A transition that reads, consumes and produces at one place, with all small weights: against the firing rule. */
START_TEST(loops_by_definition)
{
    for (uint64_t pre = 0; pre < 4; pre++)
        for (uint64_t post = 0; post < 4; post++)
            for (uint64_t read = 1; read < 4; read++) {
                g_autoptr(NetBuilder) b = net_builder_new("n");
                net_builder_place(b, "p", NULL, 0);
                net_builder_transition(b, "t", NULL);
                if (pre) net_builder_arc(b, ARC_PRE, 0, 0, pre);
                if (post) net_builder_arc(b, ARC_POST, 0, 0, post);
                net_builder_arc(b, ARC_READ, 0, 0, read);
                g_autoptr(Net) net = net_builder_finish(b, NULL);
                g_autoptr(Net) loops = loops_for_reads(net, NULL);
                ck_assert_uint_eq(net_arc_count(loops, ARC_READ), 0);
                for (uint64_t tokens = 0; tokens < 8; tokens++) {
                    uint64_t x = tokens, y = tokens;
                    ck_assert_int_eq(net_enabled(net, &x, 0), net_enabled(loops, &y, 0));
                    if (!net_enabled(net, &x, 0)) continue;
                    net_fire(net, &x, 0);
                    net_fire(loops, &y, 0);
                    ck_assert_uint_eq(x, y);
                }
            }
}
END_TEST

/* What a target cannot express is refused with a sentence. */
START_TEST(writers_refuse)
{
    static const struct {
        const char *net, *ending, *message; /* in TINA's language */
    } cases[] = {
        {"tr t p?-1 -> q\n", ".lola", "LoLA cannot hold inhibitor arcs (the net has 1)"},
        {"tr t p?-1 -> q\n", ".tpn", "TPN cannot hold inhibitor arcs (the net has 1)"},
        {"tr t {a b} -> q\n", ".lola", "LoLA cannot hold the name \"a b\": "},
        {"tr SAFE q -> q\n", ".lola", "LoLA cannot hold the name \"SAFE\": "},
        {"tr t {//q} -> r\n", ".lola", "LoLA cannot hold the name \"//q\": "},
        {"tr t {a\"b} -> r\n", ".tpn", "TPN cannot hold the name \"a\"b\": "},
        {"tr t : {a\"b} p -> r\n", ".tpn", "TPN cannot hold the label \"a\"b\": "},
        {"tr t p*1001 -> r\n", ".tpn", "TPN cannot hold arcs of weight 1001, only up to 1000"},
        {"net n\n", ".tpn", "TPN cannot hold a net of nothing"},
        {"tr t p?18E -> p*18E\n", ".lola", "2^64 - 1"},
        {"tr x x -> y\n", ".pnml", "PNML cannot hold a place and a transition of one id, \"x\""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(Net) net = read_as(FORMAT_tina, cases[i].net, &error);
        ck_assert_msg(net != NULL, "%s", error ? error->message : "");
        g_autofree char *path = g_strconcat("test_formats", cases[i].ending, NULL);
        ck_assert(!net_write_file(net, path, &error));
        ck_assert_msg(strstr(error->message, cases[i].message) != NULL, "case %zu: %s", i, error->message);
        ck_assert(!g_file_test(path, G_FILE_TEST_EXISTS));
    }
}
END_TEST

/* What the table says, but for one net: there, places have names such as "Cost Planning in Networks", whose "in" was
 * taken for the keyword when the table was made. */
static const char *known_states(char **field)
{
    return strcmp(field[0], "Model.33k___0_____u__.xml.tpn") == 0 ? "2103" : field[5];
}

static void check_workflow(const char *folder, char **field)
{
    g_autofree char *path = g_build_filename(folder, field[0], NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(Net) net = net_read_file(path, NULL, &error);
    ck_assert_msg(net != NULL, "%s", error ? error->message : "");
    ck_assert_msg(net->n_places == g_ascii_strtoull(field[1], NULL, 10) &&
                      net->n_transitions == g_ascii_strtoull(field[2], NULL, 10) && !net->ignored,
                  "%s", path);
    const char *states = known_states(field);
    if (strcmp(states, "?") == 0) return;
    g_autoptr(Explicit) search = explicit_new(net);
    Budget budget = budget_new(0, 0, 200000);
    Ending end = explicit_run(search, NULL, &budget);
    if (strcmp(states, "unbounded") == 0)
        ck_assert_msg(end == ENDING_UNBOUNDED || ending_is_limit(end), "%s", path);
    else
        ck_assert_msg(end == ENDING_COMPLETE && search->store.len == g_ascii_strtoull(states, NULL, 10),
                      "%s: %u markings, not %s", path, search->store.len, states);
}

START_TEST(workflows_have_their_states)
{
    if (!test_corpus()) return;
    g_autofree char *folder = g_build_filename(test_corpus(), "workflows", NULL);
    g_autofree char *table = g_build_filename(folder, "verdicts.tsv", NULL);
    g_autofree char *text = NULL;
    ck_assert_msg(g_file_get_contents(table, &text, NULL, NULL), "%s", table);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    int n = 0;
    for (char **line = lines + 1; *line && **line; line++, n++) {
        g_auto(GStrv) field = g_strsplit(*line, "\t", -1);
        check_workflow(folder, field);
    }
    ck_assert_int_eq(n, 822);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats");
    TEST_CASE(suite, lola_constructs);
    TEST_CASE(suite, lola_refusals);
    TEST_CASE(suite, tpn_constructs);
    TEST_CASE(suite, tpn_refusals);
    TEST_CASE(suite, tina_constructs);
    TEST_CASE(suite, tina_refusals);
    TEST_CASE(suite, ends_of_lines);
    TEST_CASE(suite, other_texts_are_no_nets);
    TEST_CASE(suite, budgets_end_reading);
    TEST_CASE(suite, conversion_keeps_markings);
    TEST_CASE(suite, loops_by_definition);
    TEST_CASE(suite, writers_refuse);
    TEST_CASE(suite, workflows_have_their_states);
    return test_run(suite);
}
