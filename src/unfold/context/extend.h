/* Possible extensions of a read-aware prefix: all <t,H> whose newest event is a given e. They are found
 * in two steps. First the sets of pairwise coexisting conditions for t's tested places; e produced one
 * of them or read one that t consumes. Then the histories: consuming a condition puts some of its
 * readers before t, and every conflict-free, causally closed choice of those that coexist with the
 * whole set gives one H. Each <t,H> is found once. */
#pragma once
#include "base/budget.h"
#include "unfold/context/store.h"

/* causes: the maximal events of H, e first; tested: the changes consumed and read. */
typedef void (*ContextFound)(void *data, uint32_t t, const uint32_t *causes, uint32_t n_causes, const uint32_t *tested,
                             uint32_t size, uint64_t hash);

typedef struct ContextCandidates {
    uint32_t epoch, from, len; /* changes in `pool` */
} ContextCandidates;

typedef struct ContextExtend {
    ContextStore *store;
    Budget *budget;
    ContextFound found;
    void *data;
    uint32_t e;
    ContextCandidates *candidates; /* per place, of the current e */
    VecU32 pool;
    uint32_t epoch;
    VecU32 stamp, base;           /* per event: counted for this H; in [e] for this e */
    VecU32 memo_epoch, memo_size; /* per event f: |[e] u [f]| of this e */
    VecU64 memo_hash;
    uint32_t count_epoch;
    VecU32 tested, chosen, extras, readers, causes, picked, level;
    VEC(uint8_t) relation; /* between readers */
} ContextExtend;

void context_extend_init(ContextExtend *x, ContextStore *store, Budget *budget, ContextFound found, void *data);
void context_extend_clear(ContextExtend *x);

/* The transitions enabled initially. */
void context_extend_bottom(ContextExtend *x);
/* e is the newest event, and the store's scratch `last` and `row` are still those of e. May stop early
 * when the budget is spent. */
void context_extend(ContextExtend *x, uint32_t e);
