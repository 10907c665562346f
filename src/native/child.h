/* Runs a program that was linked with the runtime, in a process of its own, and reads what it tells. The program may
 * crash, loop or take all memory: the process is ended, this one is not. Addresses are the same in every run (the
 * system's randomisation is switched off for it). */
#pragma once
#include "base/budget.h"
#include "native/result.h"

/* How the next execution begins: memory is put back, or it is a process of its own; AUTO begins with the former and
 * takes the latter when the program does what memory does not hold. */
typedef enum { NATIVE_AUTO, NATIVE_SNAPSHOT, NATIVE_FORK } NativeRestart;

typedef struct NativeOptions {
    unsigned algorithm; /* 0 odpor, 1 sdpor, 2 sleep, 3 upor: as src/run/run.h has them */
    uint32_t partial;   /* upor: k of k-partial alternatives; 0: optimal */
    NativeRestart restart;
    bool visible_memory, stop_at_failure, show_output;
    uint32_t depth;
    uint64_t max_executions;
    double seconds;      /* 0: no limit */
    uint64_t memory;     /* bytes; 0: no limit */
    bool debugged;       /* by gdb */
    uint32_t tree;       /* so many steps of the tree of executions are told */
    const char *witness; /* replays this file; NULL: explores */
} NativeOptions;

/* The environment variable that the runtime reads. */
char *native_child_settings(const NativeOptions *options);
/* argv is NULL-terminated and begins with the program. NULL, with an error, when it could not be started or has no
 * runtime. */
NativeResult *native_child_run(char **argv, const NativeOptions *options, Budget *budget, GError **error);
