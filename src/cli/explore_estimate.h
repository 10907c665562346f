/* `mazurka explore --estimate`: about how many traces a net has, by explore/estimate.h. */
#pragma once
#include "cli/command.h"

/* Returns the exit code. */
int explore_estimate(Command *command, const Net *net);
