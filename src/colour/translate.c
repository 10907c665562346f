#include "colour/draft.h"

#include "base/exact.h"

#include <assert.h>

/* What operators with definitions may make of one term: more is a circle, or as good as one. */
enum { MAX_STEPS = 1000000 };

/* Inside the definition of an operator: what its parameters stand for. */
typedef struct Scope {
    uint32_t operator, call; /* elements */
    uint32_t outer;          /* the scope of the call + 1; 0: none */
} Scope;

typedef struct Pending {
    uint32_t element, scope; /* scope + 1 */
} Pending;

typedef struct Translation {
    Draft *draft;
    uint32_t sort; /* that is wanted */
    VecTerm *terms;
    uint32_t root;
    VEC(Pending) pending;
    VEC(Scope) scopes;
    uint32_t steps;
} Translation;

static bool fail(Draft *draft, XmlPosition at, const char *message)
{
    draft_fail(draft, at, ERROR_INPUT, "%s", message);
    return false;
}

static bool read_natural(Draft *draft, const Element *e, uint64_t *value)
{
    const char *at = e->text[0];
    *value = 0;
    if (!at || !*at) return fail(draft, e->at, "a number is expected");
    for (; *at; at++)
        if (!g_ascii_isdigit(*at))
            return fail(draft, e->at, "a natural number is expected");
        else if (!checked_multiply(*value, 10, value) || !checked_add(*value, (uint64_t)(*at - '0'), value))
            return fail(draft, e->at, "this number is larger than 2^64 - 1");
    return true;
}

/* ---- elements to terms, in preorder ---- */

static const struct {
    uint8_t element, op;
    uint32_t least, most; /* children */
} operations[] = {
    {ELEMENT_TUPLE, TERM_TUPLE, 1, UINT32_MAX},
    {ELEMENT_ADD, TERM_ADD, 1, UINT32_MAX},
    {ELEMENT_SUBTRACT, TERM_SUBTRACT, 2, UINT32_MAX},
    {ELEMENT_SUCCESSOR, TERM_SUCCESSOR, 1, 1},
    {ELEMENT_PREDECESSOR, TERM_PREDECESSOR, 1, 1},
    {ELEMENT_PARTITION_ELEMENT_OF, TERM_BLOCK_OF, 1, 1},
    {ELEMENT_AND, TERM_AND, 1, UINT32_MAX},
    {ELEMENT_OR, TERM_OR, 1, UINT32_MAX},
    {ELEMENT_NOT, TERM_NOT, 1, 1},
    {ELEMENT_IMPLY, TERM_IMPLY, 2, 2},
    {ELEMENT_EQUALITY, TERM_EQUAL, 2, 2},
    {ELEMENT_INEQUALITY, TERM_UNEQUAL, 2, 2},
    {ELEMENT_LESS, TERM_LESS, 2, 2},
    {ELEMENT_AT_MOST, TERM_AT_MOST, 2, 2},
    {ELEMENT_GREATER, TERM_GREATER, 2, 2},
    {ELEMENT_AT_LEAST, TERM_AT_LEAST, 2, 2},
    {ELEMENT_BLOCK_LESS, TERM_LESS, 2, 2},
    {ELEMENT_BLOCK_GREATER, TERM_GREATER, 2, 2},
};

static void wait_for(Translation *t, uint32_t element, uint32_t scope)
{
    vec_push(&t->pending, ((Pending){element, scope}));
}

/* The children from `first` on, so that the leftmost comes next. */
static void wait_for_children(Translation *t, uint32_t element, uint32_t first, uint32_t scope)
{
    const Element *e = draft_element(t->draft, element);
    size_t from = t->pending.len;
    for (uint32_t c = first; c < element + e->size; c += draft_element(t->draft, c)->size) wait_for(t, c, scope);
    for (size_t i = from, k = t->pending.len; i + 1 < k; i++) {
        Pending swap = t->pending.data[i];
        t->pending.data[i] = t->pending.data[--k];
        t->pending.data[k] = swap;
    }
}

