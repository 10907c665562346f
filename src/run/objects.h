/* What visible operations do. The state of a mutex, a lock, a semaphore is kept in the program's own object, so that it
 * is put back with the program's memory; who waits for a condition is known by the threads. */
#pragma once
#include "run/run.h"

/* Threads are named in objects by their number plus one: 0 is nobody. */
#define OWNER(thread) ((int)(thread)->number + 1)

/* Barriers, reader-writer locks and semaphores as the runtime sees their memory. */
typedef struct Barrier {
    uint32_t count, arrived;
} Barrier;

typedef struct ReadWrite {
    uint32_t readers;
    int32_t writer;
} ReadWrite;

/* Can the pending operation of the thread happen now? */
bool objects_enabled(const Thread *thread);
/* Does it. event gets the write bits, the values and the choice; false: the thread does not go on yet. */
bool objects_perform(Thread *thread, Event *event);
/* The cells of a writer that tries: with readers there it fails because of them, with a writer because of him. */
void objects_try_write(Op *op, uint32_t readers, int32_t writer);
/* The value at an address of 1, 2, 4 or 8 bytes. */
uint64_t objects_value(uintptr_t address, unsigned size);
