/* mazurka explore with the algorithms that need a terminating net: sleep, sdpor, odpor, cdpor. Same
 * keys and lines as upor where they mean something. */
#pragma once
#include "cli/command.h"

/* Does the option name one of them? */
bool explore_dpor_wants(const Command *command);
int explore_dpor(Command *command, const Net *net);