static bool add_constant(Translation *t, const Element *e, uint32_t sort, uint32_t colour)
{
    Term term = {.op = TERM_CONSTANT, .sort = sort, .value = colour, .at = e->at};
    vec_push(t->terms, term);
    return true;
}

static bool add_range_constant(Translation *t, uint32_t element)
{
    const Element *e = draft_element(t->draft, element);
    uint32_t sort = e->n_children == 1 ? declare_sort(t->draft, element + 1) : SORT_NONE;
    if (xml_failed(t->draft->xml)) return false;
    if (sort == SORT_NONE || sort_at(&t->draft->net->sorts, sort)->kind != SORT_RANGE)
        return fail(t->draft, e->at, "a <finiteintrange> is expected in this constant");
    const Sort *range = sort_at(&t->draft->net->sorts, sort);
    char *end = NULL;
    const char *text = e->text[0] ? e->text[0] : "";
    gint64 value = g_ascii_strtoll(text, &end, 10);
    if (!*text || *end || value < range->start || (uint64_t)(value - range->start) >= range->size)
        return fail(t->draft, e->at, "the value of this constant is not in its range");
    return add_constant(t, e, sort, (uint32_t)(value - range->start));
}

/* Does the sort that is wanted have this one among its leaves? */
static bool is_wanted_leaf(const Translation *t, uint32_t basic)
{
    const Sorts *sorts = &t->draft->net->sorts;
    for (uint32_t i = 0; i < sort_at(sorts, t->sort)->n_leaves; i++)
        if (sort_leaf(sorts, t->sort, i) == basic) return true;
    return false;
}

/* A block among tokens that are no blocks stands for its colours. */
static bool add_block(Translation *t, const Element *e, uint32_t sort, uint32_t block)
{
    const Sorts *sorts = &t->draft->net->sorts;
    const Sort *blocks = sort_at(sorts, sort);
    uint32_t size = (uint32_t)sort_at(sorts, blocks->base)->size, first = blocks->block, n = 0;
    for (uint32_t i = 0; i < size; i++) n += sorts->blocks.data[first + i] == block;
    Term sum = {.op = n ? TERM_ADD : TERM_EMPTY, .n_children = n, .sort = blocks->base, .at = e->at};
    vec_push(t->terms, sum);
    for (uint32_t i = 0; i < size; i++)
        if (sorts->blocks.data[first + i] == block) add_constant(t, e, blocks->base, i);
    t->steps += n;
    return true;
}

/* The argument of the call of this scope's operator whose parameter has this id, or TERM_NONE. */
static uint32_t argument(const Draft *draft, const Scope *scope, const char *id)
{
    const Element *op = draft_element(draft, scope->operator);
    uint32_t end = scope->operator+ op->size, argument = scope->call + 1;
    for (uint32_t c = scope->operator+ 1; c < end; c += draft_element(draft, c)->size) {
        if (draft_element(draft, c)->kind != ELEMENT_PARAMETER) continue;
        uint32_t last = c + draft_element(draft, c)->size;
        for (uint32_t v = c + 1; v < last; v += draft_element(draft, v)->size) {
            const Element *parameter = draft_element(draft, v);
            if (argument >= scope->call + draft_element(draft, scope->call)->size) return TERM_NONE;
            if (parameter->text[0] && strcmp(parameter->text[0], id) == 0) return argument;
            argument += draft_element(draft, argument)->size;
        }
    }
    return TERM_NONE;
}

static bool add_variable(Translation *t, const Element *e, uint32_t scope)
{
    const char *id = e->text[0] ? e->text[0] : "";
    uint32_t instead = scope ? argument(t->draft, &t->scopes.data[scope - 1], id) : TERM_NONE;
    if (instead != TERM_NONE) {
        wait_for(t, instead, t->scopes.data[scope - 1].outer);
        return true;
    }
    uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(t->draft->variables, id));
    if (!number) {
        draft_fail(t->draft, e->at, ERROR_INPUT, "there is no variable \"%s\"", error_excerpt(id, SIZE_MAX).text);
        return false;
    }
    Term term = {.op = TERM_VARIABLE, .value = number - 1, .at = e->at};
    term.sort = t->draft->net->variables.data[number - 1].sort;
    vec_push(t->terms, term);
    return true;
}

