/* pthread_mutex_*, pthread_cond_*, pthread_spin_*, pthread_once, and their C11 names. */
#include "run/api.h"
#include "run/objects.h"
#include "run/stub.h"
#include "run/tell.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>

enum { KIND_BITS = 3 };

/* ---- mutexes ---- */

PUBLIC int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    int kind = PTHREAD_MUTEX_NORMAL;
    int robust = PTHREAD_MUTEX_STALLED;
    if (attributes) pthread_mutexattr_gettype(attributes, &kind);
    if (attributes) pthread_mutexattr_getrobust(attributes, &robust);
    if (robust != PTHREAD_MUTEX_STALLED)
        tell_unsupported("pthread_mutex_init() of a robust mutex: only stalled ones are supported");
    memset(mutex, 0, sizeof *mutex);
    mutex->__data.__kind = kind;
    return 0;
}

static int acquire(pthread_mutex_t *mutex, OpKind kind, bool timed, uintptr_t pc)
{
    if (!run.active) return 0;
    bool own = mutex->__data.__owner == OWNER(run.current);
    switch (own ? mutex->__data.__kind & KIND_BITS : PTHREAD_MUTEX_NORMAL) {
    case PTHREAD_MUTEX_RECURSIVE: mutex->__data.__count++; return 0;
    case PTHREAD_MUTEX_ERRORCHECK: return kind == OP_LOCK ? EDEADLK : timed ? ETIMEDOUT : EBUSY;
    default: break;
    }
    run.current->pending.timed = timed;
    return run_api_step_prepared(kind, mutex, pc);
}

static int release(pthread_mutex_t *mutex, uintptr_t pc)
{
    if (!run.active) return 0;
    int kind = mutex->__data.__kind & KIND_BITS;
    if (mutex->__data.__owner != OWNER(run.current)) {
        if (kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK) return EPERM;
        tell_misuse("unlock of a mutex that the thread does not hold", (uintptr_t)mutex, pc);
    }
    if (kind == PTHREAD_MUTEX_RECURSIVE && --mutex->__data.__count > 0) return 0;
    return run_api_step(OP_UNLOCK, mutex, pc);
}

static int destroy(pthread_mutex_t *mutex, uintptr_t pc)
{
    if (run.active && mutex->__data.__owner) tell_misuse("destruction of a mutex that is locked", (uintptr_t)mutex, pc);
    return 0;
}

PUBLIC int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    return acquire(mutex, OP_LOCK, false, HERE);
}

PUBLIC int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return acquire(mutex, OP_TRYLOCK, false, HERE);
}

PUBLIC int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    (void)until;
    return acquire(mutex, OP_TRYLOCK, true, HERE);
}

PUBLIC int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
    (void)clock;
    (void)until;
    return acquire(mutex, OP_TRYLOCK, true, HERE);
}

PUBLIC int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    return release(mutex, HERE);
}

PUBLIC int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    return destroy(mutex, HERE);
}

/* ---- spin locks: mutexes that are not worth sleeping for ---- */

/* They are an int: the owner stands where a mutex has it only by luck, so they are kept as semaphores of value 1,
 * inverted. */
PUBLIC int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    (void)shared;
    *lock = 1;
    return 0;
}

PUBLIC int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    (void)lock;
    return 0;
}

PUBLIC int pthread_spin_lock(pthread_spinlock_t *lock)
{
    return run.active ? run_api_step(OP_SEM_WAIT, (const void *)lock, HERE) : 0;
}

PUBLIC int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    return run.active && run_api_step(OP_SEM_TRY, (const void *)lock, HERE) ? EBUSY : 0;
}

PUBLIC int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    if (run.active && *lock == 1) tell_misuse("unlock of a spin lock that is not locked", (uintptr_t)lock, HERE);
    return run.active ? run_api_step(OP_SEM_POST, (const void *)lock, HERE) : 0;
}

/* ---- conditions ---- */

PUBLIC int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    (void)attributes;
    memset(condition, 0, sizeof *condition);
    return 0;
}

PUBLIC int pthread_cond_destroy(pthread_cond_t *condition)
{
    for (uint16_t i = 0; run.active && i < run.n_slots; i++)
        if (run.thread[i].state == THREAD_PARKED && run.thread[i].waits_for == (uintptr_t)condition)
            tell_misuse("destruction of a condition that a thread waits for", (uintptr_t)condition, HERE);
    return 0;
}

