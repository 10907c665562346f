/* The events of any prefix as a graph: transitions, immediate causes, depths and cutoffs, without
 * conditions, so that prefixes of different engines can be measured, drawn and compared. Where
 * an engine keeps histories, these are the events; for drawings they are put into boxes, one for all histories of one
 * occurrence, which are a graph of their own. */
#pragma once
#include "unfold/prefix.h"

typedef struct EventGraph {
    uint32_t n, n_cutoffs;
    uint32_t *transition, *depth;
    bool *cutoff;
    uint32_t *cause_start, *cause; /* producers of what is consumed or read, sorted, each once */
    uint32_t max_depth, max_width; /* longest chain of causes; most events of one depth */
} EventGraph;

EventGraph *eventgraph_new(const Prefix *prefix);
/* The boxes, *box_of[e] being that of event e (for the caller to free); NULL where each event is a box of its own. */
EventGraph *eventgraph_boxes(const Prefix *prefix, uint32_t **box_of);
void eventgraph_free(EventGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EventGraph, eventgraph_free)

/* Depth and width of the prefix without building the graph. */
void eventgraph_measure(const Prefix *prefix, uint32_t *max_depth, uint32_t *max_width);

/* The events of [e], e last, causes before effects, into `events` (room for e + 1); returns their number. */
uint32_t eventgraph_local(const EventGraph *graph, uint32_t e, uint32_t *events);

/* For each event a name of what it is under another relation: the trace of [e], less what does not
 * lead to its last event there. Two events have the same name iff they are the same event <t,H> of
 * the unfolding under `indep`. The names are owned by the caller. For small graphs: quadratic. */
char **eventgraph_names(const EventGraph *graph, const Indep *indep);
