#include "verify/goal.h"

#include "base/exact.h"

Goal goal_new(const Query *query)
{
    const FormulaStore *formulas = query->formulas;
    const FormulaNode *node = formula_node(formulas, query->goal);
    Goal goal = {formulas, query->goal, node->kind == FORMULA_DEADLOCK};
    for (uint32_t i = 0; node->kind == FORMULA_AND && i < node->len; i++)
        if (formula_node(formulas, formulas->items.data[node->from + i])->kind == FORMULA_DEADLOCK)
            goal.only_dead = true;
    return goal;
}

bool goal_holds(void *data, const NetLts *lts, const uint64_t *state)
{
    const Goal *goal = data;
    return formula_holds(goal->formulas, goal->id, lts, state);
}

static uint64_t missing_to_fire(const Net *net, uint32_t t, const NetLts *lts, const uint64_t *state)
{
    uint64_t missing = 0;
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        if (kind == ARC_POST) continue;
        NetRow row = net_places(net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            uint64_t count = netlts_count(lts, state, row.node[i]), weight = net_weight(row, i);
            if (kind == ARC_INHIBIT)
                missing = exact_capped_add(missing, count < weight ? 0 : count - weight + 1);
            else
                missing = exact_capped_add(missing, count < weight ? weight - count : 0);
        }
    }
    return missing;
}

static uint64_t count_enabled(const NetLts *lts, const uint64_t *state, const uint32_t *transitions, uint32_t n)
{
    uint64_t enabled = 0;
    for (uint32_t i = 0; i < n; i++) enabled += lts->lts.enabled(&lts->lts, state, transitions ? transitions[i] : i);
    return enabled;
}

__attribute__((always_inline)) static inline uint64_t leaf_distance(const FormulaStore *f, const FormulaNode *node,
                                                                    const NetLts *lts, const uint64_t *state)
{
    const uint32_t *items = vec_from(&f->items, node->from);
    uint64_t least = UINT64_MAX;
    switch ((FormulaKind)node->kind) {
    case FORMULA_TRUE: return 0;
    case FORMULA_FALSE: return UINT64_MAX;
    case FORMULA_AT_MOST: return formula_excess(f, node, lts, state, UINT32_MAX);
    case FORMULA_FIREABLE:
        for (uint32_t i = 0; i < node->len && least; i++)
            least = MIN(least, missing_to_fire(f->net, items[i], lts, state));
        return least;
    case FORMULA_UNFIREABLE: return count_enabled(lts, state, items, node->len);
    case FORMULA_DEADLOCK: return count_enabled(lts, state, NULL, f->net->n_transitions);
    case FORMULA_ALIVE:
        for (uint32_t t = 0; t < f->net->n_transitions; t++)
            if (lts->lts.enabled(&lts->lts, state, t)) return 0;
        return 1;
    case FORMULA_AND:
    case FORMULA_OR: break;
    }
    g_assert_not_reached();
}

static uint64_t tree_distance(const FormulaStore *f, FormulaId id, const NetLts *lts, const uint64_t *state)
{
    const FormulaNode *node = formula_node(f, id);
    const uint32_t *items = vec_from(&f->items, node->from);
    uint64_t all = 0, least = UINT64_MAX;
    switch (node->kind) {
    case FORMULA_AND:
        for (uint32_t i = 0; i < node->len; i++) all = exact_capped_add(all, tree_distance(f, items[i], lts, state));
        return all;
    case FORMULA_OR:
        for (uint32_t i = 0; i < node->len && least; i++) least = MIN(least, tree_distance(f, items[i], lts, state));
        return least;
    default: return leaf_distance(f, node, lts, state);
    }
}

__attribute__((noinline)) static uint64_t graph_distance(const FormulaStore *f, FormulaId id, const NetLts *lts,
                                                         const uint64_t *state)
{
    VecU32 below = {0};
    g_autofree uint64_t *of = g_new(uint64_t, (size_t)id + 1);
    formula_below(f, id, &below);
    for (size_t k = 0; k < below.len; k++) {
        const FormulaNode *node = formula_node(f, below.data[k]);
        const uint32_t *items = vec_from(&f->items, node->from);
        bool all = node->kind == FORMULA_AND, junction = all || node->kind == FORMULA_OR;
        uint64_t value = !junction ? leaf_distance(f, node, lts, state) : all ? 0 : UINT64_MAX;
        for (uint32_t i = 0; i < node->len && junction; i++)
            value = all ? exact_capped_add(value, of[items[i]]) : MIN(value, of[items[i]]);
        of[below.data[k]] = value;
    }
    vec_free(&below);
    return of[id];
}

uint32_t goal_units(const FormulaStore *formulas, FormulaId goal)
{
    VecU32 below = {0};
    uint64_t parts = 0;
    formula_below(formulas, goal, &below);
    for (size_t i = 0; i < below.len; i++) {
        const FormulaNode *node = formula_node(formulas, below.data[i]);
        bool all = node->kind == FORMULA_DEADLOCK || node->kind == FORMULA_ALIVE;
        parts += 1 + (uint64_t)node->len + (all ? 2 * (uint64_t)formulas->net->n_transitions : 0);
    }
    vec_free(&below);
    return (uint32_t)MIN(parts / 4, UINT32_MAX);
}

uint64_t goal_distance(void *data, const NetLts *lts, const uint64_t *state)
{
    const Goal *goal = data;
    return formula_is_shared(goal->formulas, goal->id) ? graph_distance(goal->formulas, goal->id, lts, state)
                                                       : tree_distance(goal->formulas, goal->id, lts, state);
}
