/* `mazurka replay` of a coloured net: the firing sequence runs on the net of the file, not on its expansion. */
#pragma once
#include "cli/command.h"
#include "colour/net.h"

/* `text` has one firing a line, as transition(x = a); `file` is where it is from. The exit code. */
int replay_coloured(Command *command, const ColourNet *net, const char *file, char *text);
