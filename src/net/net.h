/* A place/transition net with weighted arcs, read arcs and inhibitor arcs. Immutable once built
 * (builder.h); every part may be shared between threads.
 *
 * t is enabled at m iff m(p) >= w for its pre and read arcs and m(p) < w for its inhibitor arcs;
 * firing moves pre and post only. Arcs of one kind between the same two nodes are merged (pre, post:
 * sum; read: maximum; inhibitor: minimum). A read arc and a loop (pre and post of equal weight) stay
 * distinct; the independence relation decides what a loop means.
 *
 * Places and transitions are numbered in file order. Arcs are stored once per transition with their
 * weights and once per place without; rows are sorted by index. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { ARC_PRE, ARC_POST, ARC_READ, ARC_INHIBIT, N_ARC_KINDS } ArcKind;

/* Compressed rows; weight is NULL when all weights of the kind are 1. */
typedef struct NetArcs {
    uint32_t *start; /* rows + 1 */
    uint32_t *node;
    uint64_t *weight;
} NetArcs;

/* One row: the places of a transition or the transitions of a place. */
typedef struct NetRow {
    const uint32_t *node;
    const uint64_t *weight;
    uint32_t len;
} NetRow;

/* A unit of a nested-unit net (NUPN): a slice of places and its sub-units. */
typedef struct NetUnit {
    char *id;
    uint32_t *places, *subunits;
    uint32_t n_places, n_subunits;
} NetUnit;

typedef struct NetNupn {
    NetUnit *units;
    uint32_t n_units, root;
    bool safe; /* the file says so: a hint, to be verified */
} NetNupn;

typedef struct NetColours NetColours; /* net/colours.h */

typedef struct Net {
    char *name; /* the net's id or the file's base name */
    uint32_t n_places, n_transitions;
    uint64_t *initial;
    NetArcs of_transition[N_ARC_KINDS]; /* rows of places, with weights */
    NetArcs of_place[N_ARC_KINDS];      /* rows of transitions, weights NULL */
    char *text;                         /* all ids, labels and notes, each ended by NUL */
    uint32_t *place_id, *place_label;   /* offsets into text; label = id when the file has none */
    uint32_t *transition_id, *transition_label;
    uint32_t *transition_note; /* source position of compiled programs, or NULL */
    double *position;   /* of the file's drawing: x and y of each node, places first, NAN where it has none; or NULL */
    uint32_t *id_table; /* open addressing: node + 1, transitions after places */
    uint32_t id_mask;
    NetNupn *nupn;       /* or NULL */
    NetColours *colours; /* of a net that expands a coloured one, or NULL */
    char *final;         /* accepted final markings in the expression language, or NULL */
    uint64_t n_merged;   /* parallel arcs that went into others */
    char *ignored;       /* what the reader saw and left out ("4 toolspecific"), or NULL */
} Net;

void net_nupn_free(NetNupn *nupn);
void net_free(Net *net);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Net, net_free)

static inline NetRow net_row(const NetArcs *arcs, uint32_t i)
{
    uint32_t from = arcs->start[i];
    return (NetRow){arcs->node + from, arcs->weight ? arcs->weight + from : NULL, arcs->start[i + 1] - from};
}
static inline uint64_t net_weight(NetRow row, uint32_t i)
{
    return row.weight ? row.weight[i] : 1;
}
/* The places on transition t's arcs of one kind. */
static inline NetRow net_places(const Net *net, ArcKind kind, uint32_t t)
{
    return net_row(&net->of_transition[kind], t);
}
/* The transitions that have an arc of one kind with place p. */
static inline NetRow net_transitions(const Net *net, ArcKind kind, uint32_t p)
{
    return net_row(&net->of_place[kind], p);
}
static inline uint32_t net_arc_count(const Net *net, ArcKind kind)
{
    return net->of_transition[kind].start[net->n_transitions];
}
static inline const char *net_place_id(const Net *net, uint32_t p)
{
    return net->text + net->place_id[p];
}
static inline const char *net_place_label(const Net *net, uint32_t p)
{
    return net->text + net->place_label[p];
}
static inline const char *net_transition_id(const Net *net, uint32_t t)
{
    return net->text + net->transition_id[t];
}
static inline const char *net_transition_label(const Net *net, uint32_t t)
{
    return net->text + net->transition_label[t];
}
/* Places before transitions. */
static inline const char *net_node_id(const Net *net, uint32_t node)
{
    return node < net->n_places ? net_place_id(net, node) : net_transition_id(net, node - net->n_places);
}
/* False when the file does not say where the node (places before transitions) is drawn. */
bool net_position(const Net *net, uint32_t node, double *x, double *y);
/* "" when there is none. */
const char *net_transition_note(const Net *net, uint32_t t);

#define NET_NONE UINT32_MAX
/* The hash of id_table. */
uint32_t net_hash_id(const char *id, size_t length);
/* By id; NET_NONE when there is none. */
uint32_t net_find_place(const Net *net, const char *id);
uint32_t net_find_transition(const Net *net, const char *id);

/* The weight of the arc, 0 when there is none. */
uint64_t net_arc_weight(const Net *net, ArcKind kind, uint32_t t, uint32_t p);
uint64_t net_max_weight(const Net *net);
/* As the file has them: all kinds, parallel ones one by one. */
uint64_t net_arcs_in_file(const Net *net);
/* "12 places, 9 transitions, 31 arcs, 3 read; ignored: 4 toolspecific". */
char *net_summary(const Net *net);
/* All weights 1 and no inhibitor arc. */
bool net_is_ordinary(const Net *net);

/* The firing rule on plain 64-bit counts (n_places of them). net_fire() returns false and changes
 * nothing when a count would pass 2^64 - 1. Slow and simple: engines have their own. */
bool net_enabled(const Net *net, const uint64_t *marking, uint32_t t);
bool net_fire(const Net *net, uint64_t *marking, uint32_t t);
