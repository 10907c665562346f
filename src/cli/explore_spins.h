/* What explore --await asks for: loops that only wait are not followed, or are, or are until one has no end. */
#pragma once
#include "cli/command.h"
#include "explore/spins.h"

/* NULL: there is no such loop, or they are followed. */
Spins *explore_spins(const Command *command, const Net *net);
/* Only when a run has no end? */
bool explore_spins_late(const Command *command);
