/* Takes from the process what a checker does not need, for good: with its files open it may read and write what is
 * open, ask for memory, look at the clock and end; opening files, making processes, sockets and code, and everything
 * else fails with "permission denied". A seccomp filter, where the kernel has them (Linux on x86-64 and arm64).
 *
 * Not under valgrind or a sanitizer, which need more than that, and not with MAZURKA_SANDBOX=off in the environment. */
#pragma once
#include <stdbool.h>

/* True when the filter is in force. */
bool sandbox_enter(void);
