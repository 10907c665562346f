#include "view/pieces.h"

#include "unfold/prefix.h"

/* Beyond it a page cannot count without loss: such numbers are texts there. */
#define EXACT_IN_PAGE (UINT64_C(1) << 53)

void pieces_open(GString *out, const char *key)
{
    g_string_append_printf(out, ",\n\"%s\":[", key);
}

void pieces_number(GString *out, uint64_t value)
{
    json_separate(out);
    g_string_append_printf(out, value < EXACT_IN_PAGE ? "%" G_GUINT64_FORMAT : "\"%" G_GUINT64_FORMAT "\"", value);
}

void pieces_numbers(GString *out, const char *key, const uint32_t *value, size_t n)
{
    pieces_open(out, key);
    for (size_t i = 0; i < n; i++) pieces_number(out, value[i]);
    g_string_append_c(out, ']');
}

void pieces_next(GString *out)
{
    g_string_append(out, out->len ? ",\n{" : "{");
}

void pieces_rows(GString *out, const char *key, const uint32_t *start, const uint32_t *value, size_t n)
{
    pieces_open(out, key);
    for (size_t i = 0; i < n; i++) {
        json_separate(out);
        g_string_append_c(out, '[');
        for (uint32_t k = start[i]; k < start[i + 1]; k++) pieces_number(out, value[k]);
        g_string_append_c(out, ']');
    }
    g_string_append_c(out, ']');
}

void pieces_links(GString *out, const char *key, const uint32_t *value, size_t n)
{
    pieces_open(out, key);
    for (size_t i = 0; i < n; i++) {
        json_separate(out);
        g_string_append_printf(out, "%" G_GINT64_FORMAT,
                               value[i] == PREFIX_NONE     ? (int64_t)-1
                               : value[i] == PREFIX_BOTTOM ? (int64_t)-2
                                                           : (int64_t)value[i]);
    }
    g_string_append_c(out, ']');
}
