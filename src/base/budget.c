#include "base/budget.h"

#include <assert.h>
#include <string.h>
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* The clock is looked at about this often. */
#define LOOK_SECONDS 0.001
#define MEMORY_LOOK_SECONDS 0.01
#define FIRST_SHOW_SECONDS 1.0
#define SHOW_SECONDS 0.25
enum { FIRST_STRIDE = 1 << 12, LARGEST_STRIDE = 1 << 24 };
/* Fewer than fit into a second of an idle machine: on a busy one every part should still have its turn. */
#define UNITS_PER_SECOND 0.6e8
/* Units of a part that are put together before they count. */
#define WORK_STRIDE ((uint32_t)(UNITS_PER_SECOND * LOOK_SECONDS))

/* Of the whole process, as the memory it adds to is: bytes of others that work for it, and the largest sum seen. */
static _Atomic uint64_t elsewhere, most_together;

static double clock_seconds(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double budget_now(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

double budget_cpu(void)
{
    struct rusage ended;
    getrusage(RUSAGE_CHILDREN, &ended);
    return clock_seconds(CLOCK_PROCESS_CPUTIME_ID) + (double)(ended.ru_utime.tv_sec + ended.ru_stime.tv_sec) +
           1e-6 * (double)(ended.ru_utime.tv_usec + ended.ru_stime.tv_usec);
}

/* Pages: all that are resident, and those of them that are of files. */
static void read_pages(int pid, uint64_t *resident, uint64_t *shared)
{
    char path[32] = "/proc/self/statm", text[128];
    *resident = *shared = 0;
    if (pid) g_snprintf(path, sizeof path, "/proc/%d/statm", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) return;
    text[n] = 0;
    char *end;
    strtoull(text, &end, 10);
    *resident = strtoull(end, &end, 10);
    *shared = strtoull(end, NULL, 10);
}

uint64_t budget_resident_of(int pid)
{
    uint64_t resident, shared;
    read_pages(pid, &resident, &shared);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t budget_private_of(int pid)
{
    uint64_t resident, shared;
    read_pages(pid, &resident, &shared);
    return (resident - MIN(shared, resident)) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t budget_resident(void)
{
    return budget_resident_of(0) + elsewhere;
}

void budget_elsewhere(uint64_t *known, uint64_t bytes)
{
    if (bytes >= *known)
        elsewhere += bytes - *known;
    else
        elsewhere -= *known - bytes;
    *known = bytes;
    if (!bytes) return;
    uint64_t sum = budget_resident(), most = most_together;
    while (sum > most && !atomic_compare_exchange_weak(&most_together, &most, sum)) {
    }
}

/* Not the resource usage of the process at first: a child starts with the peak of the one that ran it. */
uint64_t budget_peak_kib(void)
{
    g_autofree char *status = NULL;
    const char *line = NULL;
    if (g_file_get_contents("/proc/self/status", &status, NULL, NULL)) line = strstr(status, "VmHWM:");
    uint64_t together = most_together >> 10;
    if (line) return MAX(g_ascii_strtoull(line + strlen("VmHWM:"), NULL, 10), together);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return MAX((uint64_t)usage.ru_maxrss, together);
}

Budget budget_unlimited(void)
{
    return budget_new(0, 0, 0);
}

Budget budget_new(double seconds, uint64_t memory_bytes, uint64_t max_events)
{
    double now = budget_now();
    return (Budget){
        .deadline = seconds > 0 ? now + seconds : 0,
        .memory = memory_bytes,
        .max_events = max_events,
        .countdown = 1,
        .given = 1,
        .boundary = 1,
        .stride = FIRST_STRIDE,
        .started = now,
        .last_look = now,
        .last_show = now,
    };
}

void budget_by_work(Budget *budget, uint64_t *work, double seconds)
{
    budget->work = work;
    budget->allotted = seconds;
}

double budget_clock(const Budget *budget)
{
    return budget->work ? (double)*budget->work / UNITS_PER_SECOND : budget_now();
}

double budget_left(const Budget *budget)
{
    if (!budget->work) return budget->deadline > 0 ? MAX(budget->deadline - budget_now(), 0.0) : INFINITY;
    double done = (double)*budget->work / UNITS_PER_SECOND;
    if (budget->work_end) return MAX((double)budget->work_end / UNITS_PER_SECOND - done, 0.0);
    /* The clock may leave more time than was planned: go on with ever larger parts. */
    return budget->allotted > 0 ? MAX(budget->allotted - done, done / 4) : INFINITY;
}

static void give_work(const Budget *parent, Budget *child, double seconds)
{
    child->work = parent->work;
    child->allotted = parent->allotted;
    child->work_end = parent->work_end;
    if (seconds <= 0 || seconds * UNITS_PER_SECOND >= (double)(INT64_MAX / 2)) return;
    uint64_t end = *parent->work + (uint64_t)(seconds * UNITS_PER_SECOND) + 1;
    if (!child->work_end || end < child->work_end) child->work_end = end;
}

Budget budget_child(const Budget *parent, double seconds, const volatile sig_atomic_t *stop)
{
    Budget child = budget_new(parent->work ? 0 : seconds, parent->memory, parent->max_events);
    if (parent->work) give_work(parent, &child, seconds);
    if (parent->deadline > 0 && (child.deadline == 0 || child.deadline > parent->deadline))
        child.deadline = parent->deadline;
    child.stop = stop;
    memcpy(child.outer, parent->outer, sizeof child.outer);
    if (parent->stop) {
        size_t i = 0;
        while (i < BUDGET_DEPTH && child.outer[i]) i++;
        assert(i < BUDGET_DEPTH);
        child.outer[i] = parent->stop;
    }
    child.started = parent->started;
    child.last_show = parent->last_show;
    child.show = parent->show;
    child.show_data = parent->show_data;
    return child;
}

Budget budget_part(const Budget *parent, double fraction, double most, const volatile sig_atomic_t *stop)
{
    double left = budget_left(parent), seconds = isinf(left) ? most : MAX(left * fraction, 0.001);
    if (most > 0) seconds = MIN(seconds, most);
    return budget_child(parent, seconds, stop);
}

static void show_progress(Budget *budget, double now)
{
    if (!budget->show || !budget->describe) return;
    if (now - budget->started < FIRST_SHOW_SECONDS || now - budget->last_show < SHOW_SECONDS) return;
    budget->last_show = now;
    g_autoptr(GString) line = g_string_new(NULL);
    budget->describe(budget->engine, line);
    budget->show(line->str, budget->show_data);
}

static bool is_stopped(const Budget *budget)
{
    bool stopped = budget->stop && *budget->stop;
    for (size_t i = 0; i < BUDGET_DEPTH && budget->outer[i]; i++) stopped |= *budget->outer[i] != 0;
    return stopped;
}

/* Work becomes known to other parts, and ends this one, after so many units of its own, whatever the clock says and
 * however often it is looked at: nothing that follows may depend on that. */
static void count_work(Budget *budget)
{
    budget->pending += budget->given - budget->countdown;
    if (budget->pending < budget->boundary) return;
    *budget->work += budget->pending;
    budget->pending = 0;
    uint64_t left = budget->work_end > *budget->work ? budget->work_end - *budget->work : 1;
    budget->boundary = budget->work_end ? (uint32_t)MIN(left, WORK_STRIDE) : WORK_STRIDE;
    if (budget->work_end && *budget->work >= budget->work_end) budget_exhaust(budget, BUDGET_TIME);
}

static void look_at_limits(Budget *budget, double now)
{
    if (is_stopped(budget))
        budget_exhaust(budget, BUDGET_STOPPED);
    else if (budget->deadline > 0 && now >= budget->deadline)
        budget_exhaust(budget, BUDGET_TIME);
    else if (budget->memory && now - budget->last_memory_look >= MEMORY_LOOK_SECONDS) {
        budget->last_memory_look = now;
        if (budget_resident() >= budget->memory) budget_exhaust(budget, BUDGET_MEMORY);
    }
}

bool budget_watch(Budget *budget)
{
    if (budget->reason == BUDGET_OK) look_at_limits(budget, budget_now());
    return budget->reason != BUDGET_OK;
}

void budget_add(Budget *budget, double seconds)
{
    if (budget->work) *budget->work += (uint64_t)(seconds * UNITS_PER_SECOND);
}

bool budget_look(Budget *budget)
{
    if (budget->reason != BUDGET_OK) return true;
    if (budget->work_end && *budget->work >= budget->work_end)
        budget_exhaust(budget, BUDGET_TIME);
    else
        look_at_limits(budget, budget_now());
    return budget->reason != BUDGET_OK;
}

bool budget_pause(Budget *budget)
{
    budget->countdown = 0;
    if (budget->work && budget->reason == BUDGET_OK) count_work(budget);
    if (budget->reason != BUDGET_OK) {
        budget->countdown = budget->given = 1;
        return true;
    }
    double now = budget_now();
    /* Aim at one look per LOOK_SECONDS whatever one step of the engine costs. */
    double elapsed = now - budget->last_look;
    if (elapsed < LOOK_SECONDS / 2 && budget->stride < LARGEST_STRIDE)
        budget->stride *= 2;
    else if (elapsed > LOOK_SECONDS * 2 && budget->stride > 1)
        budget->stride = elapsed > LOOK_SECONDS * 20 ? 1 : budget->stride / 2;
    budget->last_look = now;
    budget->countdown = budget->stride;
    if (budget->work) budget->countdown = MIN(budget->countdown, budget->boundary - budget->pending);
    budget->given = budget->countdown;
    look_at_limits(budget, now);
    show_progress(budget, now);
    return budget->reason != BUDGET_OK;
}

bool budget_allows(Budget *budget, uint64_t bytes)
{
    if (budget->memory && bytes > (1 << 20) && budget_resident() + bytes > budget->memory)
        budget_exhaust(budget, BUDGET_MEMORY);
    return budget->reason == BUDGET_OK;
}

void budget_exhaust(Budget *budget, BudgetReason reason)
{
    budget->reason = reason;
    budget->countdown = budget->given = 1;
}

const char *budget_reason_text(BudgetReason reason)
{
    switch (reason) {
    case BUDGET_TIME: return "time limit";
    case BUDGET_MEMORY: return "memory limit";
    case BUDGET_EVENTS: return "event limit";
    case BUDGET_STOPPED: return "stopped";
    case BUDGET_OK: break;
    }
    return "";
}
