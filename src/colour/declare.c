#include "colour/draft.h"

#include <errno.h>
#include <stdlib.h>

/* Sorts name sorts, and so on: elements whose sort is being found. */
typedef struct Search {
    Draft *draft;
    VecU32 stack;
    GHashTable *open; /* elements on it */
} Search;

static bool fail_at(Draft *draft, const Element *e, const char *message)
{
    draft_fail(draft, e->at, ERROR_INPUT, "<%s>: %s", draft_element_name(e->kind), message);
    return false;
}

static bool read_integer(Draft *draft, const Element *e, const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    if (!text || !*text) return fail_at(draft, e, "a number is expected");
    *value = g_ascii_strtoll(text, &end, 10);
    if (*end) return fail_at(draft, e, "an attribute is not an integer");
    if (errno) return fail_at(draft, e, "a number does not fit 64 bits");
    return true;
}

/* ---- ids ---- */

static bool has_id(Draft *draft, const Element *e)
{
    return (e->text[0] && *e->text[0]) || fail_at(draft, e, "it has no id");
}

static void taken(Draft *draft, const Element *e)
{
    draft_fail(draft, e->at, ERROR_INPUT, "the id \"%s\" is declared twice", error_excerpt(e->text[0], SIZE_MAX).text);
}

/* An id of several constants is only a mistake where it is used. */
static void add_operator(Draft *draft, const Element *e, Operator operator)
{
    Operator *known = g_hash_table_lookup(draft->operators, e->text[0]);
    if (known)
        known->kind = OPERATOR_AMBIGUOUS;
    else
        g_hash_table_insert(draft->operators, (gpointer)e->text[0], g_memdup2(&operator, sizeof operator));
}

Operator declare_operator(const Draft *draft, const char *id)
{
    const Operator *known = id ? g_hash_table_lookup(draft->operators, id) : NULL;
    return known ? *known : (Operator){OPERATOR_UNKNOWN, 0, 0, 0};
}

/* ---- sorts ---- */

/* What the children of an enumeration or partition are called: by their names when all are different. */
static bool add_names(Draft *draft, uint32_t element, uint32_t first, ElementKind kind, uint32_t sort)
{
    const Element *e = draft_element(draft, element);
    g_autoptr(GHashTable) ids = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    bool by_name = true;
    for (uint32_t c = first; c < element + e->size; c += draft_element(draft, c)->size) {
        const Element *child = draft_element(draft, c);
        if (child->kind != kind) return fail_at(draft, child, "it does not belong here");
        if (!has_id(draft, child)) return false;
        if (!g_hash_table_add(ids, (gpointer)child->text[0])) {
            taken(draft, child);
            return false;
        }
        by_name = by_name && child->text[1] && *child->text[1] && g_hash_table_add(names, (gpointer)child->text[1]);
    }
    uint32_t colour = 0;
    for (uint32_t c = first; c < element + e->size; c += draft_element(draft, c)->size) {
        const Element *child = draft_element(draft, c);
        sorts_add_name(&draft->net->sorts, sort, child->text[by_name]);
        add_operator(draft, child, (Operator){OPERATOR_CONSTANT, sort, colour++, 0});
    }
    return colour > 0 || fail_at(draft, e, "it has no colours");
}

static uint32_t make_enumeration(Draft *draft, uint32_t element)
{
    bool cyclic = draft_element(draft, element)->kind == ELEMENT_CYCLIC_ENUMERATION;
    uint32_t sort = sorts_new(&draft->net->sorts, cyclic ? SORT_CYCLIC : SORT_FINITE);
    return add_names(draft, element, element + 1, ELEMENT_ENUMERATION_CONSTANT, sort) ? sort : SORT_NONE;
}

