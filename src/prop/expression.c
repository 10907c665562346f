#include "prop/expression.h"

#include "base/error.h"
#include "base/exact.h"
#include "base/nearest.h"
#include "net/colours.h"

#include <string.h>

typedef enum { TOKEN_END, TOKEN_ID, TOKEN_INTEGER, TOKEN_SIGN, TOKEN_BAD } TokenKind;

typedef struct Parser {
    FormulaStore *store;
    const char *text, *at, *where;
    TokenKind kind;
    const char *token; /* start of the current token */
    GString *word;     /* its text without quotes */
    bool quoted;
    int64_t integer;
    unsigned depth;
    GError **error;
} Parser;

typedef VEC(FormulaTerm) VecTerms;

static bool fail(Parser *p, const char *format, ...) G_GNUC_PRINTF(2, 3);
static bool fail(Parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    error_at(p->error, ERROR_INPUT, p->where, 1, (int)(p->token - p->text) + 1, "%s", message);
    return false;
}

/* ---- tokens ---- */

static bool is_escape(const char *at)
{
    return *at == '\\' && (at[1] == '"' || at[1] == '\\');
}

static bool next_quoted(Parser *p)
{
    for (p->at++; *p->at && *p->at != '"'; p->at++) {
        if (is_escape(p->at)) p->at++;
        g_string_append_c(p->word, *p->at);
    }
    if (!*p->at) return fail(p, "the closing double quote is missing");
    p->at++;
    p->quoted = true;
    p->kind = TOKEN_ID;
    return true;
}

/* The words and, or, not are signs, unless the net has such a place. */
static void take_for_sign(Parser *p)
{
    static const char *const words[][2] = {{"and", "&&"}, {"or", "||"}, {"not", "!"}};
    NetRange range;
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (strcmp(p->word->str, words[i][0]) != 0 || net_colours_named_places(p->store->net, p->word->str, &range))
            continue;
        g_string_assign(p->word, words[i][1]);
        p->kind = TOKEN_SIGN;
        return;
    }
}

static bool refuse_character(Parser *p)
{
    static const char *const meant[][2] = {{"&", "'and' is written && (or and)"},
                                           {"|", "'or' is written || (or or)"},
                                           {"~", "'not' is written ! (or not)"}};
    for (size_t i = 0; i < G_N_ELEMENTS(meant); i++)
        if (*p->at == *meant[i][0]) return fail(p, "'%c' has no meaning here: %s", *p->at, meant[i][1]);
    return fail(p, "'%c' has no meaning here; ids with such characters need double quotes", *p->at);
}

static bool next(Parser *p)
{
    while (g_ascii_isspace(*p->at)) p->at++;
    p->token = p->at;
    p->quoted = false;
    g_string_truncate(p->word, 0);
    p->kind = TOKEN_SIGN;
    if (!*p->at) {
        p->kind = TOKEN_END;
    } else if (*p->at == '"') {
        return next_quoted(p);
    } else if (g_ascii_isdigit(*p->at)) {
        p->kind = TOKEN_INTEGER;
        for (p->integer = 0; g_ascii_isdigit(*p->at); g_string_append_c(p->word, *p->at++))
            if (!checked_multiply(p->integer, 10, &p->integer) || !checked_add(p->integer, *p->at - '0', &p->integer))
                return fail(p, "this number does not fit 64 bits");
    } else if (g_ascii_isalpha(*p->at) || *p->at == '_' || *p->at & 0x80) {
        p->kind = TOKEN_ID;
        while (g_ascii_isalnum(*p->at) || *p->at == '_' || *p->at == '.' || *p->at & 0x80)
            g_string_append_c(p->word, *p->at++);
        take_for_sign(p);
    } else {
        static const char *const signs[] = {"&&", "||", "=>", "->", "<=", ">=", "==", "!=", "<",
                                            ">",  "=",  "!",  "(",  ")",  "+",  "-",  "*",  ","};
        for (size_t i = 0; i < G_N_ELEMENTS(signs); i++)
            if (g_str_has_prefix(p->at, signs[i])) {
                g_string_assign(p->word, strcmp(signs[i], "->") == 0 ? "=>" : signs[i]);
                p->at += strlen(signs[i]);
                return true;
            }
        return refuse_character(p);
    }
    return true;
}

