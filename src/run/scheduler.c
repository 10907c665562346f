#include "run/scheduler.h"

#include "run/coroutine.h"
#include "run/explorer.h"
#include "run/objects.h"
#include "run/tell.h"
#include "run/threads.h"

#include <errno.h>

/* Which cells an operation of that kind writes, unless its outcome says otherwise. */
static uint8_t write_bits(OpKind kind)
{
    switch (kind) {
    case OP_READ_LOCK:
    case OP_READ_UNLOCK:
    case OP_TRY_READ:
    case OP_LOAD:
    case OP_READ:
    case OP_STOP:
    case OP_CREATE:
    case OP_END:
    case OP_JOIN:
    case OP_LEAVE:
    case OP_FENCE: return 0;
    case OP_TRY_WRITE: return 3;
    default: return 1; /* the condition of WAIT and WAKE is read: its waiters are a set */
    }
}

/* Conditions come with a mutex. Of a lock for readers and writers the second cell orders readers with a writer that
 * tried while they were there, which other readers do not notice. */
static uint8_t n_cells(OpKind kind)
{
    switch (kind) {
    case OP_WAIT:
    case OP_WAKE:
    case OP_READ_LOCK:
    case OP_READ_UNLOCK:
    case OP_TRY_READ:
    case OP_TRY_WRITE: return 2;
    default: return 1;
    }
}

Op scheduler_op(const Thread *thread)
{
    const Pending *p = &thread->pending;
    Op op = {.kind = p->kind, .thread = thread->number, .choice = CHOICE_OPEN, .write = write_bits(p->kind)};
    if (p->kind >= OP_LOAD && p->kind <= OP_WRITE) op.bytes = p->size;
    op.n = p->kind == OP_STOP && p->stutters ? 2 : n_cells(p->kind); /* who polls looks whether the mutex was taken */
    for (unsigned i = 0; i < op.n; i++) op.cell[i] = trace_cell(&run.trace, p->object[i]);
    return op;
}

/* ---- repeating the last execution ---- */

static bool repeats(const Event *event, const Thread *thread, OpKind kind, uintptr_t object, uintptr_t pc)
{
    return event->op.thread == thread->number && event->op.kind == kind && event->object == object && event->pc == pc;
}

static void diverge(const Event *event, const Thread *thread, OpKind kind, uintptr_t object, uintptr_t pc,
                    uint64_t value)
{
    tell_divergence(event, thread, kind, object, pc, value);
    run.end = END_DIVERGED;
}

/* ---- events ---- */

static void push(Thread *thread, Event *event)
{
    event->index = ++thread->events;
    thread->effort = 0;
    event->before = thread->last;
    thread->last = run.depth;
    trace_push(&run.trace);
    run.depth++;
}

void scheduler_silent(Thread *thread, OpKind kind, uintptr_t object, uint32_t joined)
{
    uintptr_t pc = thread->pending.pc;
    if (run.depth < run.replayed) {
        const Event *event = &run.trace.event.data[run.depth];
        if (!repeats(event, thread, kind, object, pc)) diverge(event, thread, kind, object, pc, 0);
        thread->events++;
        thread->last = run.depth++;
    } else {
        Event *event = &run.trace.event.data[run.depth];
        event->op = (Op){.kind = kind, .thread = thread->number};
        event->joined = joined;
        event->object = object;
        event->pc = pc;
        push(thread, event);
        explorer_arrived(false);
    }
    if (run.settings.trace_steps) tell_step(thread, &run.trace.event.data[run.depth - 1]);
}

