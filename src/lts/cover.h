/* Coverability by Karp and Miller's tree (1969): markings with omega, "as many as you like". A run that comes to a
 * marking which covers an earlier one can repeat what lies between; what grew becomes omega. For every marking of the
 * tree and every number there is a reachable marking with its counts where it is finite and at least that number where
 * it is omega; when the tree is complete, every reachable marking is covered by one of its markings. So largest values
 * of sums and the transitions that can fire are read off it exactly. Not for nets with inhibitor arcs: more tokens may
 * there forbid a run.
 *
 * A marking that another one of the tree covers is not looked at further: the other one's successors cover its own, and
 * each chain of such others is finite. Nothing is ever taken out of the tree, and only ancestors accelerate. */
#pragma once
#include "base/budget.h"
#include "base/rng.h"
#include "base/vec.h"
#include "net/net.h"

#define COVER_OMEGA UINT64_MAX

typedef struct Cover {
    const Net *net;
    VEC(uint64_t) counts;      /* of all nodes, n_places each */
    VecU32 parent, transition; /* of each node; the root is node 0 */
    VecU32 depth;
    VecU32 open;            /* nodes not yet expanded; the last is next */
    VecU32 widest;          /* nodes that no later one covers: enough to ask for covering */
    VEC(uint8_t) is_widest; /* per node */
    bool overflow;          /* a count came too near to omega: the tree is not complete */
    uint64_t work;          /* counts compared */
} Cover;

/* NULL when the net has inhibitor arcs or numbers near 2^64. Borrows the net. */
Cover *cover_new(const Net *net);
void cover_free(Cover *cover);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Cover, cover_free)

/* Grows the tree; `added` (may be NULL) is told each new node and may return false to stop. True when the tree is
 * complete. */
bool cover_run(Cover *cover, uint64_t seed, bool (*added)(const Cover *cover, uint32_t node, void *data), void *data,
               Budget *budget);

static inline uint32_t cover_count(const Cover *cover)
{
    return (uint32_t)cover->parent.len;
}
static inline const uint64_t *cover_marking(const Cover *cover, uint32_t node)
{
    return vec_from(&cover->counts, (size_t)node * cover->net->n_places);
}
/* The firings from the root to a node. */
void cover_path(const Cover *cover, uint32_t node, VecU32 *path);

/* A part of a path that can be repeated at its end. */
typedef struct CoverLoop {
    size_t from, to; /* the firings from..to-1 */
} CoverLoop;
typedef VEC(CoverLoop) CoverLoops;

/* The proof of one omega, checked by itself: fires the path from the initial marking, makes omega what grew since any
 * earlier marking of it, and says whether the place is omega at the end. False also when the path is too long to be
 * checked. The parts that made something omega, in their order, are appended to loops (may be NULL). */
bool cover_check(const Net *net, const uint32_t *path, size_t n, uint32_t place, CoverLoops *loops);