static bool is_sign(const Parser *p, const char *sign)
{
    return p->kind == TOKEN_SIGN && strcmp(p->word->str, sign) == 0;
}

static bool is_word(const Parser *p, const char *word)
{
    return p->kind == TOKEN_ID && !p->quoted && strcmp(p->word->str, word) == 0;
}

static bool expect(Parser *p, const char *sign)
{
    if (!is_sign(p, sign)) return fail(p, "'%s' is expected here", sign);
    return next(p);
}

/* ---- names ---- */

const char *expression_nearest(const Net *expanded, const char *name, bool place)
{
    const Net *net = net_colours_asked(expanded);
    Nearest nearest = {0};
    for (uint32_t i = 0; i < (place ? net->n_places : net->n_transitions); i++) {
        nearest_offer(&nearest, name, place ? net_place_id(net, i) : net_transition_id(net, i));
        if (nearest.distance <= 1) break;
    }
    return nearest.name;
}

static bool find(Parser *p, bool place, NetRange *range)
{
    if (p->kind != TOKEN_ID) return fail(p, "the id of a %s is expected here", place ? "place" : "transition");
    const Net *net = p->store->net;
    if ((place ? net_colours_named_places : net_colours_named_transitions)(net, p->word->str, range)) return next(p);
    const char *nearest = expression_nearest(net, p->word->str, place);
    if (!nearest) return fail(p, "the net has no %s at all", place ? "place" : "transition");
    return fail(p, "there is no %s \"%s\"; the nearest is \"%s\"", place ? "place" : "transition", p->word->str,
                nearest);
}

/* "(" ID { "," ID } ")" */
static bool read_list(Parser *p, bool place, VecU32 *nodes)
{
    if (!expect(p, "(")) return false;
    for (;;) {
        NetRange range = {0};
        if (!find(p, place, &range)) return false;
        for (uint32_t i = range.from; i < range.to; i++) vec_push(nodes, i);
        if (!is_sign(p, ",")) return expect(p, ")");
        if (!next(p)) return false;
    }
}

/* ---- sums: terms are collected with a common factor; constants go to *constant ---- */

static bool deeper(Parser *p)
{
    return ++p->depth <= FORMULA_MAX_DEPTH || fail(p, "the expression is nested more than %d deep", FORMULA_MAX_DEPTH);
}

static bool read_sum(Parser *p, int64_t factor, VecTerms *terms, Sum *constant);

static bool read_tokens(Parser *p, int64_t factor, VecTerms *terms)
{
    VecU32 places = {0};
    bool ok = next(p) && read_list(p, true, &places);
    for (size_t i = 0; ok && i < places.len; i++) vec_push(terms, ((FormulaTerm){places.data[i], factor}));
    vec_free(&places);
    return ok;
}

/* A factor, with its sign, times what came before it. */
static bool read_factor(Parser *p, int64_t *factor)
{
    for (; is_sign(p, "-"); *factor = -*factor) {
        if (*factor == INT64_MIN) return fail(p, "this product does not fit 64 bits");
        if (!next(p)) return false;
    }
    if (p->kind != TOKEN_INTEGER) return true;
    if (!checked_multiply(*factor, p->integer, factor)) return fail(p, "this product does not fit 64 bits");
    return true;
}

/* { "*" INTEGER } behind what has become the terms from `from` on and `own`. */
static bool read_factors_behind(Parser *p, VecTerms *terms, size_t from, Sum *own)
{
    while (is_sign(p, "*")) {
        int64_t factor = 1, value;
        if (!next(p) || !read_factor(p, &factor)) return false;
        if (p->kind != TOKEN_INTEGER)
            return fail(p, "a number is expected here: places are multiplied by numbers only");
        for (size_t i = from; i < terms->len; i++)
            if (!checked_multiply(terms->data[i].coefficient, factor, &terms->data[i].coefficient))
                return fail(p, "this product does not fit 64 bits");
        if (!exact_signed(*own, &value) || !checked_multiply(value, factor, &value))
            return fail(p, "this product does not fit 64 bits");
        *own = exact_of(value);
        if (!next(p)) return false;
    }
    return true;
}

