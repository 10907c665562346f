/* Writing a result file whole or not at all.
 *
 * An ordinary file is written beside its place and renamed, so that a reader never sees half of it. What exists and
 * is no ordinary file (a device, a pipe, /dev/stdout) is written directly: renaming would replace the device. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <glib.h>

bool file_write(const char *path, const char *text, size_t length, GError **error);
