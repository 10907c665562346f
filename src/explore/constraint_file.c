#include "explore/constraint.h"

#include "base/error.h"
#include "base/input.h"
#include "base/quote.h"
#include "explore/constraint_build.h"

#include <assert.h>
#include <string.h>

typedef struct Reader {
    Constraints *constraints;
    const char *file, *at, *line_start;
    uint32_t line;
    DraftVec drafts;
    BoundVec bounds;
    GString *word;
    GError **error;
} Reader;

static bool fail(Reader *r, const char *at, const char *message, const char *what)
{
    error_at(r->error, ERROR_INPUT, r->file, (int)r->line, (int)(at - r->line_start) + 1, message,
             error_excerpt(what, SIZE_MAX).text);
    return false;
}

static void skip_blanks(Reader *r)
{
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r') r->at++;
}

static bool line_ends(Reader *r)
{
    skip_blanks(r);
    return *r->at == '\0' || *r->at == '\n' || *r->at == '#';
}

/* One id or word, bare or quoted. */
static bool read_word(Reader *r, const char *expected)
{
    skip_blanks(r);
    const char *start = r->at;
    g_string_truncate(r->word, 0);
    if (*r->at != '"') {
        while (*r->at && !strchr(" \t\r\n:,#\"<>=", *r->at)) g_string_append_c(r->word, *r->at++);
        return r->at != start || fail(r, start, "%s is expected", expected);
    }
    const char *end = quote_read(r->at + 1, r->word);
    if (!end) return fail(r, start, "%s", "the quoted id does not end on its line");
    r->at = end + 1;
    return true;
}

static bool read_transition(Reader *r, uint32_t *t)
{
    skip_blanks(r);
    const char *start = r->at;
    if (!read_word(r, "a transition")) return false;
    *t = net_find_transition(r->constraints->net, r->word->str);
    return *t != NET_NONE || fail(r, start, "the net has no transition '%s'", r->word->str);
}

/* P >= N or P <= N */
static bool read_bound(Reader *r, ConstraintBound *bound)
{
    skip_blanks(r);
    const char *start = r->at;
    if (!read_word(r, "a place")) return false;
    uint32_t place = net_find_place(r->constraints->net, r->word->str);
    if (place == NET_NONE) return fail(r, start, "the net has no place '%s'", r->word->str);
    skip_blanks(r);
    bool least = r->at[0] == '>';
    if ((r->at[0] != '>' && r->at[0] != '<') || r->at[1] != '=') return fail(r, r->at, "%s", ">= or <= is expected");
    r->at += 2;
    skip_blanks(r);
    start = r->at;
    guint64 value;
    if (!read_word(r, "a number")) return false;
    if (!g_ascii_string_to_unsigned(r->word->str, 10, 0, G_MAXUINT64, &value, NULL))
        return fail(r, start, "'%s' is not a number of tokens", r->word->str);
    *bound = (ConstraintBound){place, least ? value : 0, least ? UINT64_MAX : value};
    return true;
}

/* Does the slice from `given` on imply the bound? */
static bool implied(const Reader *r, size_t given, size_t n, const ConstraintBound *bound)
{
    assert(given + n <= r->bounds.len);
    uint64_t least = 0, most = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        const ConstraintBound *b = &r->bounds.data[given + i];
        if (b->place != bound->place) continue;
        least = MAX(least, b->least);
        most = MIN(most, b->most);
    }
    return least >= bound->least && most <= bound->most;
}

static bool proved(Reader *r, const ConstraintDraft *d)
{
    size_t from = r->bounds.len;
    bool ok = constraint_closed_form(r->constraints, d->t, d->u, &r->bounds);
    for (size_t i = from; i < r->bounds.len && ok; i++) {
        ConstraintBound bound = r->bounds.data[i];
        ok = implied(r, d->constraint.bounds, d->constraint.n_bounds, &bound);
    }
    r->bounds.len = from;
    return ok;
}

