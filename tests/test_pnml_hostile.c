/* Files made to hurt: each is refused with a position, in bounded memory and time. They are generated as they
 * are read, so the large ones need no disk. */
#include "test.h"

#include "base/budget.h"
#include "net/pnml.h"
#include "net/read.h"

#include <string.h>

/* head, then `repeat` as often as `times`, then tail */
typedef struct Stream {
    const char *head, *repeat, *tail;
    uint64_t times;
    size_t at; /* in the current part */
    int part;
} Stream;

static gssize stream_fetch(void *data, char *buffer, size_t size)
{
    Stream *s = data;
    size_t n = 0;
    while (n < size && s->part < 3) {
        const char *text = s->part == 0 ? s->head : s->part == 1 ? s->repeat : s->tail;
        if (s->part == 1 && !s->times) {
            s->part = 2, s->at = 0;
            continue;
        }
        size_t left = strlen(text) - s->at, take = MIN(left, size - n);
        memcpy(buffer + n, text + s->at, take);
        n += take;
        s->at += take;
        if (s->at < strlen(text)) continue;
        s->at = 0;
        if (s->part != 1 || --s->times == 0) s->part++;
    }
    return (gssize)n;
}

static void check_stream(Stream s, const char *message)
{
    GError *error = NULL;
    g_autoptr(Input) input = input_from(stream_fetch, &s, "h.pnml", NULL);
    Net *net = pnml_read(input, NULL, &error);
    ck_assert_msg(net == NULL, "read: %s", message);
    ck_assert_msg(strstr(error->message, message) != NULL, "%s, expected %s", error->message, message);
    ck_assert_msg(g_str_has_prefix(error->message, "h.pnml:"), "%s", error->message);
    g_error_free(error);
    ck_assert_msg(budget_peak_kib() < 300000, "%s: %" G_GUINT64_FORMAT " KiB", message, budget_peak_kib());
}

#define OPEN "<pnml><net id=\"n\">"
#define CLOSE "</net></pnml>"
#define KILO "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

START_TEST(test_large)
{
    enum { MILLION = 1000000, GIGA = 10 * MILLION }; /* KILO has 100 characters */
    check_stream((Stream){OPEN "<place id=\"", KILO, "\"/>" CLOSE, GIGA, 0, 0}, "a tag is longer than 256000 bytes");
    check_stream((Stream){OPEN "<place", " a=\"\"", "/>" CLOSE, GIGA, 0, 0}, "a tag is longer than 256000 bytes");
    check_stream((Stream){OPEN "<!--", KILO, "-->" CLOSE, GIGA, 0, 0}, "longer than 10 MB");
    check_stream((Stream){OPEN "<", KILO, "/>" CLOSE, GIGA, 0, 0}, "a tag is longer than 256000 bytes");
    check_stream((Stream){OPEN "<", KILO, "/>" CLOSE, 20, 0, 0}, "name is longer than 1000 bytes");
    check_stream((Stream){"<!DOCTYPE pnml [<!ATTLIST place id CDATA \"p\">", "", "]>" OPEN "<place/>" CLOSE, 0, 0, 0},
                 "attribute declarations are refused (\"id\")");
    check_stream((Stream){OPEN "<?pi ", KILO, "?>" CLOSE, GIGA, 0, 0}, "longer than 10 MB");
    check_stream((Stream){OPEN "<place id=\"p\"><name><text>", KILO, "</text></name></place>" CLOSE, GIGA, 0, 0},
                 "text is longer than 10000000 bytes");
    check_stream((Stream){OPEN, "<page id=\"p\">", "", MILLION, 0, 0}, "nested more than 250 deep");
    check_stream((Stream){OPEN "<toolspecific>", "<x>", "", MILLION, 0, 0}, "nested more than 250 deep");
    check_stream((Stream){"", "<x>", "", MILLION, 0, 0}, "the outermost element is <x>");
}
END_TEST

START_TEST(test_many_names)
{
    GString *text = g_string_new(OPEN);
    for (int i = 0; i < 200000; i++) g_string_append_printf(text, "<a%d/>", i);
    g_string_append(text, CLOSE);
    check_stream((Stream){text->str, "", "", 0, 0, 0}, "more than 100000 different names");
    g_string_free(text, TRUE);
}
END_TEST

