#include "run/api.h"

#include "run/heap.h"
#include "run/objects.h"
#include "run/shadow.h"
#include "run/tell.h"

#include <errno.h>

int run_api_step_prepared(OpKind kind, const void *object, uintptr_t pc)
{
    Pending *p = &run.current->pending;
    if (heap_has((uintptr_t)object) && heap_state((uintptr_t)object) != HEAP_LIVE)
        tell_memory_error("access", (uintptr_t)object, pc);
    p->kind = (uint8_t)kind;
    p->object[0] = (uintptr_t)object;
    p->pc = pc;
    run.current->n_watched = 0;
    run.current->pace = 0;
    bool of_wait = kind == OP_WAIT || (uintptr_t)object == run.current->quiet_mutex;
    if (!of_wait || (kind != OP_LOCK && kind != OP_UNLOCK && kind != OP_WAIT)) run.current->quiet = false;
    return scheduler_step();
}

int run_api_step(OpKind kind, const void *object, uintptr_t pc)
{
    run.current->pending.timed = false;
    return run_api_step_prepared(kind, object, pc);
}

void run_api_changed(void)
{
    Thread *thread = run.current;
    if (!run.active) return;
    thread->n_watched = 0;
    thread->pace = 0;
    thread->quiet = false;
}

/* ---- spinning ---- */

static uint64_t state_of(const Thread *thread, const Registers *registers)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const uint64_t *end = (const uint64_t *)(thread->stack + STACK_BYTES);
    for (const uint64_t *word = (const uint64_t *)registers; word < end; word++) {
        hash = (hash ^ *word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* The reads since the last time that the thread was in this state are what it waits for. */
static bool begins_again(Thread *thread, uintptr_t pc, uintptr_t address, uint64_t state)
{
    for (unsigned i = 0; i < thread->n_watched; i++) {
        const Watched *w = &thread->watched[i];
        if (w->pc != pc || w->address != address || w->state != state) continue;
        for (unsigned k = i; k < thread->n_watched; k++) thread->watched[k - i] = thread->watched[k];
        thread->n_watched -= i;
        return true;
    }
    return false;
}

/* A deadline comes nearer instead, when there may be one. */
static bool time_passes(Thread *thread)
{
    enum { FIRST = 1000, FASTER = 16 };
    static const uint64_t most = UINT64_C(100000) * BILLION;
    uint64_t pace = thread->pace ? FASTER * thread->pace : FIRST;
    if (!thread->looked || pace > most) return false;
    thread->pace = pace;
    thread->clock += pace;
    thread->n_watched = 0;
    return true;
}

/* ---- polling ---- */

/* As state_of(), but times count from now. */
static uint64_t state_but_time(const Thread *thread, const Registers *registers)
{
    enum { SPAN = 1 << 20 };
    uint64_t hash = UINT64_C(0xcbf29ce484222325), second = thread->clock / BILLION;
    const uint64_t *end = (const uint64_t *)(thread->stack + STACK_BYTES);
    for (const uint64_t *word = (const uint64_t *)registers; word < end; word++) {
        hash = (hash ^ (*word - FIRST_SECOND < SPAN ? *word - second : *word)) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

int run_api_timed_wait(const void *mutex, const struct timespec *until, uintptr_t pc, const Registers *registers)
{
    Thread *thread = run.current;
    uint64_t state = registers ? state_but_time(thread, registers) : 0;
    uint64_t end = until ? (uint64_t)until->tv_sec + (until->tv_nsec > 0) : 0;
    thread->pending.timed = true;
    thread->pending.stutters = registers && thread->quiet && thread->quiet_state == state;
    int result = run_api_step_prepared(OP_WAIT, mutex, pc);
    thread->quiet = registers && result == ETIMEDOUT;
    thread->quiet_state = state;
    thread->quiet_mutex = (uintptr_t)mutex;
    thread->n_seen = 0;
    if (result == ETIMEDOUT && thread->clock / BILLION < end && end - FIRST_SECOND < UINT32_MAX)
        thread->clock = end * BILLION;
    return result;
}

/* Of many reads the last ones: a loop may have gone round in another way before. */
static void watch(Thread *thread, const Watched *read)
{
    if (thread->n_watched == MAX_WATCHED) {
        thread->n_watched--;
        for (unsigned i = 0; i < thread->n_watched; i++) thread->watched[i] = thread->watched[i + 1];
    }
    thread->watched[thread->n_watched++] = *read;
}

static void remember(Thread *thread, const Watched *read)
{
    if (thread->n_seen < MAX_WATCHED)
        thread->seen[thread->n_seen++] = *read;
    else
        thread->quiet = false;
}

void run_api_read(OpKind kind, uintptr_t address, unsigned size, uintptr_t pc, const Registers *registers)
{
    Thread *thread = run.current;
    Pending *p = &thread->pending;
    uint64_t state = registers ? state_of(thread, registers) : 0;
    p->kind = (uint8_t)kind;
    p->object[0] = address;
    p->size = (uint8_t)size;
    p->pc = pc;
    thread->spinning = registers && begins_again(thread, pc, address, state) && !time_passes(thread);
    bool spun = thread->spinning;
    scheduler_step();
    if (spun) thread->n_watched = 0;
    uint64_t value = kind == OP_READ ? objects_value(address, size) : p->old;
    if (!thread->n_watched) thread->looked = false;
    if (thread->quiet) remember(thread, &(Watched){pc, address, value, state, (uint8_t)size});
    if (objects_value(address, size) != value)
        run_api_changed();
    else if (registers)
        watch(thread, &(Watched){pc, address, value, state, (uint8_t)size});
}
