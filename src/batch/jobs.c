#include "batch/jobs.h"

#include "base/error.h"
#include "base/input.h"
#include "base/vec.h"
#include "program/open.h"

#include <string.h>

static bool is_instance(const char *path)
{
    g_autofree char *model = g_build_filename(path, "model.pnml", NULL);
    return g_file_test(model, G_FILE_TEST_IS_REGULAR);
}

static char *instance_name(const char *path)
{
    char *name = g_path_get_basename(path);
    name[strlen(name) - open_ending(name)] = 0;
    return name;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    g_autofree char *x = instance_name(*(char *const *)a), *y = instance_name(*(char *const *)b);
    return strcmp(x, y);
}

static bool list_folder(const char *folder, GPtrArray *paths, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, error);
    if (!dir) return false;
    for (const char *name; (name = g_dir_read_name(dir));) {
        char *path = g_build_filename(folder, name, NULL);
        if (is_instance(path) || (open_ending(name) && g_file_test(path, G_FILE_TEST_IS_REGULAR)))
            g_ptr_array_add(paths, path);
        else
            g_free(path);
    }
    return true;
}

/* What cannot be read is an instance all the same, and its rows say so; but a file of which no line names anything is
 * no list. */
static bool list_file(const char *file, GPtrArray *paths, Budget *budget, GError **error)
{
    size_t len;
    g_autofree char *text = input_read_file(file, INPUT_LARGE, budget, &len, error);
    if (!text) return false;
    g_autofree char *folder = g_path_get_dirname(file);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    int usable = 0, first_bad = 0;
    for (int n = 0; lines[n]; n++) {
        char *path = g_strstrip(lines[n]);
        if (!*path || *path == '#') continue;
        char *whole = g_path_is_absolute(path) ? g_strdup(path) : g_build_filename(folder, path, NULL);
        g_ptr_array_add(paths, whole);
        if (is_instance(whole) || g_file_test(whole, G_FILE_TEST_IS_REGULAR))
            usable++;
        else if (!first_bad)
            first_bad = n + 1;
    }
    if (strlen(text) < len) {
        error_at(error, ERROR_INPUT, file, (int)g_strv_length(lines), 1,
                 "a NUL byte: this is neither a net nor a list of paths");
        return false;
    }
    if (usable || !first_bad) return true;
    g_autofree char *shown = g_strescape(lines[first_bad - 1], NULL);
    error_at(error, ERROR_INPUT, file, first_bad, 1,
             "\"%.60s\" is neither a net file nor a folder with a model.pnml, and no other line names one", shown);
    return false;
}

/* A list file is recognised by not being a net. */
static bool list_source(const char *source, GPtrArray *paths, Budget *budget, GError **error)
{
    if (is_instance(source) || (open_ending(source) && !g_file_test(source, G_FILE_TEST_IS_DIR))) {
        g_ptr_array_add(paths, g_strdup(source));
        return true;
    }
    return g_file_test(source, G_FILE_TEST_IS_DIR) ? list_folder(source, paths, error)
                                                   : list_file(source, paths, budget, error);
}

bool jobs_collect(const char *source, const Task *tasks, size_t n_tasks, uint32_t repeat, Jobs *jobs, Budget *budget,
                  GError **error)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    *jobs = (Jobs){0};
    if (!list_source(source, paths, budget, error)) return false;
    if (paths->len == 0) {
        error_at(error, ERROR_INPUT, source, 0, 0,
                 "there is no net in it: neither folders with a model.pnml nor net files");
        return false;
    }
    g_ptr_array_sort(paths, compare_names);
    jobs->texts = g_string_chunk_new(4096);
    for (guint i = 0; i < paths->len; i++) {
        g_autofree char *name = instance_name(paths->pdata[i]);
        if (jobs->len && strcmp(jobs->data[jobs->len - 1].instance, name) == 0) {
            error_at(error, ERROR_INPUT, source, 0, 0, "two instances are called %s", name);
            jobs_free(jobs);
            return false;
        }
        const char *instance = g_string_chunk_insert(jobs->texts, name),
                   *path = g_string_chunk_insert(jobs->texts, paths->pdata[i]);
        for (size_t q = 0; q < n_tasks; q++)
            for (uint32_t k = 0; k < MAX(repeat, 1); k++) vec_push(jobs, ((Job){instance, path, tasks[q], k}));
    }
    return true;
}

void jobs_shard(Jobs *jobs, uint32_t index, uint32_t count)
{
    size_t to = 0;
    for (size_t i = 0; i < jobs->len; i++)
        if (i % count == index - 1) jobs->data[to++] = jobs->data[i];
    jobs->len = to;
}

void jobs_free(Jobs *jobs)
{
    vec_free(jobs);
    if (jobs->texts) g_string_chunk_free(jobs->texts);
    jobs->texts = NULL;
}
