/* mazurka explore with the algorithms that need a terminating net: sleep, sdpor, odpor, cdpor. Same
 * keys and lines as upor where they mean something. */
#pragma once
#include "cli/command.h"

int explore_dpor(Command *command, const Compiled *read);
