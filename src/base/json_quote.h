/* The one place that writes JSON text without json-glib, for what is written by the million: rows of batches, events of
 * prefixes (bench/batch has the figures). */
#pragma once
#include <glib.h>

/* Appends the text as a JSON string; bytes that are not UTF-8 become U+FFFD. */
void json_quote(GString *out, const char *text);
