/* What would make two executions differ, made the same in all of them: clocks, random numbers, the process number; and
 * what would leave the process, refused. Sleeping takes no time. */
#include "run/api.h"
#include "run/pages.h"
#include "run/tell.h"
#include "run/threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { TICK = 1000 };

/* ---- time ---- */

/* Before main() begins it is the main thread's. */
static Thread *self(void)
{
    return run.active ? run.current : &run.thread[0];
}

/* Time passes by sleeping, and for who looks at the clock again and does nothing else. */
static uint64_t now(void)
{
    Thread *thread = self();
    if (thread->clock_event == thread->events) thread->clock += TICK;
    thread->clock_event = thread->events;
    thread->looked = true;
    return thread->clock;
}

PUBLIC int clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    uint64_t t = now();
    *time = (struct timespec){.tv_sec = (time_t)(t / BILLION), .tv_nsec = (long)(t % BILLION)};
    return 0;
}

PUBLIC int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    (void)zone;
    uint64_t t = now();
    *time = (struct timeval){.tv_sec = (time_t)(t / BILLION), .tv_usec = (suseconds_t)(t % BILLION / 1000)};
    return 0;
}

PUBLIC time_t time(time_t *time)
{
    time_t t = (time_t)(now() / BILLION);
    if (time) *time = t;
    return t;
}

PUBLIC clock_t clock(void)
{
    return (clock_t)(now() / 1000);
}

PUBLIC int timespec_get(struct timespec *time, int base)
{
    clock_gettime(CLOCK_REALTIME, time);
    return base;
}

/* Nobody can tell that others go on meanwhile, but in a program with a data race: who sleeps until a plain variable
 * changes would sleep for ever. */
static void sleep_for(uint64_t nanoseconds)
{
    self()->clock += nanoseconds;
    if (!run.active) return;
    run.current->effort += MUCH_EFFORT / 1000;
    if (run.current->effort > MUCH_EFFORT) scheduler_give_way();
}

PUBLIC int nanosleep(const struct timespec *span, struct timespec *rest)
{
    sleep_for((uint64_t)span->tv_sec * BILLION + (uint64_t)span->tv_nsec);
    if (rest) *rest = (struct timespec){0};
    return 0;
}

PUBLIC int clock_nanosleep(clockid_t clock, int flags, const struct timespec *span, struct timespec *rest)
{
    (void)clock;
    return flags ? 0 : nanosleep(span, rest);
}

PUBLIC int usleep(useconds_t microseconds)
{
    sleep_for((uint64_t)microseconds * 1000);
    return 0;
}

PUBLIC unsigned sleep(unsigned seconds)
{
    sleep_for((uint64_t)seconds * BILLION);
    return 0;
}

/* Without files these are ways to sleep. */
PUBLIC int poll(struct pollfd *files, nfds_t n, int milliseconds)
{
    if (run.active && !n && milliseconds >= 0) return usleep((useconds_t)milliseconds * 1000);
    struct timespec span = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    return (int)syscall(SYS_ppoll, files, n, milliseconds < 0 ? NULL : &span, NULL, 8);
}

PUBLIC int select(int n, fd_set *restrict read, fd_set *restrict write, fd_set *restrict other,
                  struct timeval *restrict span)
{
    if (!run.active || n || !span) {
        struct timespec until = {span ? span->tv_sec : 0, span ? span->tv_usec * 1000 : 0};
        return (int)syscall(SYS_pselect6, n, read, write, other, span ? &until : NULL, NULL);
    }
    sleep_for((uint64_t)span->tv_sec * BILLION + (uint64_t)span->tv_usec * 1000);
    return 0;
}

PUBLIC int thrd_sleep(const struct timespec *span, struct timespec *rest)
{
    return nanosleep(span, rest);
}

PUBLIC int sched_yield(void)
{
    sleep_for(0);
    return 0;
}

PUBLIC int pthread_yield(void);
int pthread_yield(void)
{
    return sched_yield();
}

PUBLIC void thrd_yield(void)
{
    sched_yield();
}

/* ---- random numbers, names ---- */

static uint32_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static uint32_t draw_own(void)
{
    run_api_changed();
    return draw(&self()->random);
}

PUBLIC int rand(void)
{
    return (int)(draw_own() & RAND_MAX);
}

PUBLIC void srand(unsigned seed)
{
    self()->random = seed;
}

