/* The events of the current execution and how they are ordered. Events 0..length-1 are those of the path that the
 * explorer is on; an execution first repeats the first `replayed` of them (they are only compared) and then adds its
 * own.
 *
 * Two orders are kept as vector clocks, one row per event: `order`, happens-before by dependence, which decides about
 * reversals; and `sync`, happens-before by synchronisation alone, which decides about data races. A row holds for each
 * thread the number of its events that lie in the past; event e is before f iff row(f)[thread(e)] >= index(e).
 *
 * A cell is an object that operations touch, named by its address. It knows its last writer, the readers since, and the
 * event whose memory an acquiring reader gets. What an event changed of its cells it remembers, so that events are
 * taken back in reverse order. */
#pragma once
#include "run/op.h"
#include "run/own.h"

#define EVENT_NONE UINT32_MAX
/* The object of a FENCE that makes loads before it acquire. */
#define FENCE_ACQUIRES 1

typedef struct Cell {
    uintptr_t address;
    uint32_t next; /* in its hash chain */
    uint32_t writer, sync;
    uint32_t reader; /* 2 * event + access; older ones by Event.older */
} Cell;

typedef struct Event {
    Op op;
    uintptr_t pc, object;
    uint64_t value,
        expected;    /* of an atomic before the event; what a compare-and-swap expected, a spinning thread saw */
    uint32_t index;  /* among the events of its thread, from 1 */
    uint32_t before; /* the event whose rows it continues, or EVENT_NONE */
    uint32_t joined; /* JOIN, LEAVE: the event waited for; WAKE, STOP: the signal; else EVENT_NONE */
    uint32_t writer[2], older[2], sync;
    uint16_t acquire, publish; /* does it take and give memory (atomics)? */
    uint32_t fence;            /* STORE that does not: the release fence before it does, or EVENT_NONE */
    bool awaited;              /* a spinning thread waited for what it reads */
    /* The node before the event. */
    uint32_t tree, sleep, races, choices;
} Event;

typedef struct Trace {
    OWN_VECTOR(Event) event; /* one more than length: the node behind the last */
    uint32_t length;
    OWN_VECTOR(uint32_t) order, sync;
    uint32_t stride;
    OWN_VECTOR(Cell) cell;
    uint32_t *bucket, n_buckets;
} Trace;

/* Threads that rows have room for grow by need. */
void trace_widen(Trace *trace, uint32_t threads);
/* The cell of an address. */
uint32_t trace_cell(Trace *trace, uintptr_t address);
/* The event behind the last, whose op, index, before, joined and the like are set, becomes the last: computes its rows,
 * enters it in its cells. */
void trace_push(Trace *trace);
void trace_pop(Trace *trace);

static inline const uint32_t *trace_order(const Trace *trace, uint32_t event)
{
    return trace->order.data + (size_t)event * trace->stride;
}

static inline const uint32_t *trace_sync(const Trace *trace, uint32_t event)
{
    return trace->sync.data + (size_t)event * trace->stride;
}

/* Is e before f, or f itself, by dependence? */
static inline bool trace_before(const Trace *trace, uint32_t e, uint32_t f)
{
    const Event *event = &trace->event.data[e];
    return trace_order(trace, f)[event->op.thread] >= event->index;
}
