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

/* A bit set of which only the words that are not zero are kept, in order: `mask` says which of 64 neighbouring words
 * those are, `first` where they begin. Words below `low` and from `high` on are zero. */
typedef struct ContextBlock {
    uint64_t mask;
    uint32_t first;
} ContextBlock;

typedef struct ContextRow {
    uint64_t *words;
    ContextBlock *blocks;         /* of the words 64 * base and on */
    uint32_t base, n_blocks, len; /* len: words kept */
    uint32_t room, block_room;
    uint32_t low, high;
} ContextRow;

/* Cuts share what is equal, so many places at a time. */
enum { CONTEXT_CHUNK = 16 };
#define CONTEXT_CHANGED UINT32_MAX

typedef struct ContextEvent {
    uint32_t transition, size, depth, history, marking;
    uint32_t first_change;
    uint32_t *down;               /* [e] without bottom, increasing, size entries */
    uint32_t *tested;             /* the changes that t consumes and reads, in the order of the net's `tested` */
    uint32_t *cut;                /* of each CONTEXT_CHUNK places: where in `chunks`; NULL when cuts take too much */
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
    uint32_t n_chunks;
    VecU32 chunks;    /* CONTEXT_CHUNK entries each: per place its last change * 2 + marked */
    uint32_t *loaded; /* which of them `last` has; CONTEXT_CHANGED: one that is not kept */
    VecU32 changed;   /* those, each once */
    size_t cut_bytes;
    uint32_t *last; /* scratch: the cut of the newest event */
    uint64_t *row;  /* scratch: the row of the newest event, all words */
    uint64_t *used; /* of each 64 words of `row`: all that are not zero, and perhaps more */
    size_t row_room;
    uint32_t row_low, row_high; /* of `row`: all other words are zero */
    VecU64 saved;               /* scratch */
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

static inline uint64_t context_store_row_word(const ContextRow *row, uint32_t word)
{
    uint32_t block = word / 64 - row->base; /* far off when it is below */
    if (block >= row->n_blocks) return 0;
    uint64_t mask = row->blocks[block].mask, bit = (uint64_t)1 << (word % 64);
    if (!(mask & bit)) return 0;
    return row->words[row->blocks[block].first + (uint32_t)__builtin_popcountll(mask & (bit - 1))];
}
static inline bool context_store_row_has(const ContextRow *row, uint32_t i)
{
    return context_store_row_word(row, i / 64) >> (i % 64) & 1;
}
/* Is f (earlier than e) concurrent with e? */
static inline bool context_store_concurrent(ContextStore *store, uint32_t f, uint32_t e)
{
    assert(f < e);
    return context_store_row_has(&context_store_event(store, e)->row, f);
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
