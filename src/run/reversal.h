/* Races of the current path and the sequences that reverse them ([ODPOR14], with operations that wait).
 *
 * The race of events e and f: f depends on e, nothing between orders them, and f could have come before e. For an
 * operation that only reads and writes its cells, e is the last one that it depends on. One that waits (a lock) cannot
 * come before what set it free (the unlock): its e is the operation that took the object before (the other lock). One
 * that still waits when the execution ends has races too. Signals that wake one of several waiters race with
 * themselves: each other waiter is another choice.
 *
 * Reversing keeps all of the execution that does not depend on e, in its order, and then does f. */
#pragma once
#include "run/trace.h"
#include "run/tree.h"

#include <stdbool.h>

typedef struct Reversal {
    uint32_t first;  /* e */
    uint32_t second; /* f, EVENT_NONE: the pending operation of `thread`, or its other choice */
    uint16_t thread, choice;
} Reversal;

enum { MOST_DROPPED = 250 };

/* The second operation of a race as it is before the first: what it and its cells looked like in this execution, and
 * what of the execution must go with all that depends on it. */
typedef struct Reversed {
    Op op;
    uint32_t base, enabler; /* its thread's event before; the signal, or EVENT_NONE */
    uint32_t writer[2], reader[2];
    uint32_t dropped[MOST_DROPPED];
    unsigned n;
} Reversed;

/* The races whose second event is the last of the trace, to run.races. */
void reversal_of_last(void);
/* The races of an operation that waits at the end of the execution. */
void reversal_of_waiting(uint16_t thread);
/* False when the operation cannot come first. */
bool reversal_make(const Reversal *race, Reversed *reversed);
bool reversal_drops(const Reversed *reversed, uint32_t e);
/* Whom it may wake when it is a signal that comes earlier, otherwise its one choice: to run.choices, from where is
 * returned. */
uint32_t reversal_choices(const Reversal *race, const Reversed *reversed);
/* The reversing sequence, to run.sequence; the node where it begins is returned. */
uint32_t reversal_sequence(const Reversed *reversed, uint16_t choice);
