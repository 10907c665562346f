/* Nets of Woflan and ProM:
 *   place "p" [init n]; trans "t"[~"label"] [in "p" ...] [out "p" ...];
 * with comments from -- to the end of the line. Commas between places are optional, quotes too around a name of
 * letters, digits and underscores. A place may be used before it is defined. The format has no weights: a place that is
 * named n times has an arc of weight n. */
#include "net/formats.h"

#include "base/vec.h"

#include <string.h>

/* An arc whose place may come later. */
typedef struct TpnArc {
    const char *from, *to; /* the name */
    uint32_t transition;
    ArcKind kind;
} TpnArc;

typedef struct Tpn {
    Text *text;
    NetBuilder *builder;
    const char *token;     /* the current one ends at text->at; empty at the end */
    const char *from, *to; /* the name that it is, without quotes; NULL for marks */
    VEC(TpnArc) arcs;
} Tpn;

static bool is_word_character(char c)
{
    return g_ascii_isalnum(c) || c == '_';
}

static void skip(const char **at, const char *end)
{
    for (;;) {
        while (*at < end && g_ascii_isspace(**at)) ++*at;
        if (end - *at < 2 || memcmp(*at, "--", 2) != 0) return;
        *at = text_line_end(*at, end);
    }
}

/* Moves on to the next token: a name in quotes, a word or a mark. */
static bool next(Tpn *t)
{
    Text *text = t->text;
    skip(&text->at, text->end);
    t->token = text->at;
    t->from = t->to = NULL;
    if (text->at == text->end) return true;
    if (*text->at == '"') {
        t->from = ++text->at;
        while (!text_at_end_of_line(text) && *text->at != '"') text->at++;
        if (text_at_end_of_line(text))
            return text_fail_at(text, t->token, ERROR_INPUT, "the name's closing double quote is missing");
        t->to = text->at++;
    } else if (is_word_character(*text->at)) {
        t->from = text->at;
        while (is_word_character(*text->at)) text->at++;
        t->to = text->at;
    } else {
        text->at++;
    }
    return text_goes_on(text);
}

static size_t length(const Tpn *t)
{
    return (size_t)(t->text->at - t->token);
}

static bool is(const Tpn *t, const char *word)
{
    return length(t) == strlen(word) && memcmp(t->token, word, length(t)) == 0;
}

static bool at_name(const Tpn *t)
{
    return t->from && !is(t, "place") && !is(t, "trans") && !is(t, "in") && !is(t, "out") && !is(t, "init");
}

static bool expected(Tpn *t, const char *what)
{
    if (!length(t)) return text_fail_at(t->text, t->token, ERROR_INPUT, "%s is expected, but the file ends here", what);
    return text_fail_at(t->text, t->token, ERROR_INPUT, "%s is expected here, not \"%s\"", what,
                        error_excerpt(t->token, length(t)).text);
}

static bool take(Tpn *t, const char *word)
{
    return is(t, word) ? next(t) : expected(t, word);
}

/* A new name of this kind of node, or NULL. */
static char *take_new_name(Tpn *t, NetNodeKind kind, const char *what)
{
    if (!at_name(t) || t->from == t->to) {
        expected(t, what);
        return NULL;
    }
    if (net_builder_find(t->builder, t->from, (size_t)(t->to - t->from), kind, NULL) != NET_NONE) {
        text_fail_at(t->text, t->token, ERROR_INPUT, "this name is taken already");
        return NULL;
    }
    g_autofree char *name = text_name(t->text, t->from, t->to);
    return name && next(t) ? g_steal_pointer(&name) : NULL;
}

static bool read_place(Tpn *t)
{
    g_autofree char *name = take_new_name(t, NET_PLACE, "the name of a place");
    uint64_t tokens = 0;
    if (!name) return false;
    if (is(t, "init")) {
        text_skip_space(t->text);
        if (!text_number(t->text, &tokens) || !next(t)) return false;
    }
    net_builder_place(t->builder, name, NULL, tokens);
    return take(t, ";");
}

static bool read_arcs(Tpn *t, ArcKind kind, uint32_t transition)
{
    while (at_name(t)) {
        TpnArc arc = {t->from, t->to, transition, kind};
        vec_push(&t->arcs, arc);
        if (!next(t) || (is(t, ",") && !next(t))) return false;
    }
    return true;
}

static bool read_transition(Tpn *t)
{
    g_autofree char *name = take_new_name(t, NET_TRANSITION, "the name of a transition");
    if (!name) return false;
    g_autofree char *label = NULL;
    if (is(t, "~")) {
        if (!next(t)) return false;
        if (!t->from) return expected(t, "a label");
        label = text_name(t->text, t->from, t->to);
        if (!label || !next(t)) return false;
    }
    uint32_t transition = net_builder_transition(t->builder, name, label);
    while (is(t, "in") || is(t, "out")) {
        ArcKind kind = is(t, "in") ? ARC_PRE : ARC_POST;
        if (!next(t) || !read_arcs(t, kind, transition)) return false;
    }
    return is(t, ";") ? next(t) : expected(t, "a place, in, out or ;");
}

static bool link_arcs(Tpn *t)
{
    for (size_t i = 0; i < t->arcs.len; i++) {
        const TpnArc *arc = &t->arcs.data[i];
        size_t len = (size_t)(arc->to - arc->from);
        uint32_t place = net_builder_find(t->builder, arc->from, len, NET_PLACE, NULL);
        if (place == NET_NONE)
            return text_fail_at(t->text, arc->from, ERROR_INPUT, "there is no place \"%s\"",
                                error_excerpt(arc->from, len).text);
        net_builder_arc(t->builder, arc->kind, place, arc->transition, 1);
    }
    return true;
}

static bool read_all(Tpn *t)
{
    if (!next(t)) return false;
    while (length(t)) {
        bool place = is(t, "place");
        if (!place && !is(t, "trans")) return expected(t, "place or trans");
        if (!next(t) || !(place ? read_place(t) : read_transition(t))) return false;
    }
    return link_arcs(t);
}

bool tpn_begins(const char *head, size_t len)
{
    const char *at = head, *end = head + len;
    skip(&at, end);
    if (end - at < 6 || (memcmp(at, "place", 5) != 0 && memcmp(at, "trans", 5) != 0)) return false;
    return g_ascii_isspace(at[5]) || at[5] == '"';
}

bool tpn_read(Text *text, NetBuilder *builder)
{
    Tpn t = {.text = text, .builder = builder};
    bool good = read_all(&t);
    vec_free(&t.arcs);
    return good;
}
