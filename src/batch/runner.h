/* Runs many small jobs in child processes, a few at a time, with hard limits. A job that crashes, hangs,
 * or grows too large ends as an outcome; it never ends the batch. Children are forked, not executed
 * anew, so a tiny job costs well under a millisecond on top of its own work.
 *
 * Limits: the child's own soft budget is the job's business; the runner kills it (its whole process
 * group) a grace period after `seconds`, or when its resident memory passes `memory`, and sets an
 * address-space limit as a last resort. With control groups the kernel enforces the memory of the job's whole process
 * tree instead, and nothing the job started survives it. A job ends when its process exits, whatever it did with its
 * descriptors. Children die with their parent, even when that is killed by -9.
 *
 * A job tells its parent what it found over a pipe of its own; what it prints is dropped. */
#pragma once
#include "base/budget.h"
#include "batch/cgroup.h"

typedef enum {
    JOB_ENDED_DONE,    /* exited by itself; see status */
    JOB_ENDED_TIME,    /* killed at the time limit */
    JOB_ENDED_MEMORY,  /* killed or aborted at the memory limit */
    JOB_ENDED_CRASH,   /* died of a signal of its own; see status */
    JOB_ENDED_STOPPED, /* the batch was stopped; the job counts as not run */
} JobEnding;

typedef struct JobOutcome {
    JobEnding ending;
    int status; /* exit status, or the signal of a crash */
    double wall, cpu;
    uint64_t peak_kib;
    const char *told; /* what the job wrote to its pipe, whole or up to its death */
    size_t told_len;
    bool truncated; /* it wrote more than was kept */
} JobOutcome;

typedef struct RunnerOptions {
    unsigned jobs;   /* at once */
    double seconds;  /* 0: none */
    uint64_t memory; /* bytes; 0: none */
    const StopFlag *stop;
    Cgroups *groups;         /* NULL: none */
    size_t most_told;        /* bytes kept of what a job tells; 0: 64 MB */
    const char *stderr_path; /* children's standard error is appended there; NULL: dropped */
} RunnerOptions;

typedef enum {
    NEXT_JOB,
    NEXT_LATER, /* none just now */
    NEXT_NONE,  /* and none will come */
} NextJob;

typedef struct JobCalls {
    /* In the child; `tell` is the pipe to the parent, the result is the exit status. */
    int (*work)(size_t job, int tell, void *data);
    /* In the parent, in order of completion. False stops the batch. */
    bool (*done)(size_t job, const JobOutcome *outcome, void *data);
    /* In the parent, about four times a second; may be NULL. */
    void (*tick)(size_t running, void *data);
    void *data;
    /* In the parent: which job comes next. NULL: those of the order. */
    NextJob (*next)(size_t *job, void *data);
} JobCalls;

/* Runs jobs order[0 .. n), or those that next() names. False when stopped before the end (the stop flag, or done() said
 * so). The process must have no other threads. While it runs SIGCHLD has its default action, whatever the process
 * inherited: with it ignored, the system would not keep how children end. */
bool runner_run(const size_t *order, size_t n, const RunnerOptions *options, const JobCalls *runner);
