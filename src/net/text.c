#include "net/text.h"

#include "base/exact.h"

#include <string.h>

size_t text_mark(const char *data, size_t len)
{
    return len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static bool fail(Text *text, const char *where, ErrorCode code, const char *format, va_list args)
{
    g_autofree char *message = g_strdup_vprintf(format, args);
    int line = 1;
    const char *line_start = text->start;
    for (const char *at = text->start; (at = memchr(at, '\n', (size_t)(where - at))); line++) line_start = ++at;
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

void text_skip_blanks(Text *text)
{
    while (*text->at == ' ' || *text->at == '\t') text->at++;
}

void text_skip_space(Text *text)
{
    while (g_ascii_isspace(*text->at)) text->at++;
}

void text_skip_line(Text *text)
{
    const char *end = memchr(text->at, '\n', (size_t)(text->end - text->at));
    text->at = end ? end + 1 : text->end;
}

bool text_number(Text *text, uint64_t *value)
{
    const char *from = text->at;
    if (!text_at_digit(text)) return text_fail(text, "a number is expected here");
    uint64_t number = 0;
    for (; text_at_digit(text); text->at++) {
        uint64_t digit = (uint64_t)(*text->at - '0');
        if (G_LIKELY(number < UINT64_MAX / 16)) {
            number = 10 * number + digit;
        } else if (!checked_multiply(number, (uint64_t)10, &number) || !checked_add(number, digit, &number)) {
            return text_fail_at(text, from, ERROR_INPUT, "this number is larger than 2^64 - 1");
        }
    }
    *value = number;
    return true;
}

char *text_name(Text *text, const char *from, const char *to)
{
    if (g_utf8_validate_len(from, (size_t)(to - from), NULL)) return g_strndup(from, (size_t)(to - from));
    text_fail_at(text, from, ERROR_INPUT, "this name is not valid UTF-8 text");
    return NULL;
}