static bool read_condition(Reader *r, ConstraintDraft *d)
{
    skip_blanks(r);
    const char *start = r->at;
    d->constraint.bounds = (uint32_t)r->bounds.len;
    if (line_ends(r)) return fail(r, start, "%s", "a condition is expected: bounds on places, always, or never");
    if (!read_word(r, "a condition")) return false;
    bool always = strcmp(r->word->str, "always") == 0;
    d->never = strcmp(r->word->str, "never") == 0;
    if ((always || d->never) && *start != '"' && line_ends(r)) return true;
    d->never = false;
    for (r->at = start;; r->at++) {
        ConstraintBound bound;
        if (!read_bound(r, &bound)) return false;
        vec_push(&r->bounds, bound);
        skip_blanks(r);
        if (*r->at != ',') break;
    }
    d->constraint.n_bounds = (uint32_t)r->bounds.len - d->constraint.bounds;
    return line_ends(r) || fail(r, r->at, "%s", "a comma or the end of the line is expected");
}

static bool read_line(Reader *r)
{
    if (line_ends(r)) return true;
    ConstraintDraft d = {.order = r->line, .given = true};
    const char *start = r->at;
    if (!read_transition(r, &d.t) || !read_transition(r, &d.u)) return false;
    if (d.t == d.u) return fail(r, start, "%s", "a transition makes no pair with itself");
    if (d.t > d.u) {
        uint32_t t = d.t;
        d.t = d.u;
        d.u = t;
    }
    skip_blanks(r);
    if (*r->at != ':') return fail(r, r->at, "%s", "':' is expected after the two transitions");
    r->at++;
    if (!read_condition(r, &d)) return false;
    d.constraint.doubtful = !d.never && !proved(r, &d);
    vec_push(&r->drafts, d);
    r->constraints->n_given++;
    return true;
}

static bool read_all(Reader *r)
{
    while (*r->at) {
        r->line++;
        r->line_start = r->at;
        if (!read_line(r)) return false;
        while (*r->at && *r->at != '\n') r->at++;
        if (*r->at) r->at++;
    }
    return true;
}

static gboolean same_pair(gconstpointer a, gconstpointer b)
{
    return *(const uint64_t *)a == *(const uint64_t *)b;
}

/* Drops the closed form of the pairs that the file names. */
static bool replace(Reader *r, Budget *budget)
{
    g_autoptr(GHashTable) named = g_hash_table_new_full(g_int64_hash, same_pair, g_free, NULL);
    size_t given = r->drafts.len;
    for (size_t i = 0; i < given; i++) {
        uint64_t key = (uint64_t)r->drafts.data[i].t << 32 | r->drafts.data[i].u;
        g_hash_table_add(named, g_memdup2(&key, sizeof key));
    }
    if (!constraint_draft_all(r->constraints, &r->drafts, &r->bounds, budget, r->error)) return false;
    size_t to = given;
    for (size_t i = given; i < r->drafts.len; i++) {
        uint64_t key = (uint64_t)r->drafts.data[i].t << 32 | r->drafts.data[i].u;
        if (!g_hash_table_contains(named, &key)) r->drafts.data[to++] = r->drafts.data[i];
    }
    r->drafts.len = to;
    return true;
}

static Constraints *read_text(const Net *net, const char *text, const char *file, Budget *budget, GError **error)
{
    Reader r = {.constraints = constraint_start(net), .file = file, .at = text, .error = error};
    r.word = g_string_new(NULL);
    bool ok = read_all(&r) && replace(&r, budget);
    g_string_free(r.word, TRUE);
    if (ok) {
        constraint_finish(r.constraints, &r.drafts, &r.bounds);
    } else {
        vec_free(&r.bounds);
        constraints_free(r.constraints);
    }
    vec_free(&r.drafts);
    return ok ? r.constraints : NULL;
}

Constraints *constraints_read(const Net *net, const char *text, const char *file, GError **error)
{
    return read_text(net, text, file, NULL, error);
}

Constraints *constraints_read_file(const Net *net, const char *path, Budget *budget, GError **error)
{
    g_autofree char *text = input_read_file(path, INPUT_LARGE, budget, NULL, error);
    return text ? read_text(net, text, path, budget, error) : NULL;
}
