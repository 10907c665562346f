/* Pieces of the JSON that a page is given. A list or an object is open until its caller closes it. */
#pragma once
#include "base/json.h"

#include <stdint.h>

/* Begins "key":[ as another member. */
void pieces_open(GString *out, const char *key);
/* Begins the next object of a list that is kept without its brackets. */
void pieces_next(GString *out);
/* What a page cannot count without loss becomes a text. */
void pieces_number(GString *out, uint64_t value);
void pieces_numbers(GString *out, const char *key, const uint32_t *value, size_t n);
/* One array per row i: value[start[i] .. start[i + 1] - 1]. */
void pieces_rows(GString *out, const char *key, const uint32_t *start, const uint32_t *value, size_t n);
/* Events or nodes; -1: none; -2: the initial marking. */
void pieces_links(GString *out, const char *key, const uint32_t *value, size_t n);
