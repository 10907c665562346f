#include "base/error.h"

#include <stdbool.h>
#include <string.h>

/* What GLib keeps beside each error of the domain. */
typedef struct MazurkaErrorPrivate {
    char *file;
    int line, column;
    size_t text; /* where the text begins in the message */
} MazurkaErrorPrivate;

static void error_private_init(MazurkaErrorPrivate *place)
{
    *place = (MazurkaErrorPrivate){0};
}
static void error_private_copy(const MazurkaErrorPrivate *from, MazurkaErrorPrivate *to)
{
    *to = *from;
    to->file = g_strdup(from->file);
}
static void error_private_clear(MazurkaErrorPrivate *place)
{
    g_free(place->file);
}
G_DEFINE_EXTENDED_ERROR(MazurkaError, error)

void error_at(GError **error, ErrorCode code, const char *file, int line, int column, const char *format, ...)
{
    if (!error) return;
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    g_autofree char *place = line > 0 ? g_strdup_printf("%s:%d:%d", file, line, column) : g_strdup(file);
    g_set_error(error, MAZURKA_ERROR, code, "%s: %s", place, message);
    MazurkaErrorPrivate *kept = error_get_private(*error);
    *kept = (MazurkaErrorPrivate){g_strdup(file), line, line > 0 ? column : 0, strlen(place) + strlen(": ")};
}

ErrorPlace error_place(const GError *error)
{
    if (error->domain != MAZURKA_ERROR) return (ErrorPlace){.text = error->message};
    const MazurkaErrorPrivate *kept = error_get_private(error);
    return (ErrorPlace){kept->file, error->message + kept->text, kept->line, kept->column};
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
