/* Which places can be marked together? An over-approximation by pairs (the concurrency relation of Kovalyov 1992, for
 * any weights and read arcs): the least relation that holds the pairs of the initial marking and is closed under firing
 * every transition whose places are pairwise in it. Two places not in it are never marked together, a place not in
 * relation with itself never has two tokens, a transition that the relation does not enable never fires. All pairs are
 * proved at once, as one inductive set; no invariant is needed, but pairs that known ones exclude may be left out.
 * Inhibitor arcs are ignored, which only adds pairs. */
#pragma once
#include "base/bitset.h"
#include "base/budget.h"
#include "net/invariant.h"

typedef struct Concurrency {
    const Net *net;
    size_t words;
    uint64_t *rows;   /* per place: the places it may be marked together with; itself: two tokens */
    uint64_t *marked; /* places that may be marked at all */
    bool *fires;      /* per transition */
} Concurrency;

/* NULL when the net is too large, a transition needs nothing, or the budget is spent. `known` may be NULL. */
Concurrency *concurrency_new(const Net *net, const Invariants *known, Budget *budget);
void concurrency_free(Concurrency *concurrency);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Concurrency, concurrency_free)

static inline bool concurrency_has(const Concurrency *c, uint32_t p, uint32_t q)
{
    return bitset_get(c->rows + p * c->words, q);
}
