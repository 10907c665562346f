#include "batch/row.h"

#include "base/input.h"
#include "base/json_quote.h"
#include "base/vec.h"
#include "batch/claims.h"

#include <json-glib/json-glib.h>
#include <string.h>

void row_clear(Row *row)
{
    g_free(row->instance);
    g_free(row->examination);
    g_free(row->id);
    g_free(row->verdict);
    g_free(row->reason);
    g_free(row->technique);
    g_free(row->engine);
    g_free(row->expected);
    g_free(row->witness);
    g_free(row->certificate);
    g_free(row->unwritten);
    g_free(row->setting);
    *row = (Row){0};
}

/* By hand, not by json-glib, which prints every digit of a double: a tenth of a millisecond is enough here. */

static void put_key(GString *out, const char *key)
{
    g_string_append(out, out->str[out->len - 1] == '{' ? "\"" : ",\"");
    g_string_append(out, key);
    g_string_append(out, "\":");
}

static void put_text(GString *out, const char *key, const char *value)
{
    put_key(out, key);
    if (value)
        json_quote(out, value);
    else
        g_string_append(out, "null");
}

static void put_real(GString *out, const char *key, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    put_key(out, key);
    g_string_append(out, g_ascii_formatd(digits, sizeof digits, "%.4f", value));
}

void row_print(const Row *row, GString *out)
{
    g_string_append_c(out, '{');
    put_text(out, "instance", row->instance);
    put_text(out, "examination", row->examination);
    put_text(out, "id", row->id);
    put_text(out, "verdict", row->verdict);
    put_text(out, "reason", row->reason);
    put_text(out, "technique", row->technique);
    put_text(out, "engine", row->engine);
    if (row->has_after)
        put_real(out, "after", row->after);
    else
        put_text(out, "after", NULL);
    put_real(out, "wall", row->wall);
    put_real(out, "cpu", row->cpu);
    g_string_append_printf(out, ",\"peak_kib\":%" G_GUINT64_FORMAT, row->peak_kib);
    put_text(out, "expected", row->expected);
    g_string_append_printf(out, ",\"agrees\":%s", !row->has_agrees ? "null" : row->agrees ? "true" : "false");
    put_text(out, "witness", row->witness);
    put_text(out, "certificate", row->certificate);
    if (row->unwritten) put_text(out, "unwritten", row->unwritten);
    if (row->setting) put_text(out, "setting", row->setting);
    g_string_append_printf(out, ",\"rows\":%u,\"repeat\":%u}\n", row->rows, row->repeat);
}

/* ---- reading ---- */

static const char row_beginning[] = "{\"instance\":\"";

bool row_may_begin(const char *line, size_t len)
{
    return memcmp(line, row_beginning, MIN(len, sizeof row_beginning - 1)) == 0;
}

/* Rows are flat; one more level is room for what later versions may add. */
enum { DEEPEST = 2 };

/* json-glib calls itself for every level, so that depth must be known before. Outside strings only what JSON has is let
 * through: a comment, say, could hide a quotation mark. */
static bool is_shallow(const char *line, size_t len)
{
    int depth = 0;
    bool in_text = false, escaped = false;
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)line[i] < 0x20 && line[i] != '\t' && line[i] != '\r') return false;
        bool skip = escaped;
        escaped = in_text && !escaped && line[i] == '\\';
        if (skip || escaped)
            continue;
        else if (line[i] == '"')
            in_text = !in_text;
        else if (in_text)
            continue;
        else if (line[i] == '{' || line[i] == '[')
            depth++;
        else if (line[i] == '}' || line[i] == ']')
            depth--;
        else if (!g_ascii_isalnum(line[i]) && !strchr(" \t\r:,+-.", line[i]))
            return false;
        if (depth < 0 || depth > DEEPEST) return false;
    }
    return depth == 0 && !in_text;
}

static char *take_text(JsonObject *object, const char *key)
{
    JsonNode *node = json_object_get_member(object, key);
    return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING
               ? json_node_dup_string(node)
               : NULL;
}