/* What is no number: a place, tokens(...), a sum in brackets. */
static bool read_primary(Parser *p, int64_t factor, VecTerms *terms, Sum *own)
{
    if (is_sign(p, "(")) {
        if (!deeper(p) || !next(p) || !read_sum(p, factor, terms, own)) return false;
        p->depth--;
        return expect(p, ")");
    }
    if (is_word(p, "tokens") && *p->at == '(') return read_tokens(p, factor, terms);
    NetRange range = {0};
    if (!find(p, true, &range)) return false;
    for (uint32_t i = range.from; i < range.to; i++) vec_push(terms, ((FormulaTerm){i, factor}));
    return true;
}

static bool read_term(Parser *p, int64_t factor, VecTerms *terms, Sum *constant)
{
    for (;;) {
        if (!read_factor(p, &factor)) return false;
        if (p->kind != TOKEN_INTEGER) break;
        if (!next(p)) return false;
        if (!is_sign(p, "*")) {
            exact_add(constant, factor);
            return true;
        }
        if (!next(p)) return false;
    }
    size_t from = terms->len;
    Sum own = exact_of(0);
    if (!read_primary(p, factor, terms, &own) || !read_factors_behind(p, terms, from, &own)) return false;
    exact_add_sum(constant, own);
    return true;
}

static bool read_sum(Parser *p, int64_t factor, VecTerms *terms, Sum *constant)
{
    if (factor == INT64_MIN) return fail(p, "this product does not fit 64 bits");
    bool minus = is_sign(p, "-");
    if (minus && !next(p)) return false;
    for (;;) {
        if (!read_term(p, minus ? -factor : factor, terms, constant)) return false;
        minus = is_sign(p, "-");
        if (!minus && !is_sign(p, "+")) return true;
        if (!next(p)) return false;
    }
}

static bool too_large(Parser *p, const char *start)
{
    p->token = start;
    return fail(p, "a number in this comparison does not fit 64 bits");
}

/* left - right <= bound after moving everything to one side; other signs by shifting and negating. */
static bool build_comparison(Parser *p, const char *start, const char *sign, VecTerms *terms, Sum constant,
                             FormulaId *id)
{
    bool less = sign[0] == '<', greater = sign[0] == '>', strict = !sign[1] && sign[0] != '=';
    Sum limit = exact_minus(constant);
    int64_t bound, negative;
    FormulaId low = FORMULA_ID_FALSE, high = FORMULA_ID_FALSE; /* sum <= bound, sum >= bound */
    if (strict && (less || greater)) exact_add(&limit, less ? -1 : 1);
    if (!exact_signed(limit, &bound) || !exact_signed(exact_minus(limit), &negative)) return too_large(p, start);
    if (!greater && !formula_at_most(p->store, terms->data, terms->len, bound, &low, NULL)) return too_large(p, start);
    for (size_t i = 0; i < terms->len; i++)
        if (!checked_subtract(0, terms->data[i].coefficient, &terms->data[i].coefficient)) return too_large(p, start);
    if (!less && !formula_at_most(p->store, terms->data, terms->len, negative, &high, NULL)) return too_large(p, start);
    *id = less ? low : greater ? high : formula_and(p->store, (FormulaId[]){low, high}, 2);
    if (strcmp(sign, "!=") == 0) *id = formula_not(p->store, *id);
    return true;
}