static uint32_t make_range(Draft *draft, uint32_t element)
{
    const Element *e = draft_element(draft, element);
    int64_t start, end;
    if (!read_integer(draft, e, e->text[0], &start) || !read_integer(draft, e, e->text[1], &end)) return SORT_NONE;
    uint32_t sort = sorts_range(&draft->net->sorts, start, end);
    if (sort == SORT_NONE)
        draft_fail(draft, e->at, start > end ? ERROR_INPUT : ERROR_LIMIT,
                   "the range %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT " has %s colours", start, end,
                   start > end ? "no" : "more than 2^32 - 2");
    return sort;
}

/* All children's sorts are known. */
static uint32_t make_product(Draft *draft, uint32_t element)
{
    const Element *e = draft_element(draft, element);
    VecU32 leaves = {0};
    for (uint32_t c = element + 1; c < element + e->size; c += draft_element(draft, c)->size) {
        const Sort *sort = sort_at(&draft->net->sorts, draft->sort_of.data[c]);
        if (sort->n_leaves) vec_append(&leaves, draft->net->sorts.leaves.data + sort->leaf, sort->n_leaves);
        if (leaves.len > SORT_MAX_LEAVES) break;
    }
    uint32_t sort = leaves.len ? sorts_product(&draft->net->sorts, leaves.data, leaves.len) : SORT_NONE;
    if (!leaves.len)
        fail_at(draft, e, "it has no parts");
    else if (sort == SORT_NONE)
        draft_fail(draft, e->at, ERROR_LIMIT, "this product has more than %d parts or 2^63 colours", SORT_MAX_LEAVES);
    vec_free(&leaves);
    return sort;
}

/* The colour of the base sort that a child of <partitionelement> names. */
static bool block_member(Draft *draft, uint32_t element, uint32_t base, uint32_t *colour)
{
    const Element *e = draft_element(draft, element);
    const Sort *sort = sort_at(&draft->net->sorts, base);
    int64_t value;
    if (e->kind == ELEMENT_RANGE_CONSTANT && sort->kind == SORT_RANGE) {
        if (!read_integer(draft, e, e->text[0], &value)) return false;
        if (value < sort->start || (uint64_t)value - (uint64_t)sort->start >= sort->size)
            return fail_at(draft, e, "the range that is cut up does not hold it");
        *colour = (uint32_t)(value - sort->start);
        return true;
    }
    Operator operator= declare_operator(draft, e->kind == ELEMENT_USER_OPERATOR ? e->text[0] : NULL);
    if (operator.kind != OPERATOR_CONSTANT || operator.sort != base)
        return fail_at(draft, e, "it is no colour of the sort that is cut up");
    *colour = operator.colour;
    return true;
}

static uint32_t make_blocks(Draft *draft, uint32_t element)
{
    Sorts *sorts = &draft->net->sorts;
    const Element *e = draft_element(draft, element);
    uint32_t base = draft->sort_of.data[element + 1], first = element + 1 + draft_element(draft, element + 1)->size;
    if (sort_at(sorts, base)->n_leaves != 1 || sort_at(sorts, base)->kind == SORT_BLOCKS)
        return fail_at(draft, e, "only dot, enumerations and ranges are cut up"), SORT_NONE;
    uint32_t blocks = sorts_new(sorts, SORT_BLOCKS), size = (uint32_t)sort_at(sorts, base)->size;
    sorts->sorts.data[blocks].base = base;
    if (!add_names(draft, element, first, ELEMENT_PARTITION_ELEMENT, blocks)) return SORT_NONE;
    /* No more memory than the file is long. */
    if (e->size < size) return fail_at(draft, e, "a colour of the sort is in no block"), SORT_NONE;
    g_autofree uint32_t *block_of = g_new0(uint32_t, size);
    uint32_t block = 1, n = 0;
    for (uint32_t b = first; b < element + e->size; b += draft_element(draft, b)->size, block++)
        for (uint32_t c = b + 1; c < b + draft_element(draft, b)->size; c += draft_element(draft, c)->size, n++) {
            uint32_t colour;
            if (!block_member(draft, c, base, &colour)) return SORT_NONE;
            if (block_of[colour]) return fail_at(draft, draft_element(draft, c), "it is in two blocks"), SORT_NONE;
            block_of[colour] = block;
        }
    if (n < size) return fail_at(draft, e, "a colour of the sort is in no block"), SORT_NONE;
    for (uint32_t i = 0; i < size; i++) vec_push(&sorts->blocks, block_of[i] - 1);
    return blocks;
}

