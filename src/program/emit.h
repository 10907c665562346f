/* Emits the code of one thread instance: instructions, jumps, and expressions. body.c does the statements. The depth of
 * the evaluation stack is followed along the way. After an error (in names) the code is worthless. */
#pragma once
#include "program/code.h"
#include "program/names.h"

typedef struct Label {
    const char *name;
    Position at;
    uint32_t pc;
} Label;

typedef struct Loop {
    uint32_t atomic_depth;
    VecU32 breaks, continues; /* jumps to be landed */
} Loop;

typedef struct Body {
    Code *code;
    Names *names;
    Thread *thread;
    const Stmt *stmt;
    uint32_t depth; /* of the stack */
    uint32_t atomic_depth;
    Loop *loop;
    VEC(Label) labels, gotos;
    GHashTable *label_numbers; /* name -> index + 1 */
} Body;

/* Where the next instruction goes. */
uint32_t emit_here(const Body *b);
/* The instruction's position; its statement is the current one. */
uint32_t emit_instr(Body *b, Instr instr);
/* The stack grew by n. */
void emit_pushed(Body *b, int n);
/* The jump leads here. */
void emit_land(Body *b, uint32_t jump);
uint32_t emit_jump_zero(Body *b);

void emit_constant(Body *b, int64_t value);
void emit_slot(Body *b, uint32_t slot);
void emit_set(Body *b, uint32_t slot);
void emit_binary(Body *b, AstOperator op);
/* Pushes the value; recursion is as deep as the tree, which the parser bounds. */
void emit_expr(Body *b, const Expr *e);
/* Pushes the index of a reference to an array. False after an error. */
bool emit_index(Body *b, const Expr *reference, const Symbol *symbol);
/* An error when the value is a constant outside the domain. */
void emit_check_constant(Body *b, const Expr *value, int64_t low, int64_t high, const char *name);
