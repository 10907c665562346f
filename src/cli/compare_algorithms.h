/* mazurka compare --algorithms: one row per algorithm of explore. */
#pragma once
#include "cli/command.h"

int compare_algorithms(Command *command);
