/* The events that were seen or follow from what was seen, for the algorithm upor ([POET15], [DPU18]): the part of the
 * program's unfolding that the search knows. An event is an operation of a thread after a certain past, and is known by
 * what is directly before it: the thread's event before, the event that it waited for, and of each cell the last writer
 * and, for an operation that writes, all readers since. The same event in two executions has the same number; numbers
 * grow along causality.
 *
 * Kept beside: pairs of events in conflict, found by reversing races. They are all that alternatives need (see
 * alternative.h). Nothing is forgotten: this grows with the unfolding, unlike the wakeup trees of odpor. */
#pragma once
#include "run/op.h"
#include "run/own.h"

#define UNFOLDING_NONE UINT32_MAX

typedef struct Occurrence {
    Op op;
    uint32_t before, joined, writer[2];
    uint32_t readers, n_readers[2];        /* in Unfolding.reader, those of the first cell first, ascending */
    uint32_t next;                         /* in its hash chain */
    uint32_t conflicts;                    /* in Unfolding.conflict */
    uint32_t obstacle;                     /* the last event that was seen to be in conflict with it */
    uint32_t inside, collected, forbidden; /* stamps of alternative.c */
} Occurrence;

typedef struct Conflict {
    uint32_t with, next;
} Conflict;

typedef struct Unfolding {
    OWN_VECTOR(Occurrence) event;
    OWN_VECTOR(uint32_t) reader;
    OWN_VECTOR(Conflict) conflict;
    OWN_VECTOR(uint64_t) pair; /* a hash set of conflicts; 0: empty */
    uint32_t *bucket, n_buckets, n_pairs;
} Unfolding;

/* The number of an event with these predecessors, which is new or known. Of readers those of the cells that op writes
 * count; they are sorted in place. */
uint32_t unfolding_event(Unfolding *unfolding, const Occurrence *given, uint32_t *readers);
/* Two events that are never in one execution. */
void unfolding_conflict(Unfolding *unfolding, uint32_t a, uint32_t b);
/* In place, ascending. */
void unfolding_sort(uint32_t *numbers, uint32_t n);
