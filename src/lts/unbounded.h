/* A proof that a net is unbounded: a run that comes to a marking which covers an earlier one strictly can repeat what
 * lies between for ever, each time with more tokens, unless what lies between is inhibited by a place that gained. */
#pragma once
#include "base/budget.h"
#include "net/net.h"

typedef struct Unbounded {
    size_t from, to; /* the firings from..to-1 of the run repeat */
    uint32_t place;  /* that gains */
} Unbounded;

/* The firings run[0..n-1] lead from `small` to `large`. A place that gains by repeating them for ever, or NET_NONE. */
uint32_t unbounded_by(const Net *net, const uint64_t *small, const uint64_t *large, const uint32_t *run, size_t n);

/* More firings of a run than this are never looked at. */
size_t unbounded_longest(const Net *net);
/* Looks along a run from the initial marking, with bounded effort; false too when the budget is spent. */
bool unbounded_on_run(const Net *net, const uint32_t *run, size_t n, Budget *budget, Unbounded *proof);
