/* Multi-valued decision diagrams: sets of tuples, one value for each of n levels. A node of level k has edges, sorted
 * by value, to nodes of level k - 1 (of level 0: to NODE_ONE); NODE_EMPTY is the empty set of every level and never
 * below an edge. Equal sets of one level are one node, so comparing sets is comparing handles.
 *
 * Nodes never move. They live until diagram_collect(), which keeps what the roots given to it reach; results of
 * operations are remembered in a table that forgets. Whoever computes calls it where everything still needed is known:
 * operations do not collect.
 *
 * Operations recurse from level to level: n is at most DIAGRAM_MAX_LEVELS, which any thread's stack holds. When the
 * budget ends an operation returns some node and `failed` is set; nothing that was computed since then means anything.
 */
#pragma once
#include "base/budget.h"
#include "base/vec.h"

typedef uint32_t Node;
enum { NODE_EMPTY, NODE_ONE };
enum { DIAGRAM_MAX_LEVELS = 6000, DIAGRAM_MAX_VALUES = 30000 };

typedef struct DiagramEdge {
    uint32_t value;
    Node child;
} DiagramEdge;
typedef VEC(DiagramEdge) DiagramEdges;

/* What is remembered: operation(a, b) = result. Operations below DIAGRAM_FREE are the diagram's, others whoever's. */
typedef struct DiagramMemo {
    uint32_t operation;
    Node a, b, result;
} DiagramMemo;
typedef enum {
    DIAGRAM_NOTHING,
    DIAGRAM_UNION,
    DIAGRAM_INTERSECTION,
    DIAGRAM_DIFFERENCE,
    DIAGRAM_FREE
} DiagramOperation;

typedef union DiagramUnit {
    struct {
        uint32_t level; /* and whether it is marked */
        uint32_t n;
    } head; /* of a node; behind it its edges */
    DiagramEdge edge;
} DiagramUnit;

typedef struct Diagram {
    Budget *budget;
    uint32_t n_levels;
    bool failed;
    VEC(DiagramUnit *) blocks; /* a handle is the number of a unit */
    uint32_t next;             /* unit that is free, and all behind it in the last block */
    VecU32 free;               /* per number of edges: a node to use again, or 0; the next one stands in its level */
    uint32_t *table;           /* open addressing: nodes, 0 where there is none */
    uint32_t table_mask, n_nodes;
    DiagramMemo *memo;
    uint32_t memo_mask, forgotten; /* since the table was made */
    uint64_t units, units_kept;    /* allocated now, and after the last collection */
    uint64_t room;                 /* units that are never worth a collection */
    DiagramEdges *merged;          /* per level: the result of the operation that is at work there */
} Diagram;

Diagram *diagram_new(uint32_t n_levels, Budget *budget);
void diagram_free(Diagram *diagram);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Diagram, diagram_free)

enum { DIAGRAM_BLOCK_BITS = 17 };
static inline DiagramUnit *diagram_unit(const Diagram *d, Node node)
{
    return d->blocks.data[node >> DIAGRAM_BLOCK_BITS] + (node & ((1U << DIAGRAM_BLOCK_BITS) - 1));
}
/* Of nodes that are neither EMPTY nor ONE. */
static inline uint32_t diagram_level(const Diagram *d, Node node)
{
    return diagram_unit(d, node)->head.level;
}
static inline const DiagramEdge *diagram_edges(const Diagram *d, Node node, uint32_t *n)
{
    const DiagramUnit *unit = diagram_unit(d, node);
    *n = unit->head.n;
    return &unit[1].edge;
}

/* The node with those edges, ascending by value, none to EMPTY; EMPTY when there are none. */
Node diagram_node(Diagram *d, uint32_t level, const DiagramEdge *edges, uint32_t n);
/* Of two sets of the same level. */
Node diagram_combine(Diagram *d, DiagramOperation operation, Node a, Node b);
static inline Node diagram_union(Diagram *d, Node a, Node b)
{
    if (a == b || b == NODE_EMPTY) return a;
    return a == NODE_EMPTY ? b : diagram_combine(d, DIAGRAM_UNION, a, b);
}

/* Is the tuple (of n_levels values, the lowest level first) in the set of the highest level? */
bool diagram_has(const Diagram *d, Node root, const uint32_t *values);

/* True when it is remembered. */
bool diagram_recall(const Diagram *d, uint32_t operation, Node a, Node b, Node *result);
void diagram_remember(Diagram *d, uint32_t operation, Node a, Node b, Node result);

/* So much was allocated since the last collection that another one pays. */
bool diagram_is_full(const Diagram *d);
/* Marks what a root reaches; all roots are marked, then everything else is thrown away, also what was remembered of it.
 */
void diagram_mark(Diagram *d, Node root);
void diagram_collect(Diagram *d);

/* The nodes that a root reaches, those of level 0 first, then level by level; from[level] is where a level begins
 * (n_levels + 1 of them). False: the budget ended. */
bool diagram_list(Diagram *d, Node root, VecU32 *nodes, uint32_t *from);
