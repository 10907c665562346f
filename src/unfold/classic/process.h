/* A growing branching process: the arrays that become a Prefix, and walks over local configurations.
 * Events are only ever added, causes first; cutoffs are in it but never are causes.
 *
 * A walk colours the events it meets: process_colour() gives a colour that no event has yet. There are
 * two paintings, so that one can be kept while another configuration is walked over. */
#pragma once
#include "base/arena.h"
#include "base/vec.h"
#include "unfold/prefix.h"
#include "unfold/safenet.h"

typedef struct Process {
    const SafeNet *safe;
    uint32_t n_events, n_cutoffs, n_conditions;
    /* per event; the starts have one more */
    uint32_t *transition, *companion, *size, *depth, *pre_start, *post_start, *cause_start;
    uint32_t *colour[2]; /* two independent paintings */
    VecU32 pre;          /* conditions */
    VecU32 cause;        /* producers of the preset, each once, without bottom; none of cutoffs */
    /* per condition */
    uint32_t *place, *producer;
    size_t event_cap, condition_cap;
    VecU32 stack;        /* of walks */
    VEC(uint64_t *) row; /* see process_row() */
    Arena row_arena;
    uint32_t last_colour;
} Process;

/* With the initial conditions, by place. */
void process_init(Process *process, const SafeNet *safe);
void process_clear(Process *process);

/* Of the first 32 conditions of the preset only the producers of those in `needed` are noted as causes: the others are
 * causes of those. */
typedef struct ProcessEvent {
    uint32_t transition, size, depth, companion;
    const uint32_t *pre;
    uint32_t n_pre, needed;
} ProcessEvent;

/* Adds an event with its postset; returns it. */
uint32_t process_add(Process *process, const ProcessEvent *event);

/* 1 + the largest depth among the producers. */
uint32_t process_depth(const Process *process, const uint32_t *pre, uint32_t n_pre);

/* A fresh colour. */
uint32_t process_colour(Process *process);
/* Gives `colour` in one painting to the producers of the conditions and all their causes and appends
 * them to `out`, in no particular order; stops at events that have the colour `known` already (UINT32_MAX: none has).
 */
void process_collect(Process *process, int painting, const uint32_t *conditions, uint32_t n, uint32_t known,
                     uint32_t colour, VecU32 *out);

/* Two sets of events and all their causes, A and B: appends A \ B to only_a and B \ A to only_b, both
 * with decreasing ids. Walks down the ids and stops where only common events are left, so the cost
 * follows the differences more than the sizes. Uses painting 0. */
typedef struct ProcessRoots {
    const uint32_t *conditions; /* whose producers are the roots */
    uint32_t n;
} ProcessRoots;
void process_difference(Process *process, ProcessRoots a, ProcessRoots b, VecU32 *only_a, VecU32 *only_b);

/* [e] as a bit set over the events 0 .. e, kept for the next call; made from the causes' rows where they have
 * some. NULL when that would take more than max_bytes for all rows. For large configurations. */
const uint64_t *process_row(Process *process, uint32_t e, size_t max_bytes);
/* As process_collect() in painting 0, stopping at the events of e's row. */
void process_collect_beside(Process *process, const uint64_t *row, uint32_t e, const uint32_t *conditions, uint32_t n,
                            uint32_t colour, VecU32 *out);

/* Moves the arrays into the prefix. */
void process_finish(Process *process, Prefix *prefix);
