/* pthread_rwlock_*, pthread_barrier_*, sem_*. */
#include "run/api.h"
#include "run/objects.h"
#include "run/tell.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

/* ---- readers and writers ---- */

PUBLIC int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    memset(lock, 0, sizeof *lock);
    return 0;
}

PUBLIC int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    const ReadWrite *state = (const ReadWrite *)lock;
    if (run.active && (state->readers || state->writer))
        tell_misuse("destruction of a lock that is held", (uintptr_t)lock, HERE);
    return 0;
}

static int take(pthread_rwlock_t *lock, OpKind kind, bool timed, uintptr_t pc)
{
    if (!run.active) return 0;
    if (((ReadWrite *)lock)->writer == OWNER(run.current) && (kind == OP_READ_LOCK || kind == OP_WRITE_LOCK))
        return EDEADLK;
    run.current->pending.timed = timed;
    run.current->pending.object[1] = (uintptr_t)lock + 1;
    return run_api_step_prepared(kind, lock, pc);
}

PUBLIC int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    return take(lock, OP_READ_LOCK, false, HERE);
}

PUBLIC int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    return take(lock, OP_WRITE_LOCK, false, HERE);
}

PUBLIC int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    return take(lock, OP_TRY_READ, false, HERE);
}

PUBLIC int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return take(lock, OP_TRY_WRITE, false, HERE);
}

PUBLIC int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
    (void)until;
    return take(lock, OP_TRY_READ, true, HERE);
}

PUBLIC int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
    (void)until;
    return take(lock, OP_TRY_WRITE, true, HERE);
}

PUBLIC int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                      const struct timespec *restrict until)
{
    (void)clock;
    (void)until;
    return take(lock, OP_TRY_READ, true, HERE);
}

PUBLIC int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                      const struct timespec *restrict until)
{
    (void)clock;
    (void)until;
    return take(lock, OP_TRY_WRITE, true, HERE);
}

PUBLIC int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    const ReadWrite *state = (const ReadWrite *)lock;
    if (!run.active) return 0;
    if (state->writer == OWNER(run.current)) return run_api_step(OP_WRITE_UNLOCK, lock, HERE);
    if (!state->readers) tell_misuse("unlock of a lock that the thread does not hold", (uintptr_t)lock, HERE);
    run.current->pending.object[1] = (uintptr_t)lock + 1;
    return run_api_step(OP_READ_UNLOCK, lock, HERE);
}

/* ---- barriers ---- */

PUBLIC int pthread_barrier_init(pthread_barrier_t *restrict barrier, const pthread_barrierattr_t *restrict attributes,
                                unsigned count)
{
    (void)attributes;
    if (!count) return EINVAL;
    memset(barrier, 0, sizeof *barrier);
    ((Barrier *)barrier)->count = count;
    return 0;
}

PUBLIC int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    if (run.active && ((Barrier *)barrier)->arrived)
        tell_misuse("destruction of a barrier that threads wait at", (uintptr_t)barrier, HERE);
    return 0;
}

PUBLIC int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    return run.active ? run_api_step(OP_ARRIVE, barrier, HERE) : 0;
}

/* ---- semaphores ---- */

static int fail_with(int error)
{
    if (!error) return 0;
    errno = error;
    return -1;
}

PUBLIC int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    (void)shared;
    memset(semaphore, 0, sizeof *semaphore);
    *(uint32_t *)semaphore = value;
    return 0;
}

PUBLIC int sem_destroy(sem_t *semaphore)
{
    (void)semaphore;
    return 0;
}

/* Before main() begins there is one thread. */
static int take_alone(sem_t *semaphore)
{
    uint32_t *value = (uint32_t *)semaphore;
    if (!*value) return fail_with(EAGAIN);
    --*value;
    return 0;
}

PUBLIC int sem_wait(sem_t *semaphore)
{
    return run.active ? fail_with(run_api_step(OP_SEM_WAIT, semaphore, HERE)) : take_alone(semaphore);
}

PUBLIC int sem_trywait(sem_t *semaphore)
{
    return run.active ? fail_with(run_api_step(OP_SEM_TRY, semaphore, HERE)) : take_alone(semaphore);
}

static int take_in_time(sem_t *semaphore, uintptr_t pc)
{
    if (!run.active) return take_alone(semaphore);
    run.current->pending.timed = true;
    return fail_with(run_api_step_prepared(OP_SEM_TRY, semaphore, pc));
}

PUBLIC int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
    (void)until;
    return take_in_time(semaphore, HERE);
}

PUBLIC int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until)
{
    (void)clock;
    (void)until;
    return take_in_time(semaphore, HERE);
}

PUBLIC int sem_post(sem_t *semaphore)
{
    if (run.active) return fail_with(run_api_step(OP_SEM_POST, semaphore, HERE));
    ++*(uint32_t *)semaphore;
    return 0;
}

PUBLIC int sem_getvalue(sem_t *restrict semaphore, int *restrict value)
{
    if (run.active) run_api_step(OP_SEM_VALUE, semaphore, HERE);
    *value = (int)(run.active ? run.current->pending.old : *(uint32_t *)semaphore);
    return 0;
}
