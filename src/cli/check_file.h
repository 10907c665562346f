/* `check --property FILE.xml`: all properties of a contest file in one run, one line (or JSON object) each. */
#pragma once
#include "cli/command.h"

/* The worst of all verdicts as exit code: violated, then unknown, then holds. */
int check_file(Command *command, const Net *net);
/* Removes the certificate there, if one is: one of an earlier run must not be taken for this one's. */
void check_forget_proof(const char *path);
