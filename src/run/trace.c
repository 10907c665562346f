#include "run/trace.h"

#include <stddef.h>

enum { FIRST_STRIDE = 8, FIRST_BUCKETS = 1 << 10 };

/* ---- rows ---- */

static void spread(uint32_t *rows, uint32_t n, uint32_t old, uint32_t stride)
{
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t k = stride; k-- > 0;) rows[(size_t)i * stride + k] = k < old ? rows[(size_t)i * old + k] : 0;
}

void trace_widen(Trace *trace, uint32_t threads)
{
    uint32_t stride = trace->stride ? trace->stride : FIRST_STRIDE;
    while (stride < threads) stride *= 2;
    if (stride == trace->stride) return;
    own_reserve(&trace->order, (trace->length + 1) * stride);
    own_reserve(&trace->sync, (trace->length + 1) * stride);
    spread(trace->order.data, trace->length, trace->stride, stride);
    spread(trace->sync.data, trace->length, trace->stride, stride);
    trace->stride = stride;
}

/* Rows go four by four; numbers of events are far below 2^31. */
typedef int32_t Four __attribute__((vector_size(16), may_alias));

static inline void join_row(uint32_t *row, const uint32_t *other, uint32_t stride)
{
    for (uint32_t k = 0; k < stride; k += 4) {
        Four a = *(Four *)(row + k), b = *(const Four *)(other + k), mine = a > b;
        *(Four *)(row + k) = (a & mine) | (b & ~mine);
    }
}

static inline void copy_row(uint32_t *row, const uint32_t *other, uint32_t stride)
{
    for (uint32_t k = 0; k < stride; k += 4) *(Four *)(row + k) = other ? *(const Four *)(other + k) : (Four){0};
}

/* ---- cells ---- */

