#include "cli/compare_algorithms.h"

#include "base/visible.h"
#include "explore/conditional.h"
#include "explore/netexplore.h"
#include "verify/dead_ends.h"

#include <stdio.h>
#include <string.h>

enum { SECONDS = 10 };

static const char *const ALGORITHMS[] = {"upor", "odpor", "sdpor", "sleep", "cdpor"};

typedef struct Row {
    const char *algorithm;
    uint64_t traces, ssb, nodes;
    int64_t events; /* -1: has none */
    uint64_t deadlocks;
    char *reason; /* NULL: complete */
    double seconds;
    uint64_t memory_kib; /* growth of the resident set at the end */
} Row;

/* Final markings that nobody understands are no ends. */
static size_t count_deadlocks(const NetLts *lts, const ExploreDead *dead, size_t n)
{
    DeadEnds ends;
    if (!dead_ends_init(&ends, lts, dead, n, NULL)) return n;
    size_t deadlocks = ends.n_deadlocks;
    dead_ends_clear(&ends);
    return deadlocks;
}

static void fill(Row *row, const ExploreStats *s, size_t dead, const char *reason)
{
    row->traces = s->leaves[LEAF_MAXIMAL];
    row->ssb = s->leaves[LEAF_BLOCKED];
    row->events = (int64_t)s->events;
    row->nodes = s->nodes;
    row->deadlocks = dead;
    row->reason = g_strdup(reason);
}

static void run_row(Row *row, const Net *net, const Indep *indep, Budget *budget)
{
    if (strcmp(row->algorithm, "upor") == 0) {
        ExploreOptions options = {.order = ORDER_ERV, .cache = CACHE_UNLIMITED};
        NetExplore run;
        netexplore_run(&run, net, indep, &options, false, budget);
        size_t n;
        const ExploreDead *dead = explorer_dead(run.explorer, &n);
        fill(row, explorer_stats(run.explorer), count_deadlocks(run.lts, dead, n), netexplore_reason(&run));
        row->memory_kib = budget_resident() / 1024;
        netexplore_clear(&run);
        return;
    }
    DporRun run;
    DporOptions options = {0};
    if (dpor_parse(row->algorithm, &options.kind)) {
        dpor_run(&run, net, indep, &options, budget);
    } else {
        g_autoptr(Constraints) constraints = constraints_new(net);
        conditional_run(&run, constraints, &(ConditionalOptions){0}, budget);
    }
    size_t deadlocks = count_deadlocks(run.lts, run.outcome.dead.data, run.outcome.dead.len);
    fill(row, &run.outcome.stats, deadlocks, outcome_reason(&run.outcome));
    if (strcmp(row->algorithm, "cdpor") == 0) row->events = -1;
    row->memory_kib = budget_resident() / 1024;
    dpor_clear(&run);
}

static void print_row(const Row *row)
{
    visible_print(stdout, "  %-9s %c%10" G_GUINT64_FORMAT " %10" G_GUINT64_FORMAT, row->algorithm,
                  row->reason ? '>' : ' ', row->traces, row->ssb);
    if (row->events < 0)
        visible_print(stdout, " %10s", "-");
    else
        visible_print(stdout, " %10" G_GINT64_FORMAT, row->events);
    visible_print(stdout, " %10" G_GUINT64_FORMAT " %6" G_GUINT64_FORMAT " %8.3f %9" G_GUINT64_FORMAT "%s%s\n",
                  row->nodes, row->deadlocks, row->seconds, row->memory_kib, row->reason ? "  " : "",
                  row->reason ? row->reason : "");
}

static void json_row(JsonBuilder *json, const Net *net, const char *relation, const Row *row)
{
    json_builder_begin_object(json);
    json_string(json, "net", net->name);
    json_string(json, "algorithm", row->algorithm);
    json_string(json, "relation", row->events < 0 ? "conditional" : relation);
    json_int(json, "traces", (int64_t)row->traces);
    json_int(json, "ssb", (int64_t)row->ssb);
    if (row->events < 0)
        json_null(json, "events");
    else
        json_int(json, "events", row->events);
    json_int(json, "nodes", (int64_t)row->nodes);
    json_int(json, "deadlocks", (int64_t)row->deadlocks);
    json_bool(json, "complete", !row->reason);
    json_string(json, "reason", row->reason);
    json_builder_set_member_name(json, "timing");
    json_builder_begin_object(json);
    json_builder_set_member_name(json, "wall");
    json_builder_add_double_value(json, row->seconds);
    json_builder_end_object(json);
    json_int(json, "memory_kib", (int64_t)row->memory_kib);
    json_builder_end_object(json);
}

/* False when the relation cannot be made. */
static bool compare_net(Command *command, const Net *net, JsonBuilder *json, int *code)
{
    const Options *o = &command->options;
    const char *relation = o->relation ? o->relation : "read";
    GError *error = NULL;
    g_autoptr(Indep) indep = indep_named(net, relation, &error);
    if (!indep) {
        command_fail_error(error);
        return false;
    }
    if (!json)
        visible_print(stdout, "%s (relation %s; cdpor: conditional)\n  %-9s %11s %10s %10s %10s %6s %8s %9s\n",
                      net->name, relation, "algorithm", "traces", "ssb", "events", "nodes", "dead", "seconds", "KiB");
    for (size_t i = 0; i < G_N_ELEMENTS(ALGORITHMS); i++) {
        Row row = {.algorithm = ALGORITHMS[i]};
        Budget budget = command_budget(command);
        double start = budget_now();
        uint64_t before = budget_resident() / 1024;
        budget.deadline = start + (o->time > 0 ? o->time : SECONDS);
        run_row(&row, net, indep, &budget);
        row.seconds = budget_now() - start;
        row.memory_kib -= MIN(before, row.memory_kib);
        command_end_progress();
        if (row.reason) *code = EXIT_UNKNOWN;
        if (json)
            json_row(json, net, relation, &row);
        else
            print_row(&row);
        g_free(row.reason);
        fflush(stdout);
        if (budget.reason == BUDGET_STOPPED) break;
    }
    return true;
}

int compare_algorithms(Command *command)
{
    if (command->options.html || command->options.order || command->options.cutoffs)
        return command_fail("compare: --html, --order and --cutoffs do not go with --algorithms");
    JsonBuilder *json = NULL;
    int code = EXIT_HOLDS;
    bool ok = true;
    for (int i = 0; i < command->n_arguments; i++) {
        g_autoptr(Net) net = command_read_net(command, command->arguments[i]);
        if (!net) {
            ok = false;
            continue;
        }
        if (command->options.json && !json) {
            json = command_json_begin(command, command->n_arguments == 1 ? net->name : NULL);
            json_builder_set_member_name(json, "rows");
            json_builder_begin_array(json);
        }
        ok &= compare_net(command, net, json, &code);
    }
    if (json) {
        json_builder_end_array(json);
        command_json_end(command, json);
    }
    return ok ? code : command->failure == EXIT_UNKNOWN ? EXIT_UNKNOWN : EXIT_USAGE;
}
