/* pthread_create and what concerns threads as such, thread-specific data, and their C11 names. */
#include "run/api.h"
#include "run/tell.h"
#include "run/threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* pthread_t is the number plus one. */
static Thread *thread_of(unsigned long handle)
{
    if (!handle || handle > run.n_slots) return NULL;
    Thread *thread = &run.thread[handle - 1];
    return thread->state == THREAD_UNUSED ? NULL : thread;
}

static int create(unsigned long *handle, void *(*start)(void *), int (*start_c11)(void *), void *argument,
                  bool detached, uintptr_t pc)
{
    if (!run.active) tell_unsupported("a thread is created before main() begins");
    Thread *thread = threads_new(pc);
    thread->start = start;
    thread->start_c11 = start_c11;
    thread->argument = argument;
    thread->detached = detached;
    run_api_changed();
    *handle = (unsigned long)thread->number + 1;
    scheduler_run_first(thread);
    return 0;
}

static int join(unsigned long handle, void **result, uintptr_t pc)
{
    Thread *target = thread_of(handle), *self = run.current;
    if (!target || target->joined || target->detached) {
        tell_misuse("join of a thread that cannot be joined", handle, pc);
        return EINVAL;
    }
    if (target == self) return EDEADLK;
    target->joined = true;
    run_api_changed();
    self->pending.kind = OP_JOIN;
    self->pending.object[0] = target->number;
    self->pending.pc = pc;
    if (target->state == THREAD_ENDED) {
        scheduler_silent(self, OP_JOIN, target->number, target->last);
    } else {
        self->state = THREAD_PASSIVE;
        scheduler_leave();
    }
    if (result) *result = target->result;
    return 0;
}

PUBLIC int pthread_create(pthread_t *restrict handle, const pthread_attr_t *restrict attributes, void *(*start)(void *),
                          void *restrict argument)
{
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes) pthread_attr_getdetachstate(attributes, &state);
    return create(handle, start, NULL, argument, state == PTHREAD_CREATE_DETACHED, HERE);
}

PUBLIC int pthread_join(pthread_t handle, void **result)
{
    return join(handle, result, HERE);
}

PUBLIC int pthread_detach(pthread_t handle)
{
    Thread *thread = thread_of(handle);
    if (!thread || thread->detached || thread->joined) return EINVAL;
    thread->detached = true;
    return 0;
}

/* pthread_cleanup_push() of C gives a place to jump to, whose code calls the handler and then unwinds further. */
PUBLIC void __pthread_register_cancel(__pthread_unwind_buf_t *place)
{
    place->__pad[0] = run.current->cleanup;
    run.current->cleanup = place;
}

PUBLIC void __pthread_unregister_cancel(__pthread_unwind_buf_t *place)
{
    run.current->cleanup = place->__pad[0];
}

static void unwind(void) __attribute__((noreturn));
static void unwind(void)
{
    if (run.current->cleanup) longjmp(run.current->cleanup, 1);
    threads_end();
}

PUBLIC void __pthread_unwind_next(__pthread_unwind_buf_t *place)
{
    run.current->cleanup = place->__pad[0];
    unwind();
}

PUBLIC void pthread_exit(void *result)
{
    run.current->result = result;
    unwind();
}

PUBLIC pthread_t pthread_self(void)
{
    return run.active ? (pthread_t)run.current->number + 1 : 1;
}

PUBLIC int pthread_equal(pthread_t a, pthread_t b)
{
    return a == b;
}

PUBLIC int pthread_getname_np(pthread_t handle, char *name, size_t size);
int pthread_getname_np(pthread_t handle, char *name, size_t size)
{
    const Thread *thread = thread_of(handle);
    if (!thread || !size) return ERANGE;
    threads_name(thread, name, (unsigned)size);
    return 0;
}

PUBLIC int pthread_getschedparam(pthread_t handle, int *restrict policy, struct sched_param *restrict parameters)
{
    (void)handle;
    *policy = SCHED_OTHER;
    *parameters = (struct sched_param){0};
    return 0;
}

PUBLIC int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t *processors);
int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t *processors)
{
    (void)handle;
    CPU_ZERO_S(size, processors);
    CPU_SET_S(0, size, processors);
    return 0;
}

/* ---- thread-specific data ---- */

PUBLIC int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    if (run.n_keys == MAX_KEYS) return EAGAIN;
    for (uint16_t i = 0; i < run.n_slots; i++) run.thread[i].key[run.n_keys] = NULL;
    run.destructor[run.n_keys] = destructor;
    *key = run.n_keys++;
    return 0;
}

PUBLIC int pthread_key_delete(pthread_key_t key)
{
    if (key < run.n_keys) run.destructor[key] = NULL;
    return 0;
}

PUBLIC int pthread_setspecific(pthread_key_t key, const void *value)
{
    if (key >= run.n_keys) return EINVAL;
    run.current->key[key] = (void *)(uintptr_t)value;
    return 0;
}

PUBLIC void *pthread_getspecific(pthread_key_t key)
{
    return run.active && key < run.n_keys ? run.current->key[key] : NULL;
}

/* ---- the same of C11 ---- */

PUBLIC int thrd_create(thrd_t *handle, thrd_start_t start, void *argument)
{
    return create(handle, NULL, start, argument, false, HERE) ? thrd_nomem : thrd_success;
}

PUBLIC int thrd_join(thrd_t handle, int *result)
{
    void *value = NULL;
    int failed = join(handle, &value, HERE);
    if (result) *result = (int)(intptr_t)value;
    return failed ? thrd_error : thrd_success;
}

PUBLIC int thrd_detach(thrd_t handle)
{
    return pthread_detach(handle) ? thrd_error : thrd_success;
}

PUBLIC thrd_t thrd_current(void)
{
    return pthread_self();
}

PUBLIC int thrd_equal(thrd_t a, thrd_t b)
{
    return a == b;
}

PUBLIC void thrd_exit(int result)
{
    run.current->result = (void *)(intptr_t)result;
    threads_end();
}

PUBLIC int tss_create(tss_t *key, tss_dtor_t destructor)
{
    return pthread_key_create(key, destructor) ? thrd_error : thrd_success;
}

PUBLIC void tss_delete(tss_t key)
{
    pthread_key_delete(key);
}

PUBLIC int tss_set(tss_t key, void *value)
{
    return pthread_setspecific(key, value) ? thrd_error : thrd_success;
}

PUBLIC void *tss_get(tss_t key)
{
    return pthread_getspecific(key);
}
