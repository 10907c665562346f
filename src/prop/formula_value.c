#include "prop/formula.h"

#include "base/exact.h"

/* Coefficients below 2^62 together: every partial sum has 126 bits. */
static __int128 large_sum(const FormulaTerm *terms, uint32_t n, const NetLts *lts, const uint64_t *state)
{
    __int128 sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += (__int128)terms[i].coefficient * (__int128)netlts_count(lts, state, terms[i].place); /* fits */
    return sum;
}

static Sum huge_excess(const FormulaTerm *terms, const FormulaNode *n, const NetLts *lts, const uint64_t *state)
{
    Sum sum = exact_of(-(__int128)n->bound);
    for (uint32_t i = 0; i < n->len; i++)
        exact_add_product(&sum, terms[i].coefficient, netlts_count(lts, state, terms[i].place));
    return sum;
}

__attribute__((noinline)) static bool large_at_most(const FormulaStore *s, const FormulaNode *n, const NetLts *lts,
                                                    const uint64_t *state)
{
    const FormulaTerm *terms = s->terms.data + n->from;
    if (n->size != FORMULA_HUGE) return large_sum(terms, n->len, lts, state) <= n->bound;
    return exact_sign(huge_excess(terms, n, lts, state)) <= 0;
}

uint64_t formula_large_excess(const FormulaStore *s, const FormulaNode *n, const NetLts *lts, const uint64_t *state,
                              uint64_t most)
{
    const FormulaTerm *terms = s->terms.data + n->from;
    Sum excess = n->size == FORMULA_HUGE ? huge_excess(terms, n, lts, state)
                                         : exact_of(large_sum(terms, n->len, lts, state) - n->bound);
    uint64_t value;
    if (exact_sign(excess) <= 0) return 0;
    return exact_unsigned(excess, &value) ? MIN(value, most) : most;
}

/* Inlined, as what calls it: this is what searches and walks spend on a formula. */
__attribute__((always_inline)) static inline bool at_most(const FormulaStore *s, const FormulaNode *n,
                                                          const NetLts *lts, const uint64_t *state)
{
    int64_t sum;
    if (n->size == FORMULA_SMALL && formula_small_sum(s->terms.data + n->from, n->len, lts, state, &sum))
        return sum <= n->bound;
    return large_at_most(s, n, lts, state);
}

static bool fireable(const FormulaStore *s, const FormulaNode *n, const NetLts *lts, const uint64_t *state)
{
    for (uint32_t i = 0; i < n->len; i++)
        if (lts->lts.enabled(&lts->lts, state, s->items.data[n->from + i])) return true;
    return false;
}

static bool alive(const NetLts *lts, const uint64_t *state)
{
    for (uint32_t t = 0; t < lts->lts.n_actions; t++)
        if (lts->lts.enabled(&lts->lts, state, t)) return true;
    return false;
}

__attribute__((always_inline)) static inline bool leaf_holds(const FormulaStore *s, const FormulaNode *n,
                                                             const NetLts *lts, const uint64_t *state)
{
    switch ((FormulaKind)n->kind) {
    case FORMULA_FALSE: return false;
    case FORMULA_TRUE: return true;
    case FORMULA_AT_MOST: return at_most(s, n, lts, state);
    case FORMULA_FIREABLE: return fireable(s, n, lts, state);
    case FORMULA_UNFIREABLE: return !fireable(s, n, lts, state);
    case FORMULA_DEADLOCK: return !alive(lts, state);
    case FORMULA_ALIVE: return alive(lts, state);
    case FORMULA_AND:
    case FORMULA_OR: break;
    }
    g_assert_not_reached();
}

static bool tree_holds(const FormulaStore *s, FormulaId id, const NetLts *lts, const uint64_t *state)
{
    const FormulaNode *n = formula_node(s, id);
    if (n->kind != FORMULA_AND && n->kind != FORMULA_OR) return leaf_holds(s, n, lts, state);
    bool decided_by = n->kind == FORMULA_OR;
    for (uint32_t i = 0; i < n->len; i++)
        if (tree_holds(s, s->items.data[n->from + i], lts, state) == decided_by) return decided_by;
    return !decided_by;
}

void formula_values(const FormulaStore *s, const VecU32 *below, const NetLts *lts, const uint64_t *state, bool *values)
{
    for (size_t k = 0; k < below->len; k++) {
        const FormulaNode *n = formula_node(s, below->data[k]);
        bool *value = &values[below->data[k]];
        if (n->kind != FORMULA_AND && n->kind != FORMULA_OR) {
            *value = leaf_holds(s, n, lts, state);
            continue;
        }
        bool decided_by = n->kind == FORMULA_OR;
        *value = !decided_by;
        for (uint32_t i = 0; i < n->len && *value != decided_by; i++) *value = values[s->items.data[n->from + i]];
    }
}

__attribute__((noinline)) static bool graph_holds(const FormulaStore *s, FormulaId id, const NetLts *lts,
                                                  const uint64_t *state)
{
    VecU32 below = {0};
    g_autofree bool *values = g_new(bool, (size_t)id + 1);
    formula_below(s, id, &below);
    formula_values(s, &below, lts, state, values);
    vec_free(&below);
    return values[id];
}

bool formula_holds(const FormulaStore *s, FormulaId id, const NetLts *lts, const uint64_t *state)
{
    return formula_is_shared(s, id) ? graph_holds(s, id, lts, state) : tree_holds(s, id, lts, state);
}
