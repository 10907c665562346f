/* What the machine has. */
#pragma once
#include <stdint.h>

/* Bytes of memory that a process should keep to where it was given no limit: three quarters of the machine's, or a
 * third of its address space where that is limited (arrays that grow hold twice what is used, and libraries theirs). */
uint64_t machine_usual_memory(void);
