/* Firing sequences as evidence: replayed by the plain firing rule, and shortened by cutting loops and leaving
 * out firings the goal does not need. */
#pragma once
#include "verify/engine.h"

/* Is every transition enabled in turn and the goal true at the end? */
bool witness_replays(const Query *query, const uint32_t *sequence, size_t n);

/* One id per line (base/quote.h), as `mazurka replay` reads it. */
void witness_print(const Net *net, const uint32_t *sequence, size_t n, GString *out);

/* Shortens in place; the result still replays. The effort is bounded, so long sequences are shortened less well, and
 * hardly at all when the budget is spent. */
void witness_shorten(const Query *query, VecU32 *sequence, Budget *budget);
