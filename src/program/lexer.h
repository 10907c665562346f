/* Splits program text into tokens. Comments are //..., #... to the end of the line and slash-star. A
 * Lexer borrows the text; a token is a slice of it. */
#pragma once
#include "program/ast.h"

typedef enum {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_NAME,  /* also the keywords: they are told apart by their text */
    TOKEN_SIGN,  /* punctuation; two-character signs are one token */
    TOKEN_WRONG, /* not a token: lexer->message says why */
} TokenKind;

typedef struct Token {
    TokenKind kind;
    Position at;
    const char *text;
    size_t len;
    int64_t value;
} Token;

typedef struct Lexer {
    const char *next, *end, *line_start;
    int line;
    const char *message;
} Lexer;

Lexer lexer_new(const char *text, size_t len);
Token lexer_next(Lexer *lexer);
bool lexer_is(const Token *token, const char *text);
/* One of the words that cannot name anything. */
bool lexer_is_keyword(const Token *token);
