#include "cli/explore_dpor.h"
#include "cli/explore_estimate.h"
#include "cli/explore_parts.h"
#include "cli/explore_print.h"
#include "cli/explore_spins.h"

#include "base/visible.h"
#include "explore/conditional.h"

#include <stdio.h>
#include <string.h>

enum { DRAWN_NODES = 2000, MOST_THREADS = 1024 };

typedef struct DporCommand {
    Command *command;
    const Net *net;
    const char *relation;
    Algorithm algorithm;
    bool conditional;
    CountEvents count;
    RunTree *tree; /* of --html, or NULL */
    DporRun run;
    ExploreEstimate estimate;
    bool in_parts;
    size_t parts; /* not explored, of in_parts */
} DporCommand;

/* ---- results ---- */

static const char *reason_of(const DporCommand *x)
{
    const char *reason = explore_print_reason(x->command, outcome_reason(&x->run.outcome));
    if (reason || !x->parts) return reason;
    return x->command->options.merge ? "parts without a result" : "split into parts";
}

/* So far. */
static uint64_t traces_of(const Outcome *o)
{
    return explore_print_traces(&o->stats) + o->elsewhere;
}

static void print_json(DporCommand *x, const DeadEnds *ends)
{
    const Outcome *o = &x->run.outcome;
    const ExploreStats *s = &o->stats;
    const char *reason = reason_of(x);
    GString *json = command_json_begin(x->command, x->net->name);
    json_string(json, "algorithm", algorithm_name(x->algorithm));
    json_string(json, "relation", x->relation);
    json_int(json, x->conditional ? "traces" : "maximal_configurations", (int64_t)s->leaves[LEAF_MAXIMAL]);
    if (x->conditional) json_null(json, "maximal_configurations");
    json_int(json, "ssb", (int64_t)s->leaves[LEAF_BLOCKED]);
    if (x->count == COUNT_EXACT)
        json_int(json, "events", (int64_t)s->events);
    else
        json_null(json, "events");
    if (x->count == COUNT_SKETCH) json_int(json, "events_estimate", (int64_t)s->events);
    json_int(json, "cutoffs", 0);
    json_int(json, "leaves", (int64_t)explore_print_leaves(s));
    explore_print_json_ends(json, ends);
    json_bool(json, "complete", !reason);
    json_string(json, "reason", reason);
    json_bool(json, "cutoffs_used", false);
    json_int(json, "cutoff_leaves", 0);
    explore_print_json_leaves(json, s);
    json_int(json, "nodes", (int64_t)s->nodes);
    json_int(json, "deepest", s->deepest);
    json_int(json, "most_events", s->most_events);
    json_int(json, "races", (int64_t)x->run.stats.races);
    json_int(json, "inserted", (int64_t)x->run.stats.inserted);
    json_int(json, "covered", (int64_t)x->run.stats.covered);
    json_int(json, "most_tree", x->run.stats.most_tree);
    json_int(json, "most_races", x->run.stats.most_races);
    if (x->in_parts) json_int(json, "parts_left", (int64_t)x->parts);
    if (x->algorithm == ALGORITHM_REVERSE) {
        json_int(json, "stolen", (int64_t)x->run.stats.stolen);
        json_real(json, "idle", x->run.stats.idle);
    }
    json_int(json, "histories", (int64_t)s->extend.found);
    bool all = o->end == ENDING_COMPLETE && !x->parts;
    if (!x->conditional) explore_estimate_json(&x->estimate, traces_of(o), all, json);
    if (x->command->options.deadlocks) explore_print_json_dead(json, ends);
    command_json_end(x->command, json);
}

