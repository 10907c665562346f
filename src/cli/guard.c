#include "cli/guard.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

/* How far a limit may be passed before the guard acts, and how long a request to stop may take. */
#define TIME_FRACTION 0.03
#define TIME_SECONDS 0.3
#define MEMORY_FRACTION 0.03
#define STOP_SECONDS 0.6
/* From this part of the memory limit on it looks more often: a library may take a hundred megabytes between two ticks.
 */
#define NEAR_FRACTION 0.8
enum { TICK_MICROSECONDS = 50000, NEAR_TICK_MICROSECONDS = 4000, ADDRESSES_FREE = 1 << 24 };

/* Who says how the process ended. A timer's signal comes to any thread, and to another one while the first writes. */
typedef enum { COMMAND_ENDS, GUARD_MAY_END, GUARD_ENDS } Ender;

static struct {
    double started, deadline;
    uint64_t memory, addresses;
    char before[512], after[128]; /* what is printed, around the reason */
    bool json;                    /* then with the figures that every object has */
    _Atomic Ender ender;
    StopFlag stopping;
    StopFlag near; /* the limit of memory is, when it last looked */
    _Atomic double stop_at;
} guard;

static void put(int fd, const char *text)
{
    size_t n = strlen(text);
    while (n) {
        ssize_t written = write(fd, text, n);
        bool interrupted = written < 0 && errno == EINTR;
        if (interrupted && guard.stopping) _exit(EXIT_UNKNOWN); /* nobody reads, and it shall stop */
        if (interrupted) continue;
        if (written <= 0) return;
        text += written;
        n -= (size_t)written;
    }
}

/* Decimal digits without the C library, which may be in the middle of something. */
static void put_number(uint64_t value, unsigned least_digits)
{
    char digits[24], *at = digits + sizeof digits - 1;
    *at = 0;
    for (unsigned n = 0; n < least_digits || value; n++, value /= 10) *--at = (char)('0' + value % 10);
    put(STDOUT_FILENO, at);
}

static void put_seconds(double seconds)
{
    uint64_t milliseconds = (uint64_t)(MAX(seconds, 0) * 1000);
    put_number(milliseconds / 1000, 1);
    put(STDOUT_FILENO, ".");
    put_number(milliseconds % 1000, 3);
}

static void put_figures(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    put(STDOUT_FILENO, ",\"timing\":{\"wall\":");
    put_seconds(budget_now() - guard.started);
    put(STDOUT_FILENO, ",\"cpu\":");
    put_seconds(budget_cpu());
    put(STDOUT_FILENO, "},\"peak_kib\":");
    put_number((uint64_t)MAX(usage.ru_maxrss, 0), 1);
    put(STDOUT_FILENO, "}\n");
}

/* Another thread ends the process, and has the last word. */
static void wait_for_the_end(void)
{
    for (;;) pause();
}

static void end(const char *reason)
{
    Ender before = atomic_exchange(&guard.ender, GUARD_ENDS);
    if (before == GUARD_ENDS) wait_for_the_end();
    if (before == GUARD_MAY_END) {
        put(STDOUT_FILENO, guard.before);
        if (*guard.before) put(STDOUT_FILENO, reason);
        put(STDOUT_FILENO, guard.after);
        if (guard.json) put_figures();
    }
    put(STDERR_FILENO, "mazurka: ended by its guard: ");
    put(STDERR_FILENO, reason);
    put(STDERR_FILENO, "\n");
    _exit(EXIT_UNKNOWN);
}

static void tick_every(long microseconds)
{
    struct itimerval every = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &every, NULL);
}

static void look_at_memory(void)
{
    uint64_t resident = budget_resident();
    if (resident > guard.memory) end(ending_text(ENDING_MEMORY));
    bool near = (double)resident > (double)guard.memory * NEAR_FRACTION;
    if (near == guard.near) return;
    guard.near = near;
    tick_every(near ? NEAR_TICK_MICROSECONDS : TICK_MICROSECONDS);
}

static void on_tick(int number)
{
    (void)number;
    int kept = errno;
    double now = budget_now();
    Ender ender = guard.ender;
    bool armed = ender == GUARD_MAY_END;
    /* As in put(), where another thread writes. */
    if (ender == GUARD_ENDS && guard.stopping && now >= guard.stop_at + STOP_SECONDS) _exit(EXIT_UNKNOWN);
    if (ender != GUARD_ENDS && guard.stopping && now >= guard.stop_at) end(ending_text(ENDING_STOPPED));
    if (armed && guard.deadline > 0 && now >= guard.deadline) end(ending_text(ENDING_TIME));
    if (armed && guard.memory) look_at_memory();
    if (armed && guard.addresses && budget_addressed() > guard.addresses) end(ending_text(ENDING_MEMORY));
    errno = kept;
}

/* The one fatal message that GLib has for this program: memory or a thread is not given. */
static void on_message(const char *domain, GLogLevelFlags level, const char *message, void *data)
{
    if (level & G_LOG_LEVEL_ERROR) end("out of memory");
    g_log_default_handler(domain, level, message, data);
}

/* Where addresses are limited (ulimit -v) GLib needs some to say that there are no more. */
static uint64_t most_addresses(void)
{
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return 0;
    return MAX(space.rlim_cur, 2 * (rlim_t)ADDRESSES_FREE) - ADDRESSES_FREE;
}

static void tick(void)
{
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    tick_every(TICK_MICROSECONDS);
}

/* Only check has a verdict, only the contest's own words may stand in its output. */
static void prepare_text(const Command *command)
{
    guard.before[0] = guard.after[0] = 0;
    guard.started = command->started;
    guard.json = command->options.json;
    if (command->options.json) {
        g_snprintf(
            guard.before, sizeof guard.before,
            "{\"net\":null,\"command\":\"%s\",\"version\":\"%s\",\"options\":{},\"verdict\":\"unknown\",\"reason\":\"",
            command->name, PACKAGE_VERSION);
        g_strlcpy(guard.after, "\"", sizeof guard.after);
        if (command->id == COMMAND_CHECK)
            g_strlcpy(guard.after, "\",\"property\":null,\"engine\":null,\"witness\":null,\"witness_checked\":null",
                      sizeof guard.after);
    } else if (command->id == COMMAND_CHECK) {
        g_strlcpy(guard.before, "UNKNOWN: ", sizeof guard.before);
        g_strlcpy(guard.after, "\n", sizeof guard.after);
    }
}

static void hand_over(Ender from, Ender to)
{
    if (!atomic_compare_exchange_strong(&guard.ender, &from, to) && from == GUARD_ENDS) wait_for_the_end();
}

double guard_patience(double seconds)
{
    return seconds * TIME_FRACTION + TIME_SECONDS;
}

void guard_arm(const Command *command, double deadline, double seconds, uint64_t memory)
{
    guard_disarm();
    guard.deadline = deadline > 0 ? deadline + guard_patience(seconds) : 0;
    guard.memory = memory + (uint64_t)((double)memory * MEMORY_FRACTION);
    guard.addresses = most_addresses();
    prepare_text(command);
    g_log_set_default_handler(on_message, NULL);
    hand_over(COMMAND_ENDS, GUARD_MAY_END);
    if (deadline > 0 || memory || guard.addresses) tick();
}

void guard_disarm(void)
{
    hand_over(GUARD_MAY_END, COMMAND_ENDS);
}

void guard_stop(void)
{
    if (guard.stopping) return;
    guard.stop_at = budget_now() + STOP_SECONDS;
    guard.stopping = 1;
    tick();
}
