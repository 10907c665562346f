/* The report of one or more result files as one self-contained HTML page: totals, a cactus plot with one
 * line per file, a scatter plot when there are two, tables per examination, family and engine, and the
 * lists of wrong and unsolved queries. */
#pragma once
#include "batch/summary.h"

typedef struct PageFile {
    const char *name;
    const Summary *summary;
} PageFile;

void page_print(const PageFile *files, size_t n, GString *out);
