/* A net that can be changed, for structural reductions. Arcs are normalised to what interleaving semantics
 * sees: t is enabled at m iff m(p) >= need and (inhibit = 0 or m(p) < inhibit) for each of its arcs, and
 * firing adds delta to m(p); need >= -delta always. A loop and a read arc are therefore the same here.
 *
 * Transitions 0 .. n_original-1 are those of the net it was made from; later ones are sequences of earlier
 * ones (agglomerations) and list their parts. Removing a place never changes the id of a transition, so a
 * firing sequence of the changed net is a sequence over ids that lift.h turns into one of the original.
 *
 * All numbers (needs, inhibitors, changes, tokens) stay below 2^63, and a composed transition stands for at most
 * RNET_LONGEST firings: a rule whose result would not is not applied. Otherwise 63 transitions that double their tokens
 * would become one of 2^63 firings, which no witness can be made of.
 *
 * Places keep their ids. A removed place may leave its value behind as another place plus a constant, so
 * that formulas that name it stay expressible. */
#pragma once
#include "base/budget.h"
#include "base/vec.h"
#include "certify/steps.h"
#include "net/net.h"
#include "reduce/lift.h"

enum { RNET_LONGEST = 1 << 12 };

typedef struct RArc {
    uint32_t place;
    uint64_t need, inhibit; /* inhibit 0: none */
    int64_t delta;
} RArc;

typedef VEC(RArc) VecArc;

typedef struct RTransition {
    VecArc arcs;     /* sorted by place */
    VecU32 parts;    /* ids fired in this order; empty for an original transition */
    uint32_t length; /* original transitions fired, parts of parts included */
    bool alive;
} RTransition;

typedef struct RPlace {
    uint64_t tokens;
    VecU32 touching; /* transitions with an arc here; with stale entries while `stale` is set */
    bool alive, stale;
    bool shown;       /* the goal names it: its value must stay observable */
    uint32_t same_as; /* removed: value = m(same_as) + offset; NET_NONE: constant offset, or unknown */
    int64_t offset;
    bool known; /* removed, and the two fields above say its value */
} RPlace;

typedef struct Rnet {
    VEC(RTransition) transitions;
    RPlace *places;
    uint32_t n_places, n_original;
    bool deadlock;    /* reachable dead markings must be preserved too */
    bool home;        /* what can be reached must be preserved from every reachable marking */
    bool live;        /* instead of all this: whether every transition is live */
    bool never_fires; /* a transition was dropped because it never fires */
    bool safe;        /* rules that turn a safe net into an unsafe one are off */
    uint32_t folded;  /* transitions alive when folding last found nothing; 0: it was not tried in vain */
    bool inhibitors;  /* some transition of the net it was made from has an inhibitor arc */
    Lift lift;
    NetSteps *steps; /* what is done, for a certificate; NULL: nobody wants to know */
    Budget *budget;  /* charged for lists that are looked at; may be NULL */
} Rnet;

/* NULL when a weight or count is 2^40 or more, or memory ends first. */
Rnet *rnet_new(const Net *net, Budget *budget);
/* The one limit that ends making a net; what is out of time still makes of the net what the rules left. */
bool rnet_no_memory(Budget *budget, uint64_t bytes);
void rnet_free(Rnet *rnet);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Rnet, rnet_free)

static inline RTransition *rnet_transition(Rnet *rnet, uint32_t t)
{
    return &rnet->transitions.data[t];
}
/* The arc, or NULL. Moves when arcs of t are added. */
RArc *rnet_arc(Rnet *rnet, uint32_t t, uint32_t p);
/* The live transitions with an arc at p, without stale entries. The order is not specified but the same on
 * every machine. Valid until transitions are added. */
const VecU32 *rnet_touching(Rnet *rnet, uint32_t p);

/* Adds a transition (taking over the vectors) and returns its id. */
uint32_t rnet_add(Rnet *rnet, VecArc arcs, VecU32 parts);
void rnet_kill(Rnet *rnet, uint32_t t);
/* Drops an arc that says nothing any more. */
void rnet_drop_arc(Rnet *rnet, uint32_t t, uint32_t p);
/* Inserts or merges an arc at p. */
void rnet_put_arc(Rnet *rnet, uint32_t t, RArc arc);
/* Removes the place and all its arcs. */
void rnet_remove_place(Rnet *rnet, uint32_t p);
/* The same, remembering its value. */
void rnet_replace_place(Rnet *rnet, uint32_t p, uint32_t same_as, int64_t offset);

/* Do tokens and arcs of all of them together stay below 2^63? */
bool rnet_fits_fused(Rnet *rnet, const uint32_t *members, size_t n);
/* They fit, two or more: the first has the sums of their tokens and arcs, the others go. */
void rnet_fuse(Rnet *rnet, const uint32_t *members, size_t n);

typedef enum {
    COMPOSED,
    COMPOSED_NEVER,     /* that sequence can never fire because of inhibitors */
    COMPOSED_TOO_LARGE, /* a number would pass 2^63 - 1, or there would be too many firings */
} Composed;

/* The arcs of firing a, then b (`times` times), when that is COMPOSED. */
Composed rnet_compose(Rnet *rnet, uint32_t a, uint32_t b, uint64_t times, VecArc *arcs);

/* A step for the certificate, if one is wanted, with n nodes. */
static inline void rnet_record(Rnet *rnet, StepKind kind, const uint32_t *nodes, size_t n)
{
    if (!rnet->steps) return;
    steps_begin(rnet->steps, kind);
    for (size_t i = 0; i < n; i++) steps_add(rnet->steps, nodes[i]);
}
static inline void rnet_record_one(Rnet *rnet, StepKind kind, uint32_t node)
{
    rnet_record(rnet, kind, &node, 1);
}

uint32_t rnet_live_places(const Rnet *rnet);
uint32_t rnet_live_transitions(const Rnet *rnet);
/* Also when the budget is spent: no rule applies any more then. */
bool rnet_inhibits(Rnet *rnet, uint32_t p);
