/* mazurka explore --split, --part and --merge: one exploration as many jobs that share nothing (parts.h). */
#pragma once
#include "cli/command.h"
#include "explore/dpor.h"

typedef struct ExploreParts {
    char *task;
    char *parent; /* of --part */
    uint32_t part;
    Backlog from;
} ExploreParts;

bool explore_parts_wanted(const Options *options);
/* The failure, told, when the options do not fit each other. */
int explore_parts_check(const Command *command);

/* What is to be explored: all, or the part of --part. Fills options->from and options->split. */
bool explore_parts_begin(ExploreParts *parts, const Command *command, const Net *net, const Indep *indep,
                         DporOptions *options, Budget *budget, GError **error);
void explore_parts_clear(ExploreParts *parts);
/* Writes -o, unless the exploration ended for another reason than a limit. */
bool explore_parts_write(const ExploreParts *parts, const Command *command, const DporRun *run, GError **error);
/* Adds the files of --merge up; *missing gets the number of parts without a result, the first of which are told on
 * stderr. */
bool explore_parts_merge(const ExploreParts *parts, const Command *command, const Net *net, DporRun *run,
                         size_t *missing, Budget *budget, GError **error);
