/* "Did you mean": the name nearest to one that is none. */
#pragma once
#include <glib.h>
#include <stddef.h>

/* The nearest so far of the names that were offered; a zeroed one has none. */
typedef struct Nearest {
    const char *name; /* not owned */
    size_t distance;
} Nearest;

void nearest_offer(Nearest *nearest, const char *wanted, const char *name);
/* "; did you mean 'check'?" when one is near enough to be a slip of the hand, else "". Owned by the caller. */
char *nearest_hint(const Nearest *nearest, const char *wanted);
/* The same for a list of names between commas or blanks. */
char *nearest_hint_of(const char *wanted, const char *names);
