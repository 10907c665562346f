/* What the parts of the classic engine share: the state of one unfolding and the event that is being
 * extended. classic.c runs it, extension.c finds the possible extensions of an event, candidate.c gives
 * each its size, marking and place in the queue. */
#pragma once
#include "unfold/markings.h"
#include "unfold/classic/co.h"
#include "unfold/classic/process.h"
#include "unfold/unfold.h"

/* A waiting candidate in its size class: RECORD_HEAD words, then its preset. */
enum { RECORD_TRANSITION, RECORD_SLOT, RECORD_NUMBER, RECORD_NEEDED, RECORD_HEAD };

/* Flag of a found condition: all its siblings are concurrent with the event, so its producer is not one
 * of the event's causes. Without it the producer is one. */
#define FOUND_OUTSIDE (UINT32_C(1) << 31)

typedef struct ClassicEngine {
    const SafeNet *safe;
    const UnfoldOptions *options;
    Budget *budget;
    Prefix *prefix;
    Process process;
    Markings markings;
    Co *co;
    VEC(VecU32) classes; /* of records, by size */
    bool stopped;
    uint32_t deep; /* from this |[e]| on, walking over whole configurations is avoided */

    /* The event being extended, PREFIX_BOTTOM for the initial conditions. */
    uint32_t event, size, slot;
    uint32_t condition; /* the first of its postset */

    /* candidate.c */
    uint32_t inside_colour;  /* of [event], 0 when not painted */
    uint32_t outside_colour; /* of what the candidate adds to it */
    VecU32 inside, outside;
    uint64_t *marking;
    VecU32 other;
    VEC(OrderStep) steps;
    OrderWork *order_work;

    /* extension.c */
    VecU64 group_places; /* per group: signature of its places */
    VecU32 group;        /* per condition, undefined for those of cutoffs */
    uint32_t round;      /* place_round[p] = round: found[p] is not empty; round + 1: own[p] is set */
    uint32_t *place_round, *own, *transition_round;
    VecU32 *found;  /* per place: concurrent conditions, with FOUND_OUTSIDE */
    uint32_t loose; /* which of the first 32 conditions of preset have a producer perhaps not in [event] */
    uint32_t *preset, *open, *cursor;
    CoPart *parts;
} ClassicEngine;

static inline uint32_t classic_n_pre(const ClassicEngine *engine, uint32_t t)
{
    return engine->safe->pre_start[t + 1] - engine->safe->pre_start[t];
}

/* Ends the unfolding for the budget's reason or the caller's goal. */
void classic_stop(ClassicEngine *engine, PrefixEnd end);
/* Ends it with a run to the producers of the conditions, then `last` and `last_again` (NET_NONE: nothing); there a
 * place holds two tokens. */
void classic_stop_unsafe(ClassicEngine *engine, const uint32_t *conditions, uint32_t n, uint32_t last,
                         uint32_t last_again);
