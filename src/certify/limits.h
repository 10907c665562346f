/* The limits of mazurka-verify as a program. It leaves nothing behind that would have to be cleaned up, so limits need
 * no cooperation of the code that works: a timer looks at the clock and at resident memory a hundred times
 * a second, and when a limit is passed, or at Ctrl-C and SIGTERM, says so and ends the process with status 2 at once,
 * whatever it is doing. So does running out of memory. One process has one set of limits. */
#pragma once
#include <stdint.h>

enum { LIMITS_EXIT = 2 };

/* 0: no such limit. */
void limits_start(double seconds, uint64_t memory_bytes);
