/* The live (non-cutoff) events <t,H> of a read-aware prefix and how they relate. Live event 0 is the
 * bottom event that produces the initial marking.
 *
 * A change is one event's effect on one place; changes are numbered with their events, so along any
 * configuration of a safe net the changes of one place have increasing numbers, and the state of a
 * place in a union of configurations is its largest change. A change that leaves the place marked is
 * a condition together with a history: the pair (condition, event <t,H> that produced it).
 *
 * Concurrency is kept between events: row(e) holds the f that are neither ordered nor in conflict with e. A
 * condition c of e can be marked together with f > e though they are ordered: those f are in after(c).
 * So c and f coexist (c is in the cut of [e] u [f]) iff f is in row(e) or after(c), or f <= e.
 *
 * Rows hold earlier events at once and later ones by blocks of 64: bits of the last, unfinished block
 * are in `column`. */
#pragma once
#include "base/arena.h"
#include "unfold/context/net.h"
#include "unfold/context/sparse.h"

/* Words low .. high-1 of a bit set; all others are zero. */
typedef struct ContextRow {
    uint64_t *words;
    uint32_t low, high, room;
} ContextRow;

typedef struct ContextEvent {
    uint32_t transition, size, depth, history, marking;
    uint32_t first_change;
    uint32_t *down;               /* [e] without bottom, increasing, size entries */
    uint32_t *tested;             /* the changes that t consumes and reads, in the order of the net's `tested` */
    uint32_t *cut;                /* per place its last change * 2 + marked, or NULL when cuts take too much memory */
    uint32_t *readers, n_readers; /* events in [e] that read something still unconsumed in [e] */
    uint32_t seen;                /* scratch: last event this reader was found below */
    uint64_t hash;                /* of the marking */
    ContextRow row;
    Sparse up; /* if it reads: later events above it that leave something it read unconsumed */
} ContextEvent;

/* One producer of a place per entry, in order of events. */
typedef struct ContextProducers {
    Sparse events;
    VecU32 changes;
} ContextProducers;

typedef struct ContextStore {
    ContextNet *net;
    Arena arena;
    VEC(ContextEvent) events;
    VecU32 change_event, change_place;
    VEC(Sparse) after;           /* per change that marks its place */
    VEC(Sparse) readers;         /* per change: the events that read it, if something can consume it */
    ContextProducers *producers; /* per place */
    uint32_t *initial_last;
    VecU64 column;           /* per event: its bits of the unfinished block */
    VecU32 in_column;        /* the events with such bits */
    VecU32 merged[2], added; /* scratch */
    size_t cut_bytes;
    uint32_t *last; /* scratch: the cut of the newest event */
    uint64_t *row;  /* scratch: the row of the newest event, valid from row.low to row.high */
    size_t row_room;
    uint64_t *saved;
    size_t saved_room;
} ContextStore;

void context_store_init(ContextStore *store, ContextNet *net);
void context_store_clear(ContextStore *store);

static inline ContextEvent *context_store_event(ContextStore *store, uint32_t e)
{
    assert(e < store->events.len);
    return &store->events.data[e];
}

/* Adds <t,H>: `causes` are the maximal events of H, `tested` the changes it consumes and reads, `marking`
 * that of [e]. Fills the scratch `last` (the cut of [e]) and `row`, and makes e known to all relations. */
uint32_t context_store_add(ContextStore *store, uint32_t t, const uint32_t *causes, uint32_t n_causes,
                           const uint32_t *tested, const uint64_t *marking);

static inline bool context_row_has(const ContextRow *row, uint32_t i)
{
    uint32_t word = i / 64;
    assert(row->low <= row->high);
    return word >= row->low && word < row->high && row->words[word - row->low] >> (i % 64) & 1;
}
/* Is f (earlier than e) concurrent with e? */
static inline bool context_store_concurrent(ContextStore *store, uint32_t f, uint32_t e)
{
    assert(f < e);
    return context_row_has(&context_store_event(store, e)->row, f);
}
/* Is the condition (a marking change) unconsumed in [its event] u [f], and f not below its event? */
static inline bool context_store_coexist(ContextStore *store, uint32_t change, uint32_t f)
{
    assert(change < store->change_event.len);
    uint32_t e = store->change_event.data[change];
    if (f < e) return context_store_concurrent(store, f, e);
    if (f == e) return true;
    return context_store_concurrent(store, e, f) || sparse_has(&store->after.data[change], f);
}
/* Causality: is f in [e]? */
bool context_store_below(ContextStore *store, uint32_t f, uint32_t e);
