/* For runs under the thread sanitizer. GLib's locks are futexes inside a library that is not instrumented, so the
 * sanitizer does not see what they order and reports everything they protect. Preloaded, this tells it:
 *
 *     gcc -shared -fPIC tests/thread_locks.c -o thread_locks.so `pkg-config --cflags glib-2.0` -ldl
 *     LD_PRELOAD=$PWD/thread_locks.so G_SLICE=always-malloc tests/test_portfolio  (configured --with-sanitizers=thread)
 *
 * G_SLICE because what one thread frees another may get, behind a lock inside GLib that cannot be seen from here. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <glib.h>

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

static void acquire(void *lock)
{
    if (__tsan_acquire) __tsan_acquire(lock);
}

static void release(void *lock)
{
    if (__tsan_release) __tsan_release(lock);
}

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

void g_mutex_lock(GMutex *mutex)
{
    REAL(g_mutex_lock);
    real(mutex);
    acquire(mutex);
}

gboolean g_mutex_trylock(GMutex *mutex)
{
    REAL(g_mutex_trylock);
    gboolean locked = real(mutex);
    if (locked) acquire(mutex);
    return locked;
}

void g_mutex_unlock(GMutex *mutex)
{
    REAL(g_mutex_unlock);
    release(mutex);
    real(mutex);
}

void g_cond_wait(GCond *cond, GMutex *mutex)
{
    REAL(g_cond_wait);
    release(mutex);
    real(cond, mutex);
    acquire(mutex);
}

gboolean g_cond_wait_until(GCond *cond, GMutex *mutex, gint64 end)
{
    REAL(g_cond_wait_until);
    release(mutex);
    gboolean woken = real(cond, mutex, end);
    acquire(mutex);
    return woken;
}

/* A thread has done all it did before who joins it goes on, and its start is ordered by pthread_create(). */
typedef struct Start {
    GThreadFunc function;
    gpointer data;
} Start;

static gpointer run(gpointer data)
{
    Start *start = data;
    gpointer result = start->function(start->data);
    release(g_thread_self());
    g_free(start);
    return result;
}

GThread *g_thread_new(const gchar *name, GThreadFunc function, gpointer data)
{
    REAL(g_thread_new);
    Start *start = g_new0(Start, 1);
    *start = (Start){function, data};
    release(start);
    return real(name, run, start);
}

gpointer g_thread_join(GThread *thread)
{
    REAL(g_thread_join);
    gpointer result = real(thread);
    acquire(thread);
    return result;
}
