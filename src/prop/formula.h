/* State formulas over one net: linear comparisons of token counts, fireability, deadlock, and/or/not.
 * A FormulaStore holds nodes of many formulas, hash-consed, so equal sub-formulas have equal ids and
 * children have smaller ids than their parents. Negation is pushed to the leaves and constants are
 * folded while building: a stored node is TRUE, FALSE, or contains neither.
 *
 * Depth is at most FORMULA_MAX_DEPTH (the readers refuse more), so walks may recurse. */
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

typedef struct FormulaTerm {
    uint32_t place;
    int64_t coefficient; /* not 0 */
} FormulaTerm;

typedef struct FormulaNode {
    uint8_t kind;
    uint16_t depth;
    uint32_t from, len; /* slice of the store's items (children, transitions) or terms */
    int64_t bound;
} FormulaNode;

typedef struct FormulaStore {
    const Net *net;
    VEC(FormulaNode) nodes;
    VecU32 items;
    VEC(FormulaTerm) terms;
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
/* sum <= bound; terms may repeat places and need not be sorted. Coefficients and bound that leave 64
 * bits when merged give an error. */
bool formula_at_most(FormulaStore *store, const FormulaTerm *terms, size_t n, int64_t bound, FormulaId *id,
                     GError **error);
FormulaId formula_fireable(FormulaStore *store, const uint32_t *transitions, size_t n);
FormulaId formula_deadlock(FormulaStore *store);
/* Some place has more than `bound` tokens: the violation of --safe for bound 1. */
FormulaId formula_exceeds(FormulaStore *store, int64_t bound);

static inline const FormulaNode *formula_node(const FormulaStore *store, FormulaId id)
{
    return &store->nodes.data[id];
}

/* Does it hold at this state? A NetLts of width 64 makes a plain array of counts a state. */
bool formula_holds(const FormulaStore *store, FormulaId id, const NetLts *lts, const uint64_t *state);

/* Marks (bit sets, ored into) the places and transitions that the formula's truth depends on;
 * DEADLOCK marks all transitions. */
void formula_support(const FormulaStore *store, FormulaId id, uint64_t *places, uint64_t *transitions);

/* In the expression language, for messages and JSON. */
char *formula_text(const FormulaStore *store, FormulaId id);
