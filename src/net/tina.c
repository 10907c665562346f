/* TINA's textual nets (.net): lines, each a part of the net.
 *   net NAME
 *   tr T [: LABEL] [INTERVAL] {IN [-> OUT]}
 *   pl P [: LABEL] [(TOKENS)] {IN [-> OUT]}
 *   lb NODE LABEL
 *   nt ...
 * Nodes are made where they are named first; arcs of all lines add up. p*n is an arc of weight n, p?n a read arc,
 * p?-n an inhibitor arc; numbers may end with K, M, G, T, P or E. Names that are not plain stand in braces, where a
 * backslash protects { } and itself. Refused by name: intervals other than [0,w[, stopwatch arcs, priorities. Notes
 * are counted as ignored. */
#include "net/formats.h"

#include "base/exact.h"
#include "base/vec.h"

#include <string.h>

/* lb: the node may be named later. */
typedef struct TinaLabel {
    const char *where;
    char *node, *label;
} TinaLabel;

typedef struct Tina {
    Text *text;
    NetBuilder *builder;
    GString *name;     /* the last one that was read */
    const char *where; /* it stood there */
    VEC(bool) marked;  /* a line has given the place its tokens */
    VEC(TinaLabel) labels;
    uint64_t n_notes, n_zero;
} Tina;

/* A backslash at the end of a line joins it with the next. */
static void skip_blanks(Text *text)
{
    for (;;) {
        text_skip_blanks(text);
        const char *at = text->at;
        if (at[0] == '\\' && at[1] == '\r' && at[2] == '\n')
            text->at += 3;
        else if (at[0] == '\\' && (at[1] == '\n' || at[1] == '\r'))
            text->at += 2;
        else
            return;
    }
}

static bool is_plain(char c)
{
    return (unsigned char)c >= 0x80 || g_ascii_isalnum(c) || (c && strchr("_'.,;/@%&$+=|~^\"`", c));
}

static bool at_name(const Text *text)
{
    return *text->at == '{' || is_plain(*text->at);
}

static bool read_braces(Tina *t)
{
    Text *text = t->text;
    for (text->at++; *text->at != '}'; text->at++) {
        if (*text->at == '\\' && text->at + 1 < text->end) text->at++;
        if (text->at == text->end) return text_fail_at(text, t->where, ERROR_INPUT, "the closing } is missing");
        g_string_append_c(t->name, *text->at);
    }
    text->at++;
    return true;
}

/* To t->name. */
static bool read_name(Tina *t, const char *what)
{
    Text *text = t->text;
    skip_blanks(text);
    t->where = text->at;
    g_string_truncate(t->name, 0);
    if (!at_name(text)) return text_fail(text, "%s is expected here", what);
    if (*text->at == '{') {
        if (!read_braces(t)) return false;
    } else {
        while (is_plain(*text->at)) g_string_append_c(t->name, *text->at++);
    }
    if (g_utf8_validate_len(t->name->str, t->name->len, NULL)) return true;
    return text_fail_at(text, t->where, ERROR_INPUT, "this name is not valid UTF-8 text");
}

/* With a suffix for thousands. */
static bool read_number(Tina *t, uint64_t *number)
{
    static const char suffixes[] = "KMGTPE";
    const char *from = t->text->at;
    if (!text_number(t->text, number)) return false;
    const char *suffix = *t->text->at ? strchr(suffixes, *t->text->at) : NULL;
    if (!suffix) return true;
    t->text->at++;
    for (const char *at = suffixes; at <= suffix; at++)
        if (!checked_multiply(*number, (uint64_t)1000, number))
            return text_fail_at(t->text, from, ERROR_INPUT, "this number is larger than 2^64 - 1");
    return true;
}

/* The node of that name, made when it is new. False: the name is empty. */
static bool find_node(Tina *t, NetNodeKind kind, uint32_t *node)
{
    if (!t->name->len) return text_fail_at(t->text, t->where, ERROR_INPUT, "this name is empty");
    *node = net_builder_find(t->builder, t->name->str, t->name->len, kind, NULL);
    if (*node != NET_NONE) return true;
    if (kind == NET_TRANSITION) {
        *node = net_builder_transition(t->builder, t->name->str, NULL);
    } else {
        *node = net_builder_place(t->builder, t->name->str, NULL, 0);
        vec_push(&t->marked, false);
    }
    return true;
}

static bool read_node(Tina *t, NetNodeKind kind, uint32_t *node)
{
    return read_name(t, kind == NET_PLACE ? "the name of a place" : "the name of a transition") &&
           find_node(t, kind, node);
}

