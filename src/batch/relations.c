#include "batch/relations.h"

#include "base/visible.h"
#include "batch/task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Line {
    const char *instance;
    double events[N_RELATIONS]; /* 0: not finished */
    double wall[N_RELATIONS];
} Line;

static int compare_lines(const void *a, const void *b)
{
    return strcmp(((const Line *)a)->instance, ((const Line *)b)->instance);
}

static int relation_of(const char *examination)
{
    for (int i = 0; i < N_RELATIONS; i++)
        if (strcmp(task_name((Task)(N_EXAMINATIONS + i)), examination) == 0) return i;
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

/* The relations that a batch compares, in the order of the columns. */
static size_t compared(Relation *relations)
{
    size_t n = 0;
    for (Relation r = 0; r < N_RELATIONS; r++)
        if (relation_has(r, RELATION_DEFAULT_COMPARE)) relations[n++] = r;
    return n;
}

void relations_print(const Rows *rows, GString *out)
{
    g_autoptr(GArray) lines = collect(rows);
    Relation column[N_RELATIONS];
    size_t n = compared(column);
    g_string_append_printf(out, "%-42s", "events");
    for (size_t c = 0; c < n; c++) g_string_append_printf(out, " %10s", relation_name(column[c]));
    g_string_append_c(out, '\n');
    double logs[N_RELATIONS] = {0};
    unsigned finished[N_RELATIONS] = {0}, both[N_RELATIONS] = {0};
    for (guint i = 0; i < lines->len; i++) {
        const Line *line = &g_array_index(lines, Line, i);
        double classic = line->events[RELATION_CLASSIC];
        visible_format(out, "%-42s", line->instance);
        for (size_t c = 0; c < n; c++) {
            double events = line->events[column[c]];
            finished[c] += events > 0;
            if (events > 0 && classic > 0) both[c]++, logs[c] += log(events / classic);
            if (events > 0)
                g_string_append_printf(out, " %10.0f", events);
            else
                g_string_append_printf(out, " %10s", "-");
        }
        g_string_append_c(out, '\n');
    }
    g_string_append_printf(out, "%-42s", "nets finished");
    for (size_t c = 0; c < n; c++) g_string_append_printf(out, " %10u", finished[c]);
    g_string_append_printf(out, "\n%-42s", "events relative to classic (geometric mean)");
    for (size_t c = 0; c < n; c++)
        if (both[c])
            g_string_append_printf(out, " %10.3f", exp(logs[c] / both[c]));
        else
            g_string_append_printf(out, " %10s", "-");
    g_string_append_c(out, '\n');
}
