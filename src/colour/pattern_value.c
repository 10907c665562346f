#include "base/compare.h"
#include "colour/pattern.h"

#include "base/exact.h"

#include <assert.h>
#include <stdlib.h>

uint64_t pattern_item_colour(const Pattern *p, const Item *item, uint32_t sort, const uint32_t *binding)
{
    const Sorts *sorts = &p->net->sorts;
    const Leaf *leaf = vec_from(&p->leaves, item->leaf);
    uint64_t colour = 0;
    for (uint32_t i = 0; i < sort_at(sorts, sort)->n_leaves; i++)
        colour = colour * sort_leaf_size(sorts, sort, i) + pattern_leaf_value(sorts, &leaf[i], binding);
    return colour;
}

/* ---- conditions ---- */

static bool compare(const Pattern *p, const TruthNode *node, const uint32_t *binding)
{
    const Sorts *sorts = &p->net->sorts;
    bool equal = true;
    for (uint32_t i = 0; i < node->n; i++) {
        int64_t a = node->start[0] + pattern_leaf_value(sorts, &p->leaves.data[node->left + i], binding);
        int64_t b = node->start[1] + pattern_leaf_value(sorts, &p->leaves.data[node->right + i], binding);
        switch ((TermOp)node->op) {
        case TERM_LESS: return a < b;
        case TERM_AT_MOST: return a <= b;
        case TERM_GREATER: return a > b;
        case TERM_AT_LEAST: return a >= b;
        default: equal = equal && a == b;
        }
    }
    return equal == (node->op == TERM_EQUAL);
}

static bool node_holds(const Pattern *p, const TruthNode *node, const bool *truth, const uint32_t *binding)
{
    uint32_t child = 1;
    bool all = true, some = false;
    for (uint32_t i = 0; i < node->n_children; i++, child += node[child].size) {
        all = all && truth[child];
        some = some || truth[child];
    }
    switch ((TermOp)node->op) {
    case TERM_TRUTH: return node->value;
    case TERM_AND: return all;
    case TERM_OR: return some;
    case TERM_NOT: return !some;
    case TERM_IMPLY: return !truth[1] || truth[1 + node[1].size];
    default: return compare(p, node, binding);
    }
}

bool pattern_condition_holds(const Pattern *p, const Condition *condition, const uint32_t *binding)
{
    const Sorts *sorts = &p->net->sorts;
    if (condition->equal)
        return pattern_leaf_value(sorts, &condition->left, binding) ==
               pattern_leaf_value(sorts, &condition->right, binding);
    for (uint32_t i = condition->node + condition->n_nodes; i-- > condition->node;)
        p->truth[i] = node_holds(p, &p->nodes.data[i], p->truth + i, binding);
    return p->truth[condition->node];
}

/* ---- tokens ---- */

/* Every combination of the leaves that are LEAF_ALL. */
static bool all_tokens(const Pattern *p, const Item *item, uint32_t sort, const uint32_t *binding, Budget *budget,
                       VecCounts *tokens)
{
    const Sorts *sorts = &p->net->sorts;
    const Leaf *leaf = vec_from(&p->leaves, item->leaf);
    uint32_t n = sort_at(sorts, sort)->n_leaves, value[SORT_MAX_LEAVES];
    for (uint32_t i = 0; i < n; i++)
        value[i] = leaf[i].variable == LEAF_ALL ? 0 : pattern_leaf_value(sorts, &leaf[i], binding);
    for (;;) {
        if (budget_charge(budget, 2)) return false;
        vec_push(tokens, ((ColourCount){sort_join(sorts, sort, value), item->count}));
        uint32_t i = n;
        while (i > 0 && (leaf[i - 1].variable != LEAF_ALL || value[i - 1] + 1 == sort_leaf_size(sorts, sort, i - 1))) {
            if (leaf[i - 1].variable == LEAF_ALL) value[i - 1] = 0;
            i--;
        }
        if (!i) return true;
        value[i - 1]++;
    }
}

