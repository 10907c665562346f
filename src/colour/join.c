#include "colour/join.h"

#include <assert.h>

/* What a leaf of an item does when a token is matched. */
typedef enum { LEAF_GIVEN, LEAF_BINDS, LEAF_CHECKS } LeafRole;

typedef enum { STEP_TAKE, STEP_LOOK_UP, STEP_TEST, STEP_ASSIGN, STEP_RUN_OVER } StepKind;

struct JoinStep {
    StepKind kind;
    uint32_t place, index;       /* LOOK_UP */
    const Item *item;            /* TAKE, LOOK_UP */
    const Condition *condition;  /* TEST */
    const Leaf *target, *source; /* ASSIGN: target's variable gets what makes it equal to the source */
    uint32_t variable;           /* RUN_OVER */
    uint8_t role[SORT_MAX_LEAVES];
    uint32_t cursor;
};

bool join_binds(const Pattern *p, const Part *part, uint32_t item)
{
    return !part->output && !part->n_minus && !p->items.data[item].all;
}

/* ---- planning ---- */

typedef struct Planner {
    const Pattern *pattern;
    Plan *plan;
    bool *bound; /* variables' leaves */
    bool *item_done, *condition_done;
} Planner;

static bool is_bound(const Planner *p, const Leaf *leaf)
{
    return leaf->variable == LEAF_CONSTANT || p->bound[leaf->variable];
}

static bool all_bound(const Planner *p, const Leaf *leaves, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!is_bound(p, &leaves[i])) return false;
    return true;
}

static bool is_testable(const Planner *p, const Condition *c)
{
    const Leaf *leaves = p->pattern->leaves.data;
    if (c->equal) return is_bound(p, &c->left) && is_bound(p, &c->right);
    for (uint32_t i = c->node; i < c->node + c->n_nodes; i++) {
        const TruthNode *node = &p->pattern->nodes.data[i];
        if (!all_bound(p, leaves + node->left, node->n) || !all_bound(p, leaves + node->right, node->n)) return false;
    }
    return true;
}

static bool plan_assignment(Planner *p, const Leaf *target, const Leaf *source)
{
    if (!pattern_leaf_is_invertible(target) || is_bound(p, target) || !is_bound(p, source)) return false;
    JoinStep step = {.kind = STEP_ASSIGN, .target = target, .source = source};
    vec_push(&p->plan->steps, step);
    p->bound[target->variable] = true;
    return true;
}

/* Whatever the guard says about what is bound. */
static void plan_conditions(Planner *p)
{
    const Pattern *pattern = p->pattern;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < pattern->conditions.len; i++) {
            const Condition *c = &pattern->conditions.data[i];
            if (p->condition_done[i]) continue;
            if (is_testable(p, c)) {
                JoinStep step = {.kind = STEP_TEST, .condition = c};
                vec_push(&p->plan->steps, step);
                p->condition_done[i] = true;
            } else if (c->equal &&
                       (plan_assignment(p, &c->left, &c->right) || plan_assignment(p, &c->right, &c->left))) {
                p->condition_done[i] = more = true;
            }
        }
    }
}

/* The roles of an item's leaves; false when a block's variable would stay unbound. */
static bool give_roles(const Planner *p, const Item *item, uint32_t n, uint8_t *role, uint32_t *given)
{
    const Leaf *leaves = vec_from(&p->pattern->leaves, item->leaf);
    *given = 0;
    for (uint32_t i = 0; i < n; i++) {
        role[i] = is_bound(p, &leaves[i])                  ? LEAF_GIVEN
                  : pattern_leaf_is_invertible(&leaves[i]) ? LEAF_BINDS
                                                           : LEAF_CHECKS;
        *given += role[i] == LEAF_GIVEN;
        for (uint32_t k = 0; k < i && role[i] == LEAF_BINDS; k++)
            if (role[k] == LEAF_BINDS && leaves[k].variable == leaves[i].variable) role[i] = LEAF_CHECKS;
    }
    for (uint32_t i = 0; i < n; i++) {
        bool good = role[i] != LEAF_CHECKS;
        for (uint32_t k = 0; k < n && !good; k++)
            good = role[k] == LEAF_BINDS && leaves[k].variable == leaves[i].variable;
        if (!good) return false;
    }
    return true;
}

