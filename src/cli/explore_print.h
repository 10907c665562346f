/* What every algorithm of mazurka explore prints alike. */
#pragma once
#include "cli/look.h"
#include "verify/dead_ends.h"

/* The reason why it ended early, or NULL, with a word on the limit of command_budget_of_half(). */
const char *explore_print_reason(const Command *command, const char *reason);
uint64_t explore_print_leaves(const ExploreStats *stats);
/* Without blocked ones and cutoffs: what explore --estimate counts. */
uint64_t explore_print_traces(const ExploreStats *stats);
/* All, and those of each kind that there are. */
void explore_print_leaf_figures(const ExploreStats *stats);
/* Those that a bound ended, or a loop that waits. */
void explore_print_json_leaves(GString *json, const ExploreStats *stats);
void explore_print_figure(const char *name, uint64_t value);
/* Transition ids on the current line, cut after a screenful. */
void explore_print_run(const Net *net, const uint32_t *run, size_t n);
/* Their numbers, then the markings with a run to each: a few, or all of them. */
void explore_print_dead(const DeadEnds *ends, bool all);

/* The page of --html: net, a run to each of the first dead markings, the tree of executions (may be empty), whose
 * deadlocks it marks, and those of the other algorithms. False after a failure, which was told. */
bool explore_print_page(Command *command, const Compiled *read, Algorithm algorithm, RunTree *tree,
                        const ExploreStats *stats, const char *reason, const DeadEnds *ends);

/* `deadlocks` and `final_markings`. */
void explore_print_json_ends(GString *json, const DeadEnds *ends);
void explore_print_json_dead(GString *json, const DeadEnds *ends);
