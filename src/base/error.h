/* Errors of the library: GErrors of one domain. Bad input carries file:line:column in its message;
 * functions that can fail take a GError** last and return NULL or false after setting it. */
#pragma once
#include <glib.h>
#include <stdint.h>

#define MAZURKA_ERROR (error_quark())

typedef enum {
    ERROR_INPUT,       /* the file is not what it should be */
    ERROR_UNSUPPORTED, /* valid, but a kind of net or property that is refused by name */
    ERROR_IO,          /* cannot be read or written */
    ERROR_USAGE,       /* the caller asked for something that makes no sense */
    ERROR_LIMIT,       /* a limit on size or counts was exceeded while reading */
    ERROR_SPENT,       /* the budget (time, memory, a signal) ended before all was read */
} ErrorCode;

GQuark error_quark(void);

/* Sets *error to "FILE:LINE:COLUMN: message". A line of 0 leaves the position out. */
void error_at(GError **error, ErrorCode code, const char *file, int line, int column, const char *format, ...)
    G_GNUC_PRINTF(6, 7);

/* What error_at() was given, apart: the file (NULL, and the whole message, when nobody said), 0 for no position. Both
 * texts belong to the error. */
typedef struct ErrorPlace {
    const char *file, *text;
    int line, column;
} ErrorPlace;
ErrorPlace error_place(const GError *error);

/* The beginning of a text for a message: whole characters, at most 100 bytes and "..." when there is more. `len` may be
 * SIZE_MAX for a text that ends with a zero. Valid UTF-8 whatever the text is. Use: error_excerpt(text, len).text */
typedef struct ErrorExcerpt {
    char text[104];
} ErrorExcerpt;
ErrorExcerpt error_excerpt(const char *text, size_t len);
