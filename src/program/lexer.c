#include "program/lexer.h"

#include <string.h>

static const char *const keywords[] = {
#define KEYWORD(word) #word,
#include "program/keywords.def"
#undef KEYWORD
};

Lexer lexer_new(const char *text, size_t len)
{
    Lexer lexer = {.next = text, .end = text + len, .line_start = text, .line = 1};
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) lexer.next += 3, lexer.line_start += 3;
    return lexer;
}

static void advance(Lexer *lexer)
{
    if (*lexer->next++ == '\n') {
        lexer->line++;
        lexer->line_start = lexer->next;
    }
}

static bool starts(const Lexer *lexer, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(lexer->end - lexer->next) >= n && memcmp(lexer->next, text, n) == 0;
}

/* False when a comment does not end. */
static bool skip_space(Lexer *lexer)
{
    while (lexer->next < lexer->end) {
        if (g_ascii_isspace(*lexer->next)) {
            advance(lexer);
        } else if (*lexer->next == '#' || starts(lexer, "//")) {
            while (lexer->next < lexer->end && *lexer->next != '\n') lexer->next++;
        } else if (starts(lexer, "/*")) {
            lexer->next += 2;
            while (lexer->next < lexer->end && !starts(lexer, "*/")) advance(lexer);
            if (lexer->next == lexer->end) return false;
            lexer->next += 2;
        } else {
            break;
        }
    }
    return true;
}

static void read_number(Lexer *lexer, Token *token)
{
    while (lexer->next < lexer->end && g_ascii_isdigit(*lexer->next)) {
        if (__builtin_mul_overflow(token->value, (int64_t)10, &token->value) ||
            __builtin_add_overflow(token->value, (int64_t)(*lexer->next - '0'), &token->value)) {
            token->kind = TOKEN_WRONG;
            lexer->message = "this number is too large";
            return;
        }
        lexer->next++;
    }
    token->kind = TOKEN_NUMBER;
}

static void read_sign(Lexer *lexer, Token *token)
{
    static const char *const pairs[] = {"..", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "++", "--"};
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++)
        if (starts(lexer, pairs[i])) {
            lexer->next += 2;
            token->kind = TOKEN_SIGN;
            return;
        }
    if (strchr("+-*/%<>=!?:;,(){}[]", *lexer->next) && *lexer->next) {
        lexer->next++;
        token->kind = TOKEN_SIGN;
    } else {
        lexer->message = "this character means nothing here";
    }
}

Token lexer_next(Lexer *lexer)
{
    Token token = {.kind = TOKEN_END};
    bool ended = skip_space(lexer);
    token.at = (Position){lexer->line, (int)(lexer->next - lexer->line_start) + 1};
    token.text = lexer->next;
    if (!ended) {
        token.kind = TOKEN_WRONG;
        lexer->message = "the file ends inside a comment";
    } else if (lexer->next < lexer->end) {
        token.kind = TOKEN_WRONG;
        if (g_ascii_isdigit(*lexer->next)) {
            read_number(lexer, &token);
        } else if (g_ascii_isalpha(*lexer->next) || *lexer->next == '_') {
            while (lexer->next < lexer->end && (g_ascii_isalnum(*lexer->next) || *lexer->next == '_')) lexer->next++;
            token.kind = TOKEN_NAME;
        } else {
            read_sign(lexer, &token);
        }
    }
    token.len = (size_t)(lexer->next - token.text);
    return token;
}

bool lexer_is(const Token *token, const char *text)
{
    return (token->kind == TOKEN_NAME || token->kind == TOKEN_SIGN) && strlen(text) == token->len &&
           memcmp(text, token->text, token->len) == 0;
}

bool lexer_is_keyword(const Token *token)
{
    for (size_t i = 0; i < G_N_ELEMENTS(keywords); i++)
        if (lexer_is(token, keywords[i])) return true;
    return false;
}
