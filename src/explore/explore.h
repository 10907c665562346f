/* Stateless exploration of the maximal configurations of an unfolding: Explore(C, D, A) of [POET15] Alg. 1
 * and [DPU18] Alg. 1 (`upor`), with cutoffs, a bounded cache, and any search order ([SPOE20] App. G).
 *
 * The tree of calls is made of nodes <C, D, A, e>: the left child adds e to C, the right child puts e
 * in D and follows an alternative. At most one configuration is held at a time. What must be known to
 * find alternatives is kept where it is needed: each node has the list of events f that were found as
 * conflicting extensions and whose first conflict, in the order in which C was made, is the node's e.
 * When e is put in D the node also gets, from the lists of the events that were in D before, those f
 * that exclude e: below it they need not have been met, because D was avoided there. The lists are then
 * the part of [POET15]'s Q_{C,D,U} that some later call can ask for, and dropping a node's list with the node
 * is Remove(e, C, D); the causes of a kept event are kept by reference (mazurka-theory(7), trap 10).
 *
 * Leaves: maximal (nothing can be added), cutoff (something is enabled but its events are cutoffs),
 * blocked (all enabled events are in D: sleep-set blocked), bound (deeper than asked for), waiting and stuck
 * (spins.h). */
#pragma once
#include "explore/bounds.h"
#include "explore/extend.h"
#include "lts/commute.h"
#include "unfold/order.h"

typedef enum { ALTERNATIVES_OPTIMAL, ALTERNATIVES_PARTIAL, ALTERNATIVES_SOURCE } AlternativeKind;
typedef enum { SEARCH_DFS, SEARCH_BFS, SEARCH_RANDOM, SEARCH_SIZE } SearchOrder;

#define CACHE_UNLIMITED SIZE_MAX
/* With cutoffs all events, since forgotten ones are not recognised. Otherwise all of a small unfolding, so that they
 * are counted, and none of one that turns out to be larger: it is faster when what is in use is close together. */
#define CACHE_USUAL (SIZE_MAX - 1)
#define STANDBY_NONE UINT32_MAX

typedef struct Explorer Explorer;

typedef struct ExploreOptions {
    AlternativeKind alternatives;
    uint32_t k; /* of ALTERNATIVES_PARTIAL, at least 1 */
    bool cutoffs;
    Order order;
    SearchOrder search;
    size_t cache; /* unreferenced events kept */
    uint64_t seed;
    uint32_t depth;     /* bound on |C|; 0: none */
    uint32_t unroll;    /* bound on how often an action fires in a run; 0: none */
    const Spins *spins; /* without cutoffs: turns of loops that wait are left out; borrowed, may be NULL */
    bool spins_late;    /* only when a run repeats its marking; netexplore_run() then starts again with them */
    ExtendMethod extend;
    uint32_t comb_patience; /* combinations tried before the comb becomes a formula; 0: a usual number */
    uint32_t skip_step;     /* of trees (pes/trees.h) that decide conflicts of stored events; 0: bit sets do */
    uint32_t standby;       /* step of standby states (pes/config.h); 0: a usual one */
    unsigned print_bits;    /* of the cutoffs' fingerprints; 0: all */
    /* Told before each start (netexplore.h starts again with wider counters or with cutoffs); may be NULL. */
    void (*start)(void *data);
    /* Told at every leaf; may be NULL. */
    void (*leaf)(void *data, LeafKind kind, const Config *config);
    /* Told once for every node, when it is entered (tracetree.h uses it); may be NULL. */
    void (*node)(void *data, uint32_t node, const Explorer *explorer);
    void *data;
} ExploreOptions;

/* A marking at which nothing is enabled, and the first run that reached it. */
typedef struct ExploreDead {
    uint64_t *state;
    uint32_t *run;
    uint32_t length;
} ExploreDead;

typedef struct ExploreStats {
    uint64_t leaves[N_LEAF_KINDS];
    bool cut;        /* an event was left out because of a bound */
    uint64_t events; /* met, counted again when forgotten and met again */
    uint64_t forgotten;
    uint64_t cutoffs; /* events declared so */
    uint64_t nodes;   /* calls of Explore */
    uint64_t alternatives, alternative_steps, alternative_sats;
    uint32_t deepest;     /* |C| */
    uint32_t most_events; /* stored at one time */
    uint64_t event_bytes; /* of stored events and their relations, at the end */
    ExtendStats extend;
} ExploreStats;

/* Borrows lts, indep and budget. net is the same as lts, or NULL when the Lts is not a net. */
Explorer *explore_new(const Lts *lts, const NetLts *net, const Indep *indep, const ExploreOptions *options,
                      Budget *budget);
void explore_free(Explorer *explorer);
Ending explore_run(Explorer *explorer);

const ExploreStats *explore_stats(const Explorer *explorer);
/* One line: leaves, leaves per second, stored and kept events, depth. */
void explore_progress(const Explorer *explorer, GString *line);
/* Distinct dead markings in order of discovery. */
const ExploreDead *explore_dead(const Explorer *explorer, size_t *n);
/* The configuration where it ended early. */
const Config *explore_config(const Explorer *explorer);
/* After ENDING_REFUTED: how the two actions fail to commute at explore_config(); COMMUTE_YES when
 * only their effect was seen (an event that cannot fire after its causes). */
Commute explore_refutation(const Explorer *explorer, uint32_t pair[2]);
