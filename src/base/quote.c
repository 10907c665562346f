#include "base/quote.h"

#include "base/visible.h"

#include <stdbool.h>
#include <string.h>

void quote_append(GString *out, const char *id)
{
    g_string_append_c(out, '"');
    while (*id) {
        size_t length = visible_length(id);
        if (!length) {
            g_string_append_printf(out, "\\x%02x", (unsigned char)*id++);
            continue;
        }
        if (*id == '"' || *id == '\\') g_string_append_c(out, '\\');
        g_string_append_len(out, id, (gssize)length);
        id += length;
    }
    g_string_append_c(out, '"');
}

/* The byte that \xNN stands for; 0 when it is none. */
static int escaped_byte(const char *at)
{
    if (at[0] != '\\' || at[1] != 'x' || !g_ascii_isxdigit(at[2]) || !g_ascii_isxdigit(at[3])) return 0;
    return g_ascii_xdigit_value(at[2]) * 16 + g_ascii_xdigit_value(at[3]);
}

const char *quote_read(const char *at, GString *id)
{
    for (; *at != '"'; at++) {
        if (*at == '\0' || *at == '\n') return NULL;
        int byte = escaped_byte(at);
        if (byte)
            at += 3;
        else if (*at == '\\' && (at[1] == '"' || at[1] == '\\'))
            at++;
        g_string_append_c(id, byte ? (char)byte : *at);
    }
    return at;
}

void quote_append_line(GString *out, const char *id)
{
    size_t n = strlen(id);
    bool bare = n && *id != '"' && !strpbrk(id, "\n\r") && !g_ascii_isspace(id[0]) && !g_ascii_isspace(id[n - 1]);
    if (bare)
        g_string_append(out, id);
    else
        quote_append(out, id);
    g_string_append_c(out, '\n');
}
