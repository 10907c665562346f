/* The expression language of the command line:
 *
 *   EXPR   = OR [ "=>" EXPR ]            also "->"
 *   OR     = AND { "||" AND }            AND = UNARY { "&&" UNARY }     also the words or, and, not
 *   UNARY  = "!" UNARY | "(" EXPR ")" | "true" | "false" | "deadlock"
 *          | "fireable" "(" ID { "," ID } ")" | SUM ( "<=" | ">=" | "<" | ">" | "==" | "=" | "!=" ) SUM
 *   SUM    = [ "-" ] TERM { ("+" | "-") TERM }
 *   TERM   = { "-" } FACTOR { "*" { "-" } INTEGER }
 *   FACTOR = INTEGER [ "*" TERM ] | ID | "tokens" "(" ID { "," ID } ")" | "(" SUM ")"
 *   ID     = letters, digits, "_" and ".", not starting with a digit; or anything in double quotes, where a backslash
 *            stands before a double quote and before a backslash
 *
 * Names are ids of the net; an unknown one is an error that names the nearest existing id. In an expanded net they are
 * those of the coloured one too: a place of it means the sum over its colours, a transition any of its bindings. */
#pragma once
#include "prop/formula.h"

/* `where` begins the message ("--reach", "file.txt:3"). */
bool expression_parse(FormulaStore *store, const char *text, const char *where, FormulaId *id, GError **error);

/* The id of a place (or transition), a coloured one if there are, closest to `name` by edits, or NULL when the net has
 * none. */
const char *expression_nearest(const Net *net, const char *name, bool place);