static bool push(Search *s, uint32_t element)
{
    if (!g_hash_table_add(s->open, GUINT_TO_POINTER(element))) {
        draft_fail(s->draft, draft_element(s->draft, element)->at, ERROR_INPUT, "this sort is made of itself");
        return false;
    }
    vec_push(&s->stack, element);
    return true;
}

/* The element whose sort must be known first, or TERM_NONE. */
static uint32_t first_unknown(const Draft *draft, uint32_t element)
{
    const Element *e = draft_element(draft, element);
    uint32_t end = element + (e->kind == ELEMENT_PARTITION ? MIN(e->size, 2) : e->size);
    for (uint32_t c = element + 1; c < end; c += draft_element(draft, c)->size)
        if (draft->sort_of.data[c] == SORT_NONE) return c;
    return TERM_NONE;
}

static uint32_t user_sort(Draft *draft, const Element *e)
{
    gpointer named = e->text[0] ? g_hash_table_lookup(draft->sorts, e->text[0]) : NULL;
    if (named) return GPOINTER_TO_UINT(named) - 1;
    draft_fail(draft, e->at, ERROR_INPUT, "there is no sort \"%s\"",
               error_excerpt(e->text[0] ? e->text[0] : "", SIZE_MAX).text);
    return TERM_NONE;
}

static bool is_plain_dot(const Draft *draft, const Element *e)
{
    return e->kind == ELEMENT_DOT || (e->kind == ELEMENT_USER_SORT && e->text[0] && strcmp(e->text[0], "dot") == 0 &&
                                      !g_hash_table_contains(draft->sorts, e->text[0]));
}

/* One step for the element on top: its sort is found, or what must be known before is put on top. */
static bool find_sort(Search *s, uint32_t element)
{
    Draft *draft = s->draft;
    const Element *e = draft_element(draft, element);
    uint32_t *sort = &draft->sort_of.data[element], other = TERM_NONE;
    bool named = e->kind == ELEMENT_NAMED_SORT;
    if (named && e->n_children != 1) return fail_at(draft, e, "one sort is expected inside");
    if (e->kind == ELEMENT_PARTITION && !e->n_children) return fail_at(draft, e, "a sort is expected inside");
    if (is_plain_dot(draft, e)) {
        *sort = 0;
    } else if (e->kind == ELEMENT_USER_SORT) {
        other = user_sort(draft, e);
        if (other == TERM_NONE) return false;
        if (draft->sort_of.data[other] == SORT_NONE) return push(s, other);
        *sort = draft->sort_of.data[other];
    } else if (e->kind == ELEMENT_FINITE_ENUMERATION || e->kind == ELEMENT_CYCLIC_ENUMERATION) {
        *sort = make_enumeration(draft, element);
    } else if (e->kind == ELEMENT_RANGE) {
        *sort = make_range(draft, element);
    } else if (named || e->kind == ELEMENT_PRODUCT || e->kind == ELEMENT_PARTITION) {
        if ((other = first_unknown(draft, element)) != TERM_NONE) return push(s, other);
        *sort = named                        ? draft->sort_of.data[element + 1]
                : e->kind == ELEMENT_PRODUCT ? make_product(draft, element)
                                             : make_blocks(draft, element);
    } else {
        return fail_at(draft, e, "it is no sort");
    }
    g_hash_table_remove(s->open, GUINT_TO_POINTER(element));
    s->stack.len--;
    return draft->sort_of.data[element] != SORT_NONE;
}