static uint32_t slot(const Trace *trace, uintptr_t address)
{
    return (uint32_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (trace->n_buckets - 1);
}

static void rehash(Trace *trace)
{
    trace->n_buckets = trace->n_buckets ? 4 * trace->n_buckets : FIRST_BUCKETS;
    trace->bucket = own_pages(0, trace->n_buckets * sizeof *trace->bucket);
    for (uint32_t b = 0; b < trace->n_buckets; b++) trace->bucket[b] = EVENT_NONE;
    for (uint32_t c = 0; c < trace->cell.length; c++) {
        uint32_t *head = &trace->bucket[slot(trace, trace->cell.data[c].address)];
        trace->cell.data[c].next = *head;
        *head = c;
    }
}

uint32_t trace_cell(Trace *trace, uintptr_t address)
{
    if (trace->cell.length >= trace->n_buckets) rehash(trace);
    uint32_t *head = &trace->bucket[slot(trace, address)];
    for (uint32_t c = *head; c != EVENT_NONE; c = trace->cell.data[c].next)
        if (trace->cell.data[c].address == address) return c;
    own_push(&trace->cell, (Cell){address, *head, EVENT_NONE, EVENT_NONE, EVENT_NONE});
    return *head = trace->cell.length - 1;
}

/* ---- events ---- */

/* Synchronisation through a cell: what the event takes from those before it. */
static void join_sync(Trace *trace, const Event *event, uint32_t *row, const Cell *cell)
{
    switch (event->op.kind) {
    case OP_LOAD:
    case OP_STORE:
    case OP_UPDATE:
    case OP_COMPARE:
        if (event->acquire && cell->sync != EVENT_NONE) join_row(row, trace_sync(trace, cell->sync), trace->stride);
        return;
    case OP_READ:
    case OP_WRITE:
    case OP_STOP:
    case OP_SIGNAL:
    case OP_BROADCAST: return;
    case OP_TRYLOCK:
    case OP_TRY_READ:
    case OP_TRY_WRITE:
        if (!event->acquire) return;
        break;
    default: break;
    }
    if (cell->writer != EVENT_NONE) join_row(row, trace_sync(trace, cell->writer), trace->stride);
    if (event->op.kind == OP_WRITE_LOCK || event->op.kind == OP_TRY_WRITE)
        for (uint32_t r = cell->reader; r != EVENT_NONE; r = trace->event.data[r / 2].older[r % 2])
            join_row(row, trace_sync(trace, r / 2), trace->stride);
}

static void join_order(Trace *trace, const Cell *cell, uint32_t *row, bool write)
{
    if (cell->writer != EVENT_NONE) join_row(row, trace_order(trace, cell->writer), trace->stride);
    if (!write) return;
    for (uint32_t r = cell->reader; r != EVENT_NONE; r = trace->event.data[r / 2].older[r % 2])
        join_row(row, trace_order(trace, r / 2), trace->stride);
}

/* A fence takes what the loads since the one before it did not. */
static void join_fence(const Trace *trace, const Event *fence, uint32_t *row)
{
    for (uint32_t e = fence->before; e != EVENT_NONE; e = trace->event.data[e].before) {
        const Event *event = &trace->event.data[e];
        bool loads = event->op.kind == OP_LOAD || event->op.kind == OP_UPDATE || event->op.kind == OP_COMPARE;
        if (event->op.thread != fence->op.thread || (event->op.kind == OP_FENCE && event->object)) return;
        if (loads && event->sync != EVENT_NONE) join_row(row, trace_sync(trace, event->sync), trace->stride);
    }
}

static void compute_rows(Trace *trace, const Event *event, uint32_t n)
{
    uint32_t stride = trace->stride, *order = trace->order.data + (size_t)n * stride,
             *sync = trace->sync.data + (size_t)n * stride;
    copy_row(order, event->before == EVENT_NONE ? NULL : trace_order(trace, event->before), stride);
    copy_row(sync, event->before == EVENT_NONE ? NULL : trace_sync(trace, event->before), stride);
    if (event->joined != EVENT_NONE) {
        join_row(order, trace_order(trace, event->joined), stride);
        join_row(sync, trace_sync(trace, event->joined), stride);
    }
    if (event->op.kind == OP_FENCE && event->object == FENCE_ACQUIRES) join_fence(trace, event, sync);
    for (unsigned i = 0; i < event->op.n; i++) {
        const Cell *cell = &trace->cell.data[event->op.cell[i]];
        join_order(trace, cell, order, event->op.write >> i & 1);
        if (i == 0) join_sync(trace, event, sync, cell);
    }
    order[event->op.thread] = sync[event->op.thread] = event->index;
}

void trace_push(Trace *trace)
{
    uint32_t n = trace->length;
    own_reserve(&trace->event, n + 2);
    own_reserve(&trace->order, (n + 1) * trace->stride);
    own_reserve(&trace->sync, (n + 1) * trace->stride);
    Event *event = &trace->event.data[n];
    compute_rows(trace, event, n);
    for (unsigned i = 0; i < event->op.n; i++) {
        Cell *cell = &trace->cell.data[event->op.cell[i]];
        event->writer[i] = cell->writer;
        event->older[i] = cell->reader;
        event->sync = i ? event->sync : cell->sync;
        if (event->op.write >> i & 1) {
            cell->writer = n;
            cell->reader = EVENT_NONE;
            if (i == 0 && event->publish)
                cell->sync = n;
            else if (event->op.kind == OP_STORE)
                cell->sync = event->fence;
        } else {
            cell->reader = 2 * n + i;
        }
    }
    trace->length++;
}

void trace_pop(Trace *trace)
{
    const Event *event = &trace->event.data[--trace->length];
    for (unsigned i = event->op.n; i-- > 0;) {
        Cell *cell = &trace->cell.data[event->op.cell[i]];
        cell->writer = event->op.write >> i & 1 ? event->writer[i] : cell->writer;
        cell->reader = event->older[i];
        if (i == 0) cell->sync = event->sync;
    }
}
