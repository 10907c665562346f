/* `cdpor`: exploration by conditional independence ([CDPOR18]), for the dead markings of a net, and for nothing
 * else: traces are merged whenever they end in the same marking by what the constraints (constraint.h) show.
 *
 * Each node tries the members of a back set (backset.h) that do not sleep. a sleeps at a marking m when m[a>
 * is a marking reachable from one whose node is finished. So the sleep set after t is: what slept before or
 * was tried before t, as long as it commutes with t at m, by its constraint at m alone: then m[t a> = m[a t>,
 * which is reachable from m[a>. No uniformity is needed there. ([CDPOR18] asks for it because its back sets come
 * from the races of the runs that are made, which a sleep set may hide; ours are found beforehand.)
 *
 * Why every dead marking d is found: when a node with marking m is finished, all dead markings reachable from
 * m have been met. By induction over the order in which nodes finish: if m is dead it is a leaf. Otherwise
 * the back set has an enabled a such that d is reachable from m[a>. If a was tried, the child was finished
 * before; if a sleeps, m[a> is reachable from a marking whose node was finished before, and so is d.
 *
 * With `context`, sleep sets hold sequences too ([CDPOR18] line 12 and the context-sensitive check of line 14): x =
 * x1..xk sleeps at m when m[x> is reachable from a marking whose node is finished. While the child e of m
 * is explored and its run goes on with u and then p, the sequences u p e and p u e are tried after m; those
 * that can fire end, being permutations of e u p, at a marking below that child, so they sleep at m once the
 * child is finished. x goes on behind t as its tail when t = x1, and as x when m[t x> and m[x t> can fire. For nets
 * the constraint is exact, so when e commutes with u and p step by step the plain sleep set has the same
 * effect and no sequence is stored. */
#pragma once
#include "explore/backset.h"
#include "explore/dpor.h"

typedef struct ConditionalOptions {
    bool context;
    bool every_enabled; /* no back sets: every enabled transition that does not sleep is tried */
    uint32_t depth;     /* bound on the length of runs; 0: none */
    uint32_t unroll;    /* bound on how often a transition fires in a run; 0: none */
    const Spins
        *spins; /* transitions that change nothing are left out (of turns, those alone); borrowed, may be NULL */
    /* Told the run of every leaf; may be NULL. */
    void (*leaf)(void *data, LeafKind kind, const uint32_t *run, uint32_t n);
    void *data;
} ConditionalOptions;

/* The same result as dpor_run(); in its stats, races: pairs asked for uniformity, inserted: pairs shown uniform,
 * covered: sleeping transitions that a constraint kept asleep, most_tree: sequences stored at one time. Markings are
 * plain 64-bit counts. A doubtful constraint that fails ends it with ENDING_REFUTED. */
void conditional_run(DporRun *run, const Constraints *constraints, const ConditionalOptions *options, Budget *budget);
