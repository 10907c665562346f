#include "base/budget.h"

#include <assert.h>
#include <string.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* The clock is looked at about this often. */
#define LOOK_SECONDS 0.001
#define MEMORY_LOOK_SECONDS 0.01
#define FIRST_SHOW_SECONDS 1.0
#define SHOW_SECONDS 0.25
enum { FIRST_STRIDE = 64, LARGEST_STRIDE = 1 << 16 };

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
    return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t budget_resident_of(int pid)
{
    char path[32] = "/proc/self/statm", text[128];
    if (pid) g_snprintf(path, sizeof path, "/proc/%d/statm", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) return 0;
    text[n] = 0;
    char *end;
    strtoull(text, &end, 10);
    return strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t budget_resident(void)
{
    return budget_resident_of(0);
}

/* Not the resource usage of the process at first: a child starts with the peak of the one that ran it. */
uint64_t budget_peak_kib(void)
{
    g_autofree char *status = NULL;
    const char *line = NULL;
    if (g_file_get_contents("/proc/self/status", &status, NULL, NULL)) line = strstr(status, "VmHWM:");
    if (line) return g_ascii_strtoull(line + strlen("VmHWM:"), NULL, 10);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss;
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
        .stride = FIRST_STRIDE,
        .started = now,
        .last_look = now,
        .last_show = now,
    };
}

Budget budget_child(const Budget *parent, double seconds, const volatile sig_atomic_t *stop)
{
    Budget child = budget_new(seconds, parent->memory, parent->max_events);
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

bool budget_look(Budget *budget)
{
    if (budget->reason != BUDGET_OK) {
        budget->countdown = 1;
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

    if (is_stopped(budget))
        budget_exhaust(budget, BUDGET_STOPPED);
    else if (budget->deadline > 0 && now >= budget->deadline)
        budget_exhaust(budget, BUDGET_TIME);
    else if (budget->memory && now - budget->last_memory_look >= MEMORY_LOOK_SECONDS) {
        budget->last_memory_look = now;
        if (budget_resident() >= budget->memory) budget_exhaust(budget, BUDGET_MEMORY);
    }
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
    budget->countdown = 1;
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
