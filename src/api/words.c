#include "api/words.h"

#include "base/nearest.h"
#include "base/error.h"
#include "verify/engine.h"

#include <string.h>

static size_t name_length(const char *option)
{
    return strcspn(option, "=");
}

static bool is_named(const char *option, const char *name)
{
    size_t n = name_length(option);
    return strlen(name) == n && strncmp(option, name, n) == 0;
}

const char *words_value(const char *const *options, const char *name)
{
    for (; options && *options; options++)
        if (is_named(*options, name))
            return *options + name_length(*options) + ((*options)[name_length(*options)] == '=');
    return NULL;
}

static bool knows(char **names, const char *option)
{
    for (; *names; names++)
        if (is_named(option, *names)) return true;
    return false;
}

bool words_check(const char *const *options, const char *known, GError **error)
{
    g_auto(GStrv) names = g_strsplit(known, " ", -1);
    for (size_t i = 0; options && options[i]; i++) {
        g_autofree char *name = g_strndup(options[i], name_length(options[i]));
        if (!knows(names, options[i])) {
            g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "there is no option '%s' here; there are: %s",
                        error_excerpt(name, SIZE_MAX).text, known);
            return false;
        }
        for (size_t j = 0; j < i; j++) {
            if (!is_named(options[j], name)) continue;
            g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "the option '%s' is given twice", name);
            return false;
        }
    }
    return true;
}

bool words_number(const char *const *options, const char *name, uint64_t least, uint64_t most, uint64_t *value,
                  GError **error)
{
    const char *text = words_value(options, name);
    guint64 number;
    if (!text) return true;
    if (!g_ascii_string_to_unsigned(text, 10, least, most, &number, NULL)) {
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE,
                    "%s is a number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT ", not '%s'", name, least, most,
                    error_excerpt(text, SIZE_MAX).text);
        return false;
    }
    *value = number;
    return true;
}

bool words_choice(const char *const *options, const char *name, const char *words, unsigned *choice, GError **error)
{
    const char *text = words_value(options, name);
    g_auto(GStrv) list = g_strsplit(words, " ", -1);
    if (!text) return true;
    for (unsigned i = 0; list[i]; i++) {
        if (strcmp(list[i], text) != 0) continue;
        *choice = i;
        return true;
    }
    g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "%s is one of %s, not '%s'", name, words,
                error_excerpt(text, SIZE_MAX).text);
    return false;
}

bool words_relation(const char *name, Relation *relation, GError **error)
{
    if (relation_parse(name, relation)) return true;
    g_autofree char *names = relation_names(0), *hint = nearest_hint_of(name, names);
    if (relation_refusal(name))
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "%s", relation_refusal(name));
    else
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "there is no relation '%s' (%s)%s", name, names, hint);
    return false;
}

bool words_order(const char *name, Order *order, GError **error)
{
    if (order_parse(name, order)) return true;
    g_autofree char *names = order_names();
    g_autofree char *hint = nearest_hint_of(name, names);
    g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "there is no order '%s' (%s)%s", name, names, hint);
    return false;
}

bool words_engines(const char *given, GError **error)
{
    g_autofree char *odd = NULL, *names = engine_names();
    if (engine_known(given, &odd)) return true;
    g_autofree char *hint = nearest_hint_of(odd, names);
    if (engine_find(odd))
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "engine '%s' stands alone, not in a list", odd);
    else
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "there is no engine '%s'; there are: %s%s", odd, names, hint);
    return false;
}
