/* What a checked program tells (src/run/tell.h), read record by record. Addresses stay numbers; symbols.h names them.
 */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct NativeStep {
    char *thread, *operation, *other; /* other: who is created, joined or woken; "-": nobody */
    uint64_t object, pc;
    bool valued, write;
    int64_t value;   /* before */
    uint32_t number; /* of the thread */
    GArray *clock;   /* of uint32_t, by number of thread: how many of its steps lie in the past; or NULL */
} NativeStep;

/* What a variable has at the end. */
typedef struct NativeValue {
    uint64_t object;
    int64_t value;
} NativeValue;

/* The executions, those that begin alike sharing their beginning; node 0 is where all begin and has no step. */
typedef struct NativeTree {
    GPtrArray *step; /* of each node */
    GArray *parent;  /* of uint32_t */
    GPtrArray *kind; /* how the execution ended there: maximal deadlock failure blocked bound; "": it goes on */
    GArray *path;    /* of the execution that is being told */
    uint64_t n_leaves;
} NativeTree;

/* A call stack, innermost first, and what the thread does there: "at", "reads", "wrote", "waits". */
typedef struct NativeStack {
    char *role, *thread;
    uint64_t start; /* the thread's function; 0: main */
    GArray *pcs;    /* of uint64_t: return addresses */
    /* of a thread that waits */
    char *operation, *target, *holder;
    uint64_t object, held_since;
    bool spins;
} NativeStack;

typedef struct NativeBlock {
    uint64_t address, start, bytes, allocated, freed; /* where: return addresses, 0: not */
} NativeBlock;

typedef struct NativeFinding {
    char *kind, *text; /* assert abort signal deadlock race memory misuse */
    uint64_t object;   /* 0: none */
    GArray *blocks;    /* of NativeBlock */
    GArray *values;    /* of NativeValue */
    GPtrArray *stacks, *steps;
} NativeFinding;

typedef struct NativeCounts {
    uint64_t executions, traces, blocked, bounded, deadlocks, failures, races, steps, deepest, tree, threads, events;
} NativeCounts;

typedef struct NativeResult {
    bool started;  /* the runtime answered */
    bool finished; /* it told its counts at the end */
    bool complete; /* everything was explored */
    uint64_t base; /* where the program was loaded */
    char *reason;  /* why not complete: time memory executions depth stopped; NULL: it is */
    char *outside; /* a function: it must be run by fork */
    char *refused; /* a sentence: the program does what is not supported */
    long peak_kib; /* of the program's process */
    int died_of;   /* a signal; 0: none */
    NativeCounts counts;
    GPtrArray *findings, *steps; /* steps: of a replay */
    NativeTree tree;
    uint64_t diverged_at;
    NativeStep *then, *now; /* NULL: the program did not diverge */
} NativeResult;

NativeResult *native_result_new(void);
void native_result_free(NativeResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NativeResult, native_result_free)
/* One line, without its end. Lines that are not understood are left out. */
void native_result_read(NativeResult *result, const char *line);
