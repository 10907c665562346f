#include "cli/command.h"
#include "cli/compare_algorithms.h"

#include "base/output.h"
#include "base/visible.h"
#include "report/comparison.h"
#include "report/comparison_page.h"

#include <stdio.h>
#include <string.h>

/* Prefixes up to this size are drawn in the page. */
enum { SMALL = 90, SECONDS = 10 };

/* ---- results ---- */

static void json_count(GString *json, const char *key, int64_t value)
{
    if (value < 0)
        json_null(json, key);
    else
        json_int(json, key, value);
}

static void json_number(GString *json, const char *key, double value)
{
    json_real(json, key, value);
}

static void json_row(GString *json, const Comparison *c, const ComparisonRow *row)
{
    json_open(json, NULL, '{');
    json_string(json, "net", ((const Net *)c->nets->pdata[row->net])->name);
    json_string(json, "relation", row->relation);
    json_string(json, "order", order_name(row->order));
    json_int(json, "events", (int64_t)row->events);
    json_count(json, "conditions", row->conditions);
    json_int(json, "cutoffs", (int64_t)row->n_cutoffs);
    json_bool(json, "complete", row->end == ENDING_COMPLETE);
    json_count(json, "contextual_events", row->conditions < 0 ? -1 : (int64_t)row->contextual_events);
    json_string(json, "reason", *comparison_mark(row) ? comparison_mark(row) : NULL);
    json_int(json, "independent_pairs", (int64_t)row->independent_pairs);
    json_count(json, "depth", row->merged ? -1 : (int64_t)row->depth);
    json_count(json, "width", row->merged ? -1 : (int64_t)row->width);
    json_count(json, "markings", row->markings);
    if (row->ratio > 0)
        json_number(json, "ratio", row->ratio);
    else
        json_null(json, "ratio");
    json_open(json, "timing", '{');
    json_number(json, "wall", row->seconds);
    if (row->sat_seconds >= 0) json_number(json, "sat", row->sat_seconds);
    json_close(json, '}');
    json_count(json, "memory_kib", row->memory_kib);
    json_close(json, '}');
}

static void print_json(Command *command, const Comparison *c)
{
    GString *json = command_json_begin(command, c->nets->len == 1 ? ((const Net *)c->nets->pdata[0])->name : NULL);
    json_open(json, "rows", '[');
    for (size_t i = 0; i < c->n; i++) json_row(json, c, &c->row[i]);
    json_close(json, ']');
    command_json_end(command, json);
}

static void print_count(int width, int64_t value)
{
    if (value < 0)
        visible_print(stdout, " %*s", width, "-");
    else
        visible_print(stdout, " %*" G_GINT64_FORMAT, width, value);
}

static void print_row(const ComparisonRow *row, int width, bool asked)
{
    visible_print(stdout, "  %-*s %-8s %c%9" G_GUINT64_FORMAT, width, row->relation, order_name(row->order),
                  row->end == ENDING_COMPLETE ? ' ' : '>', row->events);
    print_count(10, row->conditions);
    print_count(9, (int64_t)row->n_cutoffs);
    print_count(5, row->merged ? -1 : (int64_t)row->depth);
    print_count(6, row->merged ? -1 : (int64_t)row->width);
    print_count(9, row->markings);
    visible_print(stdout, " %8.3f", row->seconds);
    print_count(8, row->memory_kib);
    if (row->ratio > 0)
        visible_print(stdout, " %7.3f", row->ratio);
    else
        visible_print(stdout, " %7s", "-");
    if (asked && row->sat_seconds >= 0)
        visible_print(stdout, " %8.3f", row->sat_seconds);
    else if (asked)
        visible_print(stdout, " %8s", "-");
    if (*comparison_mark(row)) visible_print(stdout, "  %s", comparison_mark(row));
    putchar('\n');
}

static void print_net(const Comparison *c, size_t from)
{
    size_t to = comparison_next_net(c, from);
    int width = 10;
    bool asked = false;
    for (size_t i = from; i < to; i++) {
        width = MAX(width, (int)visible_columns(c->row[i].relation));
        asked |= c->row[i].merged;
    }
    visible_print(stdout, "%s\n  %-*s %-8s %10s %10s %9s %5s %6s %9s %8s %8s %7s%s\n",
                  ((const Net *)c->nets->pdata[c->row[from].net])->name, width, "relation", "order", "events",
                  "conditions", "cutoffs", "depth", "width", "markings", "seconds", "KiB",
                  relation_name(RELATION_CLASSIC), asked ? "      SAT" : "");
    for (size_t i = from; i < to; i++) print_row(&c->row[i], width, asked);
}

/* ---- relations and orders ---- */

static bool add_nets(Command *command, Comparison *c, const ComparisonOptions *options, Budget *budget)
{
    bool ok = true;
    for (int i = 0; i < command->n_arguments && !budget_ended(budget); i++) {
        Net *net = command_read_net(command, command->arguments[i]);
        GError *error = NULL;
        size_t from = c->n;
        if (!net) {
            ok = false;
            continue;
        }
        if (!comparison_add(c, net, options, budget, &error)) {
            command->failure = command_fail_reading(command, error);
            ok = false;
        }
        command_end_progress();
        comparison_finish(c);
        if (c->n > from && !command->options.json) print_net(c, from);
        fflush(stdout);
    }
    return ok;
}

static int exit_code(const Comparison *c, const Budget *budget)
{
    if (budget_ended(budget)) return EXIT_UNKNOWN; /* rows are missing */
    for (size_t i = 0; i < c->n; i++)
        if (c->row[i].end != ENDING_COMPLETE) return EXIT_UNKNOWN;
    return EXIT_HOLDS;
}

static int compare_relations(Command *command)
{
    Options *o = &command->options;
    Order orders[N_ORDERS];
    ComparisonOptions options = {
        .orders = orders, .seconds = o->time > 0 ? o->time : SECONDS, .measured = true, .small = o->html ? SMALL : 0};
    g_auto(GStrv) relations = comparison_relations(o->relation);
    options.n_orders = comparison_orders(o->order, orders);
    options.relations = relations;
    options.cutoffs = o->cutoffs != CUTOFFS_OFF;
    /* --time is per row here, so the command as a whole has no deadline. */
    Budget budget = command_budget(command);
    budget_restart(&budget, 0);
    g_autoptr(Comparison) c = comparison_new();
    bool ok = add_nets(command, c, &options, &budget);
    if (o->json) print_json(command, c);
    if (o->html) {
        g_autoptr(GString) page = g_string_new(NULL);
        GError *error = NULL;
        g_autofree char *limits = g_strdup_printf("%g s for each row", options.seconds);
        comparison_page_print(c, limits, page);
        if (!output_write(o->html, page->str, page->len, &error)) return command_fail_error(error);
    }
    return ok ? exit_code(c, &budget) : command->failure == EXIT_UNKNOWN ? EXIT_UNKNOWN : EXIT_USAGE;
}

int command_compare(Command *command)
{
    if (command->n_arguments < 1) return command_fail("compare: at least one NET is expected");
    int code = command_check_names(command);
    if (code) return code;
    if (command->options.algorithms) return compare_algorithms(command);
    return compare_relations(command);
}