START_TEST(test_entities)
{
    GString *bomb = g_string_new("<!DOCTYPE pnml [<!ENTITY a0 \"aaaaaaaaaa\">");
    for (int i = 1; i < 10; i++) {
        g_string_append_printf(bomb, "<!ENTITY a%d \"", i);
        for (int k = 0; k < 10; k++) g_string_append_printf(bomb, "&a%d;", i - 1);
        g_string_append(bomb, "\">");
    }
    g_string_append(bomb,
                    "]><pnml><net id=\"&a9;\"><place id=\"p\"><name><text>&a9;</text></name></place></net></pnml>");
    check_stream((Stream){bomb->str, "", "", 0, 0, 0}, "entity declarations are refused (\"a0\")");
    g_string_free(bomb, TRUE);
    static const char *const files[][2] = {
        {"<!DOCTYPE pnml [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>" OPEN "&x;" CLOSE,
         "entity declarations are refused"},
        {"<!DOCTYPE pnml [<!ENTITY % x SYSTEM \"file:///etc/passwd\"> %x;]>" OPEN CLOSE,
         "entity declarations are refused"},
        {"<!DOCTYPE pnml SYSTEM \"http://127.0.0.1:9/x.dtd\">" OPEN
         "<place id=\"p\"><name><text>&x;</text></name></place>" CLOSE,
         "Entity 'x' not defined"},
        {OPEN "<place id=\"&x;\"/>" CLOSE, "Entity 'x' not defined"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) check_stream((Stream){files[i][0], "", "", 0, 0, 0}, files[i][1]);
    /* A document type alone is harmless: it is not looked up. */
    const char *text = "<!DOCTYPE pnml SYSTEM \"file:///nonexistent.dtd\">" OPEN "<place id=\"p\"/>" CLOSE;
    g_autoptr(Net) net = net_read_bytes(text, strlen(text), "f", NULL, NULL);
    ck_assert_ptr_nonnull(net);
}
END_TEST

static void check_bytes(const char *data, size_t len, const char *message)
{
    GError *error = NULL;
    Net *net = net_read_bytes(data, len, "b.pnml", NULL, &error);
    ck_assert_msg(net == NULL, "read: %s", message);
    ck_assert_msg(strstr(error->message, message) != NULL, "%s, expected %s", error->message, message);
    ck_assert(g_str_has_prefix(error->message, "b.pnml:1:"));
    g_error_free(error);
}
#define BYTES(text) (text), sizeof(text) - 1

START_TEST(test_bad_bytes)
{
    check_bytes(BYTES(OPEN "<place id=\"a\0b\"/>" CLOSE), "0x0");
    check_bytes(BYTES(OPEN "<place id=\"a\"/>\0" CLOSE), "0x0");
    check_bytes(BYTES(OPEN "<place id=\"\xc3\"/>" CLOSE), "UTF-8");
    check_bytes(BYTES(OPEN "<place id=\"a\"><name><text>\xe2\x82</text></name></place>" CLOSE), "UTF-8");
    check_bytes(BYTES(OPEN "<place id=\"\xe2\x82"), "");
    check_bytes(BYTES(OPEN "<place id=\"a\"/>"), "still open");
    check_bytes(BYTES(OPEN "<place id=\"a\">" CLOSE), "mismatch");
    check_bytes(BYTES(OPEN CLOSE "<x/>"), "Extra content");
    check_bytes(BYTES(OPEN "<place id=\"a\" id=\"b\"/>" CLOSE), "redefined");
    check_bytes(BYTES(OPEN "<!-- a -- b -->" CLOSE), "Double hyphen");
    check_bytes(BYTES("<"), "");
    check_bytes(BYTES("\xff\xfe"), "");
    check_bytes(BYTES("\xfe\xff\0<"), "");
}
END_TEST

/* Every beginning of a good file is refused: never a part of a net. */
START_TEST(test_every_cut)
{
    const char *text =
        "<?xml version=\"1.0\"?>\n" OPEN "<page id=\"g\"><place id=\"p\"><initialMarking><text>1</text>"
        "</initialMarking></place><transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"/></page>" CLOSE;
    size_t n = strlen(text);
    for (size_t cut = 0; cut < n; cut++) {
        GError *error = NULL;
        Net *net = net_read_bytes(text, cut, "f", NULL, &error);
        ck_assert_msg(net == NULL && error, "cut at %zu", cut);
        g_error_free(error);
    }
    g_autoptr(Net) net = net_read_bytes(text, n, "f", NULL, NULL);
    ck_assert_ptr_nonnull(net);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pnml_hostile");
    TEST_CASE(suite, test_large);
    TEST_CASE(suite, test_many_names);
    TEST_CASE(suite, test_entities);
    TEST_CASE(suite, test_bad_bytes);
    TEST_CASE(suite, test_every_cut);
    return test_run(suite);
}
