#include "cli/explore_print.h"

#include "base/visible.h"
#include "lts/replay.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_DEAD = 5, SHOWN_FIRINGS = 60, SHOWN_PLACES = 40 };

const char *explore_print_reason(const Command *command, const char *reason)
{
    bool by_default = reason && !command->options.memory && strcmp(reason, ending_text(ENDING_MEMORY)) == 0;
    return by_default ? "memory limit (half of this machine's, as --memory was not given)" : reason;
}

uint64_t explore_print_leaves(const ExploreStats *stats)
{
    uint64_t sum = 0;
    for (int k = 0; k < N_LEAF_KINDS; k++) sum += stats->leaves[k];
    return sum;
}

void explore_print_figure(const char *name, uint64_t value)
{
    visible_print(stdout, "%-22s %" G_GUINT64_FORMAT "\n", name, value);
}

uint64_t explore_print_traces(const ExploreStats *stats)
{
    return explore_print_leaves(stats) - stats->leaves[LEAF_BLOCKED] - stats->leaves[LEAF_CUTOFF];
}

void explore_print_leaf_figures(const ExploreStats *stats)
{
    static const char *const names[N_LEAF_KINDS] = {[LEAF_BLOCKED] = "  sleep-set blocked",
                                                    [LEAF_CUTOFF] = "  ended by cutoffs",
                                                    [LEAF_BOUND] = "  ended by the bound",
                                                    [LEAF_WAITING] = "  waiting in a loop",
                                                    [LEAF_STUCK] = "  waiting for ever"};
    explore_print_figure("leaves", explore_print_leaves(stats));
    for (int k = 0; k < N_LEAF_KINDS; k++)
        if (names[k] && stats->leaves[k]) explore_print_figure(names[k], stats->leaves[k]);
}

void explore_print_json_leaves(GString *json, const ExploreStats *stats)
{
    json_int(json, "bound_leaves", (int64_t)stats->leaves[LEAF_BOUND]);
    json_int(json, "waiting_leaves", (int64_t)stats->leaves[LEAF_WAITING]);
    json_int(json, "stuck_leaves", (int64_t)stats->leaves[LEAF_STUCK]);
}

void explore_print_run(const Net *net, const uint32_t *run, size_t n)
{
    for (size_t i = 0; i < n && i < SHOWN_FIRINGS; i++) visible_print(stdout, " %s", net_transition_id(net, run[i]));
    if (n > SHOWN_FIRINGS) visible_print(stdout, " ... %zu more", n - SHOWN_FIRINGS);
}

void explore_print_dead(const DeadEnds *ends, bool all)
{
    const NetLts *lts = ends->lts;
    size_t n = ends->n_deadlocks + ends->n_final, shown = all ? n : MIN(n, SHOWN_DEAD);
    explore_print_figure("dead markings", ends->n_deadlocks);
    if (lts->net->final) explore_print_figure("final markings", ends->n_final);
    g_autofree uint64_t *marking = g_new(uint64_t, MAX(lts->net->n_places, 1));
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = 0; i < shown; i++) {
        netlts_unpack(lts, ends->list[i]->state, marking);
        replay_marking_text(lts->net, marking, SHOWN_PLACES, g_string_truncate(text, 0));
        visible_print(stdout, "%s marking: %s\n  after:", i < ends->n_deadlocks ? "dead" : "final", text->str);
        explore_print_run(lts->net, ends->list[i]->run, ends->list[i]->length);
        putchar('\n');
    }
    if (shown < n)
        visible_print(stdout, "... and %zu more %smarkings (--deadlocks lists all)\n", n - shown,
                      !ends->n_final               ? "dead "
                      : shown >= ends->n_deadlocks ? "final "
                                                   : "");
}

void explore_print_json_ends(GString *json, const DeadEnds *ends)
{
    json_int(json, "deadlocks", (int64_t)ends->n_deadlocks);
    json_int(json, "final_markings", (int64_t)ends->n_final);
}

void explore_print_json_dead(GString *json, const DeadEnds *ends)
{
    const Net *net = ends->lts->net;
    json_open(json, "dead_markings", '[');
    g_autofree uint64_t *marking = g_new(uint64_t, MAX(net->n_places, 1));
    for (size_t i = 0; i < ends->n_deadlocks + ends->n_final; i++) {
        json_open(json, NULL, '{');
        netlts_unpack(ends->lts, ends->list[i]->state, marking);
        json_open(json, "marking", '{');
        for (uint32_t p = 0; p < net->n_places; p++)
            if (marking[p]) json_tokens(json, net_place_id(net, p), marking[p]);
        json_close(json, '}');
        json_bool(json, "final", i >= ends->n_deadlocks);
        command_json_run(json, "witness", net, ends->list[i]->run, ends->list[i]->length);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* What the others do with the same net; nobody waits long for it. */
static void add_other_trees(View *view, Command *command, const Net *net, Algorithm except)
{
    enum { SECONDS = 10 };
    const char *relation = command->options.relation;
    if (relation && relation_refusal(relation)) relation = NULL; /* that of cdpor */
    Budget budget = command_budget(command);
    budget_restart(&budget, SECONDS);
    g_autoptr(Indep) indep = indep_named(net, relation_given(relation, RELATION_DEFAULT_EXPLORE), &budget, NULL);
    if (indep) look_add_trees(view, net, indep, except, &budget);
    command_end_progress();
}

bool explore_print_page(Command *command, const Compiled *read, Algorithm algorithm, RunTree *tree,
                        const ExploreStats *stats, const char *reason, const DeadEnds *ends)
{
    enum { SHOWN_RUNS = 8 };
    g_autoptr(View) view = look_new(command, read, NULL);
    Budget budget = command_budget_of_half(command);
    for (size_t i = 0; i < MIN(ends->n_deadlocks + ends->n_final, SHOWN_RUNS); i++)
        look_add_run(view, i < ends->n_deadlocks ? "a deadlock" : "an accepted end", read->net, ends->list[i]->run,
                     ends->list[i]->length, &budget);
    runtree_mark_deadlocks(tree, read->net);
    ViewTree own = {.algorithm = algorithm_name(algorithm),
                    .tree = tree,
                    .events = stats->events ? (int64_t)stats->events : -1,
                    .nodes = (int64_t)stats->nodes,
                    .deadlocks = (int64_t)ends->n_deadlocks,
                    .reason = reason};
    if (tree->parent.len > 1 || reason) view_add_tree(view, &own);
    add_other_trees(view, command, read->net, algorithm);
    view_first(view, "tree");
    return look_write(view, command->options.html);
}
