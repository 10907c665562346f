#include "cli/files.h"

#include "base/error.h"
#include "base/output.h"
#include "cli/arguments.h"

#include <string.h>

/* Where the path of a file that is there ends, at a "+" or at the end of the argument; the first "+" when there is no
 * such file. */
static char *path_end(char *argument)
{
    char *first = strchrnul(argument, '+');
    for (char *at = first;; at = strchrnul(at + 1, '+')) {
        g_autofree char *path = g_strndup(argument, (gsize)(at - argument));
        if (g_file_test(path, G_FILE_TEST_EXISTS)) return at;
        if (!*at) return first;
    }
}

char **files_joined(const char *argument)
{
    g_autoptr(GStrvBuilder) paths = g_strv_builder_new();
    g_autofree char *text = g_strdup(argument);
    char *from = g_file_test(argument, G_FILE_TEST_EXISTS) ? NULL : text;
    if (!from) g_strv_builder_add(paths, argument);
    while (from) {
        char *end = path_end(from), *next = *end ? end + 1 : NULL;
        *end = 0;
        g_strv_builder_add(paths, from);
        from = next;
    }
    return g_strv_builder_end(paths);
}

static void add_arguments(const Command *command, Outputs *files)
{
    if (command->id == COMMAND_GEN) return; /* a family and numbers */
    int n = command->id == COMMAND_CONVERT ? MIN(command->n_arguments, 1) : command->n_arguments;
    for (int i = 0; i < n; i++) {
        g_auto(GStrv) paths = files_joined(command->arguments[i]);
        outputs_add_input(files, command->arguments[i]);
        for (char **path = paths; command->id == COMMAND_BATCH_REPORT && *path; path++) outputs_add_input(files, *path);
    }
}

/* One relation, or for compare several between commas. */
static void add_relations(const char *names, Outputs *files)
{
    g_auto(GStrv) relations = g_strsplit(names ? names : "", ",", -1);
    if (names && g_str_has_prefix(names, "file:")) outputs_add_input(files, names + strlen("file:"));
    for (char **name = relations; *name; name++)
        if (g_str_has_prefix(*name, "file:")) outputs_add_input(files, *name + strlen("file:"));
}

/* The results of a batch are added to what is there. */
static bool add_output(const Command *command, Outputs *files, const char *path, GError **error)
{
    return outputs_add(files, path, error) && (command->id == COMMAND_BATCH || outputs_can_write(path, error));
}

/* A name that promises what is not written there is a slip, told before anything is computed. */
static bool ending_fits(const char *path, const char *option, const char *written, const char *const *others,
                        GError **error)
{
    for (; path && *others; others++)
        if (g_str_has_suffix(path, *others)) {
            error_at(error, ERROR_USAGE, path, 0, 0, "%s writes %s, not %s", option, written, *others);
            return false;
        }
    return true;
}

static bool endings_fit(const Options *o, GError **error)
{
    static const char *const drawn[] = {".svg", ".png", ".pdf", ".html", ".json", ".pnml", ".xml", ".csv", NULL};
    static const char *const pages[] = {".svg", ".png", ".pdf", ".dot", ".json", ".pnml", ".xml", ".csv", NULL};
    return ending_fits(o->witness, "--witness", "a firing sequence (.dot: its partial order)", drawn, error) &&
           ending_fits(o->trace_tree, "--trace-tree", "a drawing for Graphviz (.dot)", drawn, error) &&
           ending_fits(o->html, "--html", "a page (.html)", pages, error);
}

int files_check(const Command *command)
{
    g_autoptr(Outputs) files = outputs_new();
    g_auto(GStrv) read = arguments_files(command, false), written = arguments_files(command, true);
    GError *error = NULL;
    add_arguments(command, files);
    add_relations(command->options.relation, files);
    const char *part = command->options.part, *colon = part ? strrchr(part, ':') : NULL;
    g_autofree char *parts = colon ? g_strndup(part, (gsize)(colon - part)) : NULL;
    if (parts) outputs_add_input(files, parts);
    for (char **path = read; *path; path++) outputs_add_input(files, *path);
    if (!endings_fit(&command->options, &error)) return command_fail_error(error);
    bool ok = command->id != COMMAND_CONVERT || command->n_arguments < 2 ||
              add_output(command, files, command->arguments[1], &error);
    for (char **path = written; ok && *path; path++) ok = add_output(command, files, *path, &error);
    return ok ? EXIT_HOLDS : command_fail_error(error);
}
