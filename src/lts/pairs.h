/* The relation file:PATH: independent pairs that the user lists. One pair of transition ids a line;
 * ids with blanks, quotes or '#' stand in double quotes (base/quote.h); '#' starts a comment.
 * A line `base NAME` (before the pairs, at most once) starts from the relation NAME instead of from
 * none. Both orders of a pair mean the same.
 *
 * Pairs that are independent under `loops` commute by structure. All others become the relation's
 * doubtful pairs, for engines to check at every state they meet: counts alone do not show that a
 * relation is wrong. */
#pragma once
#include "lts/indep.h"

Indep *pairs_read_file(const Net *net, const char *path, Budget *budget, GError **error);
/* The same from memory; `file` is used in messages. */
Indep *pairs_read(const Net *net, const char *text, const char *file, GError **error);
