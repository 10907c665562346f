/* A process of our own that runs Z3, so that a call of that library which cannot be interrupted ends when it must: the
 * process is told to stop, and killed when it does not hear. It is this program once more, started with an argument
 * that smt_serve.c looks for before main(), so threads, open files and the size of this process do not matter to it.
 * Where this code is in a shared library the program is somebody else's, and must not be started again: then it is the
 * small program mazurka-solver (smt_main.c), which is installed beside the library.
 *
 * Its memory counts as ours (budget_elsewhere()). It ends with us, however we end: it sees its end of the line closed.
 *
 * Both sides speak in messages: the number of words that follow, then these. A question is a limit (of Z3's resources;
 * 0: none; -1: none, and they are not counted) and a list of operations, each an SmtOperation and its arguments; the
 * last one is SMT_SOLVE or SMT_VALUES, and only these are answered. Terms are numbered on both sides in the order of
 * the operations that make one. */
#pragma once
#include "base/budget.h"
#include "base/vec.h"

typedef VEC(int64_t) SmtWords;

typedef enum {
    SMT_BEGIN,    /* integers; the first operation */
    SMT_VARIABLE, /* may be negative -> term */
    SMT_SUM,      /* n, constant, n times term and coefficient -> term */
    SMT_AT_MOST,  /* sum, bound -> term */
    SMT_AT_LEAST, /* sum, bound -> term */
    SMT_AND,      /* n, terms -> term */
    SMT_OR,       /* n, terms -> term */
    SMT_GUARD,    /* term -> term */
    SMT_PUSH,
    SMT_POP,
    SMT_ASSERT, /* term */
    SMT_SOLVE,  /* n, propositions; answered by: SatAnswer, resources used so far (0 when they are not counted),
                 * positions  of those that failed */
    SMT_VALUES, /* n, terms; answered by: numerator and denominator of each; denominator 0: does not fit */
} SmtOperation;

/* The one argument of the process, and its files: the line, and one on which a byte means "stop what you do". */
extern const char smt_process_mode[];
enum { SMT_LINE = 0, SMT_CONTROL = 1 };

/* Is this code part of the program itself, not of a library that it loaded? */
bool smt_process_is_own(void);
/* Is the process; never returns. */
G_NORETURN void smt_serve(void);

typedef struct SmtProcess SmtProcess;

/* NULL when the system has no process to give. */
SmtProcess *smt_process_new(void);
/* Ends it, whatever it does. */
void smt_process_free(SmtProcess *process);

/* Sends the question and waits for the answer. False: the budget is spent or the process is gone, and no question can
 * be asked any more. When the budget is spent while it computes it is asked to stop, and has a moment to answer. */
bool smt_process_ask(SmtProcess *process, int64_t limit, const SmtWords *question, Budget *budget, SmtWords *answer);
