#include "net/pnml_value.h"

#include "base/error.h"
#include "base/exact.h"

#include <string.h>

static bool refuse(GError **error, ErrorCode code, const char *format, ...) G_GNUC_PRINTF(3, 4);
static bool refuse(GError **error, ErrorCode code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error_literal(error, MAZURKA_ERROR, code, message);
    return false;
}

static bool read_number(const char *text, uint64_t *count, GError **error)
{
    uint64_t value = 0;
    const char *at = text;
    if (*at == '-' && g_ascii_isdigit(at[1]))
        return refuse(error, ERROR_INPUT, "%s is negative", error_excerpt(text, SIZE_MAX).text);
    if (*at == '+') at++;
    if (!*at) return refuse(error, ERROR_INPUT, "a number is expected");
    for (; *at; at++) {
        if (!g_ascii_isdigit(*at))
            return refuse(error, ERROR_INPUT, "\"%s\" is not a natural number", error_excerpt(text, SIZE_MAX).text);
        if (!checked_multiply(value, 10, &value) || !checked_add(value, *at - '0', &value))
            return refuse(error, ERROR_LIMIT, "%s is larger than 2^64 - 1", error_excerpt(text, SIZE_MAX).text);
    }
    *count = value;
    return true;
}

static bool read_colours(const char *text, char **colour, uint64_t *count, GError **error)
{
    g_auto(GStrv) part = g_strsplit(text, ",", -1);
    guint n = g_strv_length(part);
    bool pairs = n % 2 == 0;
    for (guint i = 1; pairs && i < n; i += 2) {
        g_strstrip(part[i]);
        pairs = *part[i] && strspn(part[i], "0123456789") == strlen(part[i]);
    }
    if (!pairs) return refuse(error, ERROR_INPUT, "\"%s\" is not a natural number", error_excerpt(text, SIZE_MAX).text);
    *count = 0;
    for (guint i = 0; i < n; i += 2) {
        uint64_t value;
        if (!read_number(part[i + 1], &value, error)) return false;
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Branch): read_number() said true */
        if (!value) continue;
        g_strstrip(part[i]);
        if (!*colour) *colour = g_strdup(part[i]);
        if (*count || strcmp(*colour, part[i]) != 0)
            return refuse(error, ERROR_UNSUPPORTED,
                          "coloured tokens are not supported (colours \"%s\" and \"%s\" are both used)",
                          error_excerpt(*colour, SIZE_MAX).text, error_excerpt(part[i], SIZE_MAX).text);
        *count = value;
    }
    return true;
}

bool pnml_value_count(const char *text, uint64_t empty, char **colour, uint64_t *count, GError **error)
{
    g_autofree char *trimmed = g_strstrip(g_strdup(text));
    if (!*trimmed) {
        *count = empty;
        return true;
    }
    return strchr(trimmed, ',') ? read_colours(trimmed, colour, count, error) : read_number(trimmed, count, error);
}

bool pnml_value_arc_type(const char *text, PnmlArcType *type, GError **error)
{
    static const struct {
        const char *name;
        PnmlArcType type;
    } names[] = {{"", PNML_ARC_NORMAL},   {"normal", PNML_ARC_NORMAL},     {"read", PNML_ARC_READ},
                 {"test", PNML_ARC_READ}, {"inhibitor", PNML_ARC_INHIBIT}, {"tapnInhibitor", PNML_ARC_INHIBIT}};
    g_autofree char *trimmed = g_strstrip(g_strdup(text));
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_ascii_strcasecmp(trimmed, names[i].name) == 0) {
            *type = names[i].type;
            return true;
        }
    return refuse(error, ERROR_UNSUPPORTED, "%s arcs are not supported (normal, read and inhibitor arcs are)",
                  error_excerpt(trimmed, SIZE_MAX).text);
}

typedef enum { TYPE_PLAIN, TYPE_SYMMETRIC, TYPE_COLOURED, TYPE_TIMED } NetType;

static const struct {
    const char *suffix;
    NetType type;
} net_types[] = {
#define NET_TYPE(suffix, type) {suffix, TYPE_##type},
#include "net/pnml_types.def"
#undef NET_TYPE
};

bool pnml_value_is_symmetric(const char *type)
{
    g_autofree char *lower = g_ascii_strdown(type, -1);
    for (size_t i = 0; i < G_N_ELEMENTS(net_types); i++)
        if (g_str_has_suffix(lower, net_types[i].suffix)) return net_types[i].type == TYPE_SYMMETRIC;
    return false;
}

bool pnml_value_net_type(const char *text, bool *known, GError **error)
{
    g_autofree char *lower = g_ascii_strdown(text, -1);
    *known = !*lower;
    for (size_t i = 0; i < G_N_ELEMENTS(net_types) && !*known; i++) {
        if (!g_str_has_suffix(lower, net_types[i].suffix)) continue;
        if (net_types[i].type != TYPE_PLAIN)
            return refuse(error, ERROR_UNSUPPORTED, "nets of type %s are not supported: this is a %s net (%s)",
                          net_types[i].suffix, net_types[i].type == TYPE_TIMED ? "timed" : "coloured",
                          error_excerpt(text, SIZE_MAX).text);
        *known = true;
    }
    return true;
}