uint32_t declare_sort(Draft *draft, uint32_t element)
{
    if (draft->sort_of.data[element] != SORT_NONE) return draft->sort_of.data[element];
    Search s = {.draft = draft, .open = g_hash_table_new(NULL, NULL)};
    bool good = push(&s, element);
    while (good && s.stack.len) good = find_sort(&s, vec_last(&s.stack));
    vec_free(&s.stack);
    g_hash_table_unref(s.open);
    return good ? draft->sort_of.data[element] : SORT_NONE;
}

/* ---- declarations ---- */

static void enter_declaration(Draft *draft, uint32_t element)
{
    const Element *e = draft_element(draft, element);
    switch (e->kind) {
    case ELEMENT_NAMED_SORT:
    case ELEMENT_PARTITION:
        if (has_id(draft, e) && !g_hash_table_insert(draft->sorts, (gpointer)e->text[0], GUINT_TO_POINTER(element + 1)))
            taken(draft, e);
        break;
    case ELEMENT_NAMED_OPERATOR:
        if (has_id(draft, e)) add_operator(draft, e, (Operator){OPERATOR_NAMED, 0, 0, element});
        break;
    case ELEMENT_VARIABLE_DECLARATION: has_id(draft, e); break;
    default: fail_at(draft, e, "it declares nothing");
    }
}

static void declare_variable(Draft *draft, uint32_t element)
{
    const Element *e = draft_element(draft, element);
    if (e->n_children != 1) {
        fail_at(draft, e, "one sort is expected inside");
        return;
    }
    ColourVariable variable = {e->text[0], e->text[1] && *e->text[1] ? e->text[1] : e->text[0],
                               declare_sort(draft, element + 1)};
    size_t number = draft->net->variables.len;
    if (!g_hash_table_insert(draft->variables, (gpointer)variable.id, GUINT_TO_POINTER(number + 1))) taken(draft, e);
    vec_push(&draft->net->variables, variable);
}

/* Parameters of operators are variables too; where the operator is used their terms take their place. */
static void declare_variables(Draft *draft)
{
    for (size_t i = 0; i < draft->declarations.len && !xml_failed(draft->xml); i++) {
        uint32_t element = draft->declarations.data[i];
        if (draft_element(draft, element)->kind == ELEMENT_VARIABLE_DECLARATION) declare_variable(draft, element);
    }
}

/* A name that two variables share, or that is the id of another one, does not tell which one has which value. */
static void tell_variables_apart(const Draft *draft)
{
    const ColourNet *net = draft->net;
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < net->variables.len; i++) {
        uint32_t n = GPOINTER_TO_UINT(g_hash_table_lookup(names, net->variables.data[i].name));
        g_hash_table_insert(names, (gpointer)net->variables.data[i].name, GUINT_TO_POINTER(n + 1));
    }
    for (size_t i = 0; i < net->variables.len; i++) {
        ColourVariable *v = &net->variables.data[i];
        bool shared = GPOINTER_TO_UINT(g_hash_table_lookup(names, v->name)) > 1;
        if (shared || g_hash_table_contains(draft->variables, v->name)) v->name = v->id;
    }
}

void declare_all(Draft *draft)
{
    draft->sorts = g_hash_table_new(g_str_hash, g_str_equal);
    draft->variables = g_hash_table_new(g_str_hash, g_str_equal);
    draft->operators = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    vec_reserve(&draft->sort_of, draft->elements.len);
    for (size_t i = 0; i < draft->elements.len; i++) vec_push(&draft->sort_of, SORT_NONE);
    for (size_t i = 0; i < draft->declarations.len && !xml_failed(draft->xml); i++)
        enter_declaration(draft, draft->declarations.data[i]);
    for (size_t i = 0; i < draft->declarations.len && !xml_failed(draft->xml); i++) {
        const Element *e = draft_element(draft, draft->declarations.data[i]);
        if (e->kind == ELEMENT_NAMED_SORT || e->kind == ELEMENT_PARTITION)
            declare_sort(draft, draft->declarations.data[i]);
    }
    declare_variables(draft);
    tell_variables_apart(draft);
}
