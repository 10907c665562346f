/* What the runtime tells the process that started it: one record per line, fields separated by tabs, on the descriptor
 * that it was given. src/native/result.c reads them. Without a descriptor (the program was started by hand) findings
 * go to standard error as they are. */
#pragma once
#include "run/run.h"

/* Reads the settings from the environment; before anything else. */
void tell_prepare(void);

/* The settings ask for a process per execution. */
bool tell_wants_fork(void);

/* The file that records go to, which is not the program's to close. */
bool tell_is_channel(int file);

/* A record as it is, then the end of the process. */
void tell_and_end(const char *record) __attribute__((noreturn));
/* The program does what is not supported. */
void tell_unsupported(const char *sentence) __attribute__((noreturn));

/* The program calls a function that leaves something behind: it must be run by fork. */
void tell_restart(const char *function) __attribute__((noreturn));
/* The witness that is repeated does not fit the program. */
void tell_witness_ends(void) __attribute__((noreturn));
/* The current thread has not come to a visible operation for long: it computes, or waits in the system. */
void tell_stuck(bool loops) __attribute__((noreturn));

/* A place for the debugger. */
void mazurka_stop(void);

/* Findings. Those that the program cannot go on after end the thread. */
void tell_failure(const char *kind, const char *text, uintptr_t pc);
void tell_assertion(const char *expression, const char *file, unsigned line, const char *function, uintptr_t pc);
void tell_misuse(const char *text, uintptr_t object, uintptr_t pc);
void tell_memory_error(const char *what, uintptr_t address, uintptr_t pc);
void tell_race(uintptr_t address, unsigned size, bool write, uintptr_t pc, uint16_t other, bool other_write,
               uintptr_t other_pc, uint32_t other_call);
void tell_deadlock(void);
/* The program ended and somebody holds a lock: a note, no failure. */
void tell_held(void);
void tell_divergence(const Event *event, const Thread *thread, OpKind kind, uintptr_t object, uintptr_t pc,
                     uint64_t value);

void tell_step(const Thread *thread, const Event *event);
/* An execution ended: what it did since it left the one before, as long as the settings ask for it. */
void tell_execution(void);
/* The program ended with this code. */
void tell_exit(int code);
/* Output is shown for the first execution only. */
void tell_first_output_ends(void);
/* Is a limit reached? Tells progress now and then. */
bool tell_limit(void);
void tell_counts(bool complete);
