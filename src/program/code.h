/* A program after its names are resolved: shared cells and one code sequence per thread instance.
 *
 * Everything that threads share is a *cell* holding one value of a small set: a variable, a mutex
 * (1 free, 0 held), and per thread: waiting on a condition variable, woken from it, idle (may be
 * created), done (may be joined).
 *
 * A thread's code works on its local slots and an evaluation stack. Instructions are *visible* when
 * they touch cells or are steps by decree (skip, any, a choice, an atomic block); between two visible
 * ones a thread runs on its own and takes no step. Parameters, constants and replication indices
 * are folded into the code, and branches that a constant condition excludes are not generated. */
#pragma once
#include "base/vec.h"
#include "program/ast.h"

#define CODE_INT_LOW INT32_MIN
#define CODE_INT_HIGH INT32_MAX

typedef enum { CELL_VAR, CELL_MUTEX, CELL_WAITING, CELL_WOKEN, CELL_IDLE, CELL_DONE } CellKind;

typedef struct Cell {
    CellKind kind;
    bool atomic; /* a variable whose accesses are no races */
    char *name;  /* "a[2]" */
    char *id;    /* "a_2" */
    int64_t low, high, initial;
    VecU64 values;  /* those it may take, as int64_t, sorted; grows while the state space is computed */
    bool needed[2]; /* of binary kinds: some step asks for this value, so it gets a place */
} Cell;

/* Operands: `cell` is the first of `size` cells; size 0 means a scalar, else an index is popped. */
typedef enum {
    I_PUSH,      /* value */
    I_LOCAL,     /* push slot */
    I_SET,       /* pop into slot `cell`, checked against its domain */
    I_UNARY,     /* op in value */
    I_BINARY,    /* op in value */
    I_TRUTH,     /* top becomes 0 or 1 */
    I_JUMP,      /* target */
    I_JUMP_ZERO, /* pop; target */
    I_ASSERT,    /* pop; 0 is a failure */
    I_BLOCK,     /* pop; 0 means this step is not possible now */
    I_ATOMIC_END,
    I_FIRST_VISIBLE,
    I_ATOMIC = I_FIRST_VISIBLE, /* begins a block that is one step */
    I_READ,                     /* pop index; push */
    I_WRITE,                    /* pop value, index */
    I_ANY,                      /* pop high, low; push */
    I_LOCK,
    I_UNLOCK,
    I_TRYLOCK, /* push 0 or 1 */
    I_WAIT,    /* [condition index] [mutex index] stay on the stack for I_WAKE */
    I_WAKE,    /* pop them; `cell` = condition, `cell2` = mutex */
    I_SIGNAL,  /* `cell` = condition number, not a cell */
    I_BROADCAST,
    I_CREATE, /* `cell` = ThreadGroup; pops arguments, then indices */
    I_JOIN,
    I_SKIP,
    I_CHOOSE, /* targets of the `size` next I_JUMPs */
    I_END,    /* the thread is done; neither visible nor skipped */
} InstrOp;

typedef struct Instr {
    InstrOp op;
    uint32_t cell, size, cell2, size2;
    uint32_t target;
    int64_t value;
    const Stmt *stmt;
} Instr;

typedef struct Slot {
    const char *name;
    int64_t low, high;
} Slot;

/* The instances of one thread declaration. */
typedef struct ThreadGroup {
    const Decl *decl;
    bool created; /* some statement creates it: its instances are idle at first */
    bool joined;
    uint32_t first, n, n_indices, n_parameters;
    int64_t *low, *high; /* of the indices */
} ThreadGroup;

typedef struct Thread {
    char *name; /* "producer[1]" */
    char *id;   /* "producer_1" */
    uint32_t group;
    VEC(Instr) code;
    VEC(Slot) slots; /* the parameters first */
    uint32_t max_stack;
    VEC(const char *) label; /* per instruction, or NULL: the label that stands before it */
    uint32_t idle, done;     /* cells */
    uint64_t *live;          /* per instruction a set of slots */
    uint32_t live_words;
} Thread;

/* A condition variable; its cells exist for the threads that may wait on it. */
typedef struct CodeCondition {
    char *name, *id;
    VecU32 thread, waiting, woken;
} CodeCondition;

typedef struct Code {
    const Ast *ast;
    VEC(Cell) cells;
    VEC(CodeCondition) conditions;
    VEC(ThreadGroup) groups;
    VEC(Thread) threads;
    VEC(int64_t) parameters; /* values of the program's parameters, in order of declaration */
} Code;

/* defines: NULL or a NULL-terminated list of NAME=VALUE that replaces parameters. The Ast must
 * outlive the code. */
Code *code_generate(const Ast *ast, char **defines, GError **error);
void code_free(Code *code);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Code, code_free)

/* The number of the first of the cell's values that is not less. */
size_t code_value_number(const Cell *cell, int64_t value);

static inline bool code_is_visible(InstrOp op)
{
    return op >= I_FIRST_VISIBLE && op != I_END;
}
