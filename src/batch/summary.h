/* Totals of batch results: solved, wrong, unknown, time and memory, grouped by one property of the rows.
 * Repetitions of one query are one query: it is solved when every repetition answered alike, wrong when
 * one of them was; its time is the median, and the spread is the largest over the smallest. */
#pragma once
#include "batch/row.h"

typedef enum { GROUP_TOTAL, GROUP_EXAMINATION, GROUP_FAMILY, GROUP_ENGINE, GROUP_REASON } Grouping;

/* One query over all its repetitions. */
typedef struct QueryTotal {
    const Row *row; /* its first repetition: instance, examination, id, expected ... */
    const char *verdict, *reason;
    bool wrong, unstable;          /* unstable: repetitions answered differently */
    double wall, fastest, slowest; /* median and extremes */
    uint64_t peak_kib;
    uint32_t repeats;
    uint32_t job_rows;
} QueryTotal;

typedef struct SummaryGroup {
    char *name;
    uint32_t queries, solved, wrong, unknown;
    double wall;   /* summed over jobs, not over their rows */
    double spread; /* largest slowest / fastest of a query that ran over 10 ms */
    uint64_t peak_kib;
} SummaryGroup;

typedef struct Summary {
    QueryTotal *queries; /* in order of instance, examination, id */
    size_t n_queries;
} Summary;

/* Borrows the rows. */
Summary *summary_new(const Rows *rows);
void summary_free(Summary *summary);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Summary, summary_free)

/* GROUP_REASON has the unanswered queries only, by the head of their reason. Sorted by name; free the names and the
 * array with summary_groups_free(). */
SummaryGroup *summary_groups(const Summary *summary, Grouping grouping, size_t *n);
void summary_groups_free(SummaryGroup *groups, size_t n);

/* "Philosophers" for Philosophers-PT-000010; a name without "-" is its own family. */
char *summary_family(const char *instance);

/* "time limit" for "time limit; walk, unfold stopped at their share": what stands before details. Owned by the caller.
 */
char *summary_reason_head(const char *reason);

/* The tables as text, and the first unsolved queries with their reasons. */
void summary_print(const Summary *summary, GString *out);
/* All queries, one line each, comma-separated with a header. Files are named from `folder`; rows name them from the
 * working folder. */
void summary_csv(const Summary *summary, const char *folder, GString *out);
