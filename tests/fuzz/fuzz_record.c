#include "fuzz.h"

#include "batch/answers.h"
#include "batch/record.h"

#include <stdlib.h>
#include <string.h>

/* What is accepted is what the writer would have written, and every row says a verdict or why there is none. */
int fuzz_record(const uint8_t *data, size_t size)
{
    g_autoptr(GString) again = g_string_new(NULL);
    RecordReader reader = {.data = (const char *)data, .len = size};
    Record record;
    RecordStep step;
    while ((step = record_next(&reader, &record)) == RECORD_READ) record_print(&record, again);
    if ((step == RECORD_FAULT) != (reader.fault != NULL)) abort();
    if (again->len != reader.at || memcmp(again->str, data, reader.at) != 0) abort();

    const Job job = {"instance", "path", TASK_CARDINALITY, size % 2};
    JobOutcome outcome = {
        .ending = size % 5, .status = 1, .told = (const char *)data, .told_len = size, .truncated = size & 1};
    Rows rows = {0};
    answers_rows(&job, &outcome, NULL, &rows);
    if (!rows.len) abort();
    for (size_t i = 0; i < rows.len; i++) {
        const Row *row = &rows.data[i];
        if (!row->id || !row->verdict == !row->reason || (row->verdict && step == RECORD_FAULT)) abort();
        if (!row->verdict && (row->witness || row->certificate || row->technique)) abort();
    }
    rows_free(&rows);
    return 0;
}
