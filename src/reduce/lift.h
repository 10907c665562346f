/* Turns a firing sequence of a reduced net into one of the net it came from. Reductions push steps in the
 * order they are made; lifting undoes them from the last to the first. A step only looks at the few places it
 * is about, whose arcs at that time it keeps a copy of.
 *
 * Runs are plain lists of firings here. Composed transitions are bounded (RNET_LONGEST in rnet.h), and where a list is
 * too long all the same, the portfolio asks the net itself: of 25 transitions that each double their tokens it finds
 * the run of 25 firings, where undoing a reduction would write 2^25. Where no shorter run will do, engine leap finds it
 * in a form that says how often each transition is fired in a row. */
#pragma once
#include "base/budget.h"
#include "base/vec.h"

#include <stdbool.h>

typedef enum {
    LIFT_BEGIN,  /* fire `fired` before everything else */
    LIFT_FINISH, /* at the end fire each of `fired` as long as it is enabled (dead markings only) */
    LIFT_MOVE,   /* places were fused: move tokens between them along `moves` where a firing needs it */
    LIFT_FOLD,   /* places were fused that allow the same: fire for each firing one alike to it that is enabled */
    LIFT_SUPPLY, /* places were dropped because `fired` can fill them at will: fire it first */
} LiftKind;

typedef struct LiftArc {
    uint32_t transition, place; /* place: index into the step's places */
    uint64_t need;
    int64_t delta;
} LiftArc;

typedef struct LiftMove {
    uint32_t from, to,
        transition; /* from, to: indices into the step's places; LIFT_FOLD: into `fired`, of those alike */
} LiftMove;

typedef struct LiftStep {
    LiftKind kind;
    uint32_t limit;    /* transitions that existed when the step was made */
    VecU64 tokens;     /* of the step's places at first */
    VEC(LiftArc) arcs; /* sorted by transition once the step is complete */
    VEC(LiftMove) moves;
    VecU32 fired;
} LiftStep;

typedef struct Lift {
    VEC(LiftStep) steps;
} Lift;

/* A new last step; the pointer is valid until the next. */
LiftStep *lift_push(Lift *lift, LiftKind kind, uint32_t limit);
/* Sorts the arcs (LIFT_FOLD: and the moves): call when the step has all of them. */
void lift_complete(LiftStep *step);
void lift_clear(Lift *lift);

/* What a composed transition stands for. */
typedef struct LiftParts {
    uint32_t n_original;
    const VecU32 *(*parts)(const void *data, uint32_t transition);
    const void *data;
} LiftParts;

/* How far lifting may go: firings, and a budget. */
typedef struct LiftLimit {
    size_t longest;
    Budget *budget;
} LiftLimit;

/* In place. False when a step does not apply, which means a reduction was wrong, or when the limit is reached: callers
 * treat both as "no witness". */
bool lift_sequence(const Lift *lift, const LiftParts *parts, bool dead, const LiftLimit *limit, VecU32 *sequence);
