/* How the arcs of one kind become rows: of each transition its places, increasing, each once; and of each place its
 * transitions. */
#pragma once
#include "net/net.h"

/* n arcs in any order: from `row` to `column`, with a weight; `weight` is NULL when all are 1. Each row is sorted. */
NetArcs arcs_sorted(const uint32_t *row, const uint32_t *column, const uint64_t *weight, size_t n, uint32_t n_rows);
bool arcs_are_parallel(const NetArcs *arcs, uint32_t n_rows);
/* Arcs between the same two nodes become one. False when weights that are added up pass 2^64 - 1. */
bool arcs_merge(NetArcs *arcs, ArcKind kind, uint32_t n_rows);
/* Rows become columns, without weights. */
NetArcs arcs_transposed(const NetArcs *arcs, uint32_t n_rows, uint32_t n_columns);
