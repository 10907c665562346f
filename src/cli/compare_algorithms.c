#include "cli/compare_algorithms.h"
#include "cli/look.h"

#include "base/nearest.h"
#include "base/visible.h"
#include "view/executions.h"

#include <stdio.h>
#include <string.h>

enum { SECONDS = 10, DRAWN_NODES = 4000 };

typedef struct Row {
    Executions run;
    double seconds;
} Row;

static void print_row(const Row *row)
{
    visible_print(stdout, "  %-9s %c%10" G_GUINT64_FORMAT " %10" G_GUINT64_FORMAT, algorithm_name(row->run.algorithm),
                  row->run.reason ? '>' : ' ', row->run.traces, row->run.ssb);
    if (row->run.events < 0)
        visible_print(stdout, " %10s", "-");
    else
        visible_print(stdout, " %10" G_GINT64_FORMAT, row->run.events);
    visible_print(stdout, " %10" G_GUINT64_FORMAT " %6" G_GUINT64_FORMAT " %8.3f %9" G_GUINT64_FORMAT "%s%s\n",
                  row->run.nodes, row->run.deadlocks, row->seconds, row->run.memory_kib, row->run.reason ? "  " : "",
                  row->run.reason ? row->run.reason : "");
}

static void json_row(GString *json, const Net *net, const char *relation, const Row *row)
{
    json_open(json, NULL, '{');
    json_string(json, "net", net->name);
    json_string(json, "algorithm", algorithm_name(row->run.algorithm));
    json_string(json, "relation", row->run.algorithm == ALGORITHM_CDPOR ? RELATION_CONDITIONAL : relation);
    json_int(json, "traces", (int64_t)row->run.traces);
    json_int(json, "ssb", (int64_t)row->run.ssb);
    if (row->run.events < 0)
        json_null(json, "events");
    else
        json_int(json, "events", row->run.events);
    json_int(json, "nodes", (int64_t)row->run.nodes);
    json_int(json, "deadlocks", (int64_t)row->run.deadlocks);
    json_bool(json, "complete", !row->run.reason);
    json_string(json, "reason", row->run.reason);
    json_open(json, "timing", '{');
    json_real(json, "wall", row->seconds);
    json_close(json, '}');
    json_int(json, "memory_kib", (int64_t)row->run.memory_kib);
    json_close(json, '}');
}

/* --time is for each row. */
static Budget row_budget(Command *command)
{
    Budget budget = command_budget(command);
    budget_restart(&budget, command->options.time > 0 ? command->options.time : SECONDS);
    return budget;
}

/* False when the relation cannot be made. */
static bool compare_net(Command *command, const Net *net, unsigned wanted, GString *json, View *view, int *code)
{
    const Options *o = &command->options;
    const char *relation = relation_given(o->relation, RELATION_DEFAULT_ALGORITHMS);
    GError *error = NULL;
    Budget reading = row_budget(command);
    g_autoptr(Indep) indep = indep_named(net, relation, &reading, &error);
    if (!indep) {
        command->failure = command_fail_reading(command, error);
        return false;
    }
    if (!json)
        visible_print(stdout,
                      "%s (relation %s; cdpor: " RELATION_CONDITIONAL ")\n  %-9s %11s %10s %10s %10s %6s %8s %9s\n",
                      net->name, relation, "algorithm", "traces", "ssb", "events", "nodes", "dead", "seconds", "KiB");
    for (Algorithm a = 0; a < N_ALGORITHMS; a++) {
        if (!(wanted >> a & 1)) continue;
        RunTree tree;
        runtree_init(&tree, DRAWN_NODES);
        Row row = {.run = {.algorithm = a, .tree = view ? &tree : NULL}};
        Budget budget = row_budget(command);
        double start = budget_now();
        uint64_t before = budget_resident() / 1024;
        executions_run(&row.run, net, indep, &budget);
        row.seconds = budget_now() - start;
        row.run.memory_kib -= MIN(before, row.run.memory_kib);
        command_end_progress();
        if (row.run.reason) *code = EXIT_UNKNOWN;
        if (json)
            json_row(json, net, relation, &row);
        else
            print_row(&row);
        ViewTree drawn = executions_tree(&row.run);
        if (view) view_add_tree(view, &drawn);
        runtree_clear(&tree);
        executions_clear(&row.run);
        fflush(stdout);
        if (budget_ending(&budget) == ENDING_STOPPED) break;
    }
    return true;
}

/* The algorithms of a list between commas as bits; 0 after a failure, which was told. */
static unsigned read_list(const char *list)
{
    g_auto(GStrv) names = g_strsplit(list, ",", -1);
    unsigned wanted = 0;
    for (char **name = names; *name; name++) {
        Algorithm a = 0;
        while (a < N_ALGORITHMS && strcmp(algorithm_name(a), *name) != 0) a++;
        if (a < N_ALGORITHMS) {
            wanted |= 1u << a;
            continue;
        }
        g_autoptr(GString) known = g_string_new(NULL);
        for (a = 0; a < N_ALGORITHMS; a++) g_string_append_printf(known, "%s%s", a ? ", " : "", algorithm_name(a));
        g_autofree char *hint = nearest_hint_of(*name, known->str);
        command_fail("compare: unknown algorithm '%s' (%s)%s", *name, known->str, hint);
        return 0;
    }
    return wanted;
}

int compare_algorithms(Command *command)
{
    unsigned wanted = *command->options.algorithms ? read_list(command->options.algorithms) : (1u << N_ALGORITHMS) - 1;
    if (!wanted) return EXIT_USAGE;
    if (command->options.order || command->options.cutoffs)
        return command_fail("compare: --order and --cutoffs do not go with --algorithms");
    if (command->options.html && command->n_arguments != 1)
        return command_fail("compare: --algorithms --html shows one NET");
    GString *json = NULL;
    int code = EXIT_HOLDS;
    bool ok = true;
    for (int i = 0; i < command->n_arguments; i++) {
        g_autoptr(Compiled) read = command_read(command, command->arguments[i]);
        if (!read) {
            ok = false;
            continue;
        }
        if (command->options.json && !json) {
            json = command_json_begin(command, command->n_arguments == 1 ? read->net->name : NULL);
            json_open(json, "rows", '[');
        }
        g_autoptr(View) view = command->options.html ? look_new(command, read, NULL) : NULL;
        ok &= compare_net(command, read->net, wanted, json, view, &code);
        if (view) view_first(view, "tree");
        if (view && ok && !look_write(view, command->options.html)) return EXIT_USAGE;
    }
    if (json) {
        json_close(json, ']');
        command_json_end(command, json);
    }
    return ok ? code : command->failure == EXIT_UNKNOWN ? EXIT_UNKNOWN : EXIT_USAGE;
}
