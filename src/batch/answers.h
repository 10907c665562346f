/* Turns what one job told (record.h) and how it ended into rows, and compares them with expected answers. */
#pragma once
#include "batch/expected.h"
#include "batch/jobs.h"
#include "batch/row.h"
#include "batch/runner.h"

/* Appends the job's rows: one per query it announced, in that order, then one per expected id that it did not; at least
 * one. An id that several queries have is one row without a verdict, and a stream with a fault has no verdicts at all.
 * Evidence is named as evidence_name() does. Costs n log n in queries and expected ids. expected may be NULL. */
void answers_rows(const Job *job, const JobOutcome *outcome, const Expected *expected, Rows *rows);
