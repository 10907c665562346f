#include "verify/goal.h"

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

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t missing_at_most(const FormulaStore *f, const FormulaNode *node, const NetLts *lts,
                                const uint64_t *state)
{
    __int128 sum = 0;
    for (uint32_t i = 0; i < node->len; i++) {
        const FormulaTerm *term = &f->terms.data[node->from + i];
        sum += (__int128)term->coefficient * netlts_count(lts, state, term->place);
    }
    __int128 excess = sum - node->bound;
    return excess <= 0 ? 0 : excess > UINT32_MAX ? UINT32_MAX : (uint64_t)excess;
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
                missing = plus(missing, count < weight ? 0 : count - weight + 1);
            else
                missing = plus(missing, count < weight ? weight - count : 0);
        }
    }
    return missing;
}

/* Formulas are at most FORMULA_MAX_DEPTH deep. */
static uint64_t distance(const FormulaStore *f, FormulaId id, const NetLts *lts, const uint64_t *state)
{
    const FormulaNode *node = formula_node(f, id);
    const uint32_t *items = f->items.data + node->from;
    uint64_t all = 0, least = UINT64_MAX, enabled = 0;
    switch ((FormulaKind)node->kind) {
    case FORMULA_TRUE: return 0;
    case FORMULA_FALSE: return UINT64_MAX;
    case FORMULA_AND:
        for (uint32_t i = 0; i < node->len; i++) all = plus(all, distance(f, items[i], lts, state));
        return all;
    case FORMULA_OR:
        for (uint32_t i = 0; i < node->len && least; i++) least = MIN(least, distance(f, items[i], lts, state));
        return least;
    case FORMULA_AT_MOST: return missing_at_most(f, node, lts, state);
    case FORMULA_FIREABLE:
        for (uint32_t i = 0; i < node->len && least; i++)
            least = MIN(least, missing_to_fire(f->net, items[i], lts, state));
        return least;
    case FORMULA_UNFIREABLE:
        for (uint32_t i = 0; i < node->len; i++) enabled += lts->lts.enabled(&lts->lts, state, items[i]);
        return enabled;
    case FORMULA_DEADLOCK:
        for (uint32_t t = 0; t < f->net->n_transitions; t++) enabled += lts->lts.enabled(&lts->lts, state, t);
        return enabled;
    case FORMULA_ALIVE:
        for (uint32_t t = 0; t < f->net->n_transitions; t++)
            if (lts->lts.enabled(&lts->lts, state, t)) return 0;
        return 1;
    }
    return 0;
}

/* Depth is bounded by FORMULA_MAX_DEPTH. */
static uint32_t count_parts(const FormulaStore *formulas, FormulaId id)
{
    const FormulaNode *node = formula_node(formulas, id);
    uint32_t n = 1 + node->len;
    if (node->kind == FORMULA_DEADLOCK || node->kind == FORMULA_ALIVE) n += 2 * formulas->net->n_transitions;
    if (node->kind != FORMULA_AND && node->kind != FORMULA_OR) return n;
    for (uint32_t i = 0; i < node->len; i++) n += count_parts(formulas, formulas->items.data[node->from + i]);
    return n;
}

uint32_t goal_units(const FormulaStore *formulas, FormulaId goal)
{
    return count_parts(formulas, goal) / 4;
}

uint64_t goal_distance(void *data, const NetLts *lts, const uint64_t *state)
{
    const Goal *goal = data;
    return distance(goal->formulas, goal->id, lts, state);
}