static bool read_comparison(Parser *p, FormulaId *id)
{
    VecTerms terms = {0};
    Sum constant = exact_of(0);
    const char *start = p->token;
    bool ok = read_sum(p, 1, &terms, &constant);
    g_autofree char *sign = g_strdup(p->word->str);
    static const char *const signs[] = {"<=", ">=", "<", ">", "==", "=", "!="};
    bool known = false;
    for (size_t i = 0; i < G_N_ELEMENTS(signs); i++) known |= p->kind == TOKEN_SIGN && strcmp(sign, signs[i]) == 0;
    if (ok && !known) ok = fail(p, "a comparison (<=, >=, <, >, ==, !=) is expected here");
    ok = ok && next(p) && read_sum(p, -1, &terms, &constant);
    ok = ok && build_comparison(p, start, sign, &terms, constant, id);
    vec_free(&terms);
    return ok;
}

/* ---- and, or, not ---- */

static bool read_implication(Parser *p, FormulaId *id);

/* "(" may open a formula or a sum: look past its closing partner. A sum is followed by a sign of
 * arithmetic or comparison. */
static bool opens_sum(const Parser *p)
{
    unsigned open = 0;
    bool quoted = false;
    const char *c = p->token;
    for (; *c; c++) {
        if (*c == '"') quoted = !quoted;
        if (quoted && is_escape(c)) c++;
        if (quoted) continue;
        if (*c == '(') open++;
        if (*c == ')' && --open == 0) break;
    }
    if (!*c) return false;
    for (c++; g_ascii_isspace(*c);) c++;
    if (c[0] == '-' && c[1] == '>') return false;
    return (*c && strchr("<>+-*", *c)) || (*c == '=' && c[1] != '>') || (*c == '!' && c[1] == '=');
}

static bool read_unary(Parser *p, FormulaId *id)
{
    bool negate = false;
    for (; is_sign(p, "!"); negate = !negate)
        if (!next(p)) return false;
    bool ok;
    if (is_word(p, "true") || is_word(p, "false")) {
        *id = is_word(p, "true") ? FORMULA_ID_TRUE : FORMULA_ID_FALSE;
        ok = next(p);
    } else if (is_word(p, "deadlock")) {
        *id = formula_deadlock(p->store);
        ok = next(p);
    } else if (is_word(p, "fireable")) {
        VecU32 transitions = {0};
        ok = next(p) && read_list(p, false, &transitions);
        if (ok) *id = formula_fireable(p->store, transitions.data, transitions.len);
        vec_free(&transitions);
    } else if (is_sign(p, "(") && !opens_sum(p)) {
        ok = deeper(p) && next(p) && read_implication(p, id) && expect(p, ")");
        p->depth--;
    } else {
        ok = read_comparison(p, id);
    }
    if (ok && negate) *id = formula_not(p->store, *id);
    return ok;
}

/* One level of && inside ||. */
static bool read_junction(Parser *p, bool is_or, FormulaId *id)
{
    VecU32 parts = {0};
    bool ok;
    for (;;) {
        FormulaId part;
        ok = is_or ? read_junction(p, false, &part) : read_unary(p, &part);
        if (!ok) break;
        vec_push(&parts, part);
        if (!is_sign(p, is_or ? "||" : "&&")) break;
        ok = next(p);
        if (!ok) break;
    }
    if (ok) *id = is_or ? formula_or(p->store, parts.data, parts.len) : formula_and(p->store, parts.data, parts.len);
    vec_free(&parts);
    return ok;
}

static bool read_implication(Parser *p, FormulaId *id)
{
    if (!read_junction(p, true, id)) return false;
    if (!is_sign(p, "=>")) return true;
    FormulaId conclusion;
    if (!deeper(p) || !next(p) || !read_implication(p, &conclusion)) return false;
    p->depth--;
    *id = formula_or(p->store, (FormulaId[]){formula_not(p->store, *id), conclusion}, 2);
    return true;
}

bool expression_parse(FormulaStore *store, const char *text, const char *where, FormulaId *id, GError **error)
{
    Parser p = {.store = store, .text = text, .at = text, .token = text, .where = where, .error = error};
    p.word = g_string_new(NULL);
    bool ok = next(&p) && read_implication(&p, id);
    if (ok && p.kind != TOKEN_END) ok = fail(&p, "the expression should end here");
    g_string_free(p.word, TRUE);
    return ok;
}
