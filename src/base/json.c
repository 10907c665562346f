#include "base/json.h"

#include <math.h>
#include <string.h>

/* The first byte that cannot stand in a JSON string as it is. */
static size_t plain_length(const char *text)
{
    size_t n = 0;
    while ((unsigned char)text[n] >= 0x20 && text[n] != 0x7f && text[n] != '"' && text[n] != '\\') n++;
    return n;
}

void json_quote(GString *json, const char *text)
{
    g_autofree char *valid = g_utf8_validate(text, -1, NULL) ? NULL : g_utf8_make_valid(text, -1);
    g_string_append_c(json, '"');
    for (const char *at = valid ? valid : text;; at++) {
        size_t plain = plain_length(at);
        g_string_append_len(json, at, (gssize)plain);
        at += plain;
        if (!*at) break;
        if (*at == '"' || *at == '\\')
            g_string_append_printf(json, "\\%c", *at);
        else if (*at == '\n' || *at == '\t')
            g_string_append(json, *at == '\n' ? "\\n" : "\\t");
        else
            g_string_append_printf(json, "\\u%04x", (unsigned)*at);
    }
    g_string_append_c(json, '"');
}

void json_separate(GString *json)
{
    if (json->len && !strchr("{[:", json->str[json->len - 1])) g_string_append_c(json, ',');
}

/* A value of this text. */
static void put(GString *json, const char *key, const char *text)
{
    json_separate(json);
    if (key) {
        json_quote(json, key);
        g_string_append_c(json, ':');
    }
    g_string_append(json, text);
}

void json_open(GString *json, const char *key, char bracket)
{
    put(json, key, bracket == '{' ? "{" : "[");
}

void json_close(GString *json, char bracket)
{
    g_string_append_c(json, bracket);
}

void json_string(GString *json, const char *key, const char *value)
{
    put(json, key, value ? "" : "null");
    if (value) json_quote(json, value);
}

void json_int(GString *json, const char *key, int64_t value)
{
    put(json, key, "");
    g_string_append_printf(json, "%" G_GINT64_FORMAT, value);
}

void json_tokens(GString *json, const char *key, Total value)
{
    char digits[TOTAL_DIGITS];
    put(json, key, exact_text(value, digits));
}

void json_digits(GString *json, const char *key, const char *digits)
{
    put(json, key, digits);
}

void json_real(GString *json, const char *key, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    put(json, key, isfinite(value) ? g_ascii_dtostr(digits, sizeof digits, value) : "null");
}

void json_rounded(GString *json, const char *key, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    put(json, key, g_ascii_formatd(digits, sizeof digits, "%.4f", value));
}

void json_bool(GString *json, const char *key, bool value)
{
    put(json, key, value ? "true" : "false");
}

void json_null(GString *json, const char *key)
{
    put(json, key, "null");
}

void json_strings(GString *json, const char *key, char *const *values)
{
    json_open(json, key, '[');
    for (; values && *values; values++) json_string(json, NULL, *values);
    json_close(json, ']');
}
