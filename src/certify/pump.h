/* Why a sum of places has no bound: a run with loops, on markings whose counts are numbers or omega, "as many as you
 * like". It begins at the initial marking, which has no omega, and has parts, a line each:
 *
 *   run TRANSITION ...     fires them in turn
 *   loop TRANSITION ...    fires them in turn and comes to no less than it began with, place by place; what has become
 *                          more is omega from then on
 *
 * An omega is enough for every arc that takes or reads, and stays omega whatever is taken or put; a transition that an
 * omega inhibits does not fire. In a loop no transition fires that is inhibited by a place which the loop raises.
 *
 * This is kept true: for each k some reachable marking has exactly the counts that are numbers, and at least k where
 * there is omega. A firing keeps it: take the marking for k and what the transition asks for. So does a loop: the
 * marking for k + k * (all that the loop takes) lets it fire k times. A place that is a number before and is not raised
 * has the same counts in every turn; one that is raised has in each turn at least what it had in the first, which is
 * enough for arcs that take or read, and inhibits nothing in the loop; an omega lasts for k turns and has k left. What
 * was raised, by one at least in each turn, then has k or more.
 *
 * So when a place of the sum is omega at the end, the sum has no bound. Nothing here says that a marking is reachable
 * or that it is not. */
#pragma once
#include "base/budget.h"
#include "base/vec.h"
#include "net/net.h"

typedef struct PumpPart {
    bool loop;
    size_t end; /* behind its last firing; it begins where the one before ends */
} PumpPart;

typedef struct Pump {
    VecU32 firings;
    VEC(PumpPart) parts;
} Pump;

void pump_clear(Pump *pump);
void pump_add(Pump *pump, bool loop, const uint32_t *firings, size_t n);

/* One line; false: it is none of a net with so many transitions. */
bool pump_parse(Pump *pump, const char *line, uint32_t n_transitions);
void pump_put(const Pump *pump, GString *out);

/* Does it show that the sum has no bound? Otherwise *problem. Cost: the arcs of what fires. */
bool pump_check(const Pump *pump, const Net *net, const VecU32 *places, Budget *budget, char **problem);
