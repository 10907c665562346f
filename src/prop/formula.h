/* State formulas over one net: linear comparisons of token counts, fireability, deadlock, and/or/not.
 * A FormulaStore holds nodes of many formulas, hash-consed, so equal sub-formulas have equal ids and
 * children have smaller ids than their parents. Negation is pushed to the leaves and constants are
 * folded while building: a stored node is TRUE, FALSE, or contains neither.
 *
 * Formulas are graphs: nested exclusive ors of n parts have about 4 n nodes, but 2^n when written out. Everything here
 * is linear in the nodes, and whoever walks over a formula either takes formula_below(), or knows that it is not
 * formula_is_shared(). Depth is at most about twice FORMULA_MAX_DEPTH (the readers refuse more).
 *
 * Sums are exact: coefficients and bounds are 64-bit numbers whose opposites are too, counts go up to 2^64 - 1, and the
 * value of a sum is never cut. */
#pragma once
#include "lts/netlts.h"

#include "base/vec.h"

enum { FORMULA_MAX_DEPTH = 2000 };

typedef uint32_t FormulaId;

typedef enum {
    FORMULA_FALSE,
    FORMULA_TRUE,
    FORMULA_AND,        /* children: FormulaIds, sorted, two or more, none of them an AND */
    FORMULA_OR,         /* dually */
    FORMULA_AT_MOST,    /* sum of coefficient * tokens(place) <= bound */
    FORMULA_FIREABLE,   /* one of the transitions is enabled */
    FORMULA_UNFIREABLE, /* none of them is */
    FORMULA_DEADLOCK,   /* no transition of the net is enabled */
    FORMULA_ALIVE,      /* its negation */
} FormulaKind;

/* How large the absolute values of a sum's coefficients are together, hence which arithmetic is exact. */
typedef enum {
    FORMULA_SMALL, /* below 2^31: 64 bits while counts are below 2^32 */
    FORMULA_LARGE, /* below 2^62: 128 bits for any counts */
    FORMULA_HUGE,
} FormulaSize;

typedef struct FormulaTerm {
    uint32_t place;
    int64_t coefficient; /* not 0 */
} FormulaTerm;

typedef struct FormulaNode {
    uint8_t kind, size; /* size: of AT_MOST, a FormulaSize */
    uint16_t depth;
    uint32_t from, len; /* slice of the store's items (children, transitions) or terms */
    uint32_t visits;    /* nodes when written out as a tree, at most UINT32_MAX */
    int64_t bound;      /* neither the least nor the largest number */
} FormulaNode;

typedef struct FormulaStore {
    const Net *net;
    VEC(FormulaNode) nodes;
    VecU32 items;
    VEC(FormulaTerm) terms;
    VecU32 opposite; /* of each node: its negation + 1, 0 when nobody asked yet */
    uint32_t *table; /* open addressing: id + 1 */
    uint32_t table_size;
} FormulaStore;

/* Borrows the net. Ids 0 and 1 are FALSE and TRUE. */
FormulaStore *formula_store_new(const Net *net);
void formula_store_free(FormulaStore *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FormulaStore, formula_store_free)

#define FORMULA_ID_FALSE ((FormulaId)0)
#define FORMULA_ID_TRUE ((FormulaId)1)

FormulaId formula_and(FormulaStore *store, const FormulaId *children, size_t n);
FormulaId formula_or(FormulaStore *store, const FormulaId *children, size_t n);
FormulaId formula_not(FormulaStore *store, FormulaId id);
/* sum <= bound; terms may repeat places and need not be sorted. False, *id not written, when a merged coefficient or
 * the bound does not fit: no caller may take that for an answer. */
bool formula_at_most(FormulaStore *store, const FormulaTerm *terms, size_t n, int64_t bound, FormulaId *id,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
FormulaId formula_fireable(FormulaStore *store, const uint32_t *transitions, size_t n);
FormulaId formula_deadlock(FormulaStore *store);
/* Some place (of a coloured net: a coloured one, all its colours together) has more than `bound` tokens (0 or more):
 * the violation of --safe for bound 1. */
FormulaId formula_exceeds(FormulaStore *store, int64_t bound);

static inline const FormulaNode *formula_node(const FormulaStore *store, FormulaId id)
{
    return &store->nodes.data[id];
}

/* Appends the formula and all that is below it, each once, children before their parents. */
void formula_below(const FormulaStore *store, FormulaId id, VecU32 *below);
/* A walk that visits shared parts again and again would take too long. */
static inline bool formula_is_shared(const FormulaStore *store, FormulaId id)
{
    return store->nodes.data[id].visits / 4 > id;
}

/* Does it hold at this state? A NetLts of width 64 makes a plain array of counts a state. */
bool formula_holds(const FormulaStore *store, FormulaId id, const NetLts *lts, const uint64_t *state);
/* The values of many at once: of formula_below() of one. values: indexed by id. */
void formula_values(const FormulaStore *store, const VecU32 *below, const NetLts *lts, const uint64_t *state,
                    bool *values);
/* A FORMULA_SMALL sum: while counts are below 2^32 every partial sum has 63 bits. False when one is not. */
static inline bool formula_small_sum(const FormulaTerm *terms, uint32_t n, const NetLts *lts, const uint64_t *state,
                                     int64_t *sum)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t count = netlts_count(lts, state, terms[i].place);
        if (count > UINT32_MAX) return false;
        total += terms[i].coefficient * (int64_t)count; /* fits: see above */
    }
    *sum = total;
    return true;
}
/* formula_excess() of other sums. */
uint64_t formula_large_excess(const FormulaStore *store, const FormulaNode *node, const NetLts *lts,
                              const uint64_t *state, uint64_t most);
/* By how much the sum of an AT_MOST node exceeds its bound, at most `most`; 0 when it holds. */
static inline uint64_t formula_excess(const FormulaStore *store, const FormulaNode *node, const NetLts *lts,
                                      const uint64_t *state, uint64_t most)
{
    int64_t sum;
    if (node->size != FORMULA_SMALL || !formula_small_sum(store->terms.data + node->from, node->len, lts, state, &sum))
        return formula_large_excess(store, node, lts, state, most);
    return sum <= node->bound ? 0 : (uint64_t)MIN((__int128)sum - node->bound, most);
}

/* In the expression language, for messages and JSON. NULL when that would have more than FORMULA_MAX_TEXT parts. */
enum { FORMULA_MAX_TEXT = 1 << 22 };
char *formula_text(const FormulaStore *store, FormulaId id);
/* An id as it stands there, quoted if it must be. */
void formula_put_id(GString *out, const char *id);
