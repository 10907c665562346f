/* A configuration that is tried out: [e] of the event being extended, and what conditions outside it need. It answers
 * which conditions are concurrent by walking over events instead of keeping the relation (unfold/classic/co.h). The
 * cost of a question is what the condition adds to [e]; the cost of going on to another event is what the two local
 * configurations do not share.
 *
 * Invariant: the painted events are closed under causes and free of conflicts, and used[c] is set iff a painted event
 * consumes c or c is chosen. */
#pragma once
#include "unfold/classic/process.h"

typedef struct Painting {
    Process *process;
    uint32_t event;        /* whose [e] it is, PREFIX_BOTTOM: the empty one */
    VEC(uint8_t) in, used; /* per event and per condition */
    VecU32 outside;        /* painted events that are not in [e], in the order in which they were met */
    VecU32 chosen;         /* conditions that were added */
    VecU32 refused;        /* per event: the round in which it was found to be in conflict with [e] */
    uint32_t round;
    VecU32 gone, come; /* scratch of painting_move() */
} Painting;

void painting_init(Painting *painting, Process *process);
void painting_clear(Painting *painting);

/* To [e], or to nothing (PREFIX_BOTTOM); nothing is chosen. e has a postset. Returns the number of steps taken. */
uint32_t painting_move(Painting *painting, uint32_t e);
/* Is the condition concurrent with the event and all that is chosen? If so it is chosen too and its causes are
 * painted. *steps grows by what it took. */
bool painting_add(Painting *painting, uint32_t condition, uint32_t *steps);
/* Back to where only so many conditions were chosen and so many events painted outside. */
void painting_drop(Painting *painting, size_t n_chosen, size_t n_outside);

static inline bool painting_is_outside(const Painting *painting, uint32_t e)
{
    return e < painting->in.len && painting->in.data[e] == 2;
}
