/* What the machine has, and what it runs. */
#pragma once
#include <stdint.h>

/* Bytes of memory that a process should keep to where it was given no limit: three quarters of the machine's, or a
 * third of its address space where that is limited (arrays that grow hold twice what is used, and libraries theirs). */
uint64_t machine_usual_memory(void);

/* Path of the program that runs; as it was called where /proc is not mounted (a bare chroot). NULL where even that is
 * not known. To be freed. */
char *machine_own_program(void);
