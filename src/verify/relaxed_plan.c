#include "verify/relaxed_plan.h"

#include "base/exact.h"

#include <assert.h>
#include <stdlib.h>

/* ---- who lowers a sum ---- */

/* By how much the sum falls when t fires; 0: it does not. */
static uint64_t lowered_by(const Tracker *k, uint32_t t, const int64_t *coefficient)
{
    Sum fall = exact_of(0);
    for (uint32_t i = k->change_start[t]; i < k->change_start[t + 1]; i++) {
        const TrackerChange *change = &k->changes[i];
        int64_t c = coefficient[change->place];
        exact_add_product(&fall, change->grows ? -c : c, change->by);
    }
    uint64_t by;
    return exact_sign(fall) <= 0 ? 0 : exact_unsigned(fall, &by) ? by : UINT64_MAX;
}

static void find_lowering(RelaxedPlan *plan, FormulaId id, int64_t *coefficient)
{
    const Tracker *k = plan->relaxed->here;
    const FormulaNode *node = formula_node(plan->formulas, id);
    const FormulaTerm *terms = vec_from(&plan->formulas->terms, node->from);
    for (uint32_t i = 0; i < node->len; i++) coefficient[terms[i].place] = terms[i].coefficient;
    for (uint32_t t = 0; t < k->net->n_transitions; t++) {
        uint64_t by = lowered_by(k, t, coefficient);
        if (by) vec_push(&plan->lowering[id], ((RelaxedLowering){t, by}));
    }
    for (uint32_t i = 0; i < node->len; i++) coefficient[terms[i].place] = 0;
}

RelaxedPlan *relaxed_plan_new(const Relaxed *relaxed, const FormulaStore *formulas, FormulaId goal, const NetLts *plain)
{
    const Net *net = relaxed->here->net;
    RelaxedPlan *plan = g_new0(RelaxedPlan, 1);
    size_t n = (size_t)goal + 1;
    *plan = (RelaxedPlan){.formulas = formulas,
                          .goal = goal,
                          .relaxed = relaxed,
                          .plain = plain,
                          .value = g_new0(uint32_t, n),
                          .choice = g_new0(uint32_t, n),
                          .often = g_new0(uint64_t, n),
                          .lowering = g_new0(VecLowering, n),
                          .wanted = g_new0(bool, n),
                          .times = g_new0(uint64_t, (size_t)net->n_transitions + 1)};
    formula_below(formulas, goal, &plan->below);
    g_autofree int64_t *coefficient = g_new0(int64_t, (size_t)net->n_places + 1);
    for (size_t i = 0; i < plan->below.len; i++)
        if (formula_node(formulas, plan->below.data[i])->kind == FORMULA_AT_MOST)
            find_lowering(plan, plan->below.data[i], coefficient);
    return plan;
}

void relaxed_plan_free(RelaxedPlan *plan)
{
    if (!plan) return;
    for (size_t i = 0; i < plan->below.len; i++) vec_free(&plan->lowering[plan->below.data[i]]);
    vec_free(&plan->below);
    vec_free(&plan->steps);
    g_free(plan->value);
    g_free(plan->choice);
    g_free(plan->often);
    g_free(plan->lowering);
    g_free(plan->wanted);
    g_free(plan->times);
    g_free(plan);
}

uint32_t relaxed_plan_units(const RelaxedPlan *plan)
{
    uint64_t parts = 0;
    for (size_t i = 0; i < plan->below.len; i++) {
        FormulaId id = plan->below.data[i];
        parts += 2 + plan->lowering[id].len + 4 * (uint64_t)formula_node(plan->formulas, id)->len;
    }
    return (uint32_t)MIN(parts / 4, UINT32_MAX / 4);
}

/* ---- what leaves cost ---- */

