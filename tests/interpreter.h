/* The slow twin of the compiler: runs a program's syntax tree directly, one interleaving step at a time,
 * without code, frames or nets. A thread is the list of what it has observed so far; to take a step it is
 * run again from its beginning, fed with that list, until it wants to do something new. Shares only
 * the parser with the compiler. No goto. */
#pragma once
#include "program/ast.h"

typedef struct Interpreted {
    GHashTable *states; /* texts: values, where each thread is; as interpreter_state_text() would say of a net */
    GHashTable *dead;   /* those of states without a step that are not the accepted end */
    bool race;
    bool complete; /* false: more than the limit */
} Interpreted;

Interpreted *interpreter_run(const Ast *ast, unsigned limit);
void interpreter_free(Interpreted *result);
