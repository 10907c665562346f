/* The result file of a batch: append-only JSON lines. Opening takes a lock (a second batch on the same
 * file is refused) and, to resume, reads which jobs are complete and cuts off what a crash left
 * half-written at the end: rows of a job that lacks some, half a row, blocks of zeros. Anything else is not ours, and
 * a file that has it, from its first line on, is refused and left as it is. A job's rows are appended by one write;
 * when the disk is full the file is put back to its last whole job. */
#pragma once
#include "batch/row.h"

typedef struct Ledger Ledger;

/* Without `resume` an existing non-empty file is refused. */
Ledger *ledger_open(const char *path, bool resume, GError **error);
/* Has this job all its rows already? */
bool ledger_has(const Ledger *ledger, const char *instance, const char *examination, uint32_t repeat);
/* Sets `rows` of each row to n. */
bool ledger_append(Ledger *ledger, Row *rows, size_t n, GError **error);
/* Appends all rows to `rows`, the first *n_earlier from before this batch. They are read from the file; nothing of them
 * is kept in memory, however long a batch runs. */
bool ledger_rows(const Ledger *ledger, Rows *rows, size_t *n_earlier, GError **error);
void ledger_close(Ledger *ledger);
