#include "base/visible.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static bool is_shown_as_is(gunichar c)
{
    switch (g_unichar_type(c)) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR: return false;
    default: return true;
    }
}

size_t visible_length(const char *text)
{
    gunichar c = g_utf8_get_char_validated(text, -1);
    bool valid = c != (gunichar)-1 && c != (gunichar)-2;
    return valid && is_shown_as_is(c) ? (size_t)(g_utf8_next_char(text) - text) : 0;
}

static void append_escaped(GString *out, gunichar c)
{
    static const char letters[] = {['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r'};
    if (c < sizeof letters && letters[c])
        g_string_append_printf(out, "\\%c", letters[c]);
    else
        g_string_append_printf(out, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
}

/* A C1 control and the stray byte of its number look alike (\x9b): both are what a terminal might obey. */
static void append_visible(GString *out, const char *text, size_t length, bool keep_line_breaks)
{
    const char *end = text + length;
    while (text < end) {
        gunichar c = g_utf8_get_char_validated(text, end - text);
        if (c == (gunichar)-1 || c == (gunichar)-2) {
            append_escaped(out, (unsigned char)*text++);
            continue;
        }
        const char *next = g_utf8_next_char(text);
        if (is_shown_as_is(c) || (c == '\n' && keep_line_breaks))
            g_string_append_len(out, text, next - text);
        else
            append_escaped(out, c);
        text = next;
    }
}

void visible_append(GString *out, const char *text)
{
    append_visible(out, text, strlen(text), false);
}

char *visible_text(const char *text)
{
    GString *out = g_string_new(NULL);
    visible_append(out, text);
    return g_string_free(out, FALSE);
}

void visible_markup(GString *out, const char *text)
{
    g_autoptr(GString) shown = g_string_new(NULL);
    append_visible(shown, text, strlen(text), true);
    g_autofree char *escaped = g_markup_escape_text(shown->str, (gssize)shown->len);
    g_string_append(out, escaped);
}

void visible_dot(GString *out, const char *text)
{
    g_autofree char *shown = visible_text(text);
    for (const char *c = shown; *c; c++) {
        if (*c == '"' || *c == '\\') g_string_append_c(out, '\\');
        g_string_append_c(out, *c);
    }
}

/* ---- formats ---- */

/* One conversion: "%-*.3zu". A width or precision of * is read from the arguments. */
typedef struct Conversion {
    char flags[8];
    int width, precision; /* a precision of -1: none; -1 and -2 while they are to be read */
    char length[3];
    char letter;
} Conversion;

static int parse_number(const char **at)
{
    int number = 0;
    for (; g_ascii_isdigit(**at); ++*at) number = MIN(number, 100000) * 10 + (**at - '0');
    return number;
}

static const char *parse_conversion(const char *at, Conversion *c)
{
    *c = (Conversion){.precision = -1};
    for (size_t n = 0; *at && strchr("-+ #0", *at) && n + 1 < sizeof c->flags; at++) c->flags[n++] = *at;
    if (*at == '*')
        c->width = -1, at++;
    else
        c->width = parse_number(&at);
    if (*at == '.') {
        at++;
        if (*at == '*')
            c->precision = -2, at++;
        else
            c->precision = parse_number(&at);
    }
    for (size_t n = 0; *at && strchr("hlzjt", *at) && n + 1 < sizeof c->length; at++) c->length[n++] = *at;
    c->letter = *at;
    g_assert(c->letter && strchr("diuxXoceEfFgGs%", c->letter));
    return at + 1;
}

size_t visible_columns(const char *text)
{
    size_t columns = 0;
    for (; *text; text = g_utf8_next_char(text)) {
        gunichar c = g_utf8_get_char(text);
        columns += g_unichar_iszerowidth(c) ? 0 : g_unichar_iswide(c) ? 2 : 1;
    }
    return columns;
}

static void pad(GString *out, size_t from, const Conversion *c)
{
    long missing = c->width - (long)visible_columns(out->str + from);
    g_autofree char *blanks = g_strnfill((gsize)MAX(missing, 0), ' ');
    g_string_insert(out, strchr(c->flags, '-') ? -1 : (gssize)from, blanks);
}

/* Not more than `most` bytes, and none of half a character. */
static size_t whole_characters(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    if (!text[length]) return length;
    for (size_t back = 0; back < 4 && back < length; back++)
        if (((unsigned char)text[length - back] & 0xc0) != 0x80) return length - back;
    return length;
}

static void append_string(GString *out, const Conversion *c, const char *text)
{
    size_t from = out->len;
    if (!text) text = "(null)";
    append_visible(out, text, c->precision < 0 ? strlen(text) : whole_characters(text, (size_t)c->precision), false);
    pad(out, from, c);
}

/* The conversion of a number of the type that it is passed on as. */
static char *number_format(const Conversion *c, const char *length)
{
    g_autofree char *precision = c->precision < 0 ? g_strdup("") : g_strdup_printf(".%d", c->precision);
    g_autofree char *width = c->width ? g_strdup_printf("%d", c->width) : g_strdup("");
    return g_strdup_printf("%%%s%s%s%s%c", c->flags, width, precision, length, c->letter);
}

/* What is narrower than an int arrives as one; the letter decides how the bits are read. */
#define TAKE_INTEGER(arguments, length, type_int, type_long, type_long_long, type_size)                                \
    (strcmp(length, "ll") == 0 || *(length) == 'j' ? (intmax_t)va_arg(*(arguments), type_long_long)                    \
     : *(length) == 'l'                            ? (intmax_t)va_arg(*(arguments), type_long)                         \
     : *(length) == 'z' || *(length) == 't'        ? (intmax_t)va_arg(*(arguments), type_size)                         \
                                                   : (intmax_t)va_arg(*(arguments), type_int))

static void append_number(GString *out, const Conversion *c, va_list *arguments)
{
    bool real = strchr("eEfFgG", c->letter), is_signed = c->letter == 'd' || c->letter == 'i';
    g_autofree char *format = number_format(c, real || c->letter == 'c' ? "" : "j");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (real)
        g_string_append_printf(out, format, va_arg(*arguments, double));
    else if (c->letter == 'c')
        g_string_append_printf(out, format, va_arg(*arguments, int));
    else if (is_signed)
        g_string_append_printf(out, format, TAKE_INTEGER(arguments, c->length, int, long, long long, ptrdiff_t));
    else
        g_string_append_printf(out, format,
                               TAKE_INTEGER(arguments, c->length, unsigned, unsigned long, unsigned long long, size_t));
#pragma GCC diagnostic pop
}

static void append_format(GString *out, const char *format, va_list *arguments)
{
    while (*format) {
        const char *percent = strchrnul(format, '%');
        g_string_append_len(out, format, percent - format);
        if (!*percent) return;
        Conversion c;
        format = parse_conversion(percent + 1, &c);
        if (c.width == -1) c.width = va_arg(*arguments, int);
        if (c.precision == -2) c.precision = va_arg(*arguments, int);
        if (c.letter == '%')
            g_string_append_c(out, '%');
        else if (c.letter == 's')
            append_string(out, &c, va_arg(*arguments, const char *));
        else
            append_number(out, &c, arguments);
    }
}

void visible_format(GString *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append_format(out, format, &arguments);
    va_end(arguments);
}

void visible_print(FILE *out, const char *format, ...)
{
    g_autoptr(GString) text = g_string_new(NULL);
    va_list arguments;
    va_start(arguments, format);
    append_format(text, format, &arguments);
    va_end(arguments);
    fwrite(text->str, 1, text->len, out);
}

void visible_lines(FILE *out, const char *text)
{
    g_autoptr(GString) shown = g_string_new(NULL);
    append_visible(shown, text, strlen(text), true);
    fwrite(shown->str, 1, shown->len, out);
}
