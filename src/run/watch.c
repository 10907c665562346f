#include "run/watch.h"

#include "run/tell.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Every second: has the current thread come to a visible operation meanwhile? */
static void on_tick(int number)
{
    enum { TICKS_WAITING = 10 };
    struct timespec cpu = {0};
    (void)number;
    syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &cpu);
    uint64_t used = (uint64_t)cpu.tv_sec * 1000 + (uint64_t)cpu.tv_nsec / 1000000;
    if (!run.active || run.watch.steps != run.counts.steps) {
        run.watch.steps = run.counts.steps;
        run.watch.milliseconds = used;
        run.watch.ticks = 0;
        return;
    }
    run.watch.ticks++;
    if (used - run.watch.milliseconds > 3000) tell_stuck(true);
    if (run.watch.ticks >= TICKS_WAITING && used - run.watch.milliseconds < 100) tell_stuck(false);
}

void watch_start(void)
{
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART | SA_ONSTACK};
    struct itimerval every = {.it_interval = {.tv_sec = 1}, .it_value = {.tv_sec = 1}};
    sigaction(SIGALRM, &action, NULL);
    syscall(SYS_setitimer, ITIMER_REAL, &every, NULL);
}
