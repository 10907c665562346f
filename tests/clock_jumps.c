/* Preloaded into a program, makes its wall clock jump to and fro by days, ten times a second. The monotonic clock stays
 * as it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

static int real_clock(clockid_t id, struct timespec *t)
{
    int (*real)(clockid_t, struct timespec *) =
        (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    return real(id, t);
}

static time_t offset(void)
{
    static const time_t jumps[] = {0, 1000000, -1000000, 86400, -3, 40000000, 5};
    struct timespec t;
    real_clock(CLOCK_MONOTONIC, &t);
    return jumps[(t.tv_sec * 10 + t.tv_nsec / 100000000) % (time_t)(sizeof jumps / sizeof *jumps)];
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    int result = real_clock(id, t);
    if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) t->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    (void)zone;
    struct timespec now;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    *t = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return result;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
