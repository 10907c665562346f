#include "batch/row.h"

#include "base/input.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/vec.h"
#include "batch/claims.h"

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

void row_print(const Row *row, GString *out)
{
    g_string_append_c(out, '{'); /* a line of its own: what is before it is no list */
    json_string(out, "instance", row->instance);
    json_string(out, "examination", row->examination);
    json_string(out, "id", row->id);
    json_string(out, "verdict", row->verdict);
    json_string(out, "reason", row->reason);
    json_string(out, "technique", row->technique);
    json_string(out, "engine", row->engine);
    if (row->has_after)
        json_rounded(out, "after", row->after);
    else
        json_null(out, "after");
    json_rounded(out, "wall", row->wall);
    json_rounded(out, "cpu", row->cpu);
    json_int(out, "peak_kib", (int64_t)row->peak_kib);
    json_string(out, "expected", row->expected);
    if (row->has_agrees)
        json_bool(out, "agrees", row->agrees);
    else
        json_null(out, "agrees");
    json_string(out, "witness", row->witness);
    json_string(out, "certificate", row->certificate);
    if (row->unwritten) json_string(out, "unwritten", row->unwritten);
    if (row->setting) json_string(out, "setting", row->setting);
    json_int(out, "rows", row->rows);
    json_int(out, "repeat", row->repeat);
    g_string_append(out, "}\n");
}

/* ---- reading ---- */

static const char row_beginning[] = "{\"instance\":\"";

bool row_may_begin(const char *line, size_t len)
{
    return memcmp(line, row_beginning, MIN(len, sizeof row_beginning - 1)) == 0;
}

static char *take_text(const JsonTree *tree, const char *key)
{
    return g_strdup(json_read_text(tree, tree->nodes.data, key));
}

/* Anything but a number from 0 to `most` counts as the nearest of these. */
static double take_number(const JsonTree *tree, const char *key, double most)
{
    const JsonItem *node = json_read_member(tree, tree->nodes.data, key);
    if (!node) return 0;
    double value = node->kind == JSON_INTEGER ? (double)node->integer : node->kind == JSON_REAL ? node->real : 0;
    return value > 0 ? MIN(value, most) : 0;
}

static bool take_row(const JsonTree *tree, Row *row)
{
    const JsonItem *top = tree->nodes.data;
    row->instance = take_text(tree, "instance");
    row->examination = take_text(tree, "examination");
    row->id = take_text(tree, "id");
    if (!row->instance || !row->examination || !row->id) return false;
    row->verdict = take_text(tree, "verdict");
    row->reason = take_text(tree, "reason");
    row->technique = take_text(tree, "technique");
    row->engine = take_text(tree, "engine");
    row->expected = take_text(tree, "expected");
    row->witness = take_text(tree, "witness");
    row->certificate = take_text(tree, "certificate");
    row->unwritten = take_text(tree, "unwritten");
    row->setting = take_text(tree, "setting");
    const JsonItem *after = json_read_member(tree, top, "after"),
                   *agrees = json_read_kind(tree, top, "agrees", JSON_BOOL);
    row->has_after = after && after->kind != JSON_NULL;
    row->after = take_number(tree, "after", 1e9);
    row->wall = take_number(tree, "wall", 1e9);
    row->cpu = take_number(tree, "cpu", 1e9);
    row->peak_kib = (uint64_t)take_number(tree, "peak_kib", 1e15);
    row->rows = (uint32_t)take_number(tree, "rows", 1e9);
    row->repeat = (uint32_t)take_number(tree, "repeat", 1e9);
    row->has_agrees = agrees != NULL;
    row->agrees = agrees && agrees->yes;
    return true;
}

bool row_parse(const char *line, size_t len, Row *row)
{
    JsonTree tree = {0};
    *row = (Row){0};
    bool ok = json_read(&tree, line, len, NULL) && take_row(&tree, row);
    if (!ok) row_clear(row);
    json_read_free(&tree);
    return ok;
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
