#include "base/error.h"

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
