#include "base/error.h"

#include <stdbool.h>
#include <string.h>

GQuark error_quark(void)
{
    return g_quark_from_static_string("mazurka-error");
}

void error_at(GError **error, ErrorCode code, const char *file, int line, int column, const char *format, ...)
{
    if (!error) return;
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    if (line > 0)
        g_set_error(error, MAZURKA_ERROR, code, "%s:%d:%d: %s", file, line, column, message);
    else
        g_set_error(error, MAZURKA_ERROR, code, "%s: %s", file, message);
}

ErrorExcerpt error_excerpt(const char *text, size_t len)
{
    enum { SHOWN = 100 };
    len = strnlen(text, len);
    ErrorExcerpt excerpt = {{0}};
    size_t n = 0;
    while (n < len && n < SHOWN) {
        gunichar c = g_utf8_get_char_validated(text + n, (gssize)(len - n));
        bool valid = c < (gunichar)-2 && c;
        size_t width = valid ? (size_t)g_unichar_to_utf8(c, NULL) : 1;
        if (n + width > SHOWN) break;
        if (valid)
            memcpy(excerpt.text + n, text + n, width);
        else
            excerpt.text[n] = '?';
        n += width;
    }
    if (n < len) memcpy(excerpt.text + n, "...", 3);
    return excerpt;
}
