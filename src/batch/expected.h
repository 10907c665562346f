/* Answers that are known before: (instance, examination, id) -> verdict, from a TSV with those four columns and a
 * header line. Kept sorted, so that the ids of a job are one slice, in order. */
#pragma once
#include "base/budget.h"

#include <glib.h>
#include <stddef.h>

typedef struct ExpectedRow {
    const char *instance, *examination, *id, *verdict;
    int line;
} ExpectedRow;

typedef struct Expected Expected;
/* An id that stands twice with different verdicts is an error. */
Expected *expected_read(const char *path, Budget *budget, GError **error);
/* The n rows of one job, sorted by id, each id once. expected may be NULL: then there are none. */
const ExpectedRow *expected_of_job(const Expected *expected, const char *instance, const char *examination, size_t *n);
void expected_free(Expected *expected);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Expected, expected_free)
