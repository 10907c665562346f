#include "base/error.h"
#include "base/output.h"
#include "base/visible.h"
#include "batch/page.h"
#include "cli/command.h"
#include "cli/files.h"

#include <stdio.h>
#include <string.h>

/* Rows name files from their own folder. */
static void from_working_folder(char **file, const char *folder)
{
    if (!*file || g_path_is_absolute(*file)) return;
    char *path = g_build_filename(folder, *file, NULL);
    g_free(*file);
    *file = path;
}

/* Shards of one batch merge: files joined by "+" count as one. */
static bool read_files(const char *argument, Rows *rows, bool quiet, Budget *budget, GError **error)
{
    g_auto(GStrv) paths = files_joined(argument);
    for (char **path = paths; *path; path++) {
        size_t bad = 0, from = rows->len;
        if (!rows_read(*path, rows, &bad, budget, error)) return false;
        g_autofree char *folder = g_path_get_dirname(*path);
        for (size_t i = from; i < rows->len; i++) {
            from_working_folder(&rows->data[i].witness, folder);
            from_working_folder(&rows->data[i].certificate, folder);
        }
        if (bad && !rows->len) {
            error_at(error, ERROR_INPUT, *path, 0, 0, "no line of it is a result");
            return false;
        }
        if (bad && !quiet) visible_print(stderr, "%s: %zu lines are no results and were left out\n", *path, bad);
    }
    return true;
}

static bool write_file(const char *path, const GString *text, GError **error)
{
    return output_write(path, text->str, text->len, error);
}

typedef struct Report {
    Rows *rows;
    PageFile *files;
    size_t n;
} Report;

static bool write_outputs(Command *command, const Report *r, GError **error)
{
    const Options *o = &command->options;
    g_autoptr(GString) page = g_string_new(NULL), csv = g_string_new(NULL);
    if (o->html) {
        g_autofree char *folder = g_path_get_dirname(o->html);
        page_print(r->files, r->n, folder, page);
        if (!write_file(o->html, page, error)) return false;
    }
    if (o->csv) {
        g_autofree char *folder = g_path_get_dirname(o->csv);
        for (size_t i = 0; i < r->n; i++) {
            g_autoptr(GString) part = g_string_new(NULL);
            summary_csv(r->files[i].summary, folder, part);
            /* one header for all files */
            g_string_append(csv, i ? strchr(part->str, '\n') + 1 : part->str);
        }
        if (!write_file(o->csv, csv, error)) return false;
    }
    return true;
}

static void print_json(Command *command, const Report *r)
{
    GString *json = command_json_begin(command, NULL);
    json_open(json, "files", '[');
    for (size_t i = 0; i < r->n; i++) {
        json_open(json, NULL, '{');
        json_string(json, "file", r->files[i].name);
        json_open(json, "examinations", '[');
        size_t n;
        SummaryGroup *groups = summary_groups(r->files[i].summary, GROUP_EXAMINATION, &n);
        for (size_t k = 0; k < n; k++) {
            json_open(json, NULL, '{');
            json_string(json, "examination", groups[k].name);
            json_int(json, "queries", groups[k].queries);
            json_int(json, "solved", groups[k].solved);
            json_int(json, "wrong", groups[k].wrong);
            json_int(json, "unknown", groups[k].unknown);
            json_close(json, '}');
        }
        summary_groups_free(groups, n);
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, ']');
    command_json_end(command, json);
}

static void print_text(const Report *r)
{
    for (size_t i = 0; i < r->n; i++) {
        g_autoptr(GString) text = g_string_new(NULL);
        summary_print(r->files[i].summary, text);
        if (i) putchar('\n');
        visible_print(stdout, "%s\n", r->files[i].name);
        visible_lines(stdout, text->str);
    }
}

int command_batch_report(Command *command)
{
    size_t n = (size_t)command->n_arguments;
    if (n == 0) return command_fail("batch-report: at least one result file is expected");
    Report r = {g_new0(Rows, n), g_new0(PageFile, n), n};
    GError *error = NULL;
    Budget budget = command_budget(command);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        r.files[i].name = command->arguments[i];
        ok = read_files(command->arguments[i], &r.rows[i], command->options.quiet, &budget, &error);
        r.files[i].summary = summary_new(&r.rows[i]);
    }
    ok = ok && write_outputs(command, &r, &error);
    if (ok && command->options.json)
        print_json(command, &r);
    else if (ok)
        print_text(&r);
    int code = ok ? EXIT_HOLDS : command_fail_reading(command, error);
    for (size_t i = 0; i < n; i++) {
        summary_free((Summary *)r.files[i].summary);
        rows_free(&r.rows[i]);
    }
    g_free(r.files);
    g_free(r.rows);
    return code;
}
