#include "net/text.h"

#include "base/exact.h"

#include <string.h>

size_t text_mark(const char *data, size_t len)
{
    return len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

const char *text_line_end(const char *at, const char *end)
{
    while (at < end && *at != '\n' && *at != '\r') at++;
    return at;
}

/* Behind the end of a line that stands here. */
static const char *after_line(const char *at, const char *end)
{
    return at + (end - at >= 2 && at[0] == '\r' && at[1] == '\n' ? 2 : at < end);
}

static bool fail(Text *text, const char *where, ErrorCode code, const char *format, va_list args)
{
    g_autofree char *message = g_strdup_vprintf(format, args);
    int line = 1;
    const char *line_start = text->start, *line_end;
    for (; (line_end = text_line_end(line_start, where)) < where; line++)
        line_start = MIN(after_line(line_end, text->end), where);
    error_at(text->error, code, text->file, line, (int)(where - line_start) + 1, "%s", message);
    return false;
}

bool text_fail(Text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(text, text->at, ERROR_INPUT, format, args);
    va_end(args);
    return false;
}

bool text_fail_at(Text *text, const char *where, ErrorCode code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(text, where, code, format, args);
    va_end(args);
    return false;
}

bool text_goes_on(Text *text)
{
    if (!text->budget || !budget_spent(text->budget)) return true;
    return text_fail_at(text, text->at, ERROR_SPENT, "not read to its end: %s", budget_text(text->budget));
}

void text_skip_space(Text *text)
{
    while (g_ascii_isspace(*text->at)) text->at++;
}

void text_skip_line(Text *text)
{
    if (*text->at == '\n') { /* a zero at the end of the text is none */
        text->at++;
        return;
    }
    text->at = after_line(text_line_end(text->at, text->end), text->end);
}

bool text_number(Text *text, uint64_t *value)
{
    if (!text_at_digit(text)) return text_fail(text, "a number is expected here");
    uint64_t number = 0;
    const char *at = text->at;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (G_LIKELY(number < UINT64_MAX / 16)) {
            number = 10 * number + digit;
        } else if (!checked_multiply(number, (uint64_t)10, &number) || !checked_add(number, digit, &number)) {
            return text_fail(text, "this number is larger than 2^64 - 1");
        }
    }
    text->at = at;
    *value = number;
    return true;
}

static bool is_ascii(const char *from, const char *to)
{
    for (; to - from >= 8; from += 8) {
        uint64_t word;
        memcpy(&word, from, 8);
        if (word & UINT64_C(0x8080808080808080)) return false;
        if ((word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080)) return false; /* a zero */
    }
    while (from < to && (uint8_t)*from - 1u < 0x7f) from++;
    return from == to;
}

char *text_name(Text *text, const char *from, const char *to)
{
    size_t length = (size_t)(to - from);
    if (is_ascii(from, to) || g_utf8_validate_len(from, length, NULL)) {
        char *name = g_malloc(length + 1);
        memcpy(name, from, length);
        name[length] = 0;
        return name;
    }
    text_fail_at(text, from, ERROR_INPUT, "this name is not valid UTF-8 text");
    return NULL;
}
