/* Who runs next. A thread at a visible operation fills run.current->pending and calls scheduler_step(): when that
 * returns, the operation has happened. Operations that commute with everything (SILENT) do not pass through here;
 * threads between two visible operations are run one after the other, which no other thread can notice in a program
 * without data races. */
#pragma once
#include "run/run.h"

/* Does run.current's pending operation when its turn comes; its result is returned. */
int scheduler_step(void);
/* The current thread waits passively (state THREAD_PASSIVE) or ended. Returns when it is let go. */
void scheduler_leave(void);
/* The current thread may wait for something that is not visible: others go on first. */
void scheduler_give_way(void);
/* A new thread runs to its first visible operation, then the current one goes on. */
void scheduler_run_first(Thread *thread);
/* A passive thread may go on. */
void scheduler_release(Thread *thread);
/* Records a silent event of a thread; joined is the event it waits for or EVENT_NONE. */
void scheduler_silent(Thread *thread, OpKind kind, uintptr_t object, uint32_t joined);
/* Ends the execution here and now; does not return when called by the program. */
void scheduler_end(EndKind end) __attribute__((noreturn));
/* Could the thread's pending operation happen now? */
bool scheduler_enabled(const Thread *thread);
