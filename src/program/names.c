#include "program/names.h"

#include "base/error.h"

#include <string.h>

void program_names_fail(Names *names, Position at, const char *format, ...)
{
    if (!names->failed) {
        va_list args;
        va_start(args, format);
        g_autofree char *message = g_strdup_vprintf(format, args);
        va_end(args);
        error_at(names->error, ERROR_INPUT, names->ast->file, at.line, at.column, "%s", message);
    }
    names->failed = true;
}

bool program_names_spent(Names *names, uint32_t units)
{
    if (!names->failed) names->failed = ast_spent(names->ast, units, names->error);
    return names->failed;
}

Symbol *program_names_symbol(const Names *names, const char *name)
{
    guint index = GPOINTER_TO_UINT(g_hash_table_lookup(names->symbols, name));
    return index ? &names->table.data[index - 1] : NULL;
}

Symbol *program_names_declare(Names *names, const Decl *decl)
{
    Symbol *other = program_names_symbol(names, decl->name);
    if (other) {
        program_names_fail(names, decl->at, "'%s' is declared twice; the first time on line %d", decl->name,
                           other->decl->at.line);
        return NULL;
    }
    vec_push(&names->table, ((Symbol){.decl = decl}));
    g_hash_table_insert(names->symbols, (char *)decl->name, GUINT_TO_POINTER((guint)names->table.len));
    return &vec_last(&names->table);
}

Binding *program_names_binding(const Names *names, const char *name)
{
    for (size_t i = names->scope.len; i-- > 0;)
        if (strcmp(names->scope.data[i].name, name) == 0) return &names->scope.data[i];
    return NULL;
}

static const char *kind_name(DeclKind kind)
{
    static const char *const kinds[] = {"a parameter", "a constant",           "a variable",
                                        "a mutex",     "a condition variable", "a thread"};
    return kinds[kind];
}

Symbol *program_names_wanted(Names *names, const Expr *reference, DeclKind kind, const char *what)
{
    if (program_names_binding(names, reference->name)) {
        program_names_fail(names, reference->at, "'%s' is a local name, but %s is expected here", reference->name,
                           what);
        return NULL;
    }
    Symbol *symbol = program_names_symbol(names, reference->name);
    if (!symbol) {
        program_names_fail(names, reference->at, "'%s' is not declared", reference->name);
    } else if (symbol->decl->kind != kind) {
        program_names_fail(names, reference->at, "'%s' is %s, but %s is expected here", reference->name,
                           kind_name(symbol->decl->kind), what);
        return NULL;
    }
    return symbol;
}

static bool fold_name(const Names *names, const Expr *e, int64_t *value)
{
    const Binding *binding = program_names_binding(names, e->name);
    if (binding) {
        *value = binding->value;
        return binding->slot == SLOT_CONSTANT;
    }
    const Symbol *symbol = program_names_symbol(names, e->name);
    if (!symbol || symbol->decl->kind > DECL_CONST) return false;
    *value = symbol->value;
    return true;
}

/* Recursion is as deep as the tree, which the parser bounds. */
bool program_names_fold(const Names *names, const Expr *e, int64_t *value)
{
    int64_t a, b = 0;
    switch (e->kind) {
    case EXPR_NUMBER: return *value = e->value, true;
    case EXPR_NAME: return fold_name(names, e, value);
    case EXPR_UNARY: return program_names_fold(names, e->a, &a) && ast_apply(e->op, a, 0, value);
    case EXPR_BINARY:
        return program_names_fold(names, e->a, &a) && program_names_fold(names, e->b, &b) &&
               ast_apply(e->op, a, b, value);
    case EXPR_AND:
    case EXPR_OR:
        if (!program_names_fold(names, e->a, &a)) return false;
        if ((a != 0) == (e->kind == EXPR_OR)) return *value = e->kind == EXPR_OR, true;
        if (!program_names_fold(names, e->b, &b)) return false;
        return *value = b != 0, true;
    case EXPR_CONDITIONAL:
        return program_names_fold(names, e->a, &a) && program_names_fold(names, a ? e->b : e->c, value);
    default: return false;
    }
}

int64_t program_names_constant(Names *names, const Expr *e, const char *what)
{
    int64_t value = 0;
    if (!program_names_fold(names, e, &value)) {
        if (e->kind == EXPR_NAME && !program_names_binding(names, e->name) && !program_names_symbol(names, e->name))
            program_names_fail(names, e->at, "'%s' is not declared", e->name);
        else
            program_names_fail(names, e->at, "%s must be a constant", what);
    }
    return value;
}

void program_names_domain(Names *names, Domain domain, Position at, int64_t *low, int64_t *high)
{
    *low = CODE_INT_LOW;
    *high = CODE_INT_HIGH;
    if (!domain.low) return;
    *low = program_names_constant(names, domain.low, "a domain's lower bound");
    *high = program_names_constant(names, domain.high, "a domain's upper bound");
    if (names->failed) return;
    if (*low > *high)
        program_names_fail(names, at, "the domain %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT " is empty", *low, *high);
    else if (*low < CODE_INT_LOW || *high > CODE_INT_HIGH)
        program_names_fail(names, at, "a domain must be within the 32-bit integers");
}