static void set_label(NetBuilder *builder, NetNodeKind kind, uint32_t node, const char *label)
{
    if (kind == NET_PLACE)
        net_builder_set_place_label(builder, node, label);
    else
        net_builder_set_transition_label(builder, node, label);
}

static bool read_label(Tina *t, NetNodeKind kind, uint32_t node)
{
    skip_blanks(t->text);
    if (*t->text->at != ':') return true;
    t->text->at++;
    if (!read_name(t, "a label")) return false;
    set_label(t->builder, kind, node, t->name->str);
    return true;
}

static bool read_interval(Tina *t)
{
    Text *text = t->text;
    skip_blanks(text);
    const char *from = text->at;
    if (*from != '[' && *from != ']') return true;
    text->at++;
    text->at += strcspn(text->at, "[]\r\n");
    if (*text->at != '[' && *text->at != ']') return text_fail(text, "the interval's closing bracket is missing");
    g_autoptr(GString) shown = g_string_new(NULL);
    for (const char *at = from; at <= text->at; at++)
        if (*at != ' ' && *at != '\t') g_string_append_c(shown, *at);
    text->at++;
    if (strcmp(shown->str, "[0,w[") == 0) return true;
    return text_fail_at(text, from, ERROR_UNSUPPORTED,
                        "timed transitions are not supported: the interval %s is not [0,w[",
                        error_excerpt(shown->str, shown->len).text);
}

static bool read_marking(Tina *t, uint32_t place)
{
    Text *text = t->text;
    skip_blanks(text);
    const char *where = text->at;
    if (*where != '(') return true;
    text->at++;
    skip_blanks(text);
    uint64_t tokens;
    if (!read_number(t, &tokens)) return false;
    skip_blanks(text);
    if (*text->at != ')') return text_fail(text, "')' is expected here");
    text->at++;
    if (t->marked.data[place] && net_builder_tokens(t->builder, place) != tokens)
        return text_fail_at(text, where, ERROR_INPUT, "another line has given this place other tokens");
    t->marked.data[place] = true;
    net_builder_set_tokens(t->builder, place, tokens);
    return true;
}

/* Behind the node at the other end: *n, ?n or ?-n; a weight of 0 stands for no arc. */
static bool read_weight(Tina *t, ArcKind side, ArcKind *kind, uint64_t *weight)
{
    Text *text = t->text;
    const char *where = text->at;
    *kind = side;
    *weight = 1;
    if (*where == '!') return text_fail_at(text, where, ERROR_UNSUPPORTED, "stopwatch arcs are not supported");
    if (*where != '*' && *where != '?') return true;
    text->at++;
    if (*where == '?') {
        if (side == ARC_POST) return text_fail_at(text, where, ERROR_INPUT, "an output cannot be a test");
        *kind = *text->at == '-' ? ARC_INHIBIT : ARC_READ;
        if (*kind == ARC_INHIBIT) text->at++;
    }
    if (!read_number(t, weight)) return false;
    if (*kind == ARC_INHIBIT && !*weight)
        return text_fail_at(text, where, ERROR_INPUT, "an inhibitor arc's weight must be at least 1");
    return true;
}

/* The arcs of one side of `node`, up to the arrow or the end of the line. */
static bool read_side(Tina *t, NetNodeKind kind, uint32_t node, ArcKind side)
{
    for (skip_blanks(t->text); at_name(t->text); skip_blanks(t->text)) {
        uint32_t other;
        ArcKind arc;
        uint64_t weight;
        if (!read_node(t, NET_NODE - kind, &other) || !read_weight(t, side, &arc, &weight)) return false;
        if (weight)
            net_builder_arc(t->builder, arc, kind == NET_PLACE ? node : other, kind == NET_PLACE ? other : node,
                            weight);
        else
            t->n_zero++;
        if (!text_goes_on(t->text)) return false;
    }
    return true;
}

static bool at_arrow(const Text *text)
{
    return text->at[0] == '-' && text->at[1] == '>';
}

static bool read_description(Tina *t, NetNodeKind kind)
{
    uint32_t node;
    if (!read_node(t, kind, &node) || !read_label(t, kind, node)) return false;
    if (!(kind == NET_PLACE ? read_marking(t, node) : read_interval(t))) return false;
    if (!read_side(t, kind, node, kind == NET_PLACE ? ARC_POST : ARC_PRE)) return false;
    if (!at_arrow(t->text)) return true;
    t->text->at += 2;
    return read_side(t, kind, node, kind == NET_PLACE ? ARC_PRE : ARC_POST);
}

