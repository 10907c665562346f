#include "base/json_quote.h"

#include <string.h>

/* The first byte that cannot stand in a JSON string as it is. */
static size_t plain_length(const char *text)
{
    size_t n = 0;
    while ((unsigned char)text[n] >= 0x20 && text[n] != '"' && text[n] != '\\') n++;
    return n;
}

void json_quote(GString *out, const char *text)
{
    g_autofree char *valid = g_utf8_validate(text, -1, NULL) ? NULL : g_utf8_make_valid(text, -1);
    g_string_append_c(out, '"');
    for (const char *at = valid ? valid : text;; at++) {
        size_t plain = plain_length(at);
        g_string_append_len(out, at, (gssize)plain);
        at += plain;
        if (!*at) break;
        if (*at == '"' || *at == '\\')
            g_string_append_printf(out, "\\%c", *at);
        else
            g_string_append_printf(out, "\\u%04x", (unsigned)*at);
    }
    g_string_append_c(out, '"');
}
