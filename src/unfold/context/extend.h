/* Possible extensions of a read-aware prefix: all <t,H> whose newest event is a given e. They are found
 * in two steps. First the sets of pairwise coexisting conditions for t's tested places; e produced one
 * of them or read one that t consumes. Then the histories: consuming a condition puts some of its
 * readers before t, and every conflict-free, causally closed choice of those that coexist with the
 * whole set gives one H. Each <t,H> is found once.
 *
 * Of n readers there may be 2^n choices. A choice with one more reader is larger, so where there are many of them they
 * are made only when the turn of the choice without it comes: what is found names its Choices then. */
#pragma once
#include "base/budget.h"
#include "unfold/context/store.h"

/* causes: the maximal events of H, e first; tested: the changes consumed and read; more: empty, or what
 * context_extend_more() is to be told when H's turn comes. */
typedef void (*ContextFound)(void *data, uint32_t t, const uint32_t *causes, uint32_t n_causes, const uint32_t *tested,
                             const VecU32 *more, uint32_t size, uint64_t hash);

/* Readers of what t consumes, e being the newest event of all histories; slices of the search's `kept`. */
typedef struct ContextChoices {
    uint32_t e, transition;
    ContextSlice tested, extras, readers;
    uint32_t clashes; /* of reader i: kept[clashes + i] .. kept[clashes + i + 1] */
} ContextChoices;

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
    bool knows_places;
    uint64_t *places; /* if so: the places that events concurrent with e mark */
    VecU32 pool;
    uint32_t epoch;
    VecU32 stamp, base;           /* per event: counted for this H; in [e] for this e */
    VecU32 memo_epoch, memo_size; /* per event f: |[e] u [f]| of this e */
    VecU64 memo_hash;
    uint32_t count_epoch;
    VecU32 tested, chosen, extras, readers, causes, level;
    VecU32 picked;               /* indices into readers */
    Sparse reader_set;           /* the same as `readers` */
    VecU32 clashes, clash_start; /* per reader: earlier ones * 2 + whether it needs them; others it excludes */
    VEC(uint8_t) is_picked;      /* per reader */
    VEC(ContextChoices) choices;
    VecU32 kept; /* what they consist of */
    VecU32 more; /* scratch: the choices and what is picked of them */
} ContextExtend;

void context_extend_init(ContextExtend *x, ContextStore *store, Budget *budget, ContextFound found, void *data);
void context_extend_clear(ContextExtend *x);

/* The transitions enabled initially. */
void context_extend_bottom(ContextExtend *x);
/* Those H that have one reader more than the one that was found with `more`. */
void context_extend_more(ContextExtend *x, const uint32_t *more, uint32_t n);
/* e is the newest event, and the store's scratch `last` and `row` are still those of e. May stop early
 * when the budget is spent. */
void context_extend(ContextExtend *x, uint32_t e);
