/* Random programs for differential tests: small, ending or spinning, every statement on a line of its own. Most
 * are sensible about locks; some are not. */
#pragma once
#include "base/rng.h"

#include <glib.h>
#include <stdbool.h>

/* The text of one program; the same seed gives the same text. Free with g_free(). */
char *random_program(uint64_t seed);
