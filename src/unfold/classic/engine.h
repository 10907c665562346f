/* What the parts of the classic finder share: the state of one unfolding and the event that is being
 * extended. classic.c is the finder, extension.c finds the possible extensions of an event, or trial.c does in large
 * nets, candidate.c gives each its size and marking and hands it to the schedule, rival.c compares two of them. */
#pragma once
#include "unfold/classic/co.h"
#include "unfold/classic/matrix.h"
#include "unfold/classic/painting.h"
#include "unfold/classic/process.h"
#include "unfold/schedule.h"
#include "unfold/unfold.h"

/* The words of a waiting candidate: which of the first 32 conditions of its preset are noted as causes, its depth, the
 * address of its normal form, if it was written (two words), and the preset. */
enum { CANDIDATE_NEEDED, CANDIDATE_DEPTH, CANDIDATE_FORM, CANDIDATE_PRESET = CANDIDATE_FORM + 2 };

/* Flag of a found condition: all its siblings are concurrent with the event and it is no initial one, so its producer
 * is not one of the event's causes. Without it the producer is one. */
#define FOUND_OUTSIDE (UINT32_C(1) << 31)

/* Normal forms of waiting candidates of one size. */
typedef struct ClassicForms {
    Arena arena;
    uint64_t *spare;
} ClassicForms;

/* What the ways to know what is concurrent cost, in instructions. */
typedef struct ClassicWay {
    uint64_t pairs;       /* of groups, and */
    uint64_t gain;        /* what would have been saved by the other way that keeps the relation */
    uint64_t kept, tried; /* of events that are concurrent with many */
} ClassicWay;

typedef struct ClassicEngine {
    const SafeNet *safe;
    Prefix *prefix;
    Schedule schedule;
    Process process;
    /* The relation: as lists, as bits, or not kept; see way.h. */
    Co *co;
    Matrix *matrix;
    ClassicWay way;
    uint32_t deep; /* from this |[e]| on, walking over whole configurations is avoided */

    uint32_t lean;  /* keep it in no way after so many events; 0: as measured */
    uint32_t dense; /* as bits and as lists by turns of so many events; 0: as measured */

    /* trial.c */
    bool tries; /* the relation is kept no more */
    Painting painting;
    VecU32 *on_place;         /* per place: the conditions of live events */
    uint32_t *tried_round;    /* per place: the round in which its conditions were tried out */
    uint32_t *outside_before; /* per open position: how many events were painted outside before it was filled */
    uint32_t *n_on_place;     /* per place: the conditions of live events, as long as the relation is kept */

    /* The event being extended, PREFIX_BOTTOM for the initial conditions. */
    uint32_t event, size, slot;
    uint32_t condition; /* the first of its postset */

    /* candidate.c */
    uint32_t inside_colour;  /* of [event], 0 when not painted */
    uint32_t outside_colour; /* of what the candidate adds to it */
    VecU32 inside, outside;
    bool marked;   /* beside is that of the event */
    VecU32 beside; /* per group: one more than the last event concurrent with all its members, if it was asked for */
    uint64_t *marking;
    BitDelta delta; /* instead, where markings are shared */

    /* rival.c */
    const uint64_t *form; /* the event's normal form, NULL when it was not written */
    bool is_written;      /* the candidate's, as the spare one of its size */
    VEC(ClassicForms) forms;
    uint32_t forms_dropped; /* sizes whose turn is over */
    VecU32 other;
    ProcessRoots rivals[2]; /* whose differences were last asked for */

    /* extension.c */
    VecU64 group_places; /* per group: signature of its places */
    VecU32 entry;        /* per condition: itself in the lists or the matrix, undefined for those of cutoffs */
    uint32_t round;      /* place_round[p] = round: found[p] is not empty; round + 1: own[p] is set */
    uint32_t *place_round, *own, *transition_round;
    VecU32 hits;   /* entries concurrent with the event, perhaps of use */
    VecU32 *found; /* per place: concurrent conditions, with FOUND_OUTSIDE */
    uint32_t
        loose; /* which of the first 32 conditions of preset have a producer that is neither bottom nor in [event], */
    uint32_t owned; /* and which the event itself produced */
    uint32_t *preset, *open, *cursor;
    CoPart *parts;
    uint32_t *members;
} ClassicEngine;

/* With a matrix: is this event with a postset, older than the one being extended, not in its configuration? Then none
 * of its conditions was consumed there. */
static inline bool classic_is_beside(const ClassicEngine *engine, uint32_t e)
{
    const uint32_t *start = engine->process.post_start + e;
    return matrix_has_all(engine->matrix, engine->entry.data[start[0]], start[1] - start[0]);
}

static inline uint32_t classic_n_pre(const ClassicEngine *engine, uint32_t t)
{
    return engine->safe->pre_start[t + 1] - engine->safe->pre_start[t];
}

/* Ends the unfolding with a run to the producers of the conditions, then `last` and `last_again` (NET_NONE: nothing);
 * there a place holds two tokens. */
void classic_stop_unsafe(ClassicEngine *engine, const uint32_t *conditions, uint32_t n, uint32_t last,
                         uint32_t last_again);
