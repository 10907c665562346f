/* The low-level net format of PEP, Mole and Cunf (mazurka-convert(1)), with Cunf's RA section for read arcs.
 * Names become ids; an empty or repeated name gets its number ("P7", "name__7"). */
#include "net/formats.h"

#include "base/vec.h"

#include <string.h>

typedef enum {
    SECTION_HEAD,
    SECTION_PL,
    SECTION_TR,
    SECTION_TP,
    SECTION_PT,
    SECTION_RA,
    SECTION_NONE,
    SECTION_OTHER
} Section;

/* number -> index + 1 of the places or of the transitions */
typedef struct Numbers {
    VecU32 index;
    uint64_t last;
} Numbers;

typedef struct Parser {
    Text *text;
    Section section;
    NetBuilder *builder;
    Numbers places, transitions;
    uint64_t max_number;
} Parser;

/* Numbers index a table, so they may not be far above what a file of this size can define. */
enum { SMALL_NUMBER = 1000000, MAX_NUMBER = 100000000 };

static bool define(Parser *p, Numbers *numbers, uint64_t number, uint32_t index, const char *what)
{
    if (number == 0 || number > p->max_number)
        return text_fail(p->text, "%s number %" G_GUINT64_FORMAT " is out of range", what, number);
    while (numbers->index.len <= number) vec_push(&numbers->index, 0);
    if (numbers->index.data[number])
        return text_fail(p->text, "%s number %" G_GUINT64_FORMAT " is defined twice", what, number);
    numbers->index.data[number] = index + 1;
    numbers->last = number;
    return true;
}

static bool look_up(Parser *p, const Numbers *numbers, uint64_t number, const char *what, uint32_t *index)
{
    if (number >= numbers->index.len || !numbers->index.data[number])
        return text_fail(p->text, "there is no %s number %" G_GUINT64_FORMAT, what, number);
    *index = numbers->index.data[number] - 1;
    return true;
}

static bool is_taken(const Parser *p, NetNodeKind kind, const char *id)
{
    return net_builder_find(p->builder, id, strlen(id), kind, NULL) != NET_NONE;
}

/* An id that no earlier node of its kind has, made of the name and the number; NULL when the name itself is one. */
static char *other_id(const Parser *p, NetNodeKind kind, const char *name, uint64_t number)
{
    if (*name && !is_taken(p, kind, name)) return NULL;
    char *id = *name ? g_strdup(name) : g_strdup_printf("%c%" G_GUINT64_FORMAT, kind == NET_PLACE ? 'P' : 'T', number);
    while (is_taken(p, kind, id)) {
        char *longer = g_strdup_printf("%s__%" G_GUINT64_FORMAT, id, number);
        g_free(id);
        id = longer;
    }
    return id;
}

/* To the next double quote in this line, if there is one. */
static bool skip_to_quote(Text *text)
{
    const char *at = text->at;
    while (!text_ends_line(text, at) && *at != '"') at++;
    text->at = at;
    return !text_at_end_of_line(text);
}

/* NUMBER? "NAME" then attributes; of a place only M<tokens> matters. Lower-case m repeats it, x@y and
 * the letters of drawing attributes are skipped. */
static bool read_node(Parser *p)
{
    Text *text = p->text;
    bool is_place = p->section == SECTION_PL;
    Numbers *numbers = is_place ? &p->places : &p->transitions;
    const char *what = is_place ? "place" : "transition";
    uint64_t number = numbers->last + 1, tokens = 0;
    if (text_at_digit(text) && !text_number(text, &number)) return false;
    text_skip_blanks(text);
    if (*text->at != '"') return text_fail(text, "a %s's name in double quotes is expected here", what);
    const char *from = ++text->at;
    if (!skip_to_quote(text)) return text_fail(text, "the name's closing double quote is missing");
    g_autofree char *name = text_name(text, from, text->at);
    if (!name) return false;
    text->at++;
    while (!text_at_end_of_line(text)) {
        char attribute = *text->at++;
        if (attribute == 'M' && is_place) {
            if (text_at_digit(text) && !text_number(text, &tokens)) return false;
        } else if (attribute == '"') { /* its text */
            if (skip_to_quote(text)) text->at++;
        }
    }
    g_autofree char *other = other_id(p, is_place ? NET_PLACE : NET_TRANSITION, name, number);
    const char *id = other ? other : name;
    uint32_t index =
        is_place ? net_builder_place(p->builder, id, name, tokens) : net_builder_transition(p->builder, id, name);
    return define(p, numbers, number, index, what);
}

