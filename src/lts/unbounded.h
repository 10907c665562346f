/* A proof that a net is unbounded: a run that comes to a marking which covers an earlier one strictly can repeat what
 * lies between for ever, each time with more tokens. Inhibitor arcs could forbid the repetition, so nets with them get
 * no such proof. */
#pragma once
#include "net/net.h"

typedef struct Unbounded {
    size_t from, to; /* the firings from..to-1 of the run repeat */
    uint32_t place;  /* that gains */
} Unbounded;

/* Looks along a run from the initial marking, with bounded effort. */
bool unbounded_on_run(const Net *net, const uint32_t *run, size_t n, Unbounded *proof);
