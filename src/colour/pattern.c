#include "colour/pattern_compile.h"

#include "base/compare.h"

#include <stdlib.h>

/* ---- colours ---- */

typedef struct Moves {
    uint64_t shift, block_shift; /* after the variable; after its block */
    uint32_t blocks;
} Moves;

static void add_basic(Compiler *c, Leaf leaf, const Moves *moves, uint32_t sort)
{
    const Sorts *sorts = &c->pattern->net->sorts;
    leaf.size = (uint32_t)sort_at(sorts, sort)->size;
    leaf.shift = (uint32_t)(moves->shift % leaf.size);
    leaf.blocks = moves->blocks;
    if (leaf.blocks != SORT_NONE) leaf.block_shift = (uint32_t)(moves->block_shift % sort_at(sorts, leaf.blocks)->size);
    if (leaf.variable == LEAF_CONSTANT) {
        Leaf moved = leaf;
        moved.variable = 0;
        const uint32_t values[] = {leaf.value};
        leaf.value = pattern_leaf_value(sorts, &moved, values);
    }
    vec_push(&c->pattern->leaves, leaf);
}

static uint32_t leaf_of_variable(const Compiler *c, const Term *term)
{
    uint32_t position = GPOINTER_TO_UINT(g_hash_table_lookup(c->numbers, GUINT_TO_POINTER(term->value + 1))) - 1;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a variable that is used has its place */
    return c->pattern->first_leaf.data[position];
}

void pattern_add_leaves(Compiler *c, const Term *root)
{
    const Sorts *sorts = &c->pattern->net->sorts;
    Moves moves = {0, 0, SORT_NONE};
    for (const Term *term = root; term < root + root->size; term++) {
        switch ((TermOp)term->op) {
        case TERM_TUPLE: continue;
        case TERM_SUCCESSOR:
        case TERM_PREDECESSOR: /* met from outside, so before the block if there is one */
            moves.shift += term->op == TERM_SUCCESSOR ? 1 : sort_at(sorts, term->sort)->size - 1;
            continue;
        case TERM_BLOCK_OF:
            moves.blocks = term->sort;
            moves.block_shift = moves.shift;
            moves.shift = 0;
            continue;
        default: break;
        }
        const Sort *sort = sort_at(sorts, term->sort);
        for (uint32_t i = 0; i < sort->n_leaves; i++) {
            Leaf leaf = {.variable = LEAF_ALL};
            if (term->op == TERM_VARIABLE) leaf.variable = leaf_of_variable(c, term) + i;
            if (term->op == TERM_CONSTANT) leaf.variable = LEAF_CONSTANT, leaf.value = (uint32_t)term->value;
            add_basic(c, leaf, &moves, sort_leaf(sorts, term->sort, i));
        }
        moves = (Moves){0, 0, SORT_NONE};
    }
}

/* ---- truth ---- */

static bool is_comparison(const Term *term)
{
    return term->op >= TERM_EQUAL;
}

static void add_comparison(Compiler *c, const Term *term, TruthNode *node)
{
    const Sorts *sorts = &c->pattern->net->sorts;
    const Term *side = term + 1;
    const Sort *sort[2];
    for (int i = 0; i < 2; i++, side += side->size) {
        *(i ? &node->right : &node->left) = (uint32_t)c->pattern->leaves.len;
        sort[i] = sort_at(sorts, side->sort);
        pattern_add_leaves(c, side);
    }
    node->n = sort[0]->n_leaves;
    for (int i = 0; i < 2; i++) node->start[i] = sort[0] != sort[1] ? sort[i]->start : 0;
}

/* Both sides of a tuple's equality, leaf by leaf. */
static void add_equalities(Compiler *c, const Term *term)
{
    TruthNode node = {0};
    add_comparison(c, term, &node);
    for (uint32_t i = 0; i < node.n; i++) {
        Condition condition = {.equal = true};
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the comparison has just added them */
        condition.left = c->pattern->leaves.data[node.left + i];
        condition.right = c->pattern->leaves.data[node.right + i];
        vec_push(&c->pattern->conditions, condition);
    }
}

static void add_condition(Compiler *c, const Term *root)
{
    Condition condition = {.node = (uint32_t)c->pattern->nodes.len};
    for (const Term *term = root; term < root + root->size;) {
        TruthNode node = {.op = term->op, .n_children = term->n_children, .value = term->value != 0};
        bool comparison = is_comparison(term);
        if (comparison) add_comparison(c, term, &node);
        if (comparison) node.n_children = 0;
        vec_push(&c->pattern->nodes, node);
        term += comparison ? term->size : 1;
    }
    condition.n_nodes = (uint32_t)c->pattern->nodes.len - condition.node;
    for (size_t i = c->pattern->nodes.len; i-- > condition.node;) {
        TruthNode *node = &c->pattern->nodes.data[i];
        node->size = 1;
        for (uint32_t k = 0; k < node->n_children; k++) node->size += node[node->size].size;
    }
    vec_push(&c->pattern->conditions, condition);
}

