/* Reads program text into an Ast by recursive descent, one token ahead. The grammar stands in
 * mazurka-program(5), and only there. Nesting deeper than AST_MAX_DEPTH is refused. */
#pragma once
#include "program/ast.h"

/* `file` is used in messages. The text need not end in NUL. The Ast keeps the budget (may be NULL). */
Ast *parser_read(const char *text, size_t len, const char *file, Budget *budget, GError **error);
