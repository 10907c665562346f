/* The fuzz targets. Each must survive any bytes: return 0, free everything, and keep its own assertions, of which
 * the usual one is that what was accepted survives being written and read again. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define TARGET(name) int fuzz_##name(const uint8_t *data, size_t size);
#include "targets.def"
#undef TARGET

/* The function of the target with this name, or NULL. */
typedef int (*FuzzTarget)(const uint8_t *data, size_t size);
FuzzTarget fuzz_target(const char *name);