PUBLIC int rand_r(unsigned *seed)
{
    uint64_t state = *seed;
    uint32_t number = draw(&state);
    *seed = (unsigned)state;
    if (run.active) tsan_range(seed, sizeof *seed, true, HERE);
    return (int)(number & RAND_MAX);
}

PUBLIC long random(void)
{
    return rand();
}

PUBLIC void srandom(unsigned seed)
{
    srand(seed);
}

PUBLIC ssize_t getrandom(void *bytes, size_t n, unsigned flags)
{
    (void)flags;
    for (size_t i = 0; i < n; i++) ((unsigned char *)bytes)[i] = (unsigned char)draw_own();
    return (ssize_t)n;
}

PUBLIC int getentropy(void *bytes, size_t n)
{
    return getrandom(bytes, n, 0) == (ssize_t)n ? 0 : -1;
}

PUBLIC uint32_t arc4random(void);
uint32_t arc4random(void)
{
    return draw_own();
}

PUBLIC void srand48(long seed)
{
    srand((unsigned)seed);
}

PUBLIC long lrand48(void)
{
    return draw_own() & INT32_MAX;
}

PUBLIC long mrand48(void)
{
    return (int32_t)draw_own();
}

PUBLIC double drand48(void)
{
    return (double)draw_own() / ((double)UINT32_MAX + 1);
}

PUBLIC int sched_getcpu(void)
{
    return 0;
}

PUBLIC pid_t getpid(void)
{
    return 4711;
}

PUBLIC pid_t gettid(void);
pid_t gettid(void)
{
    return run.active ? 4711 + run.current->number : 4711;
}

/* ---- what ends an execution ---- */

static int add_at_exit(void (*function)(void))
{
    own_push(&run.at_exit, function);
    return 0;
}

PUBLIC int atexit(void (*function)(void))
{
    return add_at_exit(function);
}

PUBLIC int at_quick_exit(void (*function)(void))
{
    (void)function; /* quick_exit() is refused */
    return 0;
}

PUBLIC void exit(int code)
{
    if (!run.active) own_exit(code);
    threads_exit(code, true);
}

PUBLIC void _exit(int code)
{
    if (!run.active) own_exit(code);
    threads_exit(code, false);
}

PUBLIC void _Exit(int code)
{
    _exit(code);
}

PUBLIC void abort(void)
{
    if (!run.active) own_exit(127);
    tell_failure("abort", "abort() was called", HERE);
    threads_fail();
}

PUBLIC void __assert_fail(const char *expression, const char *file, unsigned line, const char *function);
void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
    tell_assertion(expression, file, line, function, HERE);
    threads_fail();
}

/* ---- what cannot be put back ---- */

/* What a signal does that nobody handles. */
static bool ends_program(int number)
{
    struct sigaction known;
    if (number == SIGCHLD || number == SIGCONT || number == SIGURG || number == SIGWINCH) return false;
    return sigaction(number, NULL, &known) == 0 && known.sa_handler == SIG_DFL;
}

static int raise_here(int number, uintptr_t pc)
{
    char text[64];
    if (run.active && ends_program(number)) {
        snprintf(text, sizeof text, "signal %d is raised, which ends the program", number);
        tell_failure("signal", text, pc);
        threads_fail();
    }
    return (int)syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), number);
}

PUBLIC int raise(int number)
{
    return raise_here(number, HERE);
}

/* The numbers of processes are virtual: others are left alone. */
PUBLIC int kill(pid_t process, int number)
{
    if (run.active && process != getpid())
        tell_unsupported("kill() is called: signals to other processes are not supported");
    return raise_here(number, HERE);
}

PUBLIC int close(int file)
{
    if (!tell_is_channel(file)) return (int)syscall(SYS_close, file);
    errno = EBADF;
    return -1;
}

PUBLIC int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    if (run.active) tell_unsupported("sigprocmask() is called: signal masks are not supported");
    return (int)syscall(SYS_rt_sigprocmask, how, set, old, 8);
}

PUBLIC int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    if (run.active) tell_unsupported("pthread_sigmask() is called: signal masks are not supported");
    return (int)syscall(SYS_rt_sigprocmask, how, set, old, 8);
}

PUBLIC ssize_t read(int file, void *bytes, size_t n)
{
    if (run.active && file == 0) tell_unsupported("read() from standard input: what is read cannot be put back");
    if (run.active) pages_touch((uintptr_t)bytes, n);
    return (ssize_t)syscall(SYS_read, file, bytes, n);
}
