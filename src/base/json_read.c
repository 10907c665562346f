#include "base/json_read.h"

#include <string.h>

typedef struct Reader {
    JsonTree *tree;
    const char *at, *end;
    uint32_t open[JSON_DEEPEST]; /* lists and objects around the place */
    unsigned depth;
} Reader;

static void skip_blanks(Reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at)) r->at++;
}

static bool take(Reader *r, char wanted)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at != wanted) return false;
    r->at++;
    return true;
}

static bool take_word(Reader *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0) return false;
    r->at += n;
    return true;
}

static bool add(Reader *r, JsonItem node)
{
    if (r->tree->nodes.len >= UINT32_MAX) return false;
    node.span = 1;
    vec_push(&r->tree->nodes, node);
    return true;
}

/* Four hexadecimal digits; -1: they are not there. */
static int take_unit(Reader *r)
{
    int unit = 0;
    if (r->end - r->at < 4) return -1;
    for (int i = 0; i < 4; i++) {
        int digit = g_ascii_xdigit_value(*r->at++);
        if (digit < 0) return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

/* Behind \u. Halves of a pair that have no other half are no characters; nor is a text of ours one that has NUL inside.
 */
static bool take_escaped_unit(Reader *r)
{
    int unit = take_unit(r);
    if (unit <= 0) return false;
    gunichar c = (gunichar)unit;
    if (c >= 0xd800 && c < 0xe000) {
        int low = c < 0xdc00 && take_word(r, "\\u") ? take_unit(r) : -1;
        if (low < 0xdc00 || low >= 0xe000) return false;
        c = 0x10000 + ((c - 0xd800) << 10) + ((gunichar)low - 0xdc00);
    }
    g_string_append_unichar(r->tree->texts, c);
    return true;
}

static bool take_escape(Reader *r)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    if (r->at == r->end) return false;
    char c = *r->at++;
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter) g_string_append_c(r->tree->texts, meant[letter - letters]);
    return letter || (c == 'u' && take_escaped_unit(r));
}

/* Behind its first quotation mark. */
static bool take_text(Reader *r)
{
    GString *texts = r->tree->texts;
    JsonItem node = {.kind = JSON_TEXT, .text = texts->len};
    for (;;) {
        const char *from = r->at;
        while (r->at < r->end && (unsigned char)*r->at >= 0x20 && *r->at != '"' && *r->at != '\\') r->at++;
        g_string_append_len(texts, from, r->at - from);
        if (r->at == r->end || (unsigned char)*r->at < 0x20) return false;
        if (*r->at++ == '"') break;
        if (!take_escape(r)) return false;
    }
    g_string_append_c(texts, '\0');
    return add(r, node);
}

static size_t take_digits(Reader *r)
{
    const char *from = r->at;
    while (r->at < r->end && g_ascii_isdigit(*r->at)) r->at++;
    return (size_t)(r->at - from);
}

static bool take_number(Reader *r)
{
    const char *from = r->at;
    bool whole = true;
    take_word(r, "-");
    bool zero = r->at < r->end && *r->at == '0';
    size_t digits = take_digits(r);
    if (!digits || (zero && digits > 1)) return false;
    if (take_word(r, ".")) {
        whole = false;
        if (!take_digits(r)) return false;
    }
    if (take_word(r, "e") || take_word(r, "E")) {
        whole = false;
        if (!take_word(r, "+")) take_word(r, "-");
        if (!take_digits(r)) return false;
    }
    JsonItem node = {.kind = JSON_INTEGER};
    g_autofree char *text = g_strndup(from, (size_t)(r->at - from));
    if (!whole || !g_ascii_string_to_signed(text, 10, INT64_MIN, INT64_MAX, &node.integer, NULL))
        node = (JsonItem){.kind = JSON_REAL, .real = g_ascii_strtod(text, NULL)};
    return add(r, node);
}

static bool enter(Reader *r, JsonKind kind)
{
    if (r->depth == JSON_DEEPEST) return false;
    r->at++;
    r->open[r->depth++] = (uint32_t)r->tree->nodes.len;
    return add(r, (JsonItem){.kind = kind});
}

/* A value that is not a list or an object, or the beginning of one. */
static bool take_value(Reader *r)
{
    skip_blanks(r);
    if (r->at == r->end) return false;
    switch (*r->at) {
    case '{': return enter(r, JSON_OBJECT);
    case '[': return enter(r, JSON_LIST);
    case '"': r->at++; return take_text(r);
    case 'n': return take_word(r, "null") && add(r, (JsonItem){.kind = JSON_NULL});
    case 't': return take_word(r, "true") && add(r, (JsonItem){.kind = JSON_BOOL, .yes = true});
    case 'f': return take_word(r, "false") && add(r, (JsonItem){.kind = JSON_BOOL});
    default: return take_number(r);
    }
}

/* Closes what ends here. False: something is expected, the next item or member. */
static bool close_ended(Reader *r)
{
    while (r->depth) {
        JsonItem *around = r->tree->nodes.data + r->open[r->depth - 1];
        if (!take(r, around->kind == JSON_OBJECT ? '}' : ']')) return false;
        around->span = (uint32_t)r->tree->nodes.len - r->open[--r->depth];
    }
    return true;
}

/* What is before the next item: a comma unless it is the first, and in an object its key. */
static bool take_before(Reader *r)
{
    JsonItem *around = r->tree->nodes.data + r->open[r->depth - 1];
    if (around->len++ && !take(r, ',')) return false;
    return around->kind == JSON_LIST || (take(r, '"') && take_text(r) && take(r, ':'));
}

bool json_read(JsonTree *tree, const char *text, size_t len, Budget *budget)
{
    Reader r = {.tree = tree, .at = text, .end = len ? text + len : text};
    vec_clear(&tree->nodes);
    if (!tree->texts) tree->texts = g_string_new(NULL);
    g_string_truncate(tree->texts, 0);
    bool ok = g_utf8_validate(text, (gssize)len, NULL) && take_value(&r);
    while (ok && !close_ended(&r)) ok = !(budget && budget_spent(budget)) && take_before(&r) && take_value(&r);
    skip_blanks(&r);
    ok = ok && r.at == r.end;
    if (!ok) vec_clear(&tree->nodes);
    return ok;
}

void json_read_free(JsonTree *tree)
{
    vec_free(&tree->nodes);
    if (tree->texts) g_string_free(tree->texts, TRUE);
    tree->texts = NULL;
}

const JsonItem *json_read_member(const JsonTree *tree, const JsonItem *object, const char *key)
{
    const JsonItem *found = NULL;
    if (!object || object->kind != JSON_OBJECT) return NULL;
    for (const JsonItem *i = object + 1; i < object + object->span; i += 1 + i[1].span)
        if (strcmp(tree->texts->str + i->text, key) == 0) found = i + 1;
    return found;
}

const JsonItem *json_read_kind(const JsonTree *tree, const JsonItem *object, const char *key, JsonKind kind)
{
    const JsonItem *found = json_read_member(tree, object, key);
    return found && found->kind == kind ? found : NULL;
}

const char *json_read_text(const JsonTree *tree, const JsonItem *object, const char *key)
{
    const JsonItem *found = json_read_kind(tree, object, key, JSON_TEXT);
    return found ? tree->texts->str + found->text : NULL;
}
