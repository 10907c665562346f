#include "net/ll_net.h"

#include "base/error.h"
#include "base/vec.h"
#include "net/builder.h"

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
    const char *at, *end, *line_start, *file;
    int line;
    Section section;
    NetBuilder *builder;
    Numbers places, transitions;
    GHashTable *place_names, *transition_names;
    uint64_t max_number;
    GError **error;
} Parser;

/* Numbers index a table, so they may not be far above what a file of this size can define. */
enum { SMALL_NUMBER = 1000000, MAX_NUMBER = 100000000 };

static bool fail(Parser *p, const char *format, ...) G_GNUC_PRINTF(2, 3);
static bool fail(Parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    error_at(p->error, ERROR_INPUT, p->file, p->line, (int)(p->at - p->line_start) + 1, "%s", message);
    return false;
}

static bool at_end_of_line(const Parser *p)
{
    return p->at == p->end || *p->at == '\n' || *p->at == '\r';
}

static void skip_blanks(Parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t')) p->at++;
}

static void skip_line(Parser *p)
{
    while (p->at < p->end && *p->at != '\n') p->at++;
    if (p->at < p->end) p->at++;
    p->line++;
    p->line_start = p->at;
}

static bool is_digit(const Parser *p)
{
    return p->at < p->end && *p->at >= '0' && *p->at <= '9';
}

static bool read_number(Parser *p, uint64_t *value)
{
    if (!is_digit(p)) return fail(p, "a number is expected here");
    *value = 0;
    while (is_digit(p)) {
        if (__builtin_mul_overflow(*value, (uint64_t)10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*p->at - '0'), value))
            return fail(p, "this number is larger than 2^64 - 1");
        p->at++;
    }
    return true;
}

static bool define(Parser *p, Numbers *numbers, uint64_t number, uint32_t index, const char *what)
{
    if (number == 0 || number > p->max_number)
        return fail(p, "%s number %" G_GUINT64_FORMAT " is out of range", what, number);
    while (numbers->index.len <= number) vec_push(&numbers->index, 0);
    if (numbers->index.data[number]) return fail(p, "%s number %" G_GUINT64_FORMAT " is defined twice", what, number);
    numbers->index.data[number] = index + 1;
    numbers->last = number;
    return true;
}

static bool look_up(Parser *p, const Numbers *numbers, uint64_t number, const char *what, uint32_t *index)
{
    if (number >= numbers->index.len || !numbers->index.data[number])
        return fail(p, "there is no %s number %" G_GUINT64_FORMAT, what, number);
    *index = numbers->index.data[number] - 1;
    return true;
}

/* A name that no earlier node of its kind has. */
static char *unique_name(GHashTable *names, const char *name, char prefix, uint64_t number)
{
    char *result = *name ? g_strdup(name) : g_strdup_printf("%c%" G_GUINT64_FORMAT, prefix, number);
    while (g_hash_table_contains(names, result)) {
        char *longer = g_strdup_printf("%s__%" G_GUINT64_FORMAT, result, number);
        g_free(result);
        result = longer;
    }
    g_hash_table_add(names, g_strdup(result));
    return result;
}

/* NUMBER? "NAME" then attributes; of a place only M<tokens> matters. Lower-case m repeats it, x@y and
 * the letters of drawing attributes are skipped. */
static bool read_node(Parser *p)
{
    bool is_place = p->section == SECTION_PL;
    Numbers *numbers = is_place ? &p->places : &p->transitions;
    const char *what = is_place ? "place" : "transition";
    uint64_t number = numbers->last + 1, tokens = 0;
    if (is_digit(p) && !read_number(p, &number)) return false;
    skip_blanks(p);
    if (p->at == p->end || *p->at != '"') return fail(p, "a %s's name in double quotes is expected here", what);
    const char *from = ++p->at;
    while (!at_end_of_line(p) && *p->at != '"') p->at++;
    if (at_end_of_line(p)) return fail(p, "the name's closing double quote is missing");
    g_autofree char *name = g_strndup(from, (size_t)(p->at - from));
    if (strlen(name) != (size_t)(p->at - from) || !g_utf8_validate(name, -1, NULL))
        return fail(p, "this name is not valid UTF-8 text");
    p->at++;
    while (!at_end_of_line(p)) {
        if (*p->at == 'M' && is_place) {
            p->at++;
            if (is_digit(p) && !read_number(p, &tokens)) return false;
        } else if (*p->at == '"') { /* an attribute's text */
            p->at++;
            while (!at_end_of_line(p) && *p->at != '"') p->at++;
            if (!at_end_of_line(p)) p->at++;
        } else {
            p->at++;
        }
    }
    g_autofree char *id =
        unique_name(is_place ? p->place_names : p->transition_names, name, is_place ? 'P' : 'T', number);
    uint32_t index =
        is_place ? net_builder_place(p->builder, id, name, tokens) : net_builder_transition(p->builder, id, name);
    return define(p, numbers, number, index, what);
}