/* t<p or p>t, optionally w<weight>. */
static bool read_arc(Parser *p)
{
    Text *text = p->text;
    bool consumes = p->section == SECTION_PT;
    uint64_t left, right, weight = 1;
    if (!text_number(text, &left)) return false;
    text_skip_blanks(text);
    char sign = consumes ? '>' : '<';
    if (*text->at != sign) return text_fail(text, "'%c' is expected here", sign);
    text->at++;
    text_skip_blanks(text);
    if (!text_number(text, &right)) return false;
    while (!text_at_end_of_line(text)) {
        if (*text->at++ == 'w') {
            if (!text_number(text, &weight)) return false;
            if (weight == 0) return text_fail(text, "an arc's weight must be at least 1");
        }
    }
    uint32_t place = 0, transition = 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): text_number() said true */
    if (!look_up(p, &p->places, consumes ? left : right, "place", &place) ||
        !look_up(p, &p->transitions, consumes ? right : left, "transition", &transition))
        return false;
    ArcKind kind = consumes ? ARC_PRE : p->section == SECTION_TP ? ARC_POST : ARC_READ;
    net_builder_arc(p->builder, kind, place, transition, weight);
    return true;
}

/* A line of two or three capitals starts a section. */
static bool read_section(Parser *p)
{
    const char *from = p->text->at;
    while (g_ascii_isupper(*p->text->at)) p->text->at++;
    size_t n = (size_t)(p->text->at - from);
    static const struct {
        const char *name;
        Section section;
    } sections[] = {{"PL", SECTION_PL},    {"TR", SECTION_TR},     {"TP", SECTION_TP},     {"PT", SECTION_PT},
                    {"RA", SECTION_RA},    {"DPL", SECTION_OTHER}, {"DTR", SECTION_OTHER}, {"DPT", SECTION_OTHER},
                    {"TX", SECTION_OTHER}, {"BL", SECTION_OTHER},  {"PTR", SECTION_OTHER}, {"PTP", SECTION_OTHER},
                    {"PPT", SECTION_OTHER}};
    for (size_t i = 0; i < G_N_ELEMENTS(sections); i++)
        if (strlen(sections[i].name) == n && memcmp(from, sections[i].name, n) == 0) {
            p->section = sections[i].section;
            return true;
        }
    /* Texts and blocks are free lines, some of which start with a capital. */
    if (p->section == SECTION_OTHER) return true;
    p->text->at = from;
    return text_fail(p->text, "unknown section; PL, TR, TP, PT or RA is expected");
}

static bool read_line(Parser *p)
{
    text_skip_blanks(p->text);
    if (text_at_end_of_line(p->text) || *p->text->at == '%') return true;
    if (g_ascii_isupper(*p->text->at) && p->section != SECTION_HEAD) return read_section(p);
    switch (p->section) {
    case SECTION_PL:
    case SECTION_TR: return read_node(p);
    case SECTION_TP:
    case SECTION_PT:
    case SECTION_RA: return read_arc(p);
    case SECTION_NONE: return text_fail(p->text, "a section is expected here: PL, TR, TP, PT or RA");
    default: return true;
    }
}

bool ll_net_begins(const char *head, size_t len)
{
    return len >= 3 && memcmp(head, "PEP", 3) == 0;
}

static bool read_header(Parser *p)
{
    if (!ll_net_begins(p->text->at, (size_t)(p->text->end - p->text->at)))
        return text_fail(p->text, "not an ll_net file: the first line must be PEP");
    for (int i = 0; i < 3; i++) {
        if (p->text->at == p->text->end) return text_fail(p->text, "the file ends inside its header");
        if (i == 2 && (p->text->end - p->text->at < 8 || memcmp(p->text->at, "FORMAT_N", 8) != 0))
            return text_fail(p->text, "FORMAT_N or FORMAT_N2 is expected here");
        text_skip_line(p->text);
    }
    p->section = SECTION_NONE;
    return true;
}

bool ll_net_read(Text *text, NetBuilder *builder)
{
    Parser p = {.text = text, .builder = builder};
    p.max_number = CLAMP((uint64_t)(text->end - text->start), SMALL_NUMBER, MAX_NUMBER);
    bool good = read_header(&p);
    for (; good && text->at < text->end; text_skip_line(text)) good = text_goes_on(text) && read_line(&p);
    vec_free(&p.places.index);
    vec_free(&p.transitions.index);
    return good;
}
