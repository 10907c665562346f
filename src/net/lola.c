/* Place/transition nets as LoLA 1 and 2 write them:
 *   PLACE [SAFE [k]:] p, ...; ... MARKING p: n, ...; TRANSITION t [STRONG|WEAK FAIR] CONSUME p: n, ...; PRODUCE ...;
 * with comments { } and //. A name is anything up to white space or one of , ; : ( ) { }. Bounds (SAFE) and fairness
 * change no reachable marking and are counted as ignored, and so is a question after the net (LoLA 1). High-level nets
 * (sorts, functions, variables, guards) are refused by name. */
#include "net/lola.h"

#include "base/exact.h"
#include "net/formats.h"

#include <assert.h>
#include <string.h>

typedef struct Lola {
    Text *text;
    NetBuilder *builder;
    const char *token; /* the current one ends at text->at; empty at the end */
    uint64_t n_bounded, n_fair, n_zero;
} Lola;

static const char marks[] = ",;:(){}";

static bool is_mark(char c)
{
    return c && strchr(marks, c);
}

static bool is_name_character(char c)
{
    return c && !is_mark(c) && !g_ascii_isspace(c);
}

/* Past white space and comments. False: a comment has no end. */
static bool skip(const char **at, const char *end)
{
    for (;;) {
        while (*at < end && g_ascii_isspace(**at)) ++*at;
        if (*at == end) return true;
        if (end - *at >= 2 && memcmp(*at, "//", 2) == 0) {
            *at = text_line_end(*at, end);
            continue;
        }
        if (**at != '{') return true;
        const char *closing = memchr(*at, '}', (size_t)(end - *at));
        if (!closing) return false;
        *at = closing + 1;
    }
}

/* Moves on to the next token: a mark or a word. */
static bool next(Lola *l)
{
    Text *text = l->text;
    if (!skip(&text->at, text->end)) return text_fail(text, "this comment has no end");
    l->token = text->at;
    if (text->at == text->end) return true;
    if (is_mark(*text->at))
        text->at++;
    else
        while (text->at < text->end && is_name_character(*text->at)) text->at++;
    if (text->at == l->token) return text_fail(text, "a character 0 is not expected in a LoLA net");
    return text_goes_on(text);
}

static size_t length(const Lola *l)
{
    return (size_t)(l->text->at - l->token);
}

static bool is(const Lola *l, const char *word)
{
    assert(l->token); /* the first one has been read */
    return length(l) == strlen(word) && memcmp(l->token, word, length(l)) == 0;
}

static bool is_keyword(const char *word, size_t len)
{
    static const char *const keywords[] = {"PLACE",   "SAFE",   "MARKING", "TRANSITION", "CONSUME",
                                           "PRODUCE", "STRONG", "WEAK",    "FAIR"};
    for (size_t i = 0; i < G_N_ELEMENTS(keywords); i++)
        if (strlen(keywords[i]) == len && memcmp(word, keywords[i], len) == 0) return true;
    return false;
}

static bool is_high_level(const Lola *l)
{
    static const char *const words[] = {"SORT", "FUNCTION", "VAR", "GUARD"};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (is(l, words[i])) return true;
    return false;
}

static bool expected(Lola *l, const char *what)
{
    if (is_high_level(l))
        return text_fail_at(l->text, l->token, ERROR_UNSUPPORTED, "%.*s: high-level LoLA nets are not supported",
                            (int)length(l), l->token);
    if (!length(l)) return text_fail_at(l->text, l->token, ERROR_INPUT, "%s is expected, but the file ends here", what);
    return text_fail_at(l->text, l->token, ERROR_INPUT, "%s is expected here, not \"%s\"", what,
                        error_excerpt(l->token, length(l)).text);
}

static bool take(Lola *l, const char *word)
{
    return is(l, word) ? next(l) : expected(l, word);
}

static bool at_name(const Lola *l)
{
    return length(l) && !is_mark(*l->token) && !is_keyword(l->token, length(l));
}

static bool take_number(Lola *l, uint64_t *number)
{
    const char *end = l->text->at;
    if (!length(l) || strspn(l->token, "0123456789") < length(l)) return expected(l, "a number");
    l->text->at = l->token;
    if (!text_number(l->text, number)) return false;
    l->text->at = end;
    return next(l);
}

static bool take_separator(Lola *l)
{
    return is(l, ";") || (is(l, ",") ? next(l) : expected(l, "',' or ';'"));
}

/* [SAFE [k]:] p, ...; */
static bool read_places(Lola *l)
{
    bool bounded = is(l, "SAFE");
    uint64_t bound;
    if (bounded && (!next(l) || (!is(l, ":") && !take_number(l, &bound)) || !take(l, ":"))) return false;
    while (!is(l, ";")) {
        if (!at_name(l)) return expected(l, "the name of a place");
        if (net_builder_find(l->builder, l->token, length(l), NET_PLACE, NULL) != NET_NONE)
            return text_fail_at(l->text, l->token, ERROR_INPUT, "there is a place of this name already");
        g_autofree char *name = text_name(l->text, l->token, l->text->at);
        if (!name || !next(l)) return false;
        net_builder_place(l->builder, name, NULL, 0);
        l->n_bounded += bounded;
        if (is(l, ":"))
            return text_fail_at(l->text, l->token, ERROR_UNSUPPORTED,
                                "places with a sort (high-level LoLA nets) are not supported");
        if (!take_separator(l)) return false;
    }
    return next(l);
}

