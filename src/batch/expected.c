#include "batch/expected.h"

#include "base/bisect.h"
#include "base/error.h"
#include "base/input.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct Expected {
    char *text; /* the file, cut into cells */
    VEC(ExpectedRow) rows;
};

static int compare_jobs(const ExpectedRow *a, const ExpectedRow *b)
{
    int order = strcmp(a->instance, b->instance);
    return order ? order : strcmp(a->examination, b->examination);
}

static int compare_rows(const void *a, const void *b)
{
    const ExpectedRow *x = a, *y = b;
    int order = compare_jobs(x, y);
    if (!order) order = strcmp(x->id, y->id);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Cuts the line into its first four cells; false when it has fewer. */
static bool cut_cells(char *line, ExpectedRow *row)
{
    const char **cells[] = {&row->instance, &row->examination, &row->id, &row->verdict};
    for (size_t i = 0; i < G_N_ELEMENTS(cells); i++) {
        if (!line) return false;
        *cells[i] = line;
        line = strchr(line, '\t');
        if (line) *line++ = 0;
    }
    return true;
}

/* Sorted rows of one id become one. */
static bool merge_rows(Expected *e, const char *path, GError **error)
{
    size_t to = 0;
    for (size_t i = 0; i < e->rows.len; i++) {
        ExpectedRow *row = &e->rows.data[i], *last = to ? &e->rows.data[to - 1] : NULL;
        bool again = last && compare_jobs(last, row) == 0 && strcmp(last->id, row->id) == 0;
        if (again && strcmp(last->verdict, row->verdict) != 0) {
            error_at(error, ERROR_INPUT, path, row->line, 1, "%s is expected for %s here, but %s in line %d",
                     row->verdict, row->id, last->verdict, last->line);
            return false;
        }
        if (!again) e->rows.data[to++] = *row;
    }
    e->rows.len = to;
    return true;
}

Expected *expected_read(const char *path, Budget *budget, GError **error)
{
    g_autoptr(Expected) e = g_new0(Expected, 1);
    size_t len;
    e->text = input_read_file(path, INPUT_LARGE, budget, &len, error);
    if (!e->text) return NULL;
    if (strlen(e->text) < len) {
        error_at(error, ERROR_INPUT, path, 0, 0, "a NUL byte: this is no table of expected answers");
        return NULL;
    }
    int line = 0;
    for (char *at = e->text, *next; at; at = next) {
        next = strchr(at, '\n');
        if (next) *next++ = 0;
        line++;
        ExpectedRow row = {.line = line};
        g_strchomp(at);
        if (!*at || (line == 1 && g_str_has_prefix(at, "instance\t"))) continue;
        if (!cut_cells(at, &row)) {
            error_at(error, ERROR_INPUT, path, line, 1,
                     "four columns are expected: instance, examination, id, verdict");
            return NULL;
        }
        vec_push(&e->rows, row);
    }
    if (e->rows.len) qsort(e->rows.data, e->rows.len, sizeof(ExpectedRow), compare_rows);
    return merge_rows(e, path, error) ? g_steal_pointer(&e) : NULL;
}

const ExpectedRow *expected_of_job(const Expected *e, const char *instance, const char *examination, size_t *n)
{
    *n = 0;
    if (!e) return NULL;
    const ExpectedRow job = {.instance = instance, .examination = examination};
    size_t from;
    BISECT(from, 0, e->rows.len, compare_jobs(&e->rows.data[from], &job) < 0);
    while (from + *n < e->rows.len && compare_jobs(&e->rows.data[from + *n], &job) == 0) (*n)++;
    return vec_from(&e->rows, from);
}

void expected_free(Expected *e)
{
    if (!e) return;
    vec_free(&e->rows);
    g_free(e->text);
    g_free(e);
}