static void prepare_wait(const void *condition, pthread_mutex_t *mutex, uintptr_t pc)
{
    if (mutex->__data.__owner != OWNER(run.current))
        tell_misuse("wait with a mutex that the thread does not hold", (uintptr_t)mutex, pc);
    run.current->pending.object[1] = (uintptr_t)condition;
}

static int wait_for(const void *condition, pthread_mutex_t *mutex, uintptr_t pc)
{
    if (!run.active) return 0;
    prepare_wait(condition, mutex, pc);
    run.current->pending.timed = false;
    return run_api_step_prepared(OP_WAIT, mutex, pc);
}

static int timed_wait_for(const void *condition, void *mutex, const struct timespec *until, uintptr_t pc,
                          const Registers *registers)
{
    if (!run.active) return ETIMEDOUT;
    prepare_wait(condition, mutex, pc);
    return run_api_timed_wait(mutex, until, pc, registers);
}

PUBLIC int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return wait_for(condition, mutex, HERE);
}

BODY(int, pthread_cond_timedwait, timed_wait)
{
    (void)c, (void)d;
    return timed_wait_for((const void *)address, (void *)a, (const struct timespec *)b, PC, registers);
}

BODY(int, pthread_cond_clockwait, clock_wait)
{
    (void)b, (void)d;
    return timed_wait_for((const void *)address, (void *)a, (const struct timespec *)c, PC, registers);
}

PUBLIC int pthread_cond_signal(pthread_cond_t *condition)
{
    return run.active ? run_api_step(OP_SIGNAL, condition, HERE) : 0;
}

PUBLIC int pthread_cond_broadcast(pthread_cond_t *condition)
{
    return run.active ? run_api_step(OP_BROADCAST, condition, HERE) : 0;
}

/* ---- once ---- */

static void once(int *control, void (*function)(void), uintptr_t pc)
{
    if (!run.active) {
        if (!*control) function();
        *control = 2;
    } else if (run_api_step(OP_ONCE, control, pc)) {
        function();
        run_api_step(OP_ONCE_DONE, control, pc);
    }
}

PUBLIC int pthread_once(pthread_once_t *control, void (*function)(void))
{
    once(control, function, HERE);
    return 0;
}

/* ---- the same of C11 ---- */

static int c11(int result)
{
    return result == 0 ? thrd_success : result == EBUSY ? thrd_busy : result == ETIMEDOUT ? thrd_timedout : thrd_error;
}

PUBLIC void call_once(once_flag *flag, void (*function)(void))
{
    once((int *)flag, function, HERE);
}

PUBLIC int mtx_init(mtx_t *mutex, int type)
{
    memset(mutex, 0, sizeof *mutex);
    if (type & mtx_recursive) ((pthread_mutex_t *)mutex)->__data.__kind = PTHREAD_MUTEX_RECURSIVE;
    return thrd_success;
}

PUBLIC int mtx_lock(mtx_t *mutex)
{
    return c11(acquire((pthread_mutex_t *)mutex, OP_LOCK, false, HERE));
}

PUBLIC int mtx_trylock(mtx_t *mutex)
{
    return c11(acquire((pthread_mutex_t *)mutex, OP_TRYLOCK, false, HERE));
}

PUBLIC int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
    (void)until;
    return c11(acquire((pthread_mutex_t *)mutex, OP_TRYLOCK, true, HERE));
}

PUBLIC int mtx_unlock(mtx_t *mutex)
{
    return c11(release((pthread_mutex_t *)mutex, HERE));
}

PUBLIC void mtx_destroy(mtx_t *mutex)
{
    destroy((pthread_mutex_t *)mutex, HERE);
}

PUBLIC int cnd_init(cnd_t *condition)
{
    memset(condition, 0, sizeof *condition);
    return thrd_success;
}

PUBLIC void cnd_destroy(cnd_t *condition)
{
    (void)condition;
}

PUBLIC int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    return c11(wait_for(condition, (pthread_mutex_t *)mutex, HERE));
}

BODY(int, cnd_timedwait, timed_wait_c11)
{
    (void)c, (void)d;
    return c11(timed_wait_for((const void *)address, (void *)a, (const struct timespec *)b, PC, registers));
}

PUBLIC int cnd_signal(cnd_t *condition)
{
    return run.active ? run_api_step(OP_SIGNAL, condition, HERE) : thrd_success;
}

PUBLIC int cnd_broadcast(cnd_t *condition)
{
    return run.active ? run_api_step(OP_BROADCAST, condition, HERE) : thrd_success;
}
