/* The extensions of a configuration: the events <t,H> with H inside C ([POET15] sec. 4). Finding those that
 * conflict with C is NP-complete for nets ([DPU18] Thm 5); here it is exact, by one of these:
 *
 *   lattice    safe nets. The events of C that change one place form a chain which alternately fills
 *              and empties it, so "p is marked at H" says: with an emptying event of the chain, H holds
 *              the filling one after it. Being causally closed and enabling t are thus implications
 *              between positions, solutions are closed under union, and branching on the events that
 *              depend on t (in or out, with closure after "in") finds every history with polynomial
 *              delay: the branch "out" never fails.
 *   counting   any net: the same branching with bounds on the token counts still attainable, and any
 *              Lts: without bounds, asking the Lts at the end. May fail exponentially often.
 *   sat        any net: one propositional variable per position, token counts as decision diagrams,
 *              models enumerated by blocking clauses over the events that depend on t.
 *
 * `auto` takes lattice on safe layouts, else counting, and sat after STRUCTURE_PATIENCE branchings in
 * vain. Enumeration is incremental: when C grows by e the new extensions are those with e in H, and e
 * is then a maximal event of H, so only actions that depend on e are tried. */
#pragma once
#include "base/budget.h"
#include "lts/netlts.h"
#include "pes/config.h"

typedef enum {
    EXTEND_AUTO,
    EXTEND_STRUCTURE, /* lattice or counting, never sat */
    EXTEND_SAT,
} ExtendMethod;

typedef struct Extend Extend;

/* One extension: H as a set of positions of the configuration. Called once for each history. */
typedef void (*ExtendFound)(void *data, uint32_t label, const uint64_t *history);

/* Borrows everything. net is the same system as config->lts, or NULL when it is not a net. */
Extend *extend_new(Config *config, const NetLts *net, ExtendMethod method, Budget *budget);
void extend_free(Extend *extend);

/* To be told about each config_push() and before each config_pop(). */
void extend_pushed(Extend *extend);
void extend_popping(Extend *extend);

/* All extensions whose history contains the newest event (with an empty configuration: all). False
 * when the budget was spent on the way. */
bool extend_newest(Extend *extend, ExtendFound found, void *data);
/* For tests: all extensions of C with one action. */
bool extend_label(Extend *extend, uint32_t label, ExtendFound found, void *data);
/* For tests: is there an extension with this action? history (config->words words) gets one. NULL-safe answer in
 * the sense of SatAnswer: 1 yes, -1 no, 0 when the budget was spent. */
int extend_exists(Extend *extend, uint32_t label, uint64_t *history);

typedef struct ExtendStats {
    uint64_t calls, found, branchings, sat_calls;
} ExtendStats;
const ExtendStats *extend_stats(const Extend *extend);
