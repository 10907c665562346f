/* `check --property FILE.xml`: all properties of a contest file in one run, one line (or JSON object) each. */
#pragma once
#include "cli/command.h"

/* The worst of all verdicts as exit code: violated, then unknown, then holds. */
int check_file(Command *command, const mz_net *net);
