/* Why a goal can always be reached again, without a list of all markings: a rank that can always be made to fall.
 *
 * The rank of a marking is a list of sums of places, the levels, compared as words are in a dictionary: the first sum
 * that differs decides. Counts of tokens are natural numbers, so a rank cannot fall for ever. What firings change does
 * not depend on the marking, so neither does whether they lower the rank. A way is a fixed sequence of firings.
 *
 * A marking is stuck when the goal does not hold there, nothing that lowers the rank can happen there (no transition,
 * no way), and no way can be fired after which the goal holds. If no reachable marking is stuck, the goal can be
 * reached from every one: as long as it does not hold, fire such a way to it, or whatever lowers the rank, which ends.
 * So the rest of the certificate, of any kind that shows something unreachable and with any steps before it, is about
 * "stuck" instead of the goal, and shows that the goal is always reachable again (AG EF).
 *
 * In the file, after "home EXPRESSION": lines "level PLACE ..." from the first to the last, a place that counts twice
 * twice, and lines "way TRANSITION ..."; there may be none. No place has two levels. */
#pragma once
#include "base/budget.h"
#include "prop/formula.h"

typedef struct Descent {
    VecU32 levels, ways; /* lists, each ended by NET_NONE */
} Descent;

void descent_clear(Descent *descent);

/* The formula of what is stuck, in the goal's store, which is of the net. Otherwise *problem says what is wrong (owned
 * by the caller). */
bool descent_stuck(const Descent *descent, FormulaStore *store, FormulaId goal, Budget *budget, FormulaId *stuck,
                   char **problem);
