/* Why an event of a prefix is a cutoff, or what keeps it from being one: for people. */
#pragma once
#include "unfold/prefix.h"

/* Owned by the caller. */
char *prefix_why(const Prefix *prefix, uint32_t event);
