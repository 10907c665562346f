/* A coloured net as a place/transition net: a place for each colour that a coloured place may hold, a transition for
 * each binding that may fire.
 *
 * What may be held and may fire is the least fixed point of: the colours of the initial marking; a binding whose guard
 * holds and whose input colours are all held; the colours on the output arcs of such a binding. Nothing else is made,
 * so places and transitions that are left out can never be marked or fire, and the nets have the same runs: the marking
 * of an expanded place is the count of one colour, and each firing is one binding. The result does not depend on the
 * way it is found: places and transitions stand in the order of the coloured net, those of one by their colours and by
 * the values of the variables in the order of their declarations. certify/coloured_net.h computes the same from this
 * definition.
 *
 * Names: "place(a,b)" for the colours a and b, the bare id for dots; "transition(x = a, y = b)", the bare id without
 * variables; "()" follows a bare id that ends with ")", so that no two are equal. Net.colours of the result says which
 * belongs to what.
 *
 * Cost: each binding is found once, by joins (join.h), from the last of its tokens to be found; bindings of transitions
 * with <all>, a subtraction or a block on an input arc are looked for again whenever their inputs have changed. About 4
 * bytes for each variable of a binding beyond what NetBuilder takes. */
#pragma once
#include "base/budget.h"
#include "colour/net.h"
#include "net/net.h"

/* `file` is for messages. When the budget (may be NULL) ends, or the result would not fit into a Net or the memory of
 * this machine, the error is ERROR_SPENT and says how far it came. */
Net *colour_expand(const ColourNet *net, const char *file, Budget *budget, GError **error);
/* When a part of the expanded net will do: a transition with more than `many` (0: any number) bindings makes it one,
 * with at most `kept` bindings of each transition. */
typedef struct ColourPart {
    uint32_t many, kept;
} ColourPart;

/* The same with colours that nothing tells apart made one (merge.h), which changes the coloured net: it is only good
 * for being freed then. For questions about coloured places and transitions. NetColours.partial says what became of
 * `part`; a part in which a coloured place or transition has nothing left, or of a net with subtractions, is none. */
Net *colour_expand_merged(ColourNet *net, ColourPart part, const char *file, Budget *budget, GError **error);
