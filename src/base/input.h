/* What a program reads, piece by piece and under a budget: a file, a pipe or FIFO that nobody may ever write to, or
 * bytes in memory. No read waits longer than the budget lasts; a budget that ends is an error of code ERROR_SPENT. The
 * first bytes can be looked at before they are read, which tells a format. What begins as gzip or xz does is unpacked
 * (unpack.h), whatever it is called: all below is about what comes out, limits and budget too. */
#pragma once
#include "base/budget.h"

#include <stddef.h>

typedef struct Input Input;

/* Fills the buffer with up to `size` bytes: how many, 0 at the end, -1 on failure (errno). */
typedef gssize (*InputFetch)(void *source, char *buffer, size_t size);

/* path "-" is the standard input. The budget is borrowed, as all below, and may be NULL: then opening a FIFO waits for
 * its writer, and reading makes no other system call than read. With a budget opening waits for nothing. */
Input *input_open(const char *path, Budget *budget, GError **error);
Input *input_bytes(const char *data, size_t len, const char *name, Budget *budget);
/* From a function; for tests. */
Input *input_from(InputFetch fetch, void *source, const char *name, Budget *budget);
void input_close(Input *input);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Input, input_close)

/* What messages call it. */
const char *input_name(const Input *input);
/* May be NULL. */
Budget *input_budget(const Input *input);
/* The first bytes, up to 65536, which stay to be read; NULL on failure. Before anything is read. */
const char *input_peek(Input *input, size_t *len, GError **error);
/* As an InputFetch; -1: the error says why. */
gssize input_read(Input *input, char *buffer, size_t size, GError **error);
/* All of it, zero-terminated; more than `most` bytes are an error of code ERROR_LIMIT. */
char *input_read_all(Input *input, size_t most, size_t *len, GError **error);

/* For files that have no smaller limit of their own. */
enum { INPUT_LARGE = 1000000000 };
/* input_open() and input_read_all() in one. */
char *input_read_file(const char *path, size_t most, Budget *budget, size_t *len, GError **error);
