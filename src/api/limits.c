#include "api/handles.h"

/* How often the caller is asked. */
#define ASK_SECONDS 0.01

mz_limits *mz_limits_new(void)
{
    mz_limits *limits = g_new0(mz_limits, 1);
    limits->handle = HANDLE_LIMITS;
    limits->threads = 1;
    atomic_flag_clear(&limits->telling);
    return limits;
}

void mz_limits_free(mz_limits *limits)
{
    if (!limits) return;
    END_HANDLE(limits, LIMITS);
    g_free(limits);
}

void mz_limits_set_time(mz_limits *limits, double seconds)
{
    assert(IS_HANDLE(limits, LIMITS));
    limits->seconds = seconds > 0 ? seconds : 0;
}

void mz_limits_set_memory(mz_limits *limits, uint64_t bytes)
{
    assert(IS_HANDLE(limits, LIMITS));
    limits->memory = bytes;
}

void mz_limits_set_events(mz_limits *limits, uint64_t events)
{
    assert(IS_HANDLE(limits, LIMITS));
    limits->events = events;
}

void mz_limits_set_threads(mz_limits *limits, unsigned threads)
{
    assert(IS_HANDLE(limits, LIMITS));
    limits->threads = threads;
}

void mz_limits_set_cancel(mz_limits *limits, mz_cancel_function *cancel, void *data)
{
    assert(IS_HANDLE(limits, LIMITS));
    limits->cancel = cancel;
    limits->cancel_data = data;
}

void mz_limits_set_progress(mz_limits *limits, mz_line_function *progress, void *data)
{
    assert(IS_HANDLE(limits, LIMITS));
    limits->progress = progress;
    limits->progress_data = data;
}

void mz_limits_set_log(mz_limits *limits, mz_line_function *log, void *data)
{
    assert(IS_HANDLE(limits, LIMITS));
    limits->log = log;
    limits->log_data = data;
}

void mz_limits_cancel(mz_limits *limits)
{
    assert(IS_HANDLE(limits, LIMITS));
    limits->stop = true;
}

void mz_limits_renew(mz_limits *limits)
{
    assert(IS_HANDLE(limits, LIMITS));
    limits->stop = false;
}

/* Both in whichever thread computes; one that finds another one there goes on computing. */
static void ask_caller(void *data)
{
    mz_limits *limits = data;
    if (atomic_flag_test_and_set(&limits->telling)) return;
    double now = budget_now();
    if (now - limits->asked >= ASK_SECONDS) {
        limits->asked = now;
        if (limits->cancel(limits->cancel_data)) limits->stop = true;
    }
    atomic_flag_clear(&limits->telling);
}

static void tell_progress(const char *line, void *data)
{
    mz_limits *limits = data;
    if (atomic_flag_test_and_set(&limits->telling)) return;
    limits->progress(line, limits->progress_data);
    atomic_flag_clear(&limits->telling);
}

void api_limits_of_program(mz_limits *limits, double started)
{
    limits->started = started;
}

static uint64_t memory_of(const mz_limits *limits)
{
    if (!limits->memory || limits->started) return limits->memory;
    uint64_t now = budget_resident(), most;
    return __builtin_add_overflow(now, limits->memory, &most) ? UINT64_MAX : most;
}

static Budget *begin(mz_limits *limits, Call *call, bool by_work)
{
    static const mz_limits none = {.threads = 1};
    assert(!limits || IS_HANDLE(limits, LIMITS));
    const mz_limits *l = limits ? limits : &none;
    Budget *budget = &call->budget;
    call->work = 0;
    *budget = budget_new(l->seconds, memory_of(l), l->events);
    if (l->started) budget_limit_time(budget, l->started, l->seconds);
    if (l->threads == 1 && by_work) budget_by_work(budget, l->started ? &limits->work : &call->work, l->seconds);
    if (!limits) return budget;
    budget_stop_by(budget, &limits->stop);
    if (limits->cancel) budget_ask(budget, ask_caller, limits);
    if (limits->progress) budget_show(budget, tell_progress, limits);
    return budget;
}

Budget *api_limits_begin(mz_limits *limits, Call *call)
{
    return begin(limits, call, true);
}

Budget *api_limits_begin_by_clock(mz_limits *limits, Call *call)
{
    return begin(limits, call, false);
}
