/* One line of a batch's results: the answer to one query. A job (one instance, one examination, one
 * repetition) gives one or several rows, written together; each says how many they are, so that a job
 * cut in the middle by a power loss is recognised and run again. */
#pragma once
#include "base/budget.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Row {
    char *instance, *examination, *id;
    char *verdict;               /* TRUE, FALSE, a number, +inf; NULL: unknown */
    char *reason;                /* why unknown: time, memory, crash, ...; NULL when answered */
    char *technique;             /* words joined by spaces; NULL */
    char *engine;                /* NULL */
    char *expected;              /* NULL: not known */
    char *witness, *certificate; /* files, named from the result file's folder, or NULL */
    char *setting;               /* version, limits, machine: of the first row of a job; NULL elsewhere */
    char *unwritten;             /* why such a file could not be written, or NULL */
    double wall, cpu;
    double after; /* seconds from the job's start to the verdict */
    uint64_t peak_kib;
    uint32_t rows, repeat; /* rows of this job; repetition from 0 */
    bool has_after, has_agrees, agrees;
} Row;

void row_clear(Row *row);
/* One JSON object and a newline. */
void row_print(const Row *row, GString *out);
/* From one line; false (nothing allocated) when it is not a row. A row is flat: what nests deeper than a member that
 * holds something is refused before it is parsed. */
bool row_parse(const char *line, size_t len, Row *row);
/* Could a file that was cut off end with these bytes as the beginning of a row? */
bool row_may_begin(const char *line, size_t len);

typedef struct Rows {
    Row *data;
    size_t len, cap;
} Rows;

void rows_clear(Rows *rows);
void rows_free(Rows *rows);
/* Appends the rows of these lines; returns how many lines are none. */
size_t rows_parse(const char *text, size_t len, Rows *rows);
/* All rows of a result file, or of a folder that workers share (claims.h); lines that are not rows are counted in *bad
 * (may be NULL). */
bool rows_read(const char *path, Rows *rows, size_t *bad, Budget *budget, GError **error);
