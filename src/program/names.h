/* What names mean while code is generated: top-level declarations, and the scopes of one thread
 * with its constants (replication indices) and local slots. Also constant folding and the domain
 * checks on constants. Errors are kept once: after the first one everything fails. */
#pragma once
#include "program/code.h"

/* A local name: a slot, or a constant when slot is SLOT_CONSTANT. */
#define SLOT_CONSTANT UINT32_MAX
typedef struct Binding {
    const char *name;
    uint32_t slot;
    int64_t value;
    bool read_only;
} Binding;

/* What a top-level name stands for. */
typedef struct Symbol {
    const Decl *decl;
    int64_t value;        /* param, const */
    uint32_t first, size; /* cells, conditions or the thread group; size 0: not an array */
    int64_t low, high;    /* var */
} Symbol;

typedef struct Names {
    const Ast *ast;
    GHashTable *symbols; /* name -> index + 1 into table */
    VEC(Symbol) table;
    VEC(Binding) scope;
    bool failed;
    GError **error;
} Names;

/* Notes work; true after an error, which may be that the program's budget is spent. */
bool program_names_spent(Names *names, uint32_t units);
void program_names_fail(Names *names, Position at, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* NULL when there is none. Pointers are good until the next declaration. */
Symbol *program_names_symbol(const Names *names, const char *name);
/* Adds a symbol; an error when the name is taken. */
Symbol *program_names_declare(Names *names, const Decl *decl);
Binding *program_names_binding(const Names *names, const char *name);
/* A symbol of the wanted kind, or NULL after an error. */
Symbol *program_names_wanted(Names *names, const Expr *reference, DeclKind kind, const char *what);

/* True and the value when the expression is constant here. */
bool program_names_fold(const Names *names, const Expr *e, int64_t *value);
/* The same, with an error when it is not. */
int64_t program_names_constant(Names *names, const Expr *e, const char *what);
/* low <= high is checked; `int` gives the 32-bit range. */
void program_names_domain(Names *names, Domain domain, Position at, int64_t *low, int64_t *high);
