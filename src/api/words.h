/* Options as callers give them: a NULL-terminated list of "NAME=VALUE" or "NAME". */
#pragma once
#include "api/mazurka.h"

#include "lts/relation.h"
#include "unfold/order.h"

#include <glib.h>

/* False, with an error, when one is not in `known` (names joined by blanks) or given twice. options may be NULL. */
bool words_check(const char *const *options, const char *known, GError **error);
/* NULL: not given; "" when it is only named. */
const char *words_value(const char *const *options, const char *name);
/* Unchanged when not given. */
bool words_number(const char *const *options, const char *name, uint64_t least, uint64_t most, uint64_t *value,
                  GError **error);
/* Which of `words` (joined by blanks) it is, from 0; unchanged when not given. */
bool words_choice(const char *const *options, const char *name, const char *words, unsigned *choice, GError **error);

/* Is there such a relation, order, engine (or list of engines)? The error names those that there are. */
bool words_relation(const char *name, Relation *relation, GError **error);
bool words_order(const char *name, Order *order, GError **error);
bool words_engines(const char *names, GError **error);
