/* How a function that the program calls becomes a visible operation. Before main() and inside the runtime nothing is
 * observed: run.active is false. */
#pragma once
#include "run/run.h"
#include "run/scheduler.h"

#include <time.h>

#define HERE ((uintptr_t)__builtin_return_address(0))
#define PUBLIC __attribute__((visibility("default")))

/* The callee-saved registers and the return address of a program's call, as the entry stubs save them. */
typedef struct Registers {
    uintptr_t saved[6], pc;
} Registers;

/* The current thread does an operation on an object; its result. */
int run_api_step(OpKind kind, const void *object, uintptr_t pc);
/* The same, with everything set by the caller in run.current->pending but kind, object and pc. */
int run_api_step_prepared(OpKind kind, const void *object, uintptr_t pc);
/* A wait with a timeout until `until`, everything else prepared: a thread that comes back to it in the same state but
 * for the time, having changed nothing and taken no other lock since it timed out, polls. It is not run until it is
 * signalled, somebody else takes the mutex, or an atomic that it read changes. */
int run_api_timed_wait(const void *mutex, const struct timespec *until, uintptr_t pc, const Registers *registers);
/* The current thread changed something that its registers and its stack do not show: it does not spin. */
void run_api_changed(void);
/* Plain accesses to any number of bytes. */
void tsan_range(const void *start, size_t bytes, bool write, uintptr_t pc);
/* An operation that reads: a thread that comes back to it in the same state, having changed nothing, spins, and is not
 * run until something that it read has changed. If it looked at its clock it may be about to give up: then its time
 * goes on, faster each time, for some hours. */
void run_api_read(OpKind kind, uintptr_t address, unsigned size, uintptr_t pc, const Registers *registers);