static bool read_late_label(Tina *t)
{
    if (!read_name(t, "the name of a place or transition")) return false;
    TinaLabel late = {.where = t->where};
    g_autofree char *node = g_strdup(t->name->str);
    if (!read_name(t, "a label")) return false;
    late.node = g_steal_pointer(&node);
    late.label = g_strdup(t->name->str);
    vec_push(&t->labels, late);
    return true;
}

static bool set_late_labels(Tina *t)
{
    for (size_t i = 0; i < t->labels.len; i++) {
        const TinaLabel *late = &t->labels.data[i];
        NetNodeKind kind;
        uint32_t node = net_builder_find(t->builder, late->node, strlen(late->node), NET_NODE, &kind);
        if (node == NET_NONE)
            return text_fail_at(t->text, late->where, ERROR_INPUT, "there is no place or transition of this name");
        set_label(t->builder, kind, node, late->label);
    }
    return true;
}

/* nt NAME 0|1 TEXT, wherever it is drawn. */
static bool read_note(Tina *t)
{
    t->n_notes++;
    for (int i = 0; i < 3; i++)
        if (!read_name(t, "a note's name, 0 or 1, and text")) return false;
    return true;
}

static bool read_title(Tina *t)
{
    if (!read_name(t, "the name of the net")) return false;
    net_builder_set_name(t->builder, t->name->str);
    return true;
}

static bool read_place(Tina *t)
{
    return read_description(t, NET_PLACE);
}

static bool read_transition(Tina *t)
{
    return read_description(t, NET_TRANSITION);
}

static bool refuse_priority(Tina *t)
{
    return text_fail_at(t->text, t->text->at - 2, ERROR_UNSUPPORTED, "priorities (pr) are not supported");
}

typedef struct TinaWord {
    const char *word;
    bool (*read)(Tina *);
} TinaWord;

static const TinaWord *find_word(const char *at, const char *end)
{
    static const TinaWord words[] = {{"net", read_title},     {"tr", read_transition}, {"pl", read_place},
                                     {"lb", read_late_label}, {"nt", read_note},       {"pr", refuse_priority}};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        size_t n = strlen(words[i].word);
        if ((size_t)(end - at) > n && memcmp(at, words[i].word, n) == 0 && strchr(" \t{\r\n", at[n])) return &words[i];
    }
    return NULL;
}

static bool read_line(Tina *t)
{
    Text *text = t->text;
    skip_blanks(text);
    if (text_at_end_of_line(text) || *text->at == '#') return true;
    const TinaWord *word = find_word(text->at, text->end);
    if (!word) return text_fail(text, "a line of a TINA net begins with net, tr, pl, lb, nt or #");
    text->at += strlen(word->word);
    if (!word->read(t)) return false;
    skip_blanks(text);
    return text_at_end_of_line(text) || text_fail(text, "the end of the line is expected here");
}

static bool read_all(Tina *t)
{
    for (; t->text->at < t->text->end; text_skip_line(t->text))
        if (!text_goes_on(t->text) || !read_line(t)) return false;
    if (!set_late_labels(t)) return false;
    g_autofree char *notes = t->n_notes ? g_strdup_printf("%" G_GUINT64_FORMAT " notes", t->n_notes) : NULL;
    g_autofree char *zero = t->n_zero ? g_strdup_printf("%" G_GUINT64_FORMAT " arcs of weight 0", t->n_zero) : NULL;
    g_autofree char *both = notes && zero ? g_strdup_printf("%s, %s", notes, zero) : NULL;
    if (notes || zero) net_builder_set_ignored(t->builder, both ? both : notes ? notes : zero);
    return true;
}

bool tina_begins(const char *head, size_t len)
{
    const char *at = head, *end = head + len;
    for (;;) {
        while (at < end && g_ascii_isspace(*at)) at++;
        if (at == end || *at != '#') return find_word(at, end);
        at = text_line_end(at, end);
    }
}

bool tina_read(Text *text, NetBuilder *builder)
{
    Tina t = {.text = text, .builder = builder, .name = g_string_new(NULL)};
    bool good = read_all(&t);
    g_string_free(t.name, TRUE);
    for (size_t i = 0; i < t.labels.len; i++) {
        g_free(t.labels.data[i].node);
        g_free(t.labels.data[i].label);
    }
    vec_free(&t.labels);
    vec_free(&t.marked);
    return good;
}
