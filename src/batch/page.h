/* The report of one or more result files as one self-contained HTML page: totals, a cactus plot with one
 * line per file, a scatter plot when there are two, tables per examination, family and engine, and the
 * lists of wrong and unsolved queries, with links to evidence. */
#pragma once
#include "batch/summary.h"

typedef struct PageFile {
    const char *name;
    const Summary *summary;
} PageFile;

/* `folder` is where the page will lie: links lead from there to files that the rows name from the working folder. */
void page_print(const PageFile *files, size_t n, const char *folder, GString *out);
