/* Opening inputs. Files that are written: base/output.h. */
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include <glib.h>

/* For reading; "-" is the standard input. *name is what messages call it. NULL: the error says why. */
FILE *file_open(const char *path, const char **name, GError **error);
/* Leaves the standard input open. */
void file_close(FILE *stream);
