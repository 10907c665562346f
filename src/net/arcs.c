#include "net/arcs.h"

#include "base/compare.h"
#include "base/exact.h"

#include <stdlib.h>

typedef struct Arc {
    uint32_t node;
    uint64_t weight;
} Arc;

COMPARE_BY(compare_arcs, Arc, node)

/* Sorts one row of both arrays. Most rows are short or sorted already. */
static void sort_row(uint32_t *node, uint64_t *weight, uint32_t n)
{
    enum { SHORT = 24 };
    uint32_t sorted = 1;
    while (sorted < n && node[sorted - 1] <= node[sorted]) sorted++;
    if (sorted >= n) return;
    if (n > SHORT) {
        Arc *arcs = g_new(Arc, n);
        for (uint32_t i = 0; i < n; i++) arcs[i] = (Arc){node[i], weight ? weight[i] : 1};
        qsort(arcs, n, sizeof *arcs, compare_arcs);
        for (uint32_t i = 0; i < n; i++) {
            node[i] = arcs[i].node;
            if (weight) weight[i] = arcs[i].weight;
        }
        g_free(arcs);
        return;
    }
    for (uint32_t i = sorted; i < n; i++) {
        uint32_t k = i, moved = node[i];
        uint64_t moved_weight = weight ? weight[i] : 1;
        for (; k > 0 && node[k - 1] > moved; k--) {
            node[k] = node[k - 1];
            if (weight) weight[k] = weight[k - 1];
        }
        node[k] = moved;
        if (weight) weight[k] = moved_weight;
    }
}

/* Never NULL, so that an empty row may point into it. */
static uint32_t *new_nodes(size_t n)
{
    return g_new(uint32_t, MAX(n, 1));
}

/* Counting sort over rows, which touches memory in order when the file does, then each row by itself. */
NetArcs arcs_sorted(const uint32_t *row, const uint32_t *column, const uint64_t *weight, size_t n, uint32_t n_rows)
{
    NetArcs arcs = {g_new0(uint32_t, (size_t)n_rows + 1), new_nodes(n), weight ? g_new(uint64_t, n) : NULL};
    for (size_t i = 0; i < n; i++) arcs.start[row[i] + 1]++;
    for (uint32_t r = 0; r < n_rows; r++) arcs.start[r + 1] += arcs.start[r];
    uint32_t *fill = g_memdup2(arcs.start, ((size_t)n_rows + 1) * sizeof *fill);
    for (size_t i = 0; i < n; i++) {
        uint32_t to = fill[row[i]]++;
        arcs.node[to] = column[i];
        if (weight) arcs.weight[to] = weight[i];
    }
    g_free(fill);
    for (uint32_t r = 0; r < n_rows; r++) {
        uint32_t from = arcs.start[r];
        sort_row(arcs.node + from, weight ? arcs.weight + from : NULL, arcs.start[r + 1] - from);
    }
    return arcs;
}

static bool merge_weights(ArcKind kind, uint64_t *into, uint64_t weight)
{
    switch (kind) {
    case ARC_READ: *into = MAX(*into, weight); return true;
    case ARC_INHIBIT: *into = MIN(*into, weight); return true;
    default: return checked_add(*into, weight, into);
    }
}

bool arcs_are_parallel(const NetArcs *arcs, uint32_t n_rows)
{
    for (uint32_t r = 0; r < n_rows; r++)
        for (uint32_t i = arcs->start[r] + 1; i < arcs->start[r + 1]; i++)
            if (arcs->node[i] == arcs->node[i - 1]) return true;
    return false;
}

bool arcs_merge(NetArcs *arcs, ArcKind kind, uint32_t n_rows)
{
    uint32_t n = arcs->start[n_rows], to = 0;
    if (!arcs->weight && kind <= ARC_POST) {
        arcs->weight = g_new(uint64_t, n);
        for (uint32_t i = 0; i < n; i++) arcs->weight[i] = 1;
    }
    for (uint32_t r = 0; r < n_rows; r++) {
        uint32_t from = arcs->start[r], end = arcs->start[r + 1];
        arcs->start[r] = to;
        for (uint32_t i = from; i < end; i++) {
            if (to > arcs->start[r] && arcs->node[to - 1] == arcs->node[i]) {
                if (arcs->weight && !merge_weights(kind, &arcs->weight[to - 1], arcs->weight[i])) return false;
                continue;
            }
            arcs->node[to] = arcs->node[i];
            if (arcs->weight) arcs->weight[to] = arcs->weight[i];
            to++;
        }
    }
    arcs->start[n_rows] = to;
    return true;
}

NetArcs arcs_transposed(const NetArcs *arcs, uint32_t n_rows, uint32_t n_columns)
{
    uint32_t n = arcs->start[n_rows];
    NetArcs result = {g_new0(uint32_t, (size_t)n_columns + 1), new_nodes(n), NULL};
    for (uint32_t i = 0; i < n; i++) result.start[arcs->node[i] + 1]++;
    for (uint32_t c = 0; c < n_columns; c++) result.start[c + 1] += result.start[c];
    uint32_t *fill = g_memdup2(result.start, ((size_t)n_columns + 1) * sizeof *fill);
    for (uint32_t r = 0; r < n_rows; r++)
        for (uint32_t i = arcs->start[r]; i < arcs->start[r + 1]; i++) result.node[fill[arcs->node[i]]++] = r;
    g_free(fill);
    return result;
}
