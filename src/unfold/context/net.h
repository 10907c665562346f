/* A safe ordinary net as the read-aware engine sees it: per transition the places it consumes, reads
 * and produces under the relation (`read`: as declared; `loops`: a place consumed and produced is only
 * read), and what an occurrence of one transition can make possible for another.
 *
 * Lists are slices of one pool. An entry of `changed` is place * 2 + (marked afterwards), of `tested`
 * place * 2 + (only read); both are sorted by place. */
#pragma once
#include "base/vec.h"
#include "lts/indep.h"

typedef struct ContextSlice {
    uint32_t from, len;
} ContextSlice;

/* After an event of some transition u: u may complete a co-set for transition t. Of t's tested places
 * `rest` are still to be found; the others are produced or read by u. */
typedef struct ContextMove {
    uint32_t transition;
    ContextSlice rest;
} ContextMove;

typedef struct ContextNet {
    const Net *net;
    uint32_t n_places, n_transitions, marking_words;
    ContextSlice *consumed, *read, *produced, *changed, *tested; /* per transition */
    ContextSlice *fresh;                                         /* produced and not consumed */
    ContextSlice *toggled;                                       /* consumed or produced, not both */
    uint64_t *hash;    /* per transition: xor of the keys of the toggled places */
    uint64_t *initial; /* marking */
    VecU32 pool;
    uint8_t *place_consumed; /* some transition consumes it */
    uint64_t *place_tested;  /* bits: some transition consumes or reads it */
    ContextSlice *moves;     /* per transition, len UINT32_MAX until asked for */
    VEC(ContextMove) move_pool;
    uint32_t *stamp; /* of transitions, for collecting moves */
    uint8_t *role;   /* of places, while collecting moves */
    VecU32 *testers; /* per place: transitions that consume or read it */
    VecU32 gathered;
} ContextNet;

/* The net is ordinary and its initial marking safe; the relation is `read` or `loops`. */
ContextNet *context_net_new(const Net *net, Relation relation);
void context_net_free(ContextNet *net);

static inline const uint32_t *context_net_list(const ContextNet *net, ContextSlice slice)
{
    return vec_from(&net->pool, slice.from);
}
/* The moves of u, computed at the first call. Pointers into move_pool move at the next first call. */
ContextSlice context_net_moves(ContextNet *net, uint32_t u);