/* The thread's operation happens, as a repetition or as a new event. True: it goes on. */
static bool happen(Thread *thread, uint16_t choice)
{
    Pending p = thread->pending;
    bool goes_on;
    if (run.depth < run.replayed) {
        Event *event = &run.trace.event.data[run.depth];
        if (!repeats(event, thread, p.kind, p.object[0], p.pc)) {
            diverge(event, thread, p.kind, p.object[0], p.pc, 0);
            return false;
        }
        uint32_t choices = run.choices.length;
        uint8_t write = event->op.write;
        uint64_t value = event->value;
        goes_on = objects_perform(thread, event);
        run.choices.length = choices;
        bool observed = p.kind != OP_STORE && p.kind != OP_WRITE; /* what they replace is nobody's business */
        if (event->op.write != write || (observed && event->value != value)) {
            uint64_t now = event->value;
            event->op.write = write;
            event->value = value;
            diverge(event, thread, p.kind, p.object[0], p.pc, now);
            return false;
        }
        thread->events++;
        thread->effort = 0;
        thread->last = run.depth++;
    } else {
        Event *event = &run.trace.event.data[run.depth];
        event->op = scheduler_op(thread);
        event->op.choice = choice;
        bool woken = (p.kind == OP_WAKE || p.kind == OP_STOP) && thread->signalled;
        event->joined = woken ? thread->woken_by : EVENT_NONE;
        event->object = p.object[0];
        event->pc = p.pc;
        event->awaited = (thread->spinning && thread->n_watched == 1) || (p.kind == OP_STOP && p.stutters);
        event->acquire = event->publish = false;
        event->fence = EVENT_NONE;
        event->expected = thread->watched[0].value;
        event->value = 0;
        goes_on = objects_perform(thread, event);
        push(thread, event);
        explorer_arrived(true);
    }
    if (run.settings.trace_steps) tell_step(thread, &run.trace.event.data[run.depth - 1]);
    return goes_on;
}

/* A barrier is complete: everybody else leaves it. */
static void leave_barrier(uintptr_t barrier, uint32_t completed)
{
    for (uint16_t i = 0; i < run.n_slots; i++) {
        Thread *t = &run.thread[i];
        if (t->state != THREAD_PASSIVE || t->waits_for != barrier) continue;
        t->waits_for = 0;
        scheduler_silent(t, OP_LEAVE, barrier, completed);
        scheduler_release(t);
    }
}

static Thread *decide(void)
{
    if (run.n_ready) {
        Thread *thread = &run.thread[run.ready[run.first_ready]];
        run.first_ready = (uint16_t)((run.first_ready + 1) % (MAX_THREADS + 1));
        run.n_ready--;
        return thread;
    }
    for (;;) {
        uint16_t choice = CHOICE_OPEN;
        Thread *thread = explorer_choose(&choice);
        if (!thread) return NULL;
        if (thread->state == THREAD_GIVING) {
            run.counts.steps--; /* it is none */
            thread->state = THREAD_READY;
            return thread;
        }
        OpKind kind = thread->pending.kind;
        bool goes_on = happen(thread, choice);
        if (run.end) return NULL;
        if (kind == OP_ARRIVE && goes_on) leave_barrier(thread->pending.object[0], thread->last);
        if (!goes_on) continue;
        thread->state = THREAD_READY;
        thread->spinning = false;
        return thread;
    }
}

static void pass_control(void)
{
    Thread *from = run.current, *to = decide();
    if (to == from) return;
    if (!to && run.settings.debugged) mazurka_stop(); /* with the stack of who came last */
    if (!to) scheduler_end(run.end);
    from->saved_errno = errno;
    threads_leave(from);
    run.current = to;
    threads_enter(to);
    coroutine_switch(&from->sp, to->sp);
    errno = run.current->saved_errno;
}

int scheduler_step(void)
{
    Thread *thread = run.current;
    thread->state = THREAD_PARKED;
    pass_control();
    return thread->pending.result;
}

void scheduler_give_way(void)
{
    run.current->effort = 0;
    run.current->state = THREAD_GIVING;
    pass_control();
}

void scheduler_leave(void)
{
    pass_control();
}

void scheduler_release(Thread *thread)
{
    thread->state = THREAD_READY;
    run.ready[(run.first_ready + run.n_ready++) % (MAX_THREADS + 1)] = thread->number;
}

void scheduler_run_first(Thread *thread)
{
    scheduler_release(thread);
    scheduler_release(run.current);
    pass_control();
}

void scheduler_end(EndKind end)
{
    void *nobody;
    run.end = end;
    run.active = false;
    coroutine_switch(&nobody, run.explorer_sp);
    __builtin_unreachable();
}

bool scheduler_enabled(const Thread *thread)
{
    return thread->state == THREAD_PARKED && objects_enabled(thread);
}