/* Anything but a number from 0 to `most` counts as the nearest of these. */
static double take_number(JsonObject *object, const char *key, double most)
{
    JsonNode *node = json_object_get_member(object, key);
    if (!node || !JSON_NODE_HOLDS_VALUE(node)) return 0;
    GType type = json_node_get_value_type(node);
    double value = type == G_TYPE_INT64    ? (double)json_node_get_int(node)
                   : type == G_TYPE_DOUBLE ? json_node_get_double(node)
                                           : 0;
    return value > 0 ? MIN(value, most) : 0;
}

bool row_parse(const char *line, size_t len, Row *row)
{
    *row = (Row){0};
    if (!is_shallow(line, len)) return false;
    g_autoptr(JsonParser) parser = json_parser_new();
    if (!json_parser_load_from_data(parser, line, (gssize)len, NULL)) return false;
    JsonNode *root = json_parser_get_root(parser);
    if (!root || !JSON_NODE_HOLDS_OBJECT(root)) return false;
    JsonObject *object = json_node_get_object(root);
    row->instance = take_text(object, "instance");
    row->examination = take_text(object, "examination");
    row->id = take_text(object, "id");
    if (!row->instance || !row->examination || !row->id) {
        row_clear(row);
        return false;
    }
    row->verdict = take_text(object, "verdict");
    row->reason = take_text(object, "reason");
    row->technique = take_text(object, "technique");
    row->engine = take_text(object, "engine");
    row->expected = take_text(object, "expected");
    row->witness = take_text(object, "witness");
    row->certificate = take_text(object, "certificate");
    row->unwritten = take_text(object, "unwritten");
    row->setting = take_text(object, "setting");
    JsonNode *after = json_object_get_member(object, "after");
    row->has_after = after && JSON_NODE_HOLDS_VALUE(after);
    row->after = take_number(object, "after", 1e9);
    row->wall = take_number(object, "wall", 1e9);
    row->cpu = take_number(object, "cpu", 1e9);
    row->peak_kib = (uint64_t)take_number(object, "peak_kib", 1e15);
    row->rows = (uint32_t)take_number(object, "rows", 1e9);
    row->repeat = (uint32_t)take_number(object, "repeat", 1e9);
    JsonNode *agrees = json_object_get_member(object, "agrees");
    row->has_agrees = agrees && JSON_NODE_HOLDS_VALUE(agrees) && json_node_get_value_type(agrees) == G_TYPE_BOOLEAN;
    if (row->has_agrees) row->agrees = json_node_get_boolean(agrees);
    return true;
}

void rows_clear(Rows *rows)
{
    for (size_t i = 0; i < rows->len; i++) row_clear(&rows->data[i]);
    rows->len = 0;
}

void rows_free(Rows *rows)
{
    rows_clear(rows);
    vec_free(rows);
}

size_t rows_parse(const char *text, size_t len, Rows *rows)
{
    size_t skipped = 0;
    for (const char *at = text, *end; at < text + len; at = end + 1) {
        end = memchr(at, '\n', (size_t)(text + len - at));
        if (!end) end = text + len;
        if (end == at) continue;
        Row row;
        if (row_parse(at, (size_t)(end - at), &row))
            vec_push(rows, row);
        else
            skipped++;
    }
    return skipped;
}

bool rows_read(const char *path, Rows *rows, size_t *bad, Budget *budget, GError **error)
{
    size_t skipped;
    if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
        g_autoptr(GString) all = g_string_new(NULL);
        if (!claims_rows(path, all, budget, error)) return false;
        skipped = rows_parse(all->str, all->len, rows);
    } else {
        size_t len;
        g_autofree char *text = input_read_file(path, INPUT_LARGE, budget, &len, error);
        if (!text) return false;
        skipped = rows_parse(text, len, rows);
    }
    if (bad) *bad = skipped;
    return true;
}