static uint32_t cost_of_lowering(RelaxedPlan *plan, FormulaId id, uint64_t excess)
{
    const VecLowering *list = &plan->lowering[id];
    uint32_t least = RELAXED_NEVER;
    for (size_t i = 0; i < list->len && excess; i++) {
        uint32_t t = list->data[i].transition;
        uint64_t by = list->data[i].by, often = excess / by + (excess % by != 0);
        uint32_t cost = relaxed_sum(0, plan->relaxed->cost[t], often);
        if (cost < least) least = cost, plan->choice[id] = t, plan->often[id] = often;
    }
    return excess ? least : 0;
}

/* What it lacks, without its own price. */
static uint32_t cost_of_enabling(RelaxedPlan *plan, FormulaId id, const FormulaNode *node)
{
    const Relaxed *r = plan->relaxed;
    uint32_t least = RELAXED_NEVER;
    for (uint32_t i = 0; i < node->len && least; i++) {
        uint32_t t = plan->formulas->items.data[node->from + i];
        uint32_t cost = r->cost[t] == RELAXED_NEVER ? RELAXED_NEVER : r->cost[t] - r->price[t];
        if (cost < least) least = cost, plan->choice[id] = t;
    }
    return least;
}

/* The cheapest way to make a test of an enabled transition fail. */
static uint32_t cost_of_disabling(const Relaxed *r, uint32_t t, uint32_t *fact, uint64_t *times)
{
    const Tracker *k = r->here;
    uint32_t least = RELAXED_NEVER;
    for (uint32_t i = k->guard_start[t]; i < k->guard_start[t + 1]; i++) {
        const TrackerTest *test = &k->guards[i];
        uint64_t count = k->marking[test->node],
                 tokens = test->inhibits ? test->weight - count : count - test->weight + 1;
        uint32_t loss = test->inhibits ? relaxed_more(test->node) : relaxed_fewer(test->node);
        uint64_t n = relaxed_times(r, loss, tokens);
        uint32_t cost = relaxed_sum(0, r->fact[loss], n);
        if (cost < least) least = cost, *fact = loss, *times = n;
    }
    return least;
}

static uint32_t cost_of_disabling_all(const Relaxed *r, const uint32_t *transitions, uint32_t n)
{
    uint32_t sum = 0, fact;
    uint64_t times;
    assert(transitions || !n);
    for (uint32_t i = 0; i < n; i++)
        if (tracker_is_enabled(r->here, transitions[i]))
            sum = relaxed_sum(sum, cost_of_disabling(r, transitions[i], &fact, &times), 1);
    return sum;
}

static uint32_t leaf_cost(RelaxedPlan *plan, FormulaId id, const FormulaNode *node)
{
    const Relaxed *r = plan->relaxed;
    const Tracker *k = r->here;
    plan->choice[id] = NET_NONE;
    switch ((FormulaKind)node->kind) {
    case FORMULA_TRUE: return 0;
    case FORMULA_AT_MOST:
        return cost_of_lowering(plan, id, formula_excess(plan->formulas, node, plan->plain, k->marking, UINT32_MAX));
    case FORMULA_FIREABLE: return cost_of_enabling(plan, id, node);
    case FORMULA_UNFIREABLE: return cost_of_disabling_all(r, vec_from(&plan->formulas->items, node->from), node->len);
    case FORMULA_DEADLOCK: return cost_of_disabling_all(r, k->enabled, k->n_enabled);
    case FORMULA_ALIVE: return k->n_enabled ? 0 : RELAXED_NEVER;
    default: return RELAXED_NEVER;
    }
}

static void find_values(RelaxedPlan *plan)
{
    for (size_t k = 0; k < plan->below.len; k++) {
        FormulaId id = plan->below.data[k];
        const FormulaNode *node = formula_node(plan->formulas, id);
        const uint32_t *items = vec_from(&plan->formulas->items, node->from);
        bool all = node->kind == FORMULA_AND, junction = all || node->kind == FORMULA_OR;
        uint32_t value = !junction ? leaf_cost(plan, id, node) : all ? 0 : RELAXED_NEVER;
        for (uint32_t i = 0; i < node->len && junction; i++)
            value = all ? relaxed_sum(value, plan->value[items[i]], 1) : MIN(value, plan->value[items[i]]);
        plan->value[id] = value;
        plan->wanted[id] = false;
    }
}

