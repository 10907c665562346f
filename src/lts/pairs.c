#include "lts/pairs.h"

#include "base/bitset.h"
#include "base/error.h"
#include "base/input.h"
#include "base/quote.h"
#include "base/vec.h"

#include <string.h>

enum { LARGEST = 20000 }; /* transitions: the relation is built as a matrix */

typedef struct Reader {
    const Net *net;
    const char *file, *at, *line_start;
    int line;
    VecU32 pairs; /* independent */
    bool has_base;
    Relation base;
    GError **error;
} Reader;

static bool fail(Reader *r, const char *at, const char *message, const char *what)
{
    error_at(r->error, ERROR_INPUT, r->file, r->line, (int)(at - r->line_start) + 1, message,
             error_excerpt(what, SIZE_MAX).text);
    return false;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool line_ends(Reader *r)
{
    while (blank(*r->at)) r->at++;
    return *r->at == '\0' || *r->at == '\n' || *r->at == '#';
}

/* One word, bare or quoted. */
static bool read_word(Reader *r, GString *word, bool *quoted)
{
    const char *start = r->at;
    g_string_truncate(word, 0);
    *quoted = *r->at == '"';
    if (!*quoted) {
        while (*r->at && *r->at != '\n' && *r->at != '#' && !blank(*r->at)) g_string_append_c(word, *r->at++);
        return true;
    }
    const char *end = quote_read(r->at + 1, word);
    if (!end) return fail(r, start, "%s", "the quoted id does not end on its line");
    r->at = end + 1;
    return true;
}

static bool read_base(Reader *r, GString *word)
{
    const char *start = r->at;
    bool quoted;
    if (line_ends(r)) return fail(r, start, "%s", "a relation's name is expected after 'base'");
    start = r->at;
    if (!read_word(r, word, &quoted)) return false;
    if (r->has_base) return fail(r, start, "%s", "a second 'base' line");
    if (r->pairs.len) return fail(r, start, "%s", "'base' must come before the pairs");
    if (!relation_parse(word->str, &r->base) || r->base == RELATION_FILE)
        return fail(r, start, "there is no relation '%s' to start from", word->str);
    r->has_base = true;
    return true;
}

static bool read_line(Reader *r, GString *word)
{
    if (line_ends(r)) return true;
    uint32_t ids[2];
    for (int i = 0; i < 2; i++) {
        bool quoted;
        const char *start = r->at;
        if (i == 1 && line_ends(r)) return fail(r, start, "%s", "two transition ids are expected on a line");
        start = r->at;
        if (!read_word(r, word, &quoted)) return false;
        if (i == 0 && !quoted && strcmp(word->str, "base") == 0) {
            if (!read_base(r, word)) return false;
            return line_ends(r) || fail(r, r->at, "%s", "nothing is expected after the relation's name");
        }
        ids[i] = net_find_transition(r->net, word->str);
        if (ids[i] == NET_NONE) return fail(r, start, "the net has no transition '%s'", word->str);
        if (i == 1 && ids[0] == ids[1]) return fail(r, start, "'%s' cannot be independent of itself", word->str);
    }
    if (!line_ends(r)) return fail(r, r->at, "%s", "only two transition ids are expected on a line");
    vec_append(&r->pairs, ids, 2);
    return true;
}

static bool read_all(Reader *r)
{
    g_autoptr(GString) word = g_string_new(NULL);
    while (*r->at) {
        r->line++;
        r->line_start = r->at;
        if (!read_line(r, word)) return false;
        while (*r->at && *r->at != '\n') r->at++;
        if (*r->at) r->at++;
    }
    return true;
}

static void list_doubtful(const Net *net, Indep *indep)
{
    g_autoptr(Indep) loops = indep_new(net, RELATION_LOOPS);
    VecU32 list = {0};
    indep->doubt_start = g_new0(uint32_t, (size_t)indep->n + 1);
    for (uint32_t a = 0; a < indep->n; a++) {
        for (uint32_t i = loops->start[a]; i < loops->start[a + 1]; i++)
            if (!indep_dependent(indep, a, loops->dependent[i])) vec_push(&list, loops->dependent[i]);
        indep->doubt_start[a + 1] = (uint32_t)list.len;
    }
    indep->doubtful = list.data;
}

/* The base relation less the listed pairs. */
static Indep *subtract(Reader *r)
{
    uint32_t n = r->net->n_transitions;
    g_autoptr(Indep) base = indep_new(r->net, r->base);
    size_t words = bitset_words(n);
    uint64_t *listed = g_new0(uint64_t, (size_t)n * words + 1);
    for (size_t i = 0; i < r->pairs.len; i += 2) {
        uint32_t a = r->pairs.data[i], b = r->pairs.data[i + 1];
        bitset_set(listed + a * words, b);
        bitset_set(listed + b * words, a);
    }
    VecU32 dependent = {0};
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t i = base->start[a]; i < base->start[a + 1]; i++) {
            uint32_t b = base->dependent[i];
            if (b <= a || bitset_get(listed + a * words, b)) continue;
            vec_push(&dependent, a);
            vec_push(&dependent, b);
        }
    Indep *indep = indep_from_pairs(n, dependent.data, dependent.len / 2);
    vec_free(&dependent);
    g_free(listed);
    list_doubtful(r->net, indep);
    return indep;
}

Indep *pairs_read(const Net *net, const char *text, const char *file, GError **error)
{
    Reader reader = {.net = net, .file = file, .at = text, .line_start = text, .base = RELATION_NONE, .error = error};
    if (net->n_transitions > LARGEST) {
        g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT,
                    "%s: nets with more than %d transitions take no relation from a file", file, LARGEST);
        return NULL;
    }
    Indep *indep = read_all(&reader) ? subtract(&reader) : NULL;
    vec_free(&reader.pairs);
    return indep;
}

Indep *pairs_read_file(const Net *net, const char *path, Budget *budget, GError **error)
{
    g_autofree char *text = input_read_file(path, INPUT_LARGE, budget, NULL, error);
    return text ? pairs_read(net, text, path, error) : NULL;
}