static void print_text(DporCommand *x, const DeadEnds *ends)
{
    command_end_progress();
    const Outcome *o = &x->run.outcome;
    const ExploreStats *s = &o->stats;
    const char *reason = reason_of(x);
    if (x->parts && !x->command->options.merge && !outcome_reason(o))
        visible_print(stdout, "split into %zu part%s; the figures are of what was explored before\n", x->parts,
                      x->parts == 1 ? "" : "s");
    else if (reason)
        visible_print(stdout, "%s: %s; the figures say how far it came\n",
                      o->end == ENDING_REFUTED ? "REFUTED" : "UNKNOWN", reason);
    explore_print_figure(x->conditional ? "complete runs" : "maximal configurations", s->leaves[LEAF_MAXIMAL]);
    if (o->end != ENDING_COMPLETE) explore_estimate_print(&x->estimate, traces_of(o));
    explore_print_leaf_figures(s);
    explore_print_figure("nodes", s->nodes);
    if (x->in_parts) explore_print_figure("parts left", x->parts);
    if (x->count) explore_print_figure(x->count == COUNT_EXACT ? "events" : "events (about)", s->events);
    explore_print_dead(ends, x->command->options.deadlocks);
}

static void describe(void *data, GString *line)
{
    DporCommand *x = data;
    const ExploreStats *s = &x->run.outcome.stats;
    g_string_append_printf(line, "%s: %" G_GUINT64_FORMAT " leaves, %" G_GUINT64_FORMAT " blocked, depth %u",
                           algorithm_name(x->algorithm), explore_print_leaves(s) + x->run.outcome.elsewhere,
                           s->leaves[LEAF_BLOCKED], s->deepest);
    explore_estimate_describe(&x->estimate, traces_of(&x->run.outcome), line);
}

/* ---- options ---- */

/* The options of upor that these algorithms have no use for. */
static int check_options(const DporCommand *x)
{
    const Options *o = &x->command->options;
    const struct {
        const char *name;
        bool given;
    } others[] = {{"--alternatives", o->alternatives}, {"--search", o->search},       {"--cache", o->cache},
                  {"--standby", o->standby},           {"--causality", o->causality}, {"--order", o->order},
                  {"--trace-tree", o->trace_tree}};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        if (others[i].given) return command_fail("explore: %s goes with --algorithm upor only", others[i].name);
    if (x->in_parts && x->algorithm != ALGORITHM_REVERSE)
        return command_fail("explore: --split, --part and --merge go with --algorithm reverse");
    if (o->cutoffs == CUTOFFS_ON)
        return command_fail("explore: %s has no cutoffs, it explores terminating nets", algorithm_name(x->algorithm));
    if (o->threads > 1 && x->algorithm != ALGORITHM_REVERSE)
        return command_fail("explore: what %s knows of one branch decides about others; --threads goes with "
                            "--algorithm reverse",
                            algorithm_name(x->algorithm));
    if (o->threads > 1 && (x->count || o->html))
        return command_fail("explore: %s needs --threads 1", x->count ? "--count-events" : "--html");
    if (o->threads > MOST_THREADS) return command_fail("explore: at most %d threads", MOST_THREADS);
    if (x->conditional && x->count) return command_fail("explore: cdpor has no events that could be counted");
    if (!x->conditional && (o->constraints || o->context_sensitive))
        return command_fail("explore: --constraints and --context-sensitive go with --algorithm cdpor");
    if (!x->conditional && relation_refusal(x->relation))
        return command_fail("explore: %s", relation_refusal(x->relation));
    if (x->conditional && strcmp(x->relation, RELATION_CONDITIONAL) != 0)
        return command_fail("explore: cdpor decides independence at each marking, so --relation " RELATION_CONDITIONAL
                            " is the "
                            "only one it takes");
    return 0;
}

static void run_estimated(DporCommand *x, const Indep *indep, const DporOptions *options, Budget *budget)
{
    explore_estimate_begin(&x->estimate, x->net, indep, options, x->algorithm, (uint64_t)x->command->options.seed,
                           budget);
    dpor_run(&x->run, x->net, indep, options, budget);
    explore_estimate_end(&x->estimate);
}

static int run_parts(DporCommand *x, const Indep *indep, DporOptions *options, Budget *budget)
{
    GError *error = NULL;
    ExploreParts parts;
    bool merge = x->command->options.merge, ok;
    ok = explore_parts_begin(&parts, x->command, x->net, indep, options, budget, &error);
    if (ok && merge) {
        ok = explore_parts_merge(&parts, x->command, x->net, &x->run, &x->parts, budget, &error);
    } else if (ok) {
        run_estimated(x, indep, options, budget);
        x->parts = backlog_len(&x->run.rest);
        ok = explore_parts_write(&parts, x->command, &x->run, &error);
    }
    explore_parts_clear(&parts);
    if (ok) return 0;
    dpor_clear(&x->run);
    return command_fail_reading(x->command, error);
}