/* ---- the plan ---- */

static void add_step(RelaxedPlan *plan, uint32_t t, uint64_t times)
{
    if (!plan->times[t]) vec_push(&plan->steps, t);
    plan->times[t] = MAX(plan->times[t], times);
}

static void add_fact(RelaxedPlan *plan, uint32_t fact, uint64_t times)
{
    add_step(plan, plan->relaxed->supporter[fact], times);
}

/* What it lacks. */
static void add_missing(RelaxedPlan *plan, uint32_t t)
{
    const Relaxed *r = plan->relaxed;
    const Tracker *k = r->here;
    uint32_t fact;
    uint64_t tokens;
    for (uint32_t i = k->guard_start[t]; i < k->guard_start[t + 1]; i++)
        if (relaxed_lacks(r, k->guards[i].node, &k->guards[i], &fact, &tokens))
            add_fact(plan, fact, relaxed_times(r, fact, tokens));
}

static void add_losses(RelaxedPlan *plan, const uint32_t *transitions, uint32_t n)
{
    uint32_t fact;
    uint64_t times;
    assert(transitions || !n);
    for (uint32_t i = 0; i < n; i++)
        if (tracker_is_enabled(plan->relaxed->here, transitions[i]) &&
            cost_of_disabling(plan->relaxed, transitions[i], &fact, &times) < RELAXED_NEVER)
            add_fact(plan, fact, times);
}

static void add_leaf(RelaxedPlan *plan, FormulaId id, const FormulaNode *node)
{
    const Tracker *k = plan->relaxed->here;
    uint32_t t = plan->choice[id];
    switch ((FormulaKind)node->kind) {
    case FORMULA_AT_MOST:
        if (t != NET_NONE) add_step(plan, t, plan->often[id]);
        break;
    case FORMULA_FIREABLE:
        if (t != NET_NONE) add_missing(plan, t);
        break;
    case FORMULA_UNFIREABLE: add_losses(plan, vec_from(&plan->formulas->items, node->from), node->len); break;
    case FORMULA_DEADLOCK: add_losses(plan, k->enabled, k->n_enabled); break;
    default: break;
    }
}

/* All parts of a conjunction, the first cheapest of a disjunction. */
static void add_parts(RelaxedPlan *plan, const FormulaNode *node, uint32_t value)
{
    const uint32_t *items = vec_from(&plan->formulas->items, node->from);
    for (uint32_t i = 0; i < node->len; i++) {
        if (node->kind == FORMULA_OR && plan->value[items[i]] > value) continue;
        plan->wanted[items[i]] = true;
        if (node->kind == FORMULA_OR) break;
    }
}

static int by_cost(gconstpointer a, gconstpointer b, gpointer data)
{
    const uint32_t *cost = data, x = cost[*(const uint32_t *)a], y = cost[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

uint32_t relaxed_plan_make(RelaxedPlan *plan)
{
    for (size_t i = 0; i < plan->steps.len; i++) plan->times[plan->steps.data[i]] = 0;
    vec_clear(&plan->steps);
    find_values(plan);
    uint32_t value = plan->value[plan->goal];
    if (value >= RELAXED_NEVER) return RELAXED_NEVER;
    plan->wanted[plan->goal] = true;
    for (size_t k = plan->below.len; k-- > 0;) {
        FormulaId id = plan->below.data[k];
        const FormulaNode *node = formula_node(plan->formulas, id);
        if (!plan->wanted[id]) continue;
        if (node->kind == FORMULA_AND || node->kind == FORMULA_OR)
            add_parts(plan, node, plan->value[id]);
        else
            add_leaf(plan, id, node);
    }
    for (size_t i = 0; i < plan->steps.len; i++) add_missing(plan, plan->steps.data[i]);
    g_qsort_with_data(plan->steps.data, (int)plan->steps.len, sizeof(uint32_t), by_cost, plan->relaxed->cost);
    return value;
}
