/* Opening inputs, and writing a result file whole or not at all.
 *
 * An ordinary file is written beside its place and renamed, so that a reader never sees half of it. What exists and
 * is no ordinary file (a device, a pipe, /dev/stdout) is written directly: renaming would replace the device. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <glib.h>

/* For reading; "-" is the standard input. *name is what messages call it. NULL: the error says why. */
FILE *file_open(const char *path, const char **name, GError **error);
/* Leaves the standard input open. */
void file_close(FILE *stream);

bool file_write(const char *path, const char *text, size_t length, GError **error);
