/* What the reader and the writer of LoLA's nets share. */
#pragma once
#include <stdbool.h>

/* Is the text read as one name? */
bool lola_is_name(const char *text);
