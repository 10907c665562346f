/* The search: one execution per Mazurkiewicz trace, or more for the algorithms that reduce less.
 *
 *   odpor  wakeup trees (tree.h): the sequence reversing a race is inserted at the node before the race, unless
 *          something asleep there is a weak initial of it. No execution is in vain.
 *   sdpor  source sets: some initial of the sequence must be a branch of that node.
 *   sleep  every operation that can happen and is not asleep.
 *   upor   races become events of the unfolding (extension.h), and a node goes on by an alternative to what was
 *          explored (alternative.h).
 *
 * The path's nodes are fields of its events (trace.h): the node's tree node and where its sleeping operations and its
 * races begin. Executions start from the beginning of the program and repeat the path up to the next branch. */
#pragma once
#include "run/run.h"

/* Explores to the end and tells the results. */
void explorer_run(void);

/* For the scheduler. The thread that is next, with its choice; NULL, run.end set, when the execution ends. */
Thread *explorer_choose(uint16_t *choice);
/* An event was added (visible: not a silent one); what belongs to the node behind it is set. */
void explorer_arrived(bool visible);
/* The pending operation of a thread as the explorer sees it. */
Op scheduler_op(const Thread *thread);
