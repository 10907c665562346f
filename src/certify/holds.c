#include "certify/holds.h"

#include "certify/wide.h"

static bool sum_is_at_most(const FormulaStore *s, const FormulaNode *node, const uint64_t *marking)
{
    Wide sum = wide_of(0);
    for (uint32_t i = 0; i < node->len; i++) {
        FormulaTerm term = s->terms.data[node->from + i];
        wide_add_product(&sum, term.coefficient, marking[term.place]);
    }
    return wide_at_most(sum, wide_of(node->bound));
}

static bool one_is_enabled(const FormulaStore *s, const FormulaNode *node, const uint64_t *marking)
{
    for (uint32_t i = 0; i < node->len; i++)
        if (net_enabled(s->net, marking, s->items.data[node->from + i])) return true;
    return false;
}

static bool is_dead(const Net *net, const uint64_t *marking)
{
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (net_enabled(net, marking, t)) return false;
    return true;
}

bool holds_at(const FormulaStore *s, FormulaId id, const uint64_t *marking)
{
    const FormulaNode *node = formula_node(s, id);
    switch ((FormulaKind)node->kind) {
    case FORMULA_FALSE: return false;
    case FORMULA_TRUE: return true;
    case FORMULA_AT_MOST: return sum_is_at_most(s, node, marking);
    case FORMULA_FIREABLE: return one_is_enabled(s, node, marking);
    case FORMULA_UNFIREABLE: return !one_is_enabled(s, node, marking);
    case FORMULA_DEADLOCK: return is_dead(s->net, marking);
    case FORMULA_ALIVE: return !is_dead(s->net, marking);
    case FORMULA_AND:
    case FORMULA_OR: break;
    }
    for (uint32_t i = 0; i < node->len; i++)
        if (holds_at(s, s->items.data[node->from + i], marking) == (node->kind == FORMULA_OR))
            return node->kind == FORMULA_OR;
    return node->kind == FORMULA_AND;
}
