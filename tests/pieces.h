/* Bytes in memory as the source of an Input, handed out in pieces of at most `most` bytes: every token is cut
 * somewhere. */
#pragma once
#include <glib.h>
#include <string.h>

typedef struct Pieces {
    const char *data;
    size_t left, most;
} Pieces;

/* An InputFetch. */
static inline gssize pieces_fetch(void *source, char *buffer, size_t size)
{
    Pieces *pieces = source;
    size_t n = MIN(MIN(size, pieces->most), pieces->left);
    if (n) memcpy(buffer, pieces->data, n);
    pieces->data += n;
    pieces->left -= n;
    return (gssize)n;
}
