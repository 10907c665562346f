/* Looks every second whether the program still comes to visible operations, and ends the process with a sentence when
 * it does not: it computes without end, or waits in the system. */
#pragma once

void watch_start(void);
