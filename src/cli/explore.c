#include "cli/explore_dpor.h"
#include "cli/explore_estimate.h"
#include "cli/explore_parts.h"
#include "cli/explore_print.h"
#include "cli/explore_spins.h"
#include "cli/look.h"
#include "cli/native.h"

#include "base/output.h"
#include "base/visible.h"
#include "explore/algorithm.h"
#include "explore/netexplore.h"
#include "explore/trail.h"
#include "explore/tracetree.h"

#include <stdio.h>
#include <string.h>

enum { DRAWN_NODES = 2000 };

typedef struct Exploration {
    Command *command;
    const Compiled *read;
    const Net *net;
    RunTree *executions; /* of --html, or NULL */
    TraceTree *tree;     /* of --trace-tree, or NULL */
    ExploreOptions options;
    bool auto_cutoffs;
    const char *relation;
    NetExplore run;
    ExploreEstimate estimate;
} Exploration;

/* ---- options ---- */

static int parse_alternatives(Exploration *x)
{
    const char *text = x->command->options.alternatives;
    if (!text || strcmp(text, "optimal") == 0) return 0;
    if (strcmp(text, "source") == 0) {
        x->options.alternatives = ALTERNATIVES_SOURCE;
        return 0;
    }
    guint64 k;
    if (g_str_has_prefix(text, "k=") && g_ascii_string_to_unsigned(text + 2, 10, 1, UINT32_MAX, &k, NULL)) {
        x->options.alternatives = ALTERNATIVES_PARTIAL;
        x->options.k = (uint32_t)k;
        return 0;
    }
    return command_fail("explore: --alternatives is optimal, source or k=N with N at least 1, not '%s'", text);
}

static int parse_cache(Exploration *x)
{
    const char *text = x->command->options.cache;
    guint64 n;
    bool all = x->command->options.trace_tree || command_choice(x->command->options.count_events) == COUNT_EXACT;
    x->options.cache = text || all ? CACHE_UNLIMITED : CACHE_USUAL;
    if (!text || strcmp(text, "unlimited") == 0) return 0;
    if (!g_ascii_string_to_unsigned(text, 10, 0, CACHE_USUAL - 1, &n, NULL))
        return command_fail("explore: --cache is a number of events or 'unlimited', not '%s'", text);
    x->options.cache = n;
    return 0;
}

static int parse_standby(Exploration *x)
{
    const char *text = x->command->options.standby;
    guint64 step = 0;
    if (text && strcmp(text, "none") == 0)
        step = STANDBY_NONE;
    else if (text && !g_ascii_string_to_unsigned(text, 10, 1, STANDBY_NONE - 1, &step, NULL))
        return command_fail("explore: --standby is a number of events from 1 or 'none', not '%s'", text);
    x->options.standby = (uint32_t)step;
    return 0;
}

static int parse_options(Exploration *x)
{
    enum { BITS, TREES };
    const Options *o = &x->command->options;
    bool trees = command_choice(o->causality) == TREES;
    int code;
    if ((code = parse_alternatives(x)) || (code = parse_cache(x)) || (code = parse_standby(x))) return code;
    if (o->constraints || o->context_sensitive)
        return command_fail("explore: --constraints and --context-sensitive go with --algorithm cdpor");
    x->relation = relation_given(o->relation, RELATION_DEFAULT_EXPLORE);
    x->options.order = ORDER_ERV;
    if (o->order) order_parse(o->order, &x->options.order);
    if (command_choice(o->count_events) == COUNT_SKETCH)
        return command_fail("explore: upor counts its events exactly, by keeping them all, or not at all");
    if (command_choice(o->count_events) == COUNT_EXACT && x->options.cache != CACHE_UNLIMITED)
        return command_fail("explore: --count-events exact keeps all events, so it needs --cache unlimited");
    if (o->threads > 1)
        return command_fail("explore: upor has one event store; --threads goes with --algorithm reverse");
    if (o->unroll && o->cutoffs == CUTOFFS_ON)
        return command_fail("explore: --unroll bounds runs that have no cutoffs");
    if (o->trace_tree && x->options.cache != CACHE_UNLIMITED)
        return command_fail("explore: --trace-tree names events for good, so it needs --cache unlimited");
    if (o->skip_step && !trees) return command_fail("explore: --skip-step goes with --causality trees");
    x->options.skip_step = !trees ? 0 : o->skip_step ? (uint32_t)o->skip_step : TREES_STEP;
    x->options.search = (SearchOrder)command_choice(o->search);
    x->options.cutoffs = o->cutoffs == CUTOFFS_ON;
    x->auto_cutoffs = o->cutoffs != CUTOFFS_ON && o->cutoffs != CUTOFFS_OFF;
    x->options.extend = (ExtendMethod)command_choice(o->extensions);
    x->options.depth = (uint32_t)o->depth;
    x->options.unroll = (uint32_t)o->unroll;
    x->options.seed = (uint64_t)o->seed;
    return 0;
}

/* ---- results ---- */

