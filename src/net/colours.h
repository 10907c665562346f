/* Where the places and transitions of a net that expands a coloured one come from. Those of one coloured place are
 * neighbours, in the order of its colours, and so are those of one coloured transition. A question that names a
 * coloured place means the sum over its places; one that names a coloured transition any of its transitions. */
#pragma once
#include "base/vec.h"
#include "net/net.h"

struct NetColours {
    Net *coloured;         /* the coloured net: its ids and labels */
    bool counts;           /* and its tokens and arcs, counted without their colours; otherwise it has none */
    uint32_t *first_place; /* of each coloured place, and the end of the last one */
    uint32_t *first_transition;
    uint32_t n_arcs; /* of the coloured net */
    bool merged;     /* colours that are alike are one: no question can name the net's own places and transitions */
    VecU32 bindings; /* of a merged net: those of its transitions, one after the other (colour/unmerge.h) */
    bool partial;    /* transitions are left out: every run is one of the whole net, but not the other way round */
};

/* Nothing in it yet. */
NetColours *net_colours_new(uint32_t n_places, uint32_t n_transitions, uint32_t n_arcs);
void net_colours_free(NetColours *colours);

/* Are transitions left out? Then what cannot be reached, or fired, says nothing. */
bool net_colours_partial(const Net *net);

/* Neighbours: from `from` up to, not including, `to`. */
typedef struct NetRange {
    uint32_t from, to;
} NetRange;

/* The places (transitions) that an id means in questions: those of the coloured one with that id, or else the one of
 * the net itself. False when there is none. A coloured one may mean no place at all. */
bool net_colours_named_places(const Net *net, const char *id, NetRange *range);
bool net_colours_named_transitions(const Net *net, const char *id, NetRange *range);

/* The coloured net's ids, or the net's own when it has no colours: whose ids are listed and proposed to users. */
const Net *net_colours_asked(const Net *net);
/* What the places (transitions) of net_colours_asked() are made of: its i-th's range. */
NetRange net_colours_asked_places(const Net *net, uint32_t i);
NetRange net_colours_asked_transitions(const Net *net, uint32_t i);
