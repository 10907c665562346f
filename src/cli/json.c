#include "cli/json.h"

#include <string.h>

static void add_valid(JsonBuilder *json, const char *value)
{
    g_autofree char *valid = g_utf8_make_valid(value, -1);
    json_builder_add_string_value(json, valid);
}

void json_string(JsonBuilder *json, const char *key, const char *value)
{
    json_builder_set_member_name(json, key);
    if (value)
        add_valid(json, value);
    else
        json_builder_add_null_value(json);
}

void json_int(JsonBuilder *json, const char *key, int64_t value)
{
    json_builder_set_member_name(json, key);
    json_builder_add_int_value(json, value);
}

void json_bool(JsonBuilder *json, const char *key, bool value)
{
    json_builder_set_member_name(json, key);
    json_builder_add_boolean_value(json, value);
}

void json_null(JsonBuilder *json, const char *key)
{
    json_builder_set_member_name(json, key);
    json_builder_add_null_value(json);
}

void json_real(JsonBuilder *json, const char *key, double value)
{
    json_builder_set_member_name(json, key);
    json_builder_add_double_value(json, value);
}

void json_strings(JsonBuilder *json, const char *key, char *const *values)
{
    json_builder_set_member_name(json, key);
    json_builder_begin_array(json);
    for (; values && *values; values++) add_valid(json, *values);
    json_builder_end_array(json);
}

void json_run(JsonBuilder *json, const char *key, const Net *net, const uint32_t *run, size_t n)
{
    json_builder_set_member_name(json, key);
    json_builder_begin_array(json);
    for (size_t i = 0; i < n; i++) json_builder_add_string_value(json, net_transition_id(net, run[i]));
    json_builder_end_array(json);
}

/* json-glib has no integers beyond 64 bits: a larger one goes in as a string that begins with a mark nothing else
 * holds, and json_text() takes mark and quotes away. */
#define JSON_MARK "mazurka-large-number"

void json_tokens(JsonBuilder *json, const char *key, Total value)
{
    char digits[TOTAL_DIGITS];
    if (value <= INT64_MAX) {
        json_int(json, key, (int64_t)value);
        return;
    }
    if (!g_object_get_data(G_OBJECT(json), JSON_MARK))
        g_object_set_data_full(G_OBJECT(json), JSON_MARK, g_uuid_string_random(), g_free);
    g_autofree char *marked =
        g_strconcat(g_object_get_data(G_OBJECT(json), JSON_MARK), exact_text(value, digits), NULL);
    json_string(json, key, marked);
}

void json_digits(JsonBuilder *json, const char *key, const char *digits)
{
    Total value = 0;
    for (; *digits; digits++) value = 10 * value + (unsigned)(*digits - '0');
    json_tokens(json, key, value);
}

char *json_text(JsonBuilder *json)
{
    g_autoptr(JsonGenerator) generator = json_generator_new();
    g_autoptr(JsonNode) root = json_builder_get_root(json);
    json_generator_set_root(generator, root);
    char *text = json_generator_to_data(generator, NULL);
    const char *mark = g_object_get_data(G_OBJECT(json), JSON_MARK);
    for (char *at = mark ? strstr(text, mark) : NULL; at; at = strstr(at, mark)) {
        char *digits = at + strlen(mark), *end = strchr(digits, '"');
        memmove(at - 1, digits, (size_t)(end - digits));
        memmove(at - 1 + (end - digits), end + 1, strlen(end));
    }
    return text;
}
