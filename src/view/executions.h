/* One explorer run over a net for its figures and, when wanted, its tree of executions: the same way for every
 * algorithm of algorithms.def. */
#pragma once
#include "explore/algorithm.h"
#include "lts/indep.h"
#include "view/view.h"

typedef struct Executions {
    Algorithm algorithm;
    bool cutoffs;  /* upor: with cutoffs when the net does not terminate; otherwise that ends it */
    RunTree *tree; /* filled unless NULL */
    /* results */
    uint64_t traces, ssb, nodes, deadlocks;
    int64_t events;      /* -1: has none */
    char *reason;        /* why it did not finish; NULL: it did */
    uint64_t memory_kib; /* resident at the end */
} Executions;

/* Fills the results. */
void executions_run(Executions *executions, const Net *net, const Indep *indep, Budget *budget);
/* Its tree, for a page. */
ViewTree executions_tree(const Executions *executions);
void executions_clear(Executions *executions);
