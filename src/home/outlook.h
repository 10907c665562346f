/* What can still happen after a marking, from the arcs alone: an over-approximation, so "never again" is certain and
 * "perhaps" is not. A transition is blocked when an empty siphon, or a count that nothing unblocked can mend, keeps it
 * from ever firing again; a count stays at or above what it is when nothing unblocked lowers it, and dually.
 *
 * The one object serves many markings of one net; it is scratch space of one thread. */
#pragma once
#include "prop/formula.h"

typedef struct Outlook {
    const Net *net;
    uint64_t *marking;   /* a copy */
    bool *blocked;       /* per transition: never fires again */
    bool *rises, *falls; /* per place: something unblocked raises, lowers it */
} Outlook;

/* Borrows the net. */
Outlook *outlook_new(const Net *net);
void outlook_free(Outlook *outlook);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Outlook, outlook_free)

/* Goes to a marking. Costs a few passes over the net. */
void outlook_at(Outlook *outlook, const uint64_t *marking);
/* False: no marking that is reachable from here satisfies the goal. */
bool outlook_allows(const Outlook *outlook, const FormulaStore *formulas, FormulaId goal);
