/* The family of dynamic partial-order reduction ([ODPOR14]) on systems whose actions disable each other.
 *
 * Actions play the part of processes; happens-before is the order that the dependence relation leaves
 * in a run. [ODPOR14] takes races from pairs of events of the run and assumes that no step disables another.
 * Nets do little else: with p->a, p->b the run "a" shows no race. So races come from the conflicting
 * extensions cex(C) of the run's configuration C: every event f = <t,H> with H inside C that conflicts
 * with C is a race between f and its first conflict e in the run, reversed before e by the sequence of
 * race.h, which runs all of C that f allows and then t. Each leaf C of the search has all its races
 * reversed (in `sdpor` also blocked leaves).
 *
 *   sleep   every enabled action that does not sleep is tried.
 *   sdpor   source sets: at the node before e some initial of the reversing sequence must be a branch.
 *   odpor   wakeup trees: the sequence is inserted in the tree of that node (wakeup.h) unless a
 *           sleeping action is a weak initial of it.
 *
 * Why sdpor is complete: every configuration K above a node E that has no event of E's sleep set lies
 * inside a leaf C found below E. Let w be K after E. If a branch of E is in K, take the eldest such
 * one and go on by induction; if one is independent of all of w, add the eldest such one to K and do
 * the same. Otherwise each branch of E meets a first event in w that depends on it; let p be the
 * branch for which it comes latest (among equals the eldest) and w = w' f w'' with f dependent on p. By
 * induction a leaf C below E p contains E, p and w'. There f is a conflicting extension whose first
 * conflict is p, and the sequence v reversing it contains w' f. An initial r of v is a branch of E
 * then. If r is in w' f it is in K; otherwise it is independent of w' f, which outlives p. Both
 * contradict the choice of p.
 *
 * Why odpor is complete: the same for maximal C, with p taken from the branches and from the sleep set
 * of E, as the one that outlives the others in w. It was explored at E or at an ancestor E'' with E = E'' u,
 * where the sequence v, which contains u w' f, was not refused (whoever sleeps at E'' and is a weak
 * initial of v sleeps at E too and outlives p) nor ended at a leaf at or above E (which would have
 * woken p), so a branch of E or an action asleep at E is a weak initial of w' f: it is in w or outlives
 * p. The tree may have only a part of v that is closed under causes, contains f and wakes who sleeps at E'' (wakeup.h):
 * the action where it leaves u is an initial of what is left of v, so independent of u and asleep at E; it has f, so
 * it does not end at or above E; and nothing sleeps at its leaf. No more of what was inserted is used. Why no leaf is
 * blocked: what sleeps at the node of insertion is dependent on something that is kept of v, and elder branches are,
 * by the order of the tree, so nobody sleeps when a leaf of the tree is reached.
 *
 * Nothing is kept but the current run, its races and the tree (or branches) of its nodes: memory does not grow with the
 * number of runs. Only who wants the distinct events counted pays for that. */
#pragma once
#include "explore/algorithm.h"
#include "explore/backlog.h"
#include "explore/trail.h"

typedef struct DporOptions {
    Algorithm algorithm; /* SLEEP, SDPOR or ODPOR; dpor_run() takes REVERSE too, which crew.h does */
    ExtendMethod extend;
    unsigned threads;          /* REVERSE, without counting: at most so many; 0 is 1 */
    const Backlog *from;       /* REVERSE: what these runs tell; NULL: everything */
    size_t split;              /* REVERSE: stop when so many runs wait to be visited; 0: go on */
    uint32_t depth;            /* bound on the length of runs; REVERSE: on the causes of an event; 0: none */
    uint32_t unroll;           /* bound on how often an action fires in a run; 0: none */
    const Spins *spins;        /* turns of loops that wait are left out; borrowed, may be NULL; needs a net */
    bool spins_late;           /* only when a run repeats its marking; dpor_run() then starts again with them */
    CountEvents count;         /* ExploreStats.events, 0 when nothing is counted */
    void (*start)(void *data); /* told before each start of dpor_run(); may be NULL */
    /* Told at every leaf, by one thread at a time; may be NULL. */
    void (*leaf)(void *data, LeafKind kind, const Config *config);
    void *data;
} DporOptions;

typedef struct DporStats {
    uint64_t races;      /* reversals looked at, at all leaves */
    uint64_t inserted;   /* sequences inserted (odpor), branches added (sdpor) or children found (reverse) for them */
    uint64_t covered;    /* sequences that the tree held already (odpor), or that lead to no child (reverse) */
    uint32_t most_tree;  /* nodes of the tree (odpor), or runs waiting to be visited (reverse), at one time */
    uint32_t most_races; /* of one run, or part of one: its conflicting extensions */
    uint64_t race_words; /* of 64 bits: what their histories took at one time, by one thread */
    uint64_t stolen;     /* reverse: runs that a thread took from another one */
    double idle;         /* reverse: seconds that threads waited for runs, added up */
} DporStats;

typedef struct DporRun {
    NetLts *lts;
    Outcome outcome;
    DporStats stats;
    uint32_t starts;
    Backlog rest; /* REVERSE: the runs that were not visited, because of a limit or for options->split */
} DporRun;

/* Explores any system once. net is the same as lts, or NULL. */
void dpor_explore(Outcome *outcome, DporStats *stats, const Lts *lts, const NetLts *net, const Indep *indep,
                  const DporOptions *options, Budget *budget);
/* What races of the run took, at the end of a search. */
void dpor_note_races(DporStats *stats, const Races *races);
/* Explores a net, again with wider counters after an overflow. */
void dpor_run(DporRun *run, const Net *net, const Indep *indep, const DporOptions *options, Budget *budget);
void dpor_clear(DporRun *run);
