#include "run/objects.h"

#include "run/scheduler.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

uint64_t objects_value(uintptr_t address, unsigned size)
{
    switch (size) {
    case 1: return *(const volatile uint8_t *)address;
    case 2: return *(const volatile uint16_t *)address;
    case 4: return *(const volatile uint32_t *)address;
    default: return *(const volatile uint64_t *)address;
    }
}

static void set_value(uintptr_t address, unsigned size, uint64_t value)
{
    switch (size) {
    case 1: *(volatile uint8_t *)address = (uint8_t)value; return;
    case 2: *(volatile uint16_t *)address = (uint16_t)value; return;
    case 4: *(volatile uint32_t *)address = (uint32_t)value; return;
    default: *(volatile uint64_t *)address = value; return;
    }
}

/* A spinning thread goes on when something that it read has changed. */
static bool any_changed(const Watched *watched, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (objects_value(watched[i].address, watched[i].size) != watched[i].value) return true;
    return false;
}

/* Would a timeout be another one of a thread that polls in vain? */
static bool polls(const Thread *thread)
{
    const pthread_mutex_t *mutex = (const pthread_mutex_t *)thread->pending.object[1];
    return thread->pending.stutters && mutex->__data.__nusers == thread->taken &&
           !any_changed(thread->seen, thread->n_seen);
}

bool objects_enabled(const Thread *thread)
{
    const Pending *p = &thread->pending;
    const pthread_mutex_t *mutex = (const pthread_mutex_t *)p->object[0];
    const ReadWrite *lock = (const ReadWrite *)p->object[0];
    switch (p->kind) {
    case OP_LOCK:
    case OP_RELOCK: return !mutex->__data.__owner;
    case OP_WAKE: return !mutex->__data.__owner && thread->signalled;
    case OP_STOP: return thread->signalled || !polls(thread);
    case OP_SEM_WAIT: return *(const uint32_t *)p->object[0] > 0;
    case OP_READ_LOCK: return !lock->writer;
    case OP_WRITE_LOCK: return !lock->writer && !lock->readers;
    case OP_ONCE: return *(const int *)p->object[0] != 1;
    default: return !thread->spinning || any_changed(thread->watched, thread->n_watched);
    }
}

/* ---- mutexes and conditions ---- */

static void take_mutex(const Thread *thread, uintptr_t object, unsigned count)
{
    pthread_mutex_t *mutex = (pthread_mutex_t *)object;
    run.held++;
    mutex->__data.__nusers++;
    mutex->__data.__owner = OWNER(thread);
    mutex->__data.__count = count;
}

static void try_mutex(Thread *thread, Event *event)
{
    Pending *p = &thread->pending;
    if (((pthread_mutex_t *)p->object[0])->__data.__owner) {
        event->op.write = 0;
        p->result = p->timed ? ETIMEDOUT : EBUSY;
    } else {
        take_mutex(thread, p->object[0], 1);
        event->acquire = true;
    }
}

static void swap_objects(Pending *p)
{
    uintptr_t first = p->object[0];
    p->object[0] = p->object[1];
    p->object[1] = first;
}

/* Who waits for ever wakes up with the mutex, in one step. With a timeout it is two: whether the signal or the timeout
 * comes first is decided at the condition, and before the mutex is had again anything may happen. */
static void begin_wait(Thread *thread)
{
    Pending *p = &thread->pending;
    pthread_mutex_t *mutex = (pthread_mutex_t *)p->object[0];
    run.held--;
    p->operand = mutex->__data.__count;
    thread->taken = mutex->__data.__nusers;
    mutex->__data.__owner = 0;
    mutex->__data.__count = 0;
    p->kind = p->timed ? OP_STOP : OP_WAKE;
    p->old = 0;
    thread->waits_for = p->object[1];
    thread->signalled = false;
    if (p->timed) swap_objects(p);
}

static void stop_wait(Thread *thread)
{
    Pending *p = &thread->pending;
    p->kind = OP_RELOCK;
    p->old = thread->signalled ? 0 : ETIMEDOUT;
    thread->waits_for = 0;
    swap_objects(p);
}

static void end_wait(Thread *thread)
{
    Pending *p = &thread->pending;
    take_mutex(thread, p->object[0], (unsigned)p->operand);
    p->result = (int)p->old;
    thread->waits_for = 0;
    thread->signalled = false;
}

/* All who could be woken go to run.choices; an open choice is the first of them. */
static void wake(const Pending *p, Event *event, bool all)
{
    for (uint16_t i = 0; i < run.n_slots; i++) {
        Thread *waiter = &run.thread[i];
        if (waiter->state != THREAD_PARKED || waiter->waits_for != p->object[0] || waiter->signalled) continue;
        if (!all) own_push(&run.choices, i);
        if (!all && event->op.choice == CHOICE_OPEN) event->op.choice = i;
        if (!all && event->op.choice != i) continue;
        waiter->signalled = true;
        waiter->woken_by = run.depth;
    }
}

/* ---- barriers, once ---- */

