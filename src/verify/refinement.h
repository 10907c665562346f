/* Colour refinement of a graph: an ordered partition of its vertices in which any two of one cell have as many
 * neighbours, edge by edge alike, in every cell. Two vertices that some automorphism exchanges are always in one cell;
 * the converse is often true, but not always.
 *
 * Refining depends on the graph's structure alone, not on the numbers of its vertices: what is done is told as a hash,
 * the trace, and partitions made by the same choices up to an automorphism have the same traces and cells at the same
 * places. Different ones may agree by accident, so whoever needs an automorphism checks what comes out. */
#pragma once
#include "base/budget.h"
#include "base/vec.h"

/* Parallel edges, of different kinds, are allowed. */
typedef struct GraphEdge {
    uint32_t to, kind;
    uint64_t weight;
} GraphEdge;

typedef struct GraphColour {
    uint64_t kind, value;
} GraphColour;

/* Every edge is in the rows of both ends. */
typedef struct Graph {
    uint32_t n;
    uint32_t *start; /* n + 1 */
    GraphEdge *edge;
    GraphColour *colour;
} Graph;

/* A cell is a slice of `vertex`, named by where it begins. */
typedef struct Partition {
    uint32_t *vertex, *at; /* each other's inverse */
    uint32_t *cell;        /* per vertex */
    uint32_t *len;         /* per cell */
} Partition;

typedef struct Refinement {
    const Graph *graph;
    Budget *budget;
    Partition start; /* by colours, refined */
    struct RefinementScratch *scratch;
} Refinement;

/* Borrows both. What it says is of no use once the budget is spent. */
Refinement *refinement_new(const Graph *graph, Budget *budget);
void refinement_free(Refinement *refinement);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Refinement, refinement_free)

Partition refinement_partition(uint32_t n);
void refinement_clear(Partition *partition);
void refinement_copy(Partition *to, const Partition *from, uint32_t n);

/* Puts a vertex that has company in front of its cell, into one of its own, and refines. Returns the trace. */
uint64_t refinement_fix(Refinement *refinement, Partition *partition, uint32_t vertex);
