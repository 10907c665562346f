#include "base/budget.h"

#include <assert.h>
#include <string.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* The clock is looked at about this often. */
#define LOOK_SECONDS 0.001
#define MEMORY_LOOK_SECONDS 0.002
#define FIRST_SHOW_SECONDS 1.0
#define SHOW_SECONDS 0.25
enum { FIRST_STRIDE = 1 << 12, LARGEST_STRIDE = 1 << 24 };
/* Fewer than fit into a second of an idle machine: on a busy one every part should still have its turn. */
#define UNITS_PER_SECOND 0.6e8
/* Units of a part that are put together before they count. */
#define WORK_STRIDE ((uint32_t)(UNITS_PER_SECOND * LOOK_SECONDS))

/* Of the whole process, as the memory it adds to is: bytes of others that work for it, and the largest sum seen. */
static _Atomic uint64_t elsewhere, most_together;

/* Bytes that threads were allowed to take and may not have taken yet; the part of this thread. Otherwise two that ask
 * at the same time would both be told that the same memory is free. When a thread looks at its limits again, or ends,
 * it has them. */
static _Atomic uint64_t promised;

static void take_back(void *bytes)
{
    promised -= GPOINTER_TO_SIZE(bytes);
}

static GPrivate promised_here = G_PRIVATE_INIT(take_back);

static void promise(size_t bytes)
{
    promised += bytes;
    g_private_replace(&promised_here, GSIZE_TO_POINTER(bytes));
}

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

typedef struct Pages {
    uint64_t addressed, resident, shared; /* all that have addresses; of them in memory; of these, of files */
} Pages;

static Pages read_pages(int pid)
{
    char path[32] = "/proc/self/statm", text[128];
    if (pid) g_snprintf(path, sizeof path, "/proc/%d/statm", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return (Pages){0};
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) return (Pages){0};
    text[n] = 0;
    char *end;
    Pages pages = {.addressed = strtoull(text, &end, 10)};
    pages.resident = strtoull(end, &end, 10);
    pages.shared = strtoull(end, NULL, 10);
    return pages;
}

