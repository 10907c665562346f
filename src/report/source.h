/* Markings of a compiled program in the words of its source. All texts are owned by the caller. */
#pragma once
#include "program/compile.h"

/* Lines "values:", "threads:" (one thread per line) that say where the program stands, in shown text. Never NULL. */
char *source_state(const Compiled *program, const uint64_t *marking);
/* "t[1]: line 12: assertion fails: x == 1"; NULL when no thread stopped with an error there. */
char *source_error(const Compiled *program, const uint64_t *marking);
/* The two accesses that race at the marking; NULL when none do. */
char **source_race(const Compiled *program, const uint64_t *marking);