static void describe(void *data, GString *line)
{
    Exploration *x = data;
    if (!x->run.explorer) return;
    explore_progress(x->run.explorer, line);
    if (!x->run.options.cutoffs)
        explore_estimate_describe(&x->estimate, explore_print_traces(explore_stats(x->run.explorer)), line);
}

static void json_count(GString *json, const char *key, uint64_t value, bool known)
{
    if (known)
        json_int(json, key, (int64_t)value);
    else
        json_null(json, key);
}

static void json_evidence(const Exploration *x, GString *json)
{
    const NetExplore *r = &x->run;
    if (r->end == ENDING_REFUTED) command_json_run(json, "pair", x->net, r->pair, r->violation == COMMUTE_YES ? 0 : 2);
    if (r->end == ENDING_ENDLESS || r->end == ENDING_UNBOUNDED) json_int(json, "pump_from", r->pump_from);
    if (r->end == ENDING_ENDLESS || r->end == ENDING_UNBOUNDED || r->end == ENDING_REFUTED)
        command_json_run(json, "witness", x->net, r->run.data, r->run.len);
}

static void print_json(Exploration *x, const DeadEnds *ends)
{
    const ExploreStats *s = explore_stats(x->run.explorer);
    bool complete = netexplore_complete(&x->run);
    GString *json = command_json_begin(x->command, x->net->name);
    json_string(json, "algorithm", algorithm_name(ALGORITHM_UPOR));
    json_string(json, "relation", x->relation);
    json_count(json, "maximal_configurations", s->leaves[LEAF_MAXIMAL], !x->run.options.cutoffs);
    json_int(json, "ssb", (int64_t)s->leaves[LEAF_BLOCKED]);
    json_count(json, "events", s->events, s->forgotten == 0);
    json_int(json, "cutoffs", (int64_t)s->cutoffs);
    json_int(json, "leaves", (int64_t)explore_print_leaves(s));
    explore_print_json_ends(json, ends);
    json_bool(json, "complete", complete);
    json_string(json, "reason", explore_print_reason(x->command, netexplore_reason(&x->run)));
    json_bool(json, "cutoffs_used", x->run.options.cutoffs);
    json_int(json, "cutoff_leaves", (int64_t)s->leaves[LEAF_CUTOFF]);
    explore_print_json_leaves(json, s);
    json_int(json, "nodes", (int64_t)s->nodes);
    json_int(json, "deepest", s->deepest);
    json_int(json, "most_events", s->most_events);
    json_int(json, "event_bytes", (int64_t)s->event_bytes);
    json_int(json, "alternatives", (int64_t)s->alternatives);
    json_int(json, "alternative_steps", (int64_t)s->alternative_steps);
    json_int(json, "histories", (int64_t)s->extend.found);
    json_int(json, "branchings", (int64_t)s->extend.branchings);
    json_int(json, "sat_calls", (int64_t)(s->extend.sat_calls + s->alternative_sats));
    explore_estimate_json(&x->estimate, explore_print_traces(s), complete && !x->run.options.cutoffs, json);
    json_evidence(x, json);
    if (x->command->options.deadlocks) explore_print_json_dead(json, ends);
    command_json_end(x->command, json);
}

/* Why it ended early, with the run that shows it. */
static void print_end(const Exploration *x, const char *reason)
{
    const NetExplore *r = &x->run;
    switch (r->end) {
    case ENDING_ENDLESS:
    case ENDING_UNBOUNDED:
        fputs(r->end == ENDING_UNBOUNDED ? "UNBOUNDED: after" : "ENDLESS without cutoffs: after", stdout);
        explore_print_run(x->net, r->run.data, r->pump_from);
        fputs(" this can be repeated for ever:", stdout);
        explore_print_run(x->net, vec_from(&r->run, r->pump_from), r->run.len - r->pump_from);
        putchar('\n');
        break;
    case ENDING_REFUTED:
        if (r->violation == COMMUTE_YES) {
            puts("REFUTED: the relation calls transitions independent that are not");
            break;
        }
        visible_print(stdout, "REFUTED: %s and %s are not independent after:", net_transition_id(x->net, r->pair[0]),
                      net_transition_id(x->net, r->pair[1]));
        explore_print_run(x->net, r->run.data, r->run.len);
        putchar('\n');
        break;
    default:
        if (reason) visible_print(stdout, "UNKNOWN: %s; the figures say how far it came\n", reason);
    }
}

static void print_text(Exploration *x, const DeadEnds *ends)
{
    command_end_progress();
    const ExploreStats *s = explore_stats(x->run.explorer);
    const char *reason = explore_print_reason(x->command, netexplore_reason(&x->run));
    print_end(x, reason);
    if (!x->run.options.cutoffs) explore_print_figure("maximal configurations", s->leaves[LEAF_MAXIMAL]);
    if (!x->run.options.cutoffs && reason) explore_estimate_print(&x->estimate, explore_print_traces(s));
    explore_print_leaf_figures(s);
    if (s->forgotten)
        visible_print(stdout, "%-22s %" G_GUINT64_FORMAT ", some counted again after they were forgotten\n", "events",
                      s->events);
    else
        explore_print_figure("events", s->events);
    if (x->run.options.cutoffs) explore_print_figure("cutoffs", s->cutoffs);
    explore_print_dead(ends, x->command->options.deadlocks);
}

