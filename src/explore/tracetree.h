/* The tree of calls Explore(C, D, A) as a picture ([POET15] Fig. 1c), in DOT: each node shows C | D | A by
 * event numbers, solid edges add an event, dashed ones exclude it and follow an alternative. Leaves
 * are marked by kind; a legend names the events. */
#pragma once
#include "explore/explore.h"

typedef struct TraceTree TraceTree;

/* At most `most` nodes are drawn; the rest is counted. */
TraceTree *tracetree_new(const Net *net, uint32_t most);
void tracetree_free(TraceTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TraceTree, tracetree_free)

/* For ExploreOptions. data is the TraceTree. A new root starts a new picture. */
void tracetree_node(void *data, uint32_t node, const Explorer *explorer);
void tracetree_leaf(void *data, LeafKind kind, const Config *config);

/* The picture; the caller frees it. */
char *tracetree_dot(TraceTree *tree);
