/* The program's threads: their stacks, thread-local variables, beginning and end. A thread's number is decided by who
 * created it and as which child, so it is the same in every execution, whatever the order in which threads are created.
 */
#pragma once
#include "run/run.h"

/* Once, before the first execution. */
void threads_prepare(int (*program)(int, char **, char **), int argc, char **argv, char **environment);
/* The main thread stands at its beginning; nobody else is there. */
void threads_begin(void);
/* A new thread that has not run yet. */
Thread *threads_new(uintptr_t pc);
/* The current thread ends; does not return. */
void threads_end(void) __attribute__((noreturn));
/* exit() and the end of main(): what atexit() was given is called, and the program ends when nobody can go on. Does not
 * return. */
void threads_exit(int code, bool handlers) __attribute__((noreturn));
/* Something went wrong in the current thread, and was told. */
void threads_fail(void) __attribute__((noreturn));
/* Stacks and copies of thread-local variables of another process are none of this one. */
void threads_forget(void);
/* Thread-local variables at a switch. */
void threads_leave(Thread *thread);
void threads_enter(Thread *thread);
/* "main", "main.2", "main.2.1": the second thread that main created, and its first. */
void threads_name(const Thread *thread, char *text, unsigned size);
