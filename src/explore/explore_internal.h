/* The inside of the explorer (explore.h), shared by the files of this folder. */
#pragma once
#include "base/rng.h"
#include "explore/choice.h"
#include "explore/explore.h"
#include "lts/commute.h"
#include "lts/store.h"

#include <assert.h>

#define NODE_NONE UINT32_MAX

/* A conflicting extension in the list of a node. */
typedef struct Rival {
    uint32_t f;
    uint32_t listed_before; /* f's mark before: the node above whose list has it too, plus 1 */
    uint32_t watched;       /* the event of [f] that was in the way last, or f */
} Rival;

/* A rival that was seen to be of no use to its owner while another node's event is in C or in D. */
typedef struct Parked {
    Rival rival;
    uint32_t owner;
} Parked;

typedef struct Node {
    uint32_t event;
    uint32_t parent;
    uint32_t left, right;
    uint32_t depth, size;   /* in the tree; |C| */
    uint32_t asleep_before; /* asleep_node[label of event] before the right child */
    uint32_t add_len, *add; /* A in the order to push it; a right child owns its own */
    bool is_right, waiting; /* waiting: in the queue of a search order other than dfs */
    VEC(Rival) rivals;
    VEC(Parked) parked;       /* rivals of nodes above that this node's event excludes */
    uint64_t pushed, scanned; /* when its event was added to C, and when all of its rivals were last known to fit C */
    uint32_t fitted;          /* so many of them, the rest came back from where they were parked */
} Node;

/* One level of the comb: a sleeping action and how far its list was tried. */
typedef struct CombLevel {
    uint32_t label, next, base;
} CombLevel;

typedef struct Undo {
    uint32_t label, event;
    bool asleep;
} Undo;

struct Explorer {
    const Lts *lts;
    const NetLts *net;
    const Indep *indep;
    ExploreOptions options;
    Budget *budget;
    Events events;
    uint32_t few_events; /* nothing is forgotten before there are more */
    Config config;
    Trees *trees; /* NULL: bit sets alone */
    Extend *extend;
    Rng rng;
    Ending end;

    /* By action: the event enabled at C (not a cutoff), whether it is in D, and the node that put it there. */
    uint32_t *enabled_event, *asleep_node;
    uint64_t *enabled, *asleep;
    uint32_t label_words;
    Choice choice;
    VEC(Undo) undo;
    VecU32 undo_start;  /* by position */
    VecU32 node_at;     /* by position: the node whose event it is */
    uint64_t clock;     /* of Node.pushed and Node.scanned */
    uint32_t next_look; /* |C| at which to look for a repeated marking */

    VEC(Node) node;
    VecU32 free_nodes;

    Commute violation; /* of the relation, at C */
    uint32_t pair[2];
    VecU64 scratch;
    struct Cutoff *cutoff; /* NULL without cutoffs */
    Store dead_store;
    VEC(ExploreDead) dead;
    ExploreStats stats;
    VecU32 sleepers; /* alternatives: scratch */
    VEC(CombLevel) comb;
    GHashTable *listed; /* search orders other than dfs: (node, event) pairs in lists */
};

static inline Node *explore_node(const Explorer *x, uint32_t n)
{
    assert(n < x->node.len);
    return &x->node.data[n];
}

/* explore.c. False: x->end or the budget says why. */
bool explore_adds(Explorer *x, uint32_t e);             /* config_push() and what its failure means */
bool explore_push(Explorer *x, uint32_t e, uint32_t n); /* adds e, the event of node n, to C */
void explore_pop(Explorer *x);
uint32_t explore_new_node(Explorer *x, uint32_t parent, bool right);
/* Remove(e, C, D): what only this node's list kept becomes cache. */
void explore_free_node(Explorer *x, uint32_t n);
void explore_list(Explorer *x, uint32_t f, uint32_t n); /* f is in conflict with the event of node n */
void explore_sleep(Explorer *x, uint32_t n);            /* puts the node's event into D */
void explore_wake(Explorer *x, uint32_t n);             /* takes it out again */
/* Chooses the event of node n, adds it to C, and returns the left child; NODE_NONE when n is a leaf,
 * which is then counted, or when x->end or the budget says stop. */
uint32_t explore_descend(Explorer *x, uint32_t n);
bool explore_out_of_budget(Explorer *x);
/* Does the run that is C come back to a marking it has seen? It can then be repeated for ever. */
bool explore_repeats(const Explorer *x);

/* search.c: the whole exploration, from the empty configuration whose extensions are known. */
void search_run(Explorer *x);

/* alternative.c: with the current node's event already put to sleep, looks for an alternative to D
 * after C. When there is one, returns its events outside C in an order to push, for the caller to
 * free; *n is their number (never 0). */
uint32_t *alternative_find(Explorer *x, uint32_t node, uint32_t *n);

/* alternative_sat.c: the same for x->sleepers by a formula; on success C holds the alternative. */
bool alternative_by_sat(Explorer *x);

/* cutoff.c: the markings of stored events. */
typedef struct Cutoff Cutoff;
/* forgetful: cutoff_forget() will be used. print_bits: of the fingerprints, 64 except in tests. */
Cutoff *cutoff_new(const Lts *lts, Order order, bool forgetful, unsigned print_bits);
void cutoff_free(Cutoff *cutoff);
/* Is the fresh event <label,H> of the store, H a set of positions of the configuration, a cutoff? If
 * not, it is remembered. *overflow when a marking that is needed to know does not fit the layout. */
bool cutoff_decide(Cutoff *cutoff, Config *config, uint32_t e, const uint64_t *history, bool *overflow);
void cutoff_forget(Cutoff *cutoff, uint32_t e);
