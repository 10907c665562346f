/* The expression language of the command line:
 *
 *   EXPR   = OR [ "=>" EXPR ]
 *   OR     = AND { "||" AND }            AND = UNARY { "&&" UNARY }
 *   UNARY  = "!" UNARY | "(" EXPR ")" | "true" | "false" | "deadlock"
 *          | "fireable" "(" ID { "," ID } ")" | SUM ( "<=" | ">=" | "<" | ">" | "==" | "=" | "!=" ) SUM
 *   SUM    = [ "-" ] TERM { ("+" | "-") TERM }
 *   TERM   = INTEGER [ "*" TERM ] | ID | "tokens" "(" ID { "," ID } ")" | "(" SUM ")"
 *   ID     = letters, digits, "_" and ".", not starting with a digit; anything in double quotes, where \" is " and
 * \\ is \
 *
 * Names are ids of the net; an unknown one is an error that names the nearest existing id. */
#pragma once
#include "prop/formula.h"

/* `where` begins the message ("--reach", "file.txt:3"). */
bool expression_parse(FormulaStore *store, const char *text, const char *where, FormulaId *id, GError **error);

/* The id of a place (or transition) closest to `name` by edits, or NULL when the net has none. */
const char *expression_nearest(const Net *net, const char *name, bool place);
