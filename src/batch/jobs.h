/* What a batch runs: instances (contest folders with a model.pnml, or net files) times tasks,
 * in a fixed order, optionally one shard of it. */
#pragma once
#include "base/budget.h"
#include "batch/task.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Job {
    const char *instance; /* the folder's name, or the file's name without its ending */
    const char *path;     /* the folder or the file */
    Task task;
    uint32_t repeat;
} Job;

typedef struct Jobs {
    Job *data;
    size_t len, cap;
    GStringChunk *texts; /* what the jobs point to: once per instance, however many jobs it has */
} Jobs;

/* `source`: a folder of instances, one instance, one net file, or a text file with one path per line
 * (relative to that file; # starts a comment). Instances are sorted by name; every task of one
 * instance comes before the next instance. Two instances of one name are an error. */
bool jobs_collect(const char *source, const Task *tasks, size_t n_tasks, uint32_t repeat, Jobs *jobs, Budget *budget,
                  GError **error);
/* Keeps every count-th job from the index-th (from 1) on: the shards of a batch are disjoint and
 * together are the whole. */
void jobs_shard(Jobs *jobs, uint32_t index, uint32_t count);
void jobs_free(Jobs *jobs);
