/* The events of a parametric prefix that can still have successors (the non-cutoffs), with what the
 * search for extensions needs: for each its local configuration as the words of a bit set that are not zero, and
 * the events compatible with it. f is compatible with e when it is concurrent with e or above it; so among the
 * smaller ids, which cannot be above, "compatible" means concurrent. Rows of the second kind grow on
 * the right as events come; missing words are zero.
 *
 * Ids here are dense over non-cutoffs; a caller keeps its own numbering in `outer`. */
#pragma once
#include "base/arena.h"
#include "base/vec.h"
#include "lts/indep.h"
#include "lts/lts.h"
#include "unfold/markings.h"

typedef struct ParametricRow {
    uint64_t *word;
    uint32_t len;
} ParametricRow;

/* Words of a bit set, in increasing order: bits[i] is word at[i], and all others are zero. */
typedef struct ParametricSet {
    uint64_t *bits;
    uint32_t *at;
    uint32_t len;
} ParametricSet;

typedef struct ParametricStore {
    const Lts *lts;
    const Indep *indep;
    uint32_t n;
    VecU32 action, outer, size, depth, cause_start, cause;
    VEC(ParametricSet) local; /* [e], e included */
    VEC(ParametricRow) compatible;
    VEC(uint64_t *) past;     /* the actions of [e]; only when the relation is not structural */
    ParametricRow *dependent; /* per action: the events dependent on it */
    VecU32 slot;              /* of the state of [e] in `states` */
    const Markings *states;
    uint64_t *initial;
    Arena arena;
    VecU64 painted, lost; /* scratch: all zero */
    VecU64 mask;          /* which words of `painted` are not zero */
    VecU64 bits;
    VecU32 at;
} ParametricStore;

static inline size_t parametric_store_words(uint32_t e)
{
    return (size_t)e / 64 + 1;
}

void parametric_store_row_set(ParametricRow *row, uint32_t i);

static inline uint64_t parametric_store_row_word(const ParametricRow *row, size_t w)
{
    return w < row->len ? row->word[w] : 0;
}
/* Is f, of a smaller id, concurrent with e? */
static inline bool parametric_store_concurrent(const ParametricStore *store, uint32_t f, uint32_t e)
{
    assert(f < e && e < store->n);
    return parametric_store_row_word(&store->compatible.data[e], f / 64) >> (f % 64) & 1;
}
/* Is e above f, of a smaller id? */
static inline bool parametric_store_above(const ParametricStore *store, uint32_t f, uint32_t e)
{
    return !parametric_store_concurrent(store, f, e) &&
           (parametric_store_row_word(&store->compatible.data[f], e / 64) >> (e % 64) & 1);
}
/* At least so many words, the new ones zero. */
void parametric_store_room(VecU64 *set, size_t words);

/* `states` outlives the store. */
void parametric_store_init(ParametricStore *store, const Lts *lts, const Indep *indep, const Markings *states);
void parametric_store_clear(ParametricStore *store);

/* The union of the local configurations of `n` events into `set` (of parametric_store_words(store->n) words). */
void parametric_store_closure(const ParametricStore *store, const uint32_t *events, uint32_t n, uint64_t *set);
/* Adds the event with the given causes (its history's maximal events), |[e]| and the slot of the state of [e]; returns
 * its id. */
uint32_t parametric_store_add(ParametricStore *store, uint32_t action, const uint32_t *causes, uint32_t n_causes,
                              uint32_t size, uint32_t slot);

static inline const uint64_t *parametric_store_state(const ParametricStore *store, uint32_t e)
{
    assert(e < store->n);
    return markings_get(store->states, store->slot.data[e]);
}

#define STORE_NONE UINT32_MAX
