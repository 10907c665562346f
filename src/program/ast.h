/* The syntax tree of a concurrent program (mazurka-program(5)). All nodes and names live in the Ast's
 * arena and die with it; lists are linked by `next`. Nothing here is checked beyond the grammar:
 * names, domains and constants are the business of code.h. Its depth is bounded by AST_MAX_DEPTH. */
#pragma once
#include "base/arena.h"
#include "base/budget.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { AST_MAX_DEPTH = 200 };

typedef struct Position {
    int line, column;
} Position;

typedef enum {
    EXPR_NUMBER,      /* value */
    EXPR_NAME,        /* name */
    EXPR_INDEX,       /* name[a] */
    EXPR_UNARY,       /* op a */
    EXPR_BINARY,      /* a op b, both evaluated */
    EXPR_AND,         /* a && b, from left to right */
    EXPR_OR,          /* a || b */
    EXPR_CONDITIONAL, /* a ? b : c */
    EXPR_ANY,         /* any(a..b) */
    EXPR_TRYLOCK,     /* trylock(a) */
} ExprKind;

typedef enum {
    OP_NEGATE,
    OP_NOT,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_REMAINDER,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_UNEQUAL,
} AstOperator;

typedef struct Expr Expr;
struct Expr {
    ExprKind kind;
    Position at;
    AstOperator op;
    int64_t value;
    const char *name;
    Expr *a, *b, *c;
    Expr *next; /* in argument and initialiser lists */
};

/* low..high, both NULL for `int`. */
typedef struct Domain {
    Expr *low, *high;
} Domain;

typedef enum {
    STMT_BLOCK,     /* body */
    STMT_VAR,       /* var name : domain = value, of a thread */
    STMT_ASSIGN,    /* target = value */
    STMT_IF,        /* value, body, other */
    STMT_WHILE,     /* value, body */
    STMT_FOR,       /* name in domain, body */
    STMT_AWAIT,     /* value */
    STMT_ASSERT,    /* value */
    STMT_LOCK,      /* target */
    STMT_UNLOCK,    /* target */
    STMT_WAIT,      /* target = condition variable, value = mutex */
    STMT_SIGNAL,    /* target */
    STMT_BROADCAST, /* target */
    STMT_CREATE,    /* name, index list, argument list */
    STMT_JOIN,      /* name, index list */
    STMT_ATOMIC,    /* body */
    STMT_CHOOSE,    /* body: a list of blocks */
    STMT_SKIP,
    STMT_EXIT,
    STMT_RETURN,
    STMT_BREAK,
    STMT_CONTINUE,
    STMT_GOTO,  /* name */
    STMT_LABEL, /* name */
} StmtKind;

typedef struct Stmt Stmt;
struct Stmt {
    StmtKind kind;
    Position at;
    const char *text; /* the source on one line, without bodies of blocks */
    const char *name;
    Domain domain;
    Expr *target, *value;
    Expr *index, *arguments;
    Stmt *body, *other;
    Stmt *next;
};

typedef enum { DECL_PARAM, DECL_CONST, DECL_VAR, DECL_MUTEX, DECL_COND, DECL_THREAD } DeclKind;

/* A name with a domain: a thread's parameter or its replication `for name in domain`. */
typedef struct Binder Binder;
struct Binder {
    const char *name;
    Position at;
    Domain domain;
    Binder *next;
};

typedef struct Decl Decl;
struct Decl {
    DeclKind kind;
    Position at;
    const char *name;
    bool atomic;   /* var: accesses are never part of a race */
    Expr *size;    /* arrays */
    Domain domain; /* var */
    Expr *value;   /* param, const; var: initial value, or a list of them when is_list */
    bool is_list;
    Binder *parameters, *replication; /* thread */
    Stmt *body;
    Decl *next;
};

typedef struct Ast {
    Arena arena;
    char *file;
    Decl *decls;
    Budget *budget; /* in which the program is read and compiled; NULL: no limits */
} Ast;

/* Notes work on the program (units of budget.h). True, with an error of code ERROR_SPENT, once its budget is spent. */
bool ast_spent(const Ast *ast, uint32_t units, GError **error);

void ast_free(Ast *ast);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Ast, ast_free)

/* Integer arithmetic of the language; false on overflow or division by zero. The quotient is rounded
 * towards minus infinity and the remainder has the divisor's sign, so x % n is in 0..n-1 for n > 0. */
bool ast_apply(AstOperator op, int64_t a, int64_t b, int64_t *result);
