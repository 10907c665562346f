/* Who accessed which memory, for data races: two accesses to one byte by different threads, one of them a write, not
 * both atomic, that synchronisation does not order (Trace.sync). Each execution starts with nothing; accesses of one
 * thread that say no more than a later one are forgotten, so what is kept per 8 bytes is short. Accesses to memory of
 * the heap that is not alive are found here too. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void shadow_access(uintptr_t address, unsigned size, bool write, bool atomic, uintptr_t pc);
/* Any number of bytes. */
void shadow_range(uintptr_t address, size_t bytes, bool write, uintptr_t pc);
void shadow_restart(void);