static int run_relation(DporCommand *x, const Spins *spins, Budget *budget)
{
    const Options *o = &x->command->options;
    DporOptions options = {.algorithm = x->algorithm,
                           .extend = (ExtendMethod)command_choice(o->extensions),
                           .depth = (uint32_t)o->depth,
                           .unroll = (uint32_t)o->unroll,
                           .spins = spins,
                           .spins_late = explore_spins_late(x->command),
                           .threads = (unsigned)o->threads,
                           .count = x->count,
                           .start = x->tree ? runtree_start : NULL,
                           .leaf = x->tree ? runtree_leaf : NULL,
                           .data = x->tree};
    GError *error = NULL;
    g_autoptr(Indep) indep = indep_named(x->net, x->relation, budget, &error);
    if (!indep) return command_fail_reading(x->command, error);
    if (x->in_parts) return run_parts(x, indep, &options, budget);
    run_estimated(x, indep, &options, budget);
    return 0;
}

static int run_conditional(DporCommand *x, const Spins *spins, Budget *budget)
{
    const Options *o = &x->command->options;
    ConditionalOptions options = {.context = o->context_sensitive,
                                  .depth = (uint32_t)o->depth,
                                  .unroll = (uint32_t)o->unroll,
                                  .spins = spins,
                                  .leaf = x->tree ? runtree_run : NULL,
                                  .data = x->tree};
    GError *error = NULL;
    g_autoptr(Constraints) constraints = o->constraints ? constraints_read_file(x->net, o->constraints, budget, &error)
                                                        : constraints_within(x->net, budget, &error);
    if (!constraints) return command_fail_reading(x->command, error);
    conditional_run(&x->run, constraints, &options, budget);
    return 0;
}

int explore_dpor(Command *command, const Compiled *read)
{
    const Options *o = &command->options;
    g_auto(RunTree) tree;
    runtree_init(&tree, DRAWN_NODES);
    DporCommand x = {.command = command,
                     .net = read->net,
                     .tree = o->html ? &tree : NULL,
                     .in_parts = explore_parts_wanted(o),
                     .algorithm = (Algorithm)command_choice(o->algorithm)};
    if (x.in_parts && !o->algorithm) x.algorithm = ALGORITHM_REVERSE;
    x.conditional = x.algorithm == ALGORITHM_CDPOR;
    x.relation =
        x.conditional && !o->relation ? RELATION_CONDITIONAL : relation_given(o->relation, RELATION_DEFAULT_EXPLORE);
    x.count = (CountEvents)command_choice(o->count_events);
    int code = check_options(&x);
    if (code) return code;
    Budget budget = command_budget_of_half(command);
    budget_describe(&budget, describe, &x);
    g_autoptr(Spins) spins = explore_spins(command, x.net);
    code = x.conditional ? run_conditional(&x, spins, &budget) : run_relation(&x, spins, &budget);
    if (code) return code;
    const Outcome *outcome = &x.run.outcome;
    DeadEnds ends;
    GError *error = NULL;
    bool understood = dead_ends_init(&ends, x.run.lts, outcome->dead.data, outcome->dead.len, &error);
    if (understood && o->json)
        print_json(&x, &ends);
    else if (understood)
        print_text(&x, &ends);
    code = !understood                      ? command_fail_error(error)
           : outcome->end == ENDING_REFUTED ? EXIT_VIOLATED
           : outcome_reason(outcome)        ? EXIT_UNKNOWN
           : x.parts && o->merge            ? EXIT_UNKNOWN
                                            : EXIT_HOLDS;
    if (understood && o->html &&
        !explore_print_page(command, read, x.algorithm, &tree, &outcome->stats, outcome_reason(outcome), &ends))
        code = EXIT_USAGE;
    dead_ends_clear(&ends);
    dpor_clear(&x.run);
    return code;
}
