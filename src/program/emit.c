#include "program/emit.h"

uint32_t emit_here(const Body *b)
{
    return (uint32_t)b->thread->code.len;
}

uint32_t emit_instr(Body *b, Instr instr)
{
    instr.stmt = b->stmt;
    vec_push(&b->thread->code, instr);
    return emit_here(b) - 1;
}

void emit_pushed(Body *b, int n)
{
    b->depth = (uint32_t)((int)b->depth + n);
    if (b->depth > b->thread->max_stack) b->thread->max_stack = b->depth;
}

void emit_land(Body *b, uint32_t jump)
{
    b->thread->code.data[jump].target = emit_here(b);
}

void emit_constant(Body *b, int64_t value)
{
    emit_instr(b, (Instr){.op = I_PUSH, .value = value});
    emit_pushed(b, 1);
}

uint32_t emit_jump_zero(Body *b)
{
    emit_pushed(b, -1);
    return emit_instr(b, (Instr){.op = I_JUMP_ZERO});
}

void emit_slot(Body *b, uint32_t slot)
{
    emit_instr(b, (Instr){.op = I_LOCAL, .cell = slot});
    emit_pushed(b, 1);
}

void emit_set(Body *b, uint32_t slot)
{
    emit_instr(b, (Instr){.op = I_SET, .cell = slot});
    emit_pushed(b, -1);
}

void emit_binary(Body *b, AstOperator op)
{
    emit_instr(b, (Instr){.op = I_BINARY, .value = op});
    emit_pushed(b, -1);
}

/* The index of a reference to an array is pushed; the result is false after an error. */
bool emit_index(Body *b, const Expr *reference, const Symbol *symbol)
{
    int64_t index;
    uint32_t size = symbol->size;
    if (reference->kind == EXPR_NAME && size) {
        program_names_fail(b->names, reference->at, "'%s' is an array and needs an index", reference->name);
    } else if (reference->kind == EXPR_INDEX && !size) {
        program_names_fail(b->names, reference->at, "'%s' is not an array", reference->name);
    } else if (reference->kind == EXPR_INDEX) {
        if (program_names_fold(b->names, reference->a, &index) && (index < 0 || index >= size))
            program_names_fail(b->names, reference->a->at, "the index %" G_GINT64_FORMAT " is outside 0..%u of '%s'",
                               index, size - 1, reference->name);
        emit_expr(b, reference->a);
    }
    return !b->names->failed;
}

static void put_read(Body *b, const Expr *e)
{
    const Binding *binding = program_names_binding(b->names, e->name);
    if (binding && e->kind == EXPR_NAME) {
        emit_slot(b, binding->slot);
        return;
    }
    const Symbol *symbol = program_names_wanted(b->names, e, DECL_VAR, "a value");
    if (!symbol) return;
    uint32_t first = symbol->first, size = symbol->size;
    if (!emit_index(b, e, symbol)) return;
    emit_instr(b, (Instr){.op = I_READ, .cell = first, .size = size});
    emit_pushed(b, size ? 0 : 1);
}

static void put_truth(Body *b, const Expr *e)
{
    emit_expr(b, e);
    emit_instr(b, (Instr){.op = I_TRUTH});
}

/* a && b is 0 when a is, without looking at b; a || b is 1 when a is not 0. */
static void put_short_circuit(Body *b, const Expr *e)
{
    int64_t left;
    bool is_or = e->kind == EXPR_OR;
    if (program_names_fold(b->names, e->a, &left)) {
        put_truth(b, e->b); /* the other case was folded */
        return;
    }
    emit_expr(b, e->a);
    if (is_or) emit_instr(b, (Instr){.op = I_UNARY, .value = OP_NOT});
    uint32_t skip = emit_jump_zero(b);
    put_truth(b, e->b);
    uint32_t end = emit_instr(b, (Instr){.op = I_JUMP});
    emit_land(b, skip);
    emit_pushed(b, -1);
    emit_constant(b, is_or);
    emit_land(b, end);
}

static void put_conditional(Body *b, const Expr *e)
{
    int64_t condition;
    if (program_names_fold(b->names, e->a, &condition)) {
        emit_expr(b, condition ? e->b : e->c);
        return;
    }
    emit_expr(b, e->a);
    uint32_t otherwise = emit_jump_zero(b);
    emit_expr(b, e->b);
    uint32_t end = emit_instr(b, (Instr){.op = I_JUMP});
    emit_land(b, otherwise);
    emit_pushed(b, -1);
    emit_expr(b, e->c);
    emit_land(b, end);
}

static void put_any(Body *b, const Expr *e)
{
    int64_t low, high;
    if (program_names_fold(b->names, e->a, &low) && program_names_fold(b->names, e->b, &high) && low > high)
        program_names_fail(b->names, e->at, "there is no value in %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT, low, high);
    emit_expr(b, e->a);
    emit_expr(b, e->b);
    emit_instr(b, (Instr){.op = I_ANY});
    emit_pushed(b, -1);
}

static void put_trylock(Body *b, const Expr *e)
{
    const Symbol *symbol = program_names_wanted(b->names, e->a, DECL_MUTEX, "a mutex");
    if (!symbol) return;
    Instr instr = {.op = I_TRYLOCK, .cell = symbol->first, .size = symbol->size};
    if (!emit_index(b, e->a, symbol)) return;
    emit_instr(b, instr);
    emit_pushed(b, instr.size ? 0 : 1);
}

/* Pushes one value; after an error whatever is convenient. */
void emit_expr(Body *b, const Expr *e)
{
    int64_t value;
    if (b->names->failed) return;
    if (program_names_fold(b->names, e, &value)) {
        emit_constant(b, value);
        return;
    }
    switch (e->kind) {
    case EXPR_NUMBER: break;
    case EXPR_NAME:
    case EXPR_INDEX: put_read(b, e); break;
    case EXPR_UNARY:
        emit_expr(b, e->a);
        emit_instr(b, (Instr){.op = I_UNARY, .value = e->op});
        break;
    case EXPR_BINARY:
        emit_expr(b, e->a);
        emit_expr(b, e->b);
        emit_binary(b, e->op);
        break;
    case EXPR_AND:
    case EXPR_OR: put_short_circuit(b, e); break;
    case EXPR_CONDITIONAL: put_conditional(b, e); break;
    case EXPR_ANY: put_any(b, e); break;
    case EXPR_TRYLOCK: put_trylock(b, e); break;
    }
}

void emit_check_constant(Body *b, const Expr *value, int64_t low, int64_t high, const char *name)
{
    int64_t constant;
    if (program_names_fold(b->names, value, &constant) && (constant < low || constant > high))
        program_names_fail(b->names, value->at,
                           "the value %" G_GINT64_FORMAT " is outside the domain %" G_GINT64_FORMAT
                           "..%" G_GINT64_FORMAT " of '%s'",
                           constant, low, high, name);
}
