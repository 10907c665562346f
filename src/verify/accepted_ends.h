/* Tells markings where a net may end (Net.final; of a program those in which no thread wants to go on) from deadlocks,
 * by the definition of `check --deadlock`. */
#pragma once
#include "prop/formula.h"

typedef struct AcceptedEnds {
    NetLts *lts;
    FormulaStore *formulas;
    FormulaId accepted;
    uint64_t *state;
} AcceptedEnds;

/* Borrows the net; an error when its final markings cannot be understood. */
bool accepted_ends_init(AcceptedEnds *ends, const Net *net, GError **error);
void accepted_ends_clear(AcceptedEnds *ends);
/* Whether the marking is one of them; it need not be dead. */
bool accepted_ends_has(const AcceptedEnds *ends, const uint64_t *marking);
