/* The terms of one transition (or marking) made ready for expansion: every inscription is a list of items, an item is
 * a count and, for each leaf of the place's sort, where its colour comes from. Guards are split into conditions that
 * hold together.
 *
 * The leaves of the sorts of a transition's variables are numbered from 0; an array with a colour for each is a
 * binding. Variables come in the order in which they are declared. */
#pragma once
#include "colour/net.h"

#include "base/budget.h"

#define LEAF_CONSTANT UINT32_MAX
#define LEAF_ALL (UINT32_MAX - 1)

/* One colour of a basic sort: a constant, all there are, or made of a variable's leaf: moved by `shift` in a sort of
 * `size` colours, then, if there is a partition, the block of that, moved again. */
typedef struct Leaf {
    uint32_t variable; /* or one of the above */
    uint32_t value;    /* of the constant */
    uint32_t shift, size;
    uint32_t blocks; /* the sort of the blocks, or SORT_NONE */
    uint32_t block_shift;
} Leaf;

typedef struct Item {
    uint64_t count; /* not 0 */
    uint32_t leaf;  /* slice of the pattern's leaves, as many as the place's sort has */
    bool all;       /* one of them is LEAF_ALL */
} Item;

/* What an inscription adds up: the items of `plus`, minus those of `minus` but never below 0. Where there are
 * subtractions inside a subtraction, nodes say how its items are put together, and there is something in `minus`. */
typedef struct Part {
    uint32_t arc; /* of the net; for markings: the place */
    uint32_t place;
    bool output;
    uint32_t item, n_plus, n_minus;
    uint32_t node, n_nodes; /* slice of the pattern's part_nodes, in preorder */
} Part;

typedef struct PartNode {
    uint8_t op; /* TERM_ADD, TERM_SUBTRACT, or TERM_TUPLE: an item */
    uint32_t n_children;
    uint32_t item; /* of the part, from 0 */
} PartNode;

/* A condition: two leaves that are equal, or the nodes of a truth value in preorder. */
typedef struct TruthNode {
    uint8_t op; /* of a TermOp that is a truth */
    uint32_t size, n_children;
    uint32_t left, right, n; /* comparisons: leaves */
    int64_t start[2];        /* order of ranges: what is added to the colours' numbers */
    bool value;
} TruthNode;

typedef struct Condition {
    bool equal;
    Leaf left, right;       /* of an equality */
    uint32_t node, n_nodes; /* of others */
} Condition;

typedef struct Pattern {
    const ColourNet *net;
    uint32_t n_leaves; /* of the binding */
    VecU32 variables;  /* of the transition, by number */
    VecU32 first_leaf; /* of each */
    VecU32 domain;     /* of each leaf of the binding: its basic sort */
    VEC(Leaf) leaves;
    VEC(Item) items;
    VEC(Part) parts; /* inputs first */
    VEC(PartNode) part_nodes;
    VEC(TruthNode) nodes;
    VEC(Condition) conditions;
    bool *truth; /* scratch, one for each node */
} Pattern;

/* NULL and an error (with position, without file) when a term is beyond what is expanded. */
Pattern *pattern_of_transition(const ColourNet *net, uint32_t transition, XmlPosition *at, GError **error);
/* The initial marking of a place: one part or more, no variable. */
Pattern *pattern_of_marking(const ColourNet *net, uint32_t place, XmlPosition *at, GError **error);
void pattern_free(Pattern *pattern);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pattern, pattern_free)

static inline uint32_t pattern_leaf_value(const Sorts *sorts, const Leaf *leaf, const uint32_t *binding)
{
    if (leaf->variable == LEAF_CONSTANT) return leaf->value;
    uint64_t value = (uint64_t)binding[leaf->variable] + leaf->shift;
    if (value >= leaf->size) value -= leaf->size;
    if (leaf->blocks == SORT_NONE) return (uint32_t)value;
    const Sort *blocks = &sorts->sorts.data[leaf->blocks];
    return (uint32_t)((sorts->blocks.data[blocks->block + value] + (uint64_t)leaf->block_shift) % blocks->size);
}
/* A leaf of which the variable's colour follows. */
static inline bool pattern_leaf_is_invertible(const Leaf *leaf)
{
    return leaf->variable < LEAF_ALL && leaf->blocks == SORT_NONE;
}
static inline uint32_t pattern_leaf_invert(const Leaf *leaf, uint32_t value)
{
    return value >= leaf->shift ? value - leaf->shift : value + (leaf->size - leaf->shift);
}

/* The number of the colour of an item without LEAF_ALL. */
uint64_t pattern_item_colour(const Pattern *pattern, const Item *item, uint32_t sort, const uint32_t *binding);
bool pattern_condition_holds(const Pattern *pattern, const Condition *condition, const uint32_t *binding);

typedef struct ColourCount {
    uint64_t colour, count;
} ColourCount;
typedef VEC(ColourCount) VecCounts;

/* Appends the tokens of a part; a colour may come more than once. False when the budget ends or a count passes
 * 2^64 - 1. */
bool pattern_part_tokens(const Pattern *pattern, const Part *part, const uint32_t *binding, Budget *budget,
                         VecCounts *tokens);
