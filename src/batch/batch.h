/* Many nets, each asked several questions, a few jobs at a time: collects the jobs, runs those whose rows are not in
 * the result file yet, and keeps the rows. Opening changes nothing but the result file and the folders of evidence, and
 * either of them only when it is made or put in order. */
#pragma once
#include "base/budget.h"
#include "batch/row.h"
#include "batch/task.h"

typedef struct BatchProgress {
    size_t jobs, todo, done, running; /* all; not in the result file when it was opened; of these finished; now */
    size_t solved, wrong;             /* rows of finished jobs */
    double seconds;                   /* since batch_run() began */
} BatchProgress;

typedef struct BatchOptions {
    const char *source; /* as jobs_collect() takes it */
    const Task *tasks;
    size_t n_tasks;
    uint32_t repeat;
    uint32_t shard, shards;                                  /* the shard-th (from 1) of so many; 0 of 0: everything */
    const char *expected;                                    /* file of known answers; NULL: none */
    const char *output;                                      /* result file; NULL: rows are kept in memory */
    bool resume;                                             /* it may exist */
    const char *claim;                                       /* folder shared with other workers (claims.h); NULL: none.
                                                                Then there is no result file */
    double lease;                                            /* seconds */
    const char *witnesses, *certificates;                    /* folders; NULL: not wanted */
    const char *engine;                                      /* NULL: auto */
    unsigned threads;                                        /* of a job */
    unsigned at_once;                                        /* jobs; 0: as many as there are processors */
    uint64_t seed, memory;                                   /* bytes per job; 0: no limit */
    double seconds;                                          /* per job; 0: no limit */
    const StopFlag *stop;                                    /* may be NULL */
    void (*show)(const BatchProgress *progress, void *data); /* about four times a second; may be NULL */
    void *data;
} BatchOptions;

typedef struct Batch Batch;

/* Borrows what the options point to until batch_free(). `reading` is for the list and the known answers; may be NULL.
 */
Batch *batch_open(const BatchOptions *options, Budget *reading, GError **error);
const BatchProgress *batch_progress(const Batch *batch);
/* How jobs are held to their limits, for people. */
const char *batch_limits(const Batch *batch);
/* True when nothing is left to do. False without an error: stopped. The process must have no other threads. */
bool batch_run(Batch *batch, GError **error);
/* All rows, the first *n_earlier of them from before this run; owned by the batch. NULL: the file cannot be read. */
const Rows *batch_rows(Batch *batch, size_t *n_earlier, GError **error);
void batch_free(Batch *batch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Batch, batch_free)