/* t<p or p>t, optionally w<weight>. */
static bool read_arc(Parser *p)
{
    uint64_t left, right, weight = 1;
    if (!read_number(p, &left)) return false;
    skip_blanks(p);
    char sign = p->at < p->end ? *p->at : 0;
    if (sign != (p->section == SECTION_PT ? '>' : '<'))
        return fail(p, "'%c' is expected here", p->section == SECTION_PT ? '>' : '<');
    p->at++;
    skip_blanks(p);
    if (!read_number(p, &right)) return false;
    while (!at_end_of_line(p)) {
        if (*p->at++ == 'w') {
            if (!read_number(p, &weight)) return false;
            if (weight == 0) return fail(p, "an arc's weight must be at least 1");
        }
    }
    uint32_t place = 0, transition = 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): read_number() said true */
    if (!look_up(p, &p->places, sign == '>' ? left : right, "place", &place) ||
        !look_up(p, &p->transitions, sign == '>' ? right : left, "transition", &transition))
        return false;
    ArcKind kind = p->section == SECTION_PT ? ARC_PRE : p->section == SECTION_TP ? ARC_POST : ARC_READ;
    net_builder_arc(p->builder, kind, place, transition, weight);
    return true;
}

/* A line of two or three capitals starts a section. */
static bool read_section(Parser *p)
{
    const char *from = p->at;
    while (p->at < p->end && g_ascii_isupper(*p->at)) p->at++;
    size_t n = (size_t)(p->at - from);
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
    p->at = from;
    return fail(p, "unknown section; PL, TR, TP, PT or RA is expected");
}

static bool read_line(Parser *p)
{
    skip_blanks(p);
    if (at_end_of_line(p) || *p->at == '%') return true;
    if (g_ascii_isupper(*p->at) && p->section != SECTION_HEAD) return read_section(p);
    switch (p->section) {
    case SECTION_PL:
    case SECTION_TR: return read_node(p);
    case SECTION_TP:
    case SECTION_PT:
    case SECTION_RA: return read_arc(p);
    case SECTION_NONE: return fail(p, "a section is expected here: PL, TR, TP, PT or RA");
    default: return true;
    }
}

static bool read_header(Parser *p)
{
    if (p->end - p->at < 3 || memcmp(p->at, "PEP", 3) != 0)
        return fail(p, "not an ll_net file: the first line must be PEP");
    for (int i = 0; i < 3; i++) {
        if (p->at == p->end) return fail(p, "the file ends inside its header");
        if (i == 2 && (p->end - p->at < 8 || memcmp(p->at, "FORMAT_N", 8) != 0))
            return fail(p, "FORMAT_N or FORMAT_N2 is expected here");
        skip_line(p);
    }
    p->section = SECTION_NONE;
    return true;
}

static bool read_all(Parser *p)
{
    if (!read_header(p)) return false;
    while (p->at < p->end) {
        if (!read_line(p)) return false;
        skip_line(p);
    }
    return true;
}

Net *ll_net_read(const char *data, size_t len, const char *file, GError **error)
{
    g_autofree char *base = g_path_get_basename(file);
    Parser p = {.at = data, .end = data + len, .line_start = data, .file = file, .line = 1, .error = error};
    p.max_number = CLAMP(len, SMALL_NUMBER, MAX_NUMBER);
    p.builder = net_builder_new(base);
    p.place_names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    p.transition_names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Net *net = NULL;
    if (read_all(&p)) {
        net = net_builder_finish(p.builder, error);
        if (!net) g_prefix_error(error, "%s: ", file);
    }
    g_hash_table_unref(p.place_names);
    g_hash_table_unref(p.transition_names);
    vec_free(&p.places.index);
    vec_free(&p.transitions.index);
    net_builder_free(p.builder);
    return net;
}