static void plan_item(Planner *p, uint32_t place, uint32_t item, StepKind kind)
{
    const Pattern *pattern = p->pattern;
    Tokens *tokens = &p->plan->tokens[place];
    JoinStep step = {.kind = kind, .place = place, .item = &pattern->items.data[item]};
    uint32_t given;
    bool good = give_roles(p, step.item, tokens->n_leaves, step.role, &given);
    assert(good);
    (void)good;
    uint64_t leaves = 0;
    for (uint32_t i = 0; i < tokens->n_leaves; i++) {
        const Leaf *leaf = &pattern->leaves.data[step.item->leaf + i];
        if (step.role[i] == LEAF_BINDS) p->bound[leaf->variable] = true;
        if (step.role[i] == LEAF_GIVEN) leaves |= UINT64_C(1) << i;
        if (kind == STEP_TAKE && step.role[i] == LEAF_GIVEN) step.role[i] = LEAF_CHECKS;
    }
    bool whole = given == tokens->n_leaves;
    if (kind == STEP_LOOK_UP) step.index = whole ? TOKEN_NONE : tokens_index(tokens, leaves);
    vec_push(&p->plan->steps, step);
    p->item_done[item] = true;
}

/* The item to match next: one with all leaves given, or else as many as possible; fewest new ones when equal. */
static bool plan_next_item(Planner *p)
{
    const Pattern *pattern = p->pattern;
    uint32_t best = ITEM_NONE, best_place = 0;
    int64_t best_rank = INT64_MIN;
    for (size_t i = 0; i < pattern->parts.len; i++) {
        const Part *part = &pattern->parts.data[i];
        uint32_t n = p->plan->tokens[part->place].n_leaves;
        for (uint32_t k = part->item; k < part->item + part->n_plus; k++) {
            uint8_t role[SORT_MAX_LEAVES];
            uint32_t given;
            if (!join_binds(pattern, part, k) || p->item_done[k]) continue;
            if (!give_roles(p, &pattern->items.data[k], n, role, &given)) continue;
            int64_t rank = given == n ? INT64_MAX : 64 * (int64_t)given - n;
            if (rank > best_rank) best = k, best_rank = rank, best_place = part->place;
        }
    }
    if (best == ITEM_NONE) return false;
    plan_item(p, best_place, best, STEP_LOOK_UP);
    return true;
}

/* The variable's leaf with the fewest colours. */
static bool plan_next_variable(Planner *p)
{
    const Pattern *pattern = p->pattern;
    uint32_t best = UINT32_MAX;
    uint64_t least = UINT64_MAX;
    for (uint32_t v = 0; v < pattern->n_leaves; v++) {
        uint64_t size = sort_at(&pattern->net->sorts, pattern->domain.data[v])->size;
        if (!p->bound[v] && size < least) best = v, least = size;
    }
    if (best == UINT32_MAX) return false;
    JoinStep step = {.kind = STEP_RUN_OVER, .variable = best};
    vec_push(&p->plan->steps, step);
    p->bound[best] = true;
    return true;
}

Plan *join_plan(const Pattern *pattern, Tokens *tokens, uint32_t trigger)
{
    Planner p = {.pattern = pattern, .plan = g_new0(Plan, 1)};
    *p.plan = (Plan){.pattern = pattern, .tokens = tokens, .trigger = trigger};
    p.bound = g_new0(bool, pattern->n_leaves + 1);
    p.item_done = g_new0(bool, pattern->items.len + 1);
    p.condition_done = g_new0(bool, pattern->conditions.len + 1);
    plan_conditions(&p);
    for (size_t i = 0; i < pattern->parts.len && trigger != ITEM_NONE; i++) {
        const Part *part = &pattern->parts.data[i];
        if (trigger >= part->item && trigger < part->item + part->n_plus)
            plan_item(&p, part->place, trigger, STEP_TAKE);
    }
    do plan_conditions(&p);
    while (plan_next_item(&p) || plan_next_variable(&p));
    g_free(p.bound);
    g_free(p.item_done);
    g_free(p.condition_done);
    return p.plan;
}