/* The definition takes the place of the call. */
static bool enter_operator(Translation *t, uint32_t call, uint32_t operator, uint32_t scope)
{
    const Draft *draft = t->draft;
    const Element *op = draft_element(draft, operator), *e = draft_element(draft, call);
    uint32_t body = TERM_NONE, parameters = 0;
    for (uint32_t c = operator+ 1; c < operator+ op->size; c += draft_element(draft, c)->size) {
        const Element *part = draft_element(draft, c);
        if (part->kind == ELEMENT_PARAMETER) parameters += part->n_children;
        if (part->kind == ELEMENT_DEFINITION && part->n_children == 1) body = c + 1;
    }
    if (body == TERM_NONE) return fail(t->draft, op->at, "this operator has no <def> with one term");
    if (parameters != e->n_children)
        return fail(t->draft, e->at, "this operator is given another number of arguments than it has parameters");
    vec_push(&t->scopes, ((Scope){operator, call, scope}));
    wait_for(t, body, (uint32_t)t->scopes.len);
    return true;
}

static bool add_operator(Translation *t, uint32_t element, uint32_t scope)
{
    const Element *e = draft_element(t->draft, element);
    Operator operator= declare_operator(t->draft, e->text[0]);
    const char *id = e->text[0] ? e->text[0] : "";
    switch (operator.kind) {
    case OPERATOR_CONSTANT:
        if (t->sort != SORT_NONE && sort_at(&t->draft->net->sorts, operator.sort)->kind == SORT_BLOCKS &&
            !is_wanted_leaf(t, operator.sort))
            return add_block(t, e, operator.sort, operator.colour);
        return add_constant(t, e, operator.sort, operator.colour);
    case OPERATOR_NAMED: return enter_operator(t, element, operator.element, scope);
    default:
        if (operator.kind == OPERATOR_UNKNOWN && strcmp(id, "dot") == 0) return add_constant(t, e, 0, 0); /* TAPAAL */
        draft_fail(
            t->draft, e->at,
            ERROR_INPUT, operator.kind == OPERATOR_UNKNOWN ? "there is no operator \"%s\"" : "\"%s\" is declared twice",
            error_excerpt(id, SIZE_MAX).text);
        return false;
    }
}

/* <numberof> and <scalarproduct>: a number and what is multiplied; without a number, one. */
static bool add_product(Translation *t, uint32_t element, uint32_t scope)
{
    const Element *e = draft_element(t->draft, element);
    uint32_t first = element + 1;
    Term term = {.op = TERM_TIMES, .value = 1, .n_children = 1, .at = e->at};
    if (e->n_children && draft_element(t->draft, first)->kind == ELEMENT_NUMBER) {
        if (!read_natural(t->draft, draft_element(t->draft, first), &term.value)) return false;
        first += draft_element(t->draft, first)->size;
    }
    if (e->n_children - (first != element + 1) != 1)
        return fail(t->draft, e->at, "a number and a term are expected inside");
    vec_push(t->terms, term);
    wait_for_children(t, element, first, scope);
    return true;
}

static bool add_over_sort(Translation *t, uint32_t element, TermOp op)
{
    const Element *e = draft_element(t->draft, element);
    if (e->n_children != 1) return fail(t->draft, e->at, "one sort is expected inside");
    Term term = {.op = (uint8_t)op, .sort = declare_sort(t->draft, element + 1), .at = e->at};
    vec_push(t->terms, term);
    return term.sort != SORT_NONE;
}

static bool add_truth(Translation *t, const Element *e)
{
    const char *text = e->text[0] ? e->text[0] : "";
    bool yes = strcmp(text, "true") == 0;
    if (!yes && strcmp(text, "false") != 0) return fail(t->draft, e->at, "true or false is expected");
    Term term = {.op = TERM_TRUTH, .value = yes, .at = e->at};
    vec_push(t->terms, term);
    return true;
}

