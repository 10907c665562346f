/* A firing sequence to a set of reachable markings. Transitions are fired on whole sets, each on all that the ones
 * before it have reached; every set on the way is kept, and a marking of the goal is led back through them. */
#pragma once
#include "symbolic/reached.h"

/* Appends the sequence from the initial marking to some marking of `goal`, which is part of reached->markings and not
 * EMPTY. False: the budget ended. */
bool approach(Reached *reached, Node goal, VecU32 *run);
