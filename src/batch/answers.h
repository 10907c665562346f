/* Turns what one job printed (contest lines, MCC-PROTOCOL section 2) and how it ended into rows, and
 * compares them with expected answers. */
#pragma once
#include "batch/jobs.h"
#include "batch/row.h"
#include "batch/runner.h"

/* Expected answers: instance, examination, id -> verdict. */
typedef struct Expected Expected;
/* A TSV with the columns instance, examination, id, verdict and a header line. */
Expected *expected_read(const char *path, GError **error);
/* NULL when not known. */
const char *expected_find(const Expected *expected, const char *instance, const char *examination, const char *id);
/* The ids of one job, sorted, or NULL. */
const GPtrArray *expected_ids(const Expected *expected, const char *instance, const char *examination);
void expected_free(Expected *expected);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Expected, expected_free)

/* Appends the job's rows: one per answered id, one per announced or expected id without an answer; at least one.
 * expected may be NULL. An id answered twice keeps its last answer. */
void answers_rows(const Job *job, const Outcome *outcome, const Expected *expected, Rows *rows);