static bool add_operation(Translation *t, uint32_t element, uint32_t scope)
{
    const Element *e = draft_element(t->draft, element);
    for (size_t i = 0; i < G_N_ELEMENTS(operations); i++) {
        if (operations[i].element != e->kind) continue;
        if (e->n_children < operations[i].least || e->n_children > operations[i].most) {
            draft_fail(t->draft, e->at, ERROR_INPUT, "<%s> has %u terms inside; %s %u expected",
                       draft_element_name(e->kind), e->n_children,
                       operations[i].most == UINT32_MAX ? "at least" : "exactly", operations[i].least);
            return false;
        }
        Term term = {.op = operations[i].op, .n_children = e->n_children, .at = e->at, .sort = SORT_NONE};
        if (e->kind == ELEMENT_PARTITION_ELEMENT_OF) {
            gpointer named = e->text[0] ? g_hash_table_lookup(t->draft->sorts, e->text[0]) : NULL;
            if (!named) return fail(t->draft, e->at, "there is no partition of that name");
            term.sort = declare_sort(t->draft, GPOINTER_TO_UINT(named) - 1);
        }
        vec_push(t->terms, term);
        wait_for_children(t, element, element + 1, scope);
        return true;
    }
    draft_fail(t->draft, e->at, ERROR_INPUT, "<%s> is no term", draft_element_name(e->kind));
    return false;
}

static bool add_term(Translation *t, uint32_t element, uint32_t scope)
{
    const Element *e = draft_element(t->draft, element);
    switch (e->kind) {
    case ELEMENT_VARIABLE: return add_variable(t, e, scope);
    case ELEMENT_USER_OPERATOR: return add_operator(t, element, scope);
    case ELEMENT_DOT_CONSTANT: return add_constant(t, e, 0, 0);
    case ELEMENT_RANGE_CONSTANT: return add_range_constant(t, element);
    case ELEMENT_ALL: return add_over_sort(t, element, TERM_ALL);
    case ELEMENT_EMPTY: return add_over_sort(t, element, TERM_EMPTY);
    case ELEMENT_BOOLEAN: return add_truth(t, e);
    case ELEMENT_NUMBER_OF:
    case ELEMENT_SCALAR_PRODUCT: return add_product(t, element, scope);
    default: return add_operation(t, element, scope);
    }
}

/* ---- types, children first ---- */

static bool wrong_sort(Draft *draft, const Term *term)
{
    return fail(draft, term->at, "the sorts of this term do not fit together");
}

static bool type_tuple(Translation *t, Term *term)
{
    Sorts *sorts = &t->draft->net->sorts;
    VecU32 leaves = {0};
    const Term *child = term + 1;
    term->type = TERM_IS_COLOUR;
    bool good = true;
    for (uint32_t i = 0; i < term->n_children && good; i++, child += child->size) {
        good = child->type != TERM_IS_TRUTH;
        if (!good) break;
        if (child->type == TERM_IS_MULTISET) term->type = TERM_IS_MULTISET;
        const Sort *sort = sort_at(sorts, child->sort);
        if (sort->n_leaves) vec_append(&leaves, sorts->leaves.data + sort->leaf, sort->n_leaves);
        good = leaves.len <= SORT_MAX_LEAVES;
    }
    if (good) term->sort = sorts_product(sorts, leaves.data, leaves.len);
    vec_free(&leaves);
    if (good && term->sort != SORT_NONE) return true;
    return fail(t->draft, term->at, "a tuple is made of colours and tokens, and has at most 64 parts and 2^63 colours");
}

/* All children are of one type and sort; those of multisets may be colours. */
static bool same_children(const Term *term, TermType type)
{
    const Term *first = term + 1, *child = first;
    for (uint32_t i = 0; i < term->n_children; i++, child += child->size) {
        bool lifted = type == TERM_IS_MULTISET && child->type == TERM_IS_COLOUR;
        if (child->type != type && !lifted) return false;
        if (type != TERM_IS_TRUTH && child->sort != first->sort) return false;
    }
    return true;
}

