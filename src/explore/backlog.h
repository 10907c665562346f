/* Runs that are still to be visited: a stack, from whose other end the oldest can be taken too. */
#pragma once
#include "base/vec.h"

typedef struct Backlog {
    VecU32 labels;   /* of all runs, one behind the other */
    VEC(size_t) end; /* of each run in labels */
    size_t first;    /* those before were taken from the old end */
    size_t most;     /* runs held at one time */
} Backlog;

void backlog_clear(Backlog *backlog);
static inline size_t backlog_len(const Backlog *backlog)
{
    return backlog->end.len - backlog->first;
}
/* The i-th oldest, until something is added or taken. */
const uint32_t *backlog_run(const Backlog *backlog, size_t i, size_t *n);

void backlog_push(Backlog *backlog, const uint32_t *run, size_t n);
/* All of the other one, in its order. */
void backlog_append(Backlog *backlog, const Backlog *other);
/* There is one. */
void backlog_take_newest(Backlog *backlog, VecU32 *run);
void backlog_take_oldest(Backlog *backlog, VecU32 *run);
void backlog_empty(Backlog *backlog);
