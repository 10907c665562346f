#include "program/ast.h"

#include "base/error.h"

void ast_free(Ast *ast)
{
    if (!ast) return;
    arena_free(&ast->arena);
    g_free(ast->file);
    g_free(ast);
}

static bool divide(AstOperator op, int64_t a, int64_t b, int64_t *result)
{
    if (b == 0 || (a == INT64_MIN && b == -1)) return false;
    int64_t quotient = a / b, remainder = a % b;
    if (remainder && (remainder < 0) != (b < 0)) quotient--, remainder += b;
    *result = op == OP_DIVIDE ? quotient : remainder;
    return true;
}

bool ast_apply(AstOperator op, int64_t a, int64_t b, int64_t *result)
{
    switch (op) {
    case OP_NEGATE: return !__builtin_sub_overflow((int64_t)0, a, result);
    case OP_NOT: return *result = !a, true;
    case OP_ADD: return !__builtin_add_overflow(a, b, result);
    case OP_SUBTRACT: return !__builtin_sub_overflow(a, b, result);
    case OP_MULTIPLY: return !__builtin_mul_overflow(a, b, result);
    case OP_DIVIDE:
    case OP_REMAINDER: return divide(op, a, b, result);
    case OP_LESS: return *result = a < b, true;
    case OP_LESS_EQUAL: return *result = a <= b, true;
    case OP_GREATER: return *result = a > b, true;
    case OP_GREATER_EQUAL: return *result = a >= b, true;
    case OP_EQUAL: return *result = a == b, true;
    case OP_UNEQUAL: return *result = a != b, true;
    }
    return false;
}

bool ast_spent(const Ast *ast, uint32_t units, GError **error)
{
    if (!ast->budget || !budget_charge(ast->budget, units)) return false;
    error_at(error, ERROR_SPENT, ast->file, 0, 0, "%s while the program was compiled", budget_text(ast->budget));
    return true;
}