static bool item_tokens(const Pattern *p, const Item *items, uint32_t n, uint32_t sort, const uint32_t *binding,
                        Budget *budget, VecCounts *tokens)
{
    for (uint32_t i = 0; i < n; i++)
        if (!items[i].all)
            vec_push(tokens, ((ColourCount){pattern_item_colour(p, &items[i], sort, binding), items[i].count}));
        else if (!all_tokens(p, &items[i], sort, binding, budget, tokens))
            return false;
    return true;
}

COMPARE_BY(by_colour, ColourCount, colour)

/* Each colour once. */
static bool add_up(VecCounts *tokens)
{
    size_t kept = 0;
    if (tokens->len) qsort(tokens->data, tokens->len, sizeof *tokens->data, by_colour);
    for (size_t i = 0; i < tokens->len; i++) {
        ColourCount *last = kept ? &tokens->data[kept - 1] : NULL;
        if (!last || last->colour != tokens->data[i].colour)
            tokens->data[kept++] = tokens->data[i];
        else if (!checked_add(last->count, tokens->data[i].count, &last->count))
            return false;
    }
    tokens->len = kept;
    return true;
}

typedef VEC(VecCounts) VecBags;

static bool subtract(VecCounts *plus, VecCounts *minus, VecCounts *tokens)
{
    if (!add_up(plus) || !add_up(minus)) return false;
    size_t k = 0;
    for (size_t i = 0; i < plus->len; i++) {
        ColourCount token = plus->data[i];
        while (k < minus->len && minus->data[k].colour < token.colour) k++;
        bool less = k < minus->len && minus->data[k].colour == token.colour;
        uint64_t taken = less ? MIN(minus->data[k].count, token.count) : 0;
        token.count -= taken;
        if (token.count) vec_push(tokens, token);
    }
    return true;
}

/* Children first: their values are on the stack, the first one on top. */
static bool node_tokens(const Pattern *p, const Part *part, const PartNode *node, const uint32_t *binding,
                        Budget *budget, VecBags *stack)
{
    uint32_t sort = p->net->places.data[part->place].sort;
    VecCounts first = {0}, others = {0}, result = {0};
    if (node->op == TERM_TUPLE) {
        const Item *item = vec_from(&p->items, part->item + node->item);
        bool good = item_tokens(p, item, 1, sort, binding, budget, &result);
        vec_push(stack, result);
        return good;
    }
    assert(node->n_children <= stack->len && (stack->data || !node->n_children));
    for (uint32_t i = 0; i < node->n_children; i++) {
        VecCounts child = vec_pop(stack);
        VecCounts *to = i && node->op == TERM_SUBTRACT ? &others : &first;
        vec_append(to, child.data, child.len);
        vec_free(&child);
    }
    bool good = subtract(&first, &others, &result);
    vec_push(stack, result);
    vec_free(&first);
    vec_free(&others);
    return good;
}

static bool nested_tokens(const Pattern *p, const Part *part, const uint32_t *binding, Budget *budget,
                          VecCounts *tokens)
{
    VecBags stack = {0};
    bool good = true;
    for (uint32_t i = part->n_nodes; i-- > 0 && good;)
        good = node_tokens(p, part, &p->part_nodes.data[part->node + i], binding, budget, &stack);
    if (good) vec_append(tokens, stack.data[0].data, stack.data[0].len);
    for (size_t i = 0; i < stack.len; i++) vec_free(&stack.data[i]);
    vec_free(&stack);
    return good;
}

bool pattern_part_tokens(const Pattern *p, const Part *part, const uint32_t *binding, Budget *budget, VecCounts *tokens)
{
    uint32_t sort = p->net->places.data[part->place].sort;
    const Item *items = vec_from(&p->items, part->item);
    if (!part->n_minus) return item_tokens(p, items, part->n_plus, sort, binding, budget, tokens);
    if (part->n_nodes) return nested_tokens(p, part, binding, budget, tokens);
    VecCounts plus = {0}, minus = {0};
    bool good = item_tokens(p, items, part->n_plus, sort, binding, budget, &plus) &&
                item_tokens(p, items + part->n_plus, part->n_minus, sort, binding, budget, &minus) &&
                subtract(&plus, &minus, tokens);
    vec_free(&plus);
    vec_free(&minus);
    return good;
}