void join_plan_free(Plan *plan)
{
    if (!plan) return;
    vec_free(&plan->steps);
    g_free(plan);
}

/* ---- running ---- */

static bool match(const Plan *plan, const JoinStep *step, uint32_t token, uint32_t *binding)
{
    const Tokens *tokens = &plan->tokens[step->place];
    const uint32_t *colours = tokens_leaves(tokens, token);
    const Leaf *leaves = vec_from(&plan->pattern->leaves, step->item->leaf);
    for (uint32_t i = 0; i < tokens->n_leaves; i++)
        if (step->role[i] == LEAF_BINDS) binding[leaves[i].variable] = pattern_leaf_invert(&leaves[i], colours[i]);
    for (uint32_t i = 0; i < tokens->n_leaves; i++)
        if (step->role[i] == LEAF_CHECKS && pattern_leaf_value(tokens->sorts, &leaves[i], binding) != colours[i])
            return false;
    return true;
}

static uint64_t key_of(const Plan *plan, const JoinStep *step, const uint32_t *binding)
{
    const Tokens *tokens = &plan->tokens[step->place];
    const Leaf *leaves = vec_from(&plan->pattern->leaves, step->item->leaf);
    uint64_t key = 0;
    for (uint32_t i = 0; i < tokens->n_leaves; i++)
        if (step->role[i] == LEAF_GIVEN)
            key = key * sort_leaf_size(tokens->sorts, tokens->sort, i) +
                  pattern_leaf_value(tokens->sorts, &leaves[i], binding);
    return key;
}

static bool match_from(const Plan *plan, JoinStep *step, uint32_t token, uint32_t *binding)
{
    const Tokens *tokens = &plan->tokens[step->place];
    while (token != TOKEN_NONE && !match(plan, step, token, binding)) token = tokens_next(tokens, step->index, token);
    step->cursor = token;
    return token != TOKEN_NONE;
}

/* The first way to do a step. */
static bool step_first(const Plan *plan, JoinStep *step, uint32_t token, uint32_t *binding)
{
    const Tokens *tokens = &plan->tokens[step->place];
    const Sorts *sorts = &plan->pattern->net->sorts;
    switch (step->kind) {
    case STEP_TAKE: return match(plan, step, token, binding);
    case STEP_TEST: return pattern_condition_holds(plan->pattern, step->condition, binding);
    case STEP_ASSIGN:
        binding[step->target->variable] =
            pattern_leaf_invert(step->target, pattern_leaf_value(sorts, step->source, binding));
        return true;
    case STEP_RUN_OVER: binding[step->variable] = 0; return true;
    default: break;
    }
    uint64_t key = key_of(plan, step, binding);
    if (step->index != TOKEN_NONE) return match_from(plan, step, tokens_first(tokens, step->index, key), binding);
    uint32_t found = tokens_find(tokens, key);
    return found != TOKEN_NONE && found < tokens->known;
}

static bool step_next(const Plan *plan, JoinStep *step, uint32_t *binding)
{
    if (step->kind == STEP_RUN_OVER) {
        uint32_t sort = plan->pattern->domain.data[step->variable];
        return ++binding[step->variable] < sort_at(&plan->pattern->net->sorts, sort)->size;
    }
    if (step->kind != STEP_LOOK_UP || step->index == TOKEN_NONE) return false;
    return match_from(plan, step, tokens_next(&plan->tokens[step->place], step->index, step->cursor), binding);
}

bool join_run(Plan *plan, uint32_t token, uint32_t *binding, Budget *budget, bool (*found)(void *data), void *data)
{
    size_t depth = 0, n = plan->steps.len;
    for (bool forward = true;;) {
        if (budget_charge(budget, 3)) return false;
        if (depth == n) {
            if (!found(data)) return false;
            forward = false;
        } else {
            JoinStep *step = &plan->steps.data[depth];
            forward = forward ? step_first(plan, step, token, binding) : step_next(plan, step, binding);
        }
        if (forward)
            depth++;
        else if (depth-- == 0)
            return true;
    }
}
