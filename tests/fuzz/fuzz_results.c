#include "fuzz.h"

#include "batch/ledger.h"
#include "batch/page.h"
#include "batch/relations.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A row that was read prints as a line that reads as the same row. */
static void check_rows(const Rows *rows)
{
    for (size_t i = 0; i < rows->len; i++) {
        g_autoptr(GString) line = g_string_new(NULL), again = g_string_new(NULL);
        Row row;
        row_print(&rows->data[i], line);
        if (!row_parse(line->str, line->len - 1, &row)) abort();
        row_print(&row, again);
        if (strcmp(line->str, again->str) != 0) abort();
        row_clear(&row);
    }
}

static void report(const Rows *rows)
{
    g_autoptr(Summary) summary = summary_new(rows);
    g_autoptr(GString) out = g_string_new(NULL);
    summary_print(summary, out);
    summary_csv(summary, "/tmp", out);
    relations_print(rows, out);
    PageFile file = {.name = "fuzz", .summary = summary};
    page_print(&file, 1, "/tmp", out);
}

/* A file that is continued keeps its beginning; one that is refused keeps everything. */
static void resume(const uint8_t *data, size_t size)
{
    int fd = memfd_create("results", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
    g_autoptr(GError) error = NULL;
    Ledger *ledger = ledger_open(path, true, &error);
    if (!ledger && !error) abort();
    size_t n_earlier, length = (size_t)lseek(fd, 0, SEEK_END);
    Rows rows = {0};
    if (ledger && (!ledger_rows(ledger, &rows, &n_earlier, NULL) || n_earlier != rows.len)) abort();
    rows_free(&rows);
    ledger_close(ledger);
    g_autofree char *left = g_malloc(length + 1);
    if (length > size || (!ledger && length < size) || pread(fd, left, length, 0) != (ssize_t)length) abort();
    if (memcmp(left, data, length) != 0) abort();
    close(fd);
}

int fuzz_results(const uint8_t *data, size_t size)
{
    Rows rows = {0};
    rows_parse((const char *)data, size, &rows);
    check_rows(&rows);
    report(&rows);
    rows_free(&rows);
    if (size) resume(data, size);
    return 0;
}
