/* What can be read off a net's arcs in linear time: counts of special nodes and the classic classes. */
#pragma once
#include "net/net.h"

typedef struct StructureFacts {
    uint64_t loops;              /* pairs of a place and a transition with arcs both ways */
    uint32_t source_transitions; /* that need no token (nothing in pre) */
    uint32_t sink_transitions;   /* with nothing in post */
    uint32_t source_places, sink_places, isolated_places;
    uint64_t initial_tokens; /* UINT64_MAX also when there are more */
    uint64_t max_weight;
    /* Classes; the ones below pure only hold for ordinary nets without read arcs. */
    bool ordinary, pure, conservative; /* conservative: every transition keeps the number of tokens */
    bool state_machine, marked_graph, free_choice, extended_free_choice;
} StructureFacts;

StructureFacts structure_facts(const Net *net);
