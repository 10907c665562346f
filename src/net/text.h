/* A net in a text format, read as a whole: a place in the text that moves on, and failures that name file, line and
 * column. Positions are counted when something failed, so reading keeps no lines. Names may hold any valid UTF-8. */
#pragma once
#include "base/budget.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Text {
    const char *at, *start, *end; /* at `end` stands a zero, which may be looked at */
    const char *file;             /* for messages */
    Budget *budget;               /* or NULL */
    GError **error;
} Text;

/* How many bytes the mark of UTF-8 takes at the beginning: 0 or 3. */
size_t text_mark(const char *data, size_t len);

/* Where the line ends: at a line feed, a carriage return, or both, or at `end`. */
const char *text_line_end(const char *at, const char *end);

/* Both set the error and return false; the second at a place before `at`. */
bool text_fail(Text *text, const char *format, ...) G_GNUC_PRINTF(2, 3);
bool text_fail_at(Text *text, const char *where, ErrorCode code, const char *format, ...) G_GNUC_PRINTF(4, 5);
/* False, with an error, when the budget has ended. To be asked for each line, node or arc. */
bool text_goes_on(Text *text);

/* Blanks and tabs; with line breaks. */
static inline void text_skip_blanks(Text *text)
{
    while (*text->at == ' ' || *text->at == '\t') text->at++;
}
void text_skip_space(Text *text);
/* To the beginning of the next line. */
void text_skip_line(Text *text);
static inline bool text_ends_line(const Text *text, const char *at)
{
    return *at <= '\r' && (at == text->end || *at == '\n' || *at == '\r');
}
static inline bool text_at_end_of_line(const Text *text)
{
    return text_ends_line(text, text->at);
}

static inline bool text_at_digit(const Text *text)
{
    return *text->at >= '0' && *text->at <= '9';
}
/* A decimal number up to 2^64 - 1, checked. */
bool text_number(Text *text, uint64_t *value);
/* A copy of [from, to), which is somewhere in the text; NULL, with an error, when it is no valid UTF-8. */
char *text_name(Text *text, const char *from, const char *to);
