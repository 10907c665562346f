/* Firing sequences as evidence: replayed by the plain firing rule, and shortened by cutting loops and leaving
 * out firings the goal does not need. */
#pragma once
#include "verify/engine.h"

/* Is every transition enabled in turn and the goal true at the end? */
bool witness_replays(const Query *query, const uint32_t *sequence, size_t n);

/* The same of what an engine found, also where transitions are fired several times in a row. */
bool witness_shows(const Query *query, const Result *result);

/* One id per line (base/quote.h), as `mazurka replay` reads it. */
void witness_print(const Net *net, const uint32_t *sequence, size_t n, GString *out);
/* The same with times: "id" N. */
void witness_print_times(const Net *net, const uint32_t *sequence, const uint64_t *times, size_t n, GString *out);

/* Shortens in place; the result still replays. The effort is bounded, so long sequences are shortened less well, and
 * hardly at all when the budget is spent. */
void witness_shorten(const Query *query, VecU32 *sequence, Budget *budget);
