/* A step of a thread under way: its frame, what it has asked of cells and done to them so far, and the list of
 * forks still to be followed. Used by machine.c and effect.c only. */
#pragma once
#include "program/machine.h"

/* The words of a frame: their number, the program counter, the stack's depth, the stack, the slots, the held mutexes.
 */
enum { FRAME_PC = 1, FRAME_DEPTH = 2, FRAME_STACK = 3 };

typedef struct Run {
    Step step;
    int64_t *frame;
    uint32_t atomic_depth;
    bool stepped; /* the visible part is done: it ends before the next visible instruction */
    uint32_t instructions;
} Run;

/* After an instruction: go on; the step is complete; it is not possible; copies of it went to the work list. */
typedef enum { RUN_ON, RUN_DONE, RUN_BLOCKED, RUN_FORKED } RunState;

/* The steps of one thread from one state. */
typedef struct ThreadRun {
    Machine *machine;
    uint32_t t;
    const Thread *thread;
    VEC(Run) work;
    GError **error;
    bool failed; /* error is set */
} ThreadRun;

void program_run_free(Run *run);
Run program_run_copy(const Run *run);
/* A copy is about to go to the work list. True, and the runner has failed, when the program's budget is spent. */
bool program_run_spent(ThreadRun *r);

int64_t *program_run_slot(const Thread *thread, int64_t *frame, uint32_t slot);
uint64_t *program_run_held(const Thread *thread, int64_t *frame);
void program_run_push(Run *run, int64_t value);
int64_t program_run_pop(Run *run);
/* The n-th value from the top. */
int64_t program_run_peek(const Run *run, uint32_t n);
/* The cell or condition of an operand whose index is n-th from the top; UINT32_MAX when there is none. */
uint32_t program_run_element(const Run *run, uint32_t first, uint32_t size, uint32_t n);
bool program_run_holds(const ThreadRun *r, const Run *run, uint32_t mutex);
void program_run_hold(const ThreadRun *r, Run *run, uint32_t mutex, bool now);

/* What the step did to the cell so far, or NULL. Good until the next touch. */
Touch *program_run_touched(const Run *run, uint32_t cell);
void program_run_touch(Run *run, uint32_t cell, int64_t value);
/* Writes a cell that was touched. */
void program_run_put(Run *run, uint32_t cell, int64_t value);
/* True when the cell can have the value now; the step then asks for it. */
bool program_run_demand(ThreadRun *r, Run *run, uint32_t cell, int64_t value);
/* The same for a value that the thread's own state implies: no place is needed for it. */
void program_run_imply(Run *run, uint32_t cell, int64_t value);
/* One copy of the run for each value that an untouched cell may have; the instruction starts again. */
RunState program_run_fork_values(ThreadRun *r, Run *run, uint32_t cell);

/* The step ends with a fault. */
RunState program_run_fault(Run *run, Fault kind, const Stmt *stmt);
/* Adds to the step's detail. */
void program_run_say(Run *run, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Which of several, unless the statement's own text says so. */
void program_run_say_which(Run *run, const Instr *instr, const char *name);
