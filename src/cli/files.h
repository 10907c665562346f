/* The files that a command reads and writes, as its words name them.
 *
 * Before anything is computed: nothing that is read would be overwritten, no two results go to the same file, and each
 * can be written. */
#pragma once
#include "cli/command.h"

/* EXIT_HOLDS, or the failure, told. */
int files_check(const Command *command);

/* "a+b" is the file of this name, or else the files a and b, of which each may have a "+" in its name. */
char **files_joined(const char *argument);