/* p[: n], ...; each handed to `use`. */
static bool read_counts(Lola *l, bool (*use)(Lola *, uint32_t place, uint64_t n, void *data), void *data)
{
    while (!is(l, ";")) {
        const char *where = l->token;
        if (!at_name(l)) return expected(l, "the name of a place");
        uint32_t place = net_builder_find(l->builder, l->token, length(l), NET_PLACE, NULL);
        if (place == NET_NONE)
            return text_fail_at(l->text, where, ERROR_INPUT, "there is no place \"%s\"",
                                error_excerpt(l->token, length(l)).text);
        uint64_t n = 1;
        if (!next(l) || (is(l, ":") && (!next(l) || !take_number(l, &n)))) return false;
        if (!use(l, place, n, data)) return text_fail_at(l->text, where, ERROR_INPUT, "more than 2^64 - 1 tokens");
        if (!take_separator(l)) return false;
    }
    return next(l);
}

static bool use_tokens(Lola *l, uint32_t place, uint64_t n, void *data)
{
    (void)data;
    uint64_t tokens;
    if (!checked_add(net_builder_tokens(l->builder, place), n, &tokens)) return false;
    net_builder_set_tokens(l->builder, place, tokens);
    return true;
}

typedef struct Side {
    ArcKind kind;
    uint32_t transition;
} Side;

static bool use_arc(Lola *l, uint32_t place, uint64_t n, void *data)
{
    const Side *side = data;
    if (n)
        net_builder_arc(l->builder, side->kind, place, side->transition, n);
    else
        l->n_zero++;
    return true;
}

/* Behind the word TRANSITION. */
static bool read_transition(Lola *l)
{
    if (!at_name(l)) return expected(l, "the name of a transition");
    if (net_builder_find(l->builder, l->token, length(l), NET_TRANSITION, NULL) != NET_NONE)
        return text_fail_at(l->text, l->token, ERROR_INPUT, "there is a transition of this name already");
    g_autofree char *name = text_name(l->text, l->token, l->text->at);
    if (!name || !next(l)) return false;
    uint32_t t = net_builder_transition(l->builder, name, NULL);
    if (is(l, "STRONG") || is(l, "WEAK")) {
        if (!next(l) || !take(l, "FAIR")) return false;
        l->n_fair++;
    }
    return take(l, "CONSUME") && read_counts(l, use_arc, &(Side){ARC_PRE, t}) && take(l, "PRODUCE") &&
           read_counts(l, use_arc, &(Side){ARC_POST, t});
}

static bool at_question(const Lola *l)
{
    return is(l, "ANALYSE") || is(l, "FORMULA") || is(l, "AUTOMATON");
}

static void note_ignored(Lola *l)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const struct {
        uint64_t n;
        const char *what;
    } kinds[] = {
        {l->n_bounded, "SAFE"}, {l->n_fair, "FAIR"}, {l->n_zero, "arcs of weight 0"}, {at_question(l), "question"}};
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (kinds[i].n)
            g_string_append_printf(text, "%s%" G_GUINT64_FORMAT " %s", text->len ? ", " : "", kinds[i].n,
                                   kinds[i].what);
    if (text->len) net_builder_set_ignored(l->builder, text->str);
}

bool lola_begins(const char *head, size_t len)
{
    static const char *const words[] = {"PLACE", "SORT", "FUNCTION"};
    const char *at = head, *end = head + len;
    if (!skip(&at, end)) return false;
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(end - at) >= n && memcmp(at, words[i], n) == 0 &&
            (at + n == end || g_ascii_isspace(at[n]) || strchr("{;", at[n])))
            return true;
    }
    return false;
}

bool lola_read(Text *text, NetBuilder *builder)
{
    Lola l = {.text = text, .builder = builder};
    if (!next(&l) || !take(&l, "PLACE")) return false;
    do
        if (!read_places(&l)) return false;
    while (!is(&l, "MARKING") && length(&l));
    if (!take(&l, "MARKING") || !read_counts(&l, use_tokens, NULL)) return false;
    while (is(&l, "TRANSITION"))
        if (!next(&l) || !read_transition(&l)) return false;
    if (length(&l) && !at_question(&l)) return expected(&l, "TRANSITION");
    note_ignored(&l);
    return true;
}

bool lola_is_name(const char *text)
{
    size_t n = 0;
    while (is_name_character(text[n])) n++;
    return n && !text[n] && !g_str_has_prefix(text, "//") && !is_keyword(text, n);
}