static void add_guard(Compiler *c, uint32_t guard)
{
    const ColourNet *net = c->pattern->net;
    VecU32 pending = {0};
    vec_push(&pending, guard);
    while (pending.len) {
        uint32_t at = vec_pop(&pending);
        const Term *term = colour_net_term(net, at), *left = term + 1;
        if (term->op == TERM_AND) {
            uint32_t child = at + 1;
            for (uint32_t i = 0; i < term->n_children; i++, child += colour_net_term(net, child)->size)
                vec_push(&pending, child);
        } else if (term->op == TERM_EQUAL && left->sort == left[left->size].sort) {
            add_equalities(c, term);
        } else {
            add_condition(c, term);
        }
    }
    vec_free(&pending);
}

/* ---- variables ---- */

static void find_variables(Compiler *c, uint32_t root)
{
    const Term *first = colour_net_term(c->pattern->net, root);
    for (const Term *term = first; term < first + first->size; term++)
        if (term->op == TERM_VARIABLE && g_hash_table_add(c->numbers, GUINT_TO_POINTER(term->value + 1)))
            vec_push(&c->pattern->variables, (uint32_t)term->value);
}

static void number_variables(Compiler *c)
{
    Pattern *p = c->pattern;
    if (p->variables.len) qsort(p->variables.data, p->variables.len, sizeof *p->variables.data, compare_u32);
    for (size_t i = 0; i < p->variables.len; i++) {
        uint32_t variable = p->variables.data[i], sort = p->net->variables.data[variable].sort;
        g_hash_table_insert(c->numbers, GUINT_TO_POINTER((gulong)variable + 1), GUINT_TO_POINTER(i + 1));
        vec_push(&p->first_leaf, (uint32_t)p->domain.len);
        for (uint32_t k = 0; k < sort_at(&p->net->sorts, sort)->n_leaves; k++)
            vec_push(&p->domain, sort_leaf(&p->net->sorts, sort, k));
    }
    p->n_leaves = (uint32_t)p->domain.len;
}

static void begin(Compiler *c, const ColourNet *net)
{
    c->pattern = g_new0(Pattern, 1);
    c->pattern->net = net;
    c->numbers = g_hash_table_new(NULL, NULL);
}

static Pattern *end(Compiler *c)
{
    g_hash_table_unref(c->numbers);
    c->pattern->truth = g_new0(bool, c->pattern->nodes.len + 1);
    if (c->failed) g_clear_pointer(&c->pattern, pattern_free);
    return c->pattern;
}

Pattern *pattern_of_transition(const ColourNet *net, uint32_t transition, XmlPosition *at, GError **error)
{
    Compiler c = {.at = at, .error = error};
    const ColourTransition *t = &net->transitions.data[transition];
    begin(&c, net);
    for (uint32_t i = 0; i < t->n_arcs; i++) find_variables(&c, net->arcs.data[t->arc + i].inscription);
    if (t->guard != TERM_NONE) find_variables(&c, t->guard);
    number_variables(&c);
    for (uint32_t i = 0; i < t->n_arcs && !c.failed; i++) {
        const ColourArc *arc = &net->arcs.data[t->arc + i];
        pattern_add_parts(&c, (Part){.arc = t->arc + i, .place = arc->place, .output = arc->output}, arc->inscription);
    }
    if (t->guard != TERM_NONE && !c.failed) add_guard(&c, t->guard);
    return end(&c);
}

Pattern *pattern_of_marking(const ColourNet *net, uint32_t place, XmlPosition *at, GError **error)
{
    Compiler c = {.at = at, .error = error};
    begin(&c, net);
    if (net->places.data[place].marking != TERM_NONE)
        pattern_add_parts(&c, (Part){.arc = place, .place = place, .output = true}, net->places.data[place].marking);
    return end(&c);
}

void pattern_free(Pattern *p)
{
    if (!p) return;
    vec_free(&p->variables);
    vec_free(&p->first_leaf);
    vec_free(&p->domain);
    vec_free(&p->leaves);
    vec_free(&p->items);
    vec_free(&p->parts);
    vec_free(&p->part_nodes);
    vec_free(&p->nodes);
    vec_free(&p->conditions);
    g_free(p->truth);
    g_free(p);
}
