/* A comparison as one HTML page that needs nothing else: bar charts over all nets on a logarithmic
 * scale, the table, and for small nets the prefixes side by side. There the coarsest relation shown is
 * the yardstick: events of another prefix that are the same event under it are copies, and
 * highlighted; its own events say how many events of the largest prefix they stand for. */
#pragma once
#include "report/comparison.h"

/* `limits`: what held for each row, in words. */
void comparison_page_print(const Comparison *comparison, const char *limits, GString *out);
