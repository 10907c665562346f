#include "batch/relations.h"

#include "base/visible.h"
#include "batch/question.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_RELATIONS_COMPARED = N_QUESTIONS - N_EXAMINATIONS };

static const char *name_of(int compared)
{
    return question_name((Question)(N_EXAMINATIONS + compared));
}

typedef struct Line {
    const char *instance;
    double events[N_RELATIONS_COMPARED]; /* 0: not finished */
    double wall[N_RELATIONS_COMPARED];
} Line;

static int compare_lines(const void *a, const void *b)
{
    return strcmp(((const Line *)a)->instance, ((const Line *)b)->instance);
}

static int relation_of(const char *examination)
{
    for (int i = 0; i < N_RELATIONS_COMPARED; i++)
        if (strcmp(name_of(i), examination) == 0) return i;
    return -1;
}

static GArray *collect(const Rows *rows)
{
    GArray *lines = g_array_new(FALSE, TRUE, sizeof(Line));
    g_autoptr(GHashTable) index = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < rows->len; i++) {
        const Row *row = &rows->data[i];
        int relation = relation_of(row->examination);
        if (relation < 0) continue;
        guint at = GPOINTER_TO_UINT(g_hash_table_lookup(index, row->instance));
        if (!at) {
            Line line = {.instance = row->instance};
            g_array_append_val(lines, line);
            at = lines->len;
            g_hash_table_insert(index, row->instance, GUINT_TO_POINTER(at));
        }
        Line *line = &g_array_index(lines, Line, at - 1);
        line->wall[relation] = row->wall;
        if (strcmp(row->id, "events") == 0 && row->verdict) line->events[relation] = g_ascii_strtod(row->verdict, NULL);
    }
    g_array_sort(lines, compare_lines);
    return lines;
}

void relations_print(const Rows *rows, GString *out)
{
    g_autoptr(GArray) lines = collect(rows);
    g_string_append_printf(out, "%-42s", "events");
    for (int r = 0; r < N_RELATIONS_COMPARED; r++) g_string_append_printf(out, " %10s", strchr(name_of(r), '/') + 1);
    g_string_append_c(out, '\n');
    double logs[N_RELATIONS_COMPARED] = {0};
    unsigned finished[N_RELATIONS_COMPARED] = {0}, both[N_RELATIONS_COMPARED] = {0};
    for (guint i = 0; i < lines->len; i++) {
        const Line *line = &g_array_index(lines, Line, i);
        visible_format(out, "%-42s", line->instance);
        for (int r = 0; r < N_RELATIONS_COMPARED; r++) {
            finished[r] += line->events[r] > 0;
            if (line->events[r] > 0 && line->events[0] > 0)
                both[r]++, logs[r] += log(line->events[r] / line->events[0]);
            if (line->events[r] > 0)
                g_string_append_printf(out, " %10.0f", line->events[r]);
            else
                g_string_append_printf(out, " %10s", "-");
        }
        g_string_append_c(out, '\n');
    }
    g_string_append_printf(out, "%-42s", "nets finished");
    for (int r = 0; r < N_RELATIONS_COMPARED; r++) g_string_append_printf(out, " %10u", finished[r]);
    g_string_append_printf(out, "\n%-42s", "events relative to classic (geometric mean)");
    for (int r = 0; r < N_RELATIONS_COMPARED; r++)
        if (both[r])
            g_string_append_printf(out, " %10.3f", exp(logs[r] / both[r]));
        else
            g_string_append_printf(out, " %10s", "-");
    g_string_append_c(out, '\n');
}
