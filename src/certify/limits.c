#include "certify/limits.h"

#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* What a signal handler has to know cannot be handed to it. Written before the handlers are there. */
static struct timespec deadline;
static uint64_t most_bytes, page_bytes;
static int statm = -1;

static void end(const char *message)
{
    if (write(STDOUT_FILENO, message, strlen(message)) < 0) _exit(LIMITS_EXIT);
    _exit(LIMITS_EXIT);
}

/* Not getrusage(): its peak begins with that of the program which started this one. */
static uint64_t resident(void)
{
    char text[64];
    ssize_t len = lseek(statm, 0, SEEK_SET) == 0 ? read(statm, text, sizeof text - 1) : -1;
    uint64_t pages = 0;
    const char *at = memchr(text, ' ', len > 0 ? (size_t)len : 0), *end = text + len;
    while (at && ++at < end && *at >= '0' && *at <= '9') pages = pages * 10 + (uint64_t)(*at - '0');
    return pages * page_bytes;
}

static void look(int signal)
{
    (void)signal;
    struct timespec now;
    if (deadline.tv_sec && clock_gettime(CLOCK_MONOTONIC, &now) == 0 &&
        (now.tv_sec > deadline.tv_sec || (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec)))
        end("NOT CHECKED: time limit\n");
    if (most_bytes && resident() > most_bytes) end("NOT CHECKED: memory limit\n");
}

static void stop(int signal)
{
    (void)signal;
    end("NOT CHECKED: stopped\n");
}

/* The one fatal message that GLib has for this program: an allocation failed. */
static void out_of_memory(const char *domain, GLogLevelFlags level, const char *message, void *data)
{
    if (level & G_LOG_LEVEL_ERROR) end("NOT CHECKED: out of memory\n");
    g_log_default_handler(domain, level, message, data);
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void limits_start(double seconds, uint64_t memory_bytes)
{
    most_bytes = memory_bytes;
    page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    statm = memory_bytes ? open("/proc/self/statm", O_RDONLY | O_CLOEXEC) : -1;
    if (seconds > 0) {
        clock_gettime(CLOCK_MONOTONIC, &deadline);
        double whole = seconds < 1e9 ? seconds : 1e9, rest = whole - (double)(time_t)whole;
        deadline.tv_sec += (time_t)whole;
        deadline.tv_nsec += (long)(rest * 1e9);
        if (deadline.tv_nsec >= 1000000000) deadline.tv_sec++, deadline.tv_nsec -= 1000000000;
    }
    g_log_set_default_handler(out_of_memory, NULL);
    handle(SIGINT, stop);
    handle(SIGTERM, stop);
    if (!most_bytes && seconds <= 0) return;
    handle(SIGALRM, look);
    struct itimerval often = {{0, 10000}, {0, 10000}};
    setitimer(ITIMER_REAL, &often, NULL);
}