uint64_t budget_resident_of(int pid)
{
    return read_pages(pid).resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t budget_private_of(int pid)
{
    Pages pages = read_pages(pid);
    return (pages.resident - MIN(pages.shared, pages.resident)) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t budget_addressed(void)
{
    return read_pages(0).addressed * (uint64_t)sysconf(_SC_PAGESIZE);
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
    return (Budget){.hidden = {
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
                    }};
}

void budget_by_work(Budget *budget, uint64_t *work, double seconds)
{
    budget->hidden.work = work;
    budget->hidden.allotted = seconds;
}

double budget_clock(const Budget *budget)
{
    return budget->hidden.work ? (double)*budget->hidden.work / UNITS_PER_SECOND : budget_now();
}

double budget_left(const Budget *budget)
{
    if (!budget->hidden.work)
        return budget->hidden.deadline > 0 ? MAX(budget->hidden.deadline - budget_now(), 0.0) : INFINITY;
    if (budget->hidden.work_end) return (double)budget_work_left(budget) / UNITS_PER_SECOND;
    double done = (double)(*budget->hidden.work - budget->hidden.work_start) / UNITS_PER_SECOND;
    /* The clock may leave more time than was planned: go on with ever larger parts. */
    return budget->hidden.allotted > 0 ? MAX(budget->hidden.allotted - done, done / 4) : INFINITY;
}

static void give_work(const Budget *parent, Budget *child, double seconds)
{
    child->hidden.work = parent->hidden.work;
    child->hidden.allotted = parent->hidden.allotted;
    child->hidden.work_start = parent->hidden.work_start;
    child->hidden.work_end = parent->hidden.work_end;
    if (seconds <= 0 || seconds * UNITS_PER_SECOND >= (double)(INT64_MAX / 2)) return;
    uint64_t end = *parent->hidden.work + (uint64_t)(seconds * UNITS_PER_SECOND) + 1;
    if (!child->hidden.work_end || end < child->hidden.work_end) child->hidden.work_end = end;
}

Budget budget_child(const Budget *parent, double seconds, const StopFlag *stop)
{
    Budget child = budget_new(parent->hidden.work ? 0 : seconds, parent->hidden.memory, parent->hidden.max_events);
    if (parent->hidden.work) give_work(parent, &child, seconds);
    if (parent->hidden.deadline > 0 && (child.hidden.deadline == 0 || child.hidden.deadline > parent->hidden.deadline))
        child.hidden.deadline = parent->hidden.deadline;
    child.hidden.stop = stop;
    child.hidden.flagged = parent->hidden.stop ? parent : parent->hidden.flagged;
    child.hidden.started = parent->hidden.started;
    child.hidden.last_show = parent->hidden.last_show;
    child.hidden.show = parent->hidden.show;
    child.hidden.show_data = parent->hidden.show_data;
    child.hidden.ask = parent->hidden.ask;
    child.hidden.ask_data = parent->hidden.ask_data;
    return child;
}

Budget budget_part(const Budget *parent, double fraction, double most, const StopFlag *stop)
{
    if (fraction >= 1 && most <= 0) return budget_child(parent, 0, stop);
    double left = budget_left(parent), seconds = isinf(left) ? most : MAX(left * fraction, 0.001);
    if (most > 0) seconds = MIN(seconds, most);
    return budget_child(parent, seconds, stop);
}

static void show_progress(Budget *budget, double now)
{
    if (!budget->hidden.show || !budget->hidden.describe) return;
    if (now - budget->hidden.started < FIRST_SHOW_SECONDS || now - budget->hidden.last_show < SHOW_SECONDS) return;
    budget->hidden.last_show = now;
    g_autoptr(GString) line = g_string_new(NULL);
    budget->hidden.describe(budget->hidden.engine, line);
    budget->hidden.show(line->str, budget->hidden.show_data);
}

static bool is_stopped(const Budget *budget)
{
    for (const Budget *b = budget->hidden.stop ? budget : budget->hidden.flagged; b; b = b->hidden.flagged)
        if (atomic_load_explicit(b->hidden.stop, memory_order_relaxed)) return true;
    return false;
}

/* Work becomes known to other parts, and ends this one, after so many units of its own, whatever the clock says and
 * however often it is looked at: nothing that follows may depend on that. */
static void count_work(Budget *budget)
{
    budget->hidden.pending += budget->hidden.given - budget->hidden.countdown;
    if (budget->hidden.pending < budget->hidden.boundary) return;
    *budget->hidden.work += budget->hidden.pending;
    budget->hidden.pending = 0;
    uint64_t left = budget->hidden.work_end > *budget->hidden.work ? budget->hidden.work_end - *budget->hidden.work : 1;
    budget->hidden.boundary = budget->hidden.work_end ? (uint32_t)MIN(left, WORK_STRIDE) : WORK_STRIDE;
    if (budget->hidden.work_end && *budget->hidden.work >= budget->hidden.work_end) budget_exhaust(budget, ENDING_TIME);
}

static void look_at_limits(Budget *budget, double now)
{
    if (budget->hidden.ask) budget->hidden.ask(budget->hidden.ask_data);
    if (is_stopped(budget))
        budget_exhaust(budget, ENDING_STOPPED);
    else if (budget->hidden.deadline > 0 && now >= budget->hidden.deadline)
        budget_exhaust(budget, ENDING_TIME);
    else if (budget->hidden.memory && now - budget->hidden.last_memory_look >= MEMORY_LOOK_SECONDS) {
        budget->hidden.last_memory_look = now;
        promise(0);
        if (budget_resident() >= budget->hidden.memory) budget_exhaust(budget, ENDING_MEMORY);
    }
}

bool budget_watch(Budget *budget)
{
    if (budget->hidden.ending == ENDING_COMPLETE) look_at_limits(budget, budget_now());
    return budget->hidden.ending != ENDING_COMPLETE;
}

void budget_add(Budget *budget, double seconds)
{
    if (budget->hidden.work) *budget->hidden.work += (uint64_t)(seconds * UNITS_PER_SECOND);
}

bool budget_look(Budget *budget)
{
    if (budget->hidden.ending != ENDING_COMPLETE) return true;
    if (budget->hidden.work_end && *budget->hidden.work >= budget->hidden.work_end)
        budget_exhaust(budget, ENDING_TIME);
    else
        look_at_limits(budget, budget_now());
    return budget->hidden.ending != ENDING_COMPLETE;
}

bool budget_pause(Budget *budget)
{
    budget->hidden.countdown = 0;
    if (budget->hidden.work && budget->hidden.ending == ENDING_COMPLETE) count_work(budget);
    if (budget->hidden.ending != ENDING_COMPLETE) {
        budget->hidden.countdown = budget->hidden.given = 1;
        return true;
    }
    double now = budget_now();
    /* Aim at one look per LOOK_SECONDS whatever one step of the engine costs. */
    double elapsed = now - budget->hidden.last_look;
    if (elapsed < LOOK_SECONDS / 2 && budget->hidden.stride < LARGEST_STRIDE)
        budget->hidden.stride *= 2;
    else if (elapsed > LOOK_SECONDS * 2 && budget->hidden.stride > 1)
        budget->hidden.stride = elapsed > LOOK_SECONDS * 20 ? 1 : budget->hidden.stride / 2;
    budget->hidden.last_look = now;
    budget->hidden.countdown = budget->hidden.stride;
    if (budget->hidden.work)
        budget->hidden.countdown = MIN(budget->hidden.countdown, budget->hidden.boundary - budget->hidden.pending);
    budget->hidden.given = budget->hidden.countdown;
    look_at_limits(budget, now);
    show_progress(budget, now);
    return budget->hidden.ending != ENDING_COMPLETE;
}

/* What was freed is the allocator's and counts until it is given back. */
static bool has_room(const Budget *budget, uint64_t bytes)
{
    for (int attempt = 0; attempt < 2; attempt++) {
#ifndef SANITIZED /* there the allocator is another, and glibc's was never set up */
        if (attempt) malloc_trim(0);
#endif
        if (budget_resident() + promised + bytes <= budget->hidden.memory) return true;
    }
    return false;
}

bool budget_allows(Budget *budget, uint64_t bytes)
{
    if (budget->hidden.memory && bytes > (1 << 20)) {
        promise(0);
        if (has_room(budget, bytes))
            promise(bytes);
        else
            budget_exhaust(budget, ENDING_MEMORY);
    }
    return budget->hidden.ending == ENDING_COMPLETE;
}

void budget_exhaust(Budget *budget, Ending limit)
{
    assert(ending_is_limit(limit));
    budget->hidden.ending = limit;
    budget->hidden.countdown = budget->hidden.given = 1;
}

const char *budget_text(const Budget *budget)
{
    return ending_text(budget->hidden.ending);
}

void budget_stop_by(Budget *budget, const StopFlag *stop)
{
    budget->hidden.stop = stop;
}

void budget_ask(Budget *budget, void (*ask)(void *data), void *data)
{
    budget->hidden.ask = ask;
    budget->hidden.ask_data = data;
}

void budget_limit_time(Budget *budget, double start, double seconds)
{
    budget->hidden.started = start;
    budget->hidden.deadline = seconds > 0 ? start + seconds : 0;
    budget->hidden.allotted = MAX(seconds, 0);
}

void budget_restart(Budget *budget, double seconds)
{
    budget_limit_time(budget, budget_now(), seconds);
    if (budget->hidden.work) budget->hidden.work_start = *budget->hidden.work;
    budget->hidden.ending = ENDING_COMPLETE;
}

void budget_limit_memory(Budget *budget, uint64_t bytes)
{
    budget->hidden.memory = bytes;
}

void budget_limit_events(Budget *budget, uint64_t events)
{
    uint64_t *most = &budget->hidden.max_events;
    if (!*most || events < *most) *most = events;
}

const StopFlag *budget_stop_flag(const Budget *budget)
{
    return budget->hidden.stop;
}

bool budget_is_timed(const Budget *budget)
{
    return budget->hidden.deadline > 0;
}

bool budget_is_by_work(const Budget *budget)
{
    return budget->hidden.work != NULL;
}

uint64_t budget_work_left(const Budget *budget)
{
    if (!budget->hidden.work_end) return UINT64_MAX;
    return budget->hidden.work_end - MIN(*budget->hidden.work, budget->hidden.work_end);
}

double budget_started(const Budget *budget)
{
    return budget->hidden.started;
}

void budget_show(Budget *budget, void (*show)(const char *line, void *data), void *data)
{
    budget->hidden.show = show;
    budget->hidden.show_data = data;
}

void budget_describe(Budget *budget, void (*describe)(void *engine, GString *line), void *engine)
{
    budget->hidden.describe = describe;
    budget->hidden.engine = engine;
}

bool budget_is_shown(const Budget *budget)
{
    return budget->hidden.show != NULL;
}

void budget_show_line(const Budget *budget, const char *line)
{
    if (budget->hidden.show) budget->hidden.show(line, budget->hidden.show_data);
}
