#include "prop/formula_fold.h"

static FoldValue junction_value(const FormulaStore *s, const FormulaNode *node, const FormulaFold *fold, void *data,
                                const FoldValue *of)
{
    g_autofree FoldValue *parts = g_new(FoldValue, (size_t)node->len + 1);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where len > 0 there are items */
    for (uint32_t i = 0; i < node->len; i++) parts[i] = of[s->items.data[node->from + i]];
    return fold->junction(data, node->kind == FORMULA_AND, parts, node->len);
}

/* `of`: the values of what is below. */
static FoldValue node_value(const FormulaStore *s, const FormulaNode *node, const FormulaFold *fold, void *data,
                            const FoldValue *of)
{
    const uint32_t *items = vec_from(&s->items, node->from);
    switch ((FormulaKind)node->kind) {
    case FORMULA_FALSE: return fold->junction(data, false, NULL, 0);
    case FORMULA_TRUE: return fold->junction(data, true, NULL, 0);
    case FORMULA_AND:
    case FORMULA_OR: return junction_value(s, node, fold, data, of);
    case FORMULA_AT_MOST: return fold->at_most(data, s->terms.data + node->from, node->len, node->bound);
    case FORMULA_FIREABLE: return fold->guards(data, items, node->len, true);
    case FORMULA_UNFIREABLE: return fold->guards(data, items, node->len, false);
    case FORMULA_ALIVE: return fold->guards(data, NULL, s->net->n_transitions, true);
    case FORMULA_DEADLOCK: return fold->guards(data, NULL, s->net->n_transitions, false);
    }
    g_assert_not_reached();
}

FoldValue formula_fold(const FormulaStore *store, FormulaId id, const FormulaFold *fold, void *data)
{
    VecU32 below = {0};
    g_autofree FoldValue *of = g_new(FoldValue, (size_t)id + 1);
    formula_below(store, id, &below);
    for (size_t i = 0; i < below.len; i++)
        of[below.data[i]] = node_value(store, formula_node(store, below.data[i]), fold, data, of);
    vec_free(&below);
    return of[id];
}
