/* The last line of defence for --time, --memory, Ctrl-C and SIGTERM. Whatever computes looks at its Budget and stops by
 * itself; where it does not in time (inside a library, in a loop that nobody measured), the guard ends the process with
 * what a user needs: "UNKNOWN" and the reason; so it does where the system has no more memory. It is a timer's signal
 * handler, so it costs nothing while all goes well.
 *
 * One per process, as signals are. */
#pragma once
#include "cli/command.h"

/* From now on: the process ends a little after the deadline (on budget_now()'s clock), for a limit of so many seconds,
 * and when it is a little larger than so many bytes; 0: no such limit. */
void guard_arm(const Command *command, double deadline, double seconds, uint64_t memory);
/* How little, in seconds. */
double guard_patience(double seconds);
/* Results are being printed: only a request to stop ends the process now. */
void guard_disarm(void);
/* For a signal handler: the process shall stop, soon. */
void guard_stop(void);