static bool arrive(Thread *thread)
{
    Pending *p = &thread->pending;
    Barrier *barrier = (Barrier *)p->object[0];
    if (++barrier->arrived < barrier->count) {
        thread->state = THREAD_PASSIVE;
        thread->waits_for = p->object[0];
        return false;
    }
    barrier->arrived = 0;
    p->result = PTHREAD_BARRIER_SERIAL_THREAD;
    return true;
}

static void enter_once(Pending *p, Event *event)
{
    int *once = (int *)p->object[0];
    p->result = *once == 0;
    event->op.write = *once == 0;
    if (*once == 0) *once = 1;
}

/* ---- atomics ---- */

static void do_atomic(Thread *thread, Event *event)
{
    Pending *p = &thread->pending;
    uint64_t old = objects_value(p->object[0], p->size), value = old;
    if (p->kind == OP_STORE) value = p->operand;
    if (p->kind == OP_UPDATE) value = p->update(old, p->operand);
    if (p->kind == OP_COMPARE && old == p->expected) value = p->operand;
    event->op.write = p->kind == OP_STORE || p->kind == OP_UPDATE || (p->kind == OP_COMPARE && old == p->expected);
    if (event->op.write) set_value(p->object[0], p->size, value);
    event->value = p->old = old;
    if (p->kind == OP_COMPARE) event->expected = p->expected;
    int order = p->memory_order;
    event->acquire =
        p->kind != OP_STORE && order != memory_order_relaxed && (order != memory_order_release || p->kind != OP_LOAD);
    event->publish = event->op.write &&
                     (order == memory_order_release || order == memory_order_acq_rel || order == memory_order_seq_cst);
    event->fence = thread->fence;
    if (p->kind != OP_STORE && event->op.write && thread->fence != EVENT_NONE) event->publish = true;
    if (p->kind == OP_UPDATE && event->publish) event->acquire = true; /* a release sequence goes on */
}

/* ---- semaphores and locks of readers and writers ---- */

static void do_semaphore(Pending *p)
{
    uint32_t *value = (uint32_t *)p->object[0];
    p->result = 0;
    if (p->kind == OP_SEM_POST) {
        ++*value;
    } else if (p->kind == OP_SEM_VALUE) {
        p->old = *value;
    } else if (*value) {
        --*value;
    } else {
        p->result = p->timed ? ETIMEDOUT : EAGAIN;
    }
}

void objects_try_write(Op *op, uint32_t readers, int32_t writer)
{
    if (op->kind != OP_TRY_WRITE) return;
    op->write = writer ? 0 : readers ? 2 : 1;
}

static void do_read_write(Thread *thread, Event *event)
{
    Pending *p = &thread->pending;
    ReadWrite *lock = (ReadWrite *)p->object[0];
    switch (p->kind) {
    case OP_READ_UNLOCK:
        run.held--;
        lock->readers--;
        return;
    case OP_WRITE_UNLOCK:
        run.held--;
        lock->writer = 0;
        return;
    case OP_READ_LOCK:
    case OP_TRY_READ:
        if (!lock->writer) {
            run.held++;
            lock->readers++;
            event->acquire = true;
            return;
        }
        break;
    default:
        objects_try_write(&event->op, lock->readers, lock->writer);
        if (!lock->writer && !lock->readers) {
            run.held++;
            lock->writer = OWNER(thread);
            event->acquire = true;
            return;
        }
    }
    p->result = p->timed ? ETIMEDOUT : EBUSY;
}

bool objects_perform(Thread *thread, Event *event)
{
    Pending *p = &thread->pending;
    pthread_mutex_t *mutex = (pthread_mutex_t *)p->object[0];
    p->result = 0;
    switch (p->kind) {
    case OP_LOCK: take_mutex(thread, p->object[0], 1); return true;
    case OP_TRYLOCK: try_mutex(thread, event); return true;
    case OP_UNLOCK:
        run.held--;
        mutex->__data.__owner = 0;
        return true;
    case OP_WAIT: begin_wait(thread); return false;
    case OP_STOP: stop_wait(thread); return false;
    case OP_WAKE:
    case OP_RELOCK: end_wait(thread); return true;
    case OP_SIGNAL: wake(p, event, false); return true;
    case OP_BROADCAST: wake(p, event, true); return true;
    case OP_SEM_WAIT:
    case OP_SEM_TRY:
    case OP_SEM_POST:
    case OP_SEM_VALUE:
        event->value = *(uint32_t *)p->object[0];
        do_semaphore(p);
        return true;
    case OP_READ_LOCK:
    case OP_WRITE_LOCK:
    case OP_TRY_READ:
    case OP_TRY_WRITE:
    case OP_READ_UNLOCK:
    case OP_WRITE_UNLOCK: do_read_write(thread, event); return true;
    case OP_ONCE: enter_once(p, event); return true;
    case OP_ONCE_DONE: *(int *)p->object[0] = 2; return true;
    case OP_ARRIVE: return arrive(thread);
    case OP_LOAD:
    case OP_STORE:
    case OP_UPDATE:
    case OP_COMPARE: do_atomic(thread, event); return true;
    default: event->value = objects_value(p->object[0], p->size); return true; /* the program accesses it itself */
    }
}