/* Of =, <= and so on: of one sort, or of two ranges, whose numbers are compared. */
static bool comparable(const Translation *t, const Term *term)
{
    const Sorts *sorts = &t->draft->net->sorts;
    const Term *a = term + 1, *b = a + a->size;
    if (a->type != TERM_IS_COLOUR || b->type != TERM_IS_COLOUR) return false;
    bool order = term->op != TERM_EQUAL && term->op != TERM_UNEQUAL;
    if (a->sort != b->sort)
        return sort_at(sorts, a->sort)->kind == SORT_RANGE && sort_at(sorts, b->sort)->kind == SORT_RANGE;
    return !order || sort_at(sorts, a->sort)->n_leaves == 1;
}

static bool type_term(Translation *t, Term *term)
{
    const Sorts *sorts = &t->draft->net->sorts;
    const Term *child = term + 1;
    switch ((TermOp)term->op) {
    case TERM_VARIABLE:
    case TERM_CONSTANT: term->type = TERM_IS_COLOUR; return true;
    case TERM_ALL:
    case TERM_EMPTY: term->type = TERM_IS_MULTISET; return true;
    case TERM_TUPLE: return type_tuple(t, term);
    case TERM_TIMES:
    case TERM_ADD:
    case TERM_SUBTRACT:
        term->type = TERM_IS_MULTISET;
        term->sort = child->sort;
        return same_children(term, TERM_IS_MULTISET);
    case TERM_SUCCESSOR:
    case TERM_PREDECESSOR:
        term->type = TERM_IS_COLOUR;
        term->sort = child->sort;
        return child->type == TERM_IS_COLOUR && sort_at(sorts, child->sort)->n_leaves == 1;
    case TERM_BLOCK_OF:
        term->type = TERM_IS_COLOUR;
        return term->sort != SORT_NONE && sort_at(sorts, term->sort)->kind == SORT_BLOCKS &&
               child->type == TERM_IS_COLOUR && sort_at(sorts, term->sort)->base == child->sort;
    case TERM_TRUTH: term->type = TERM_IS_TRUTH; return true;
    case TERM_AND:
    case TERM_OR:
    case TERM_NOT:
    case TERM_IMPLY: term->type = TERM_IS_TRUTH; return same_children(term, TERM_IS_TRUTH);
    default: term->type = TERM_IS_TRUTH; return comparable(t, term);
    }
}

static bool type_all(Translation *t)
{
    for (size_t i = t->terms->len; i-- > t->root;) {
        Term *term = &t->terms->data[i];
        term->size = 1;
        for (uint32_t k = 0; k < term->n_children; k++) term->size += term[term->size].size;
        if (!type_term(t, term)) return wrong_sort(t->draft, term);
    }
    return true;
}

static bool is_wanted(Translation *t, uint32_t sort)
{
    const Term *root = &t->terms->data[t->root];
    if (sort == SORT_NONE)
        return root->type == TERM_IS_TRUTH || fail(t->draft, root->at, "a condition that is true or false is expected");
    if (root->type == TERM_IS_TRUTH) return fail(t->draft, root->at, "tokens are expected, not a condition");
    return root->sort == sort || fail(t->draft, root->at, "these tokens are not of the sort of their place");
}

uint32_t translate_term(Draft *draft, uint32_t element, uint32_t sort)
{
    Translation t = {.draft = draft, .terms = &draft->net->terms, .sort = sort};
    t.root = (uint32_t)t.terms->len;
    wait_for(&t, element, 0);
    bool good = true;
    while (good && t.pending.len) {
        Pending next = vec_pop(&t.pending);
        uint32_t many = draft_element(draft, element)->size;
        good = ++t.steps <= MAX_STEPS || t.steps <= many ||
               fail(draft, draft_element(draft, element)->at, "operators define each other, or a term without end");
        good = good && !xml_spent(draft->xml);
        good = good && add_term(&t, next.element, next.scope);
    }
    good = good && type_all(&t) && is_wanted(&t, sort);
    vec_free(&t.pending);
    vec_free(&t.scopes);
    return good ? t.root : TERM_NONE;
}
