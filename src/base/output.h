/* Files that are written.
 *
 * A file appears complete or not at all: its text goes to a new file of a random name in the same folder (made with
 * O_EXCL, so that nothing laid there beforehand is followed), which is then renamed. What was there stays until then,
 * and its mode after it. A path through links is written where it leads. What is no ordinary file (a device, a pipe) is
 * written directly, and so is a file that standard output or error goes to already. The reader of a pipe has three
 * seconds to come.
 *
 * A command tells its Outputs what it reads and what it will write before it computes anything: no output may be one of
 * the inputs (by device and inode, whatever the paths look like) or another output, and each must be possible. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct Output Output;
/* "-" is the standard output. NULL: the error says why. */
Output *output_open(const char *path, GError **error);
FILE *output_stream(Output *output);
/* Ends it: the file is in its place, or everything is as it was before. False, with an error, when it could not be
 * written. */
bool output_close(Output *output, GError **error);
void output_discard(Output *output);

/* All three for a text. */
bool output_write(const char *path, const char *text, size_t length, GError **error);

/* All bytes, to a descriptor that is open already; false, with errno, when they do not all get there. */
bool output_put(int fd, const char *data, size_t length);

typedef struct Outputs Outputs;
Outputs *outputs_new(void);
void outputs_free(Outputs *outputs);
/* "-" is the standard input; what cannot be read is told by who reads it. */
void outputs_add_input(Outputs *outputs, const char *path);
/* False when the path is one of those before. "-" is always possible. */
bool outputs_add(Outputs *outputs, const char *path, GError **error);
/* Can a file be put there now? Changes nothing. */
bool outputs_can_write(const char *path, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Outputs, outputs_free)