static bool write_tree(const Exploration *x, TraceTree *tree, GError **error)
{
    g_autofree char *dot = tracetree_dot(tree);
    return output_write(x->command->options.trace_tree, dot, strlen(dot), error);
}

static int exit_code(const NetExplore *r)
{
    if (r->end == ENDING_UNBOUNDED || r->end == ENDING_REFUTED) return EXIT_VIOLATED;
    return netexplore_complete(r) ? EXIT_HOLDS : EXIT_UNKNOWN;
}

static void on_start(void *data)
{
    Exploration *x = data;
    if (x->executions) runtree_restart(x->executions);
}

static void on_node(void *data, uint32_t node, const Explorer *explorer)
{
    Exploration *x = data;
    if (x->tree) tracetree_node(x->tree, node, explorer);
}

static void on_leaf(void *data, LeafKind kind, const Config *config)
{
    Exploration *x = data;
    if (x->tree) tracetree_leaf(x->tree, kind, config);
    if (x->executions) runtree_leaf(x->executions, kind, config);
}

static bool write_page(const Exploration *x, const DeadEnds *ends)
{
    return explore_print_page(x->command, x->read, ALGORITHM_UPOR, x->executions, explore_stats(x->run.explorer),
                              explore_print_reason(x->command, netexplore_reason(&x->run)), ends);
}

static int run(Exploration *x)
{
    int code = parse_options(x);
    if (code) return code;
    GError *error = NULL;
    Budget budget = command_budget_of_half(x->command);
    g_autoptr(Indep) indep = indep_named(x->net, x->relation, &budget, &error);
    if (!indep) return command_fail_reading(x->command, error);
    budget_describe(&budget, describe, x);
    g_autoptr(TraceTree) tree = x->command->options.trace_tree ? tracetree_new(x->net, DRAWN_NODES) : NULL;
    RunTree executions;
    runtree_init(&executions, DRAWN_NODES);
    x->tree = tree;
    x->executions = x->command->options.html ? &executions : NULL;
    x->options.start = on_start;
    x->options.node = tree ? on_node : NULL;
    x->options.leaf = tree || x->executions ? on_leaf : NULL;
    x->options.data = x;
    g_autoptr(Spins) spins = explore_spins(x->command, x->net);
    x->options.spins = spins;
    x->options.spins_late = explore_spins_late(x->command);
    DporOptions bounds = {
        .depth = x->options.depth, .unroll = x->options.unroll, .spins = spins, .spins_late = x->options.spins_late};
    explore_estimate_begin(&x->estimate, x->net, indep, &bounds, ALGORITHM_UPOR, x->options.seed, &budget);
    netexplore_run(&x->run, x->net, indep, &x->options, x->auto_cutoffs, &budget);
    explore_estimate_end(&x->estimate);
    size_t n_dead;
    const ExploreDead *dead = explore_dead(x->run.explorer, &n_dead);
    DeadEnds ends;
    bool known = dead_ends_init(&ends, x->run.lts, dead, n_dead, &error);
    if (known && x->command->options.json)
        print_json(x, &ends);
    else if (known)
        print_text(x, &ends);
    code = exit_code(&x->run);
    if (!known || (tree && !write_tree(x, tree, &error))) code = command_fail_error(error);
    if (known && x->executions && !write_page(x, &ends)) code = EXIT_USAGE;
    runtree_clear(&executions);
    dead_ends_clear(&ends);
    netexplore_clear(&x->run);
    return code;
}

int command_explore(Command *command)
{
    bool in_parts = explore_parts_wanted(&command->options), native = cli_native_wants(command);
    if (command->options.estimate && native) return command_fail("explore: --estimate is for nets and .mzk programs");
    if (command->options.estimate && in_parts)
        return command_fail("explore: --estimate explores nothing that could be split");
    if (native) return cli_native_explore(command);
    int fault = in_parts ? explore_parts_check(command) : EXIT_HOLDS;
    if (fault) return fault;
    if (!in_parts && command->options.output) return command_fail("explore: -o goes with --split and --part");
    if (command->n_arguments != 1 && !command->options.merge)
        return command_fail("explore: exactly one NET is expected");
    int code = command_check_names(command);
    if (code) return code;
    g_autoptr(Compiled) read = command_read(command, command->arguments[0]);
    if (!read) return command->failure;
    if (command->options.estimate) return explore_estimate(command, read->net);
    if (in_parts || command_choice(command->options.algorithm) != ALGORITHM_UPOR) return explore_dpor(command, read);
    Exploration exploration = {.command = command, .read = read, .net = read->net};
    return run(&exploration);
}
