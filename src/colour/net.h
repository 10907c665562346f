/* A coloured net (symmetric net of ISO/IEC 15909-2) as it was read: sorts, variables, places with their initial
 * markings, transitions with their guards, arcs with their inscriptions. Immutable once read.
 *
 * Terms are nodes of one array in preorder: the children of a node come right after it, each followed by its own, and
 * Term.size leads to the next. Whoever goes through the nodes of a term backwards meets children before their parents;
 * nothing recurs. Types are checked when a net is read: markings and inscriptions are multisets over the sort of their
 * place (a colour stands for one token of it), guards are truth values, both sides of = have one sort, an order
 * compares colours of one basic sort by their numbers, or numbers of two ranges.
 *
 * Successor and predecessor go round, in every basic sort. A multiset subtracted from another leaves no negative
 * counts. A variable keeps its value through all inscriptions and the guard of a transition: its binding. */
#pragma once
#include "base/xml.h"
#include "colour/sorts.h"

typedef enum {
    TERM_VARIABLE, /* value: its number */
    TERM_CONSTANT, /* value: the colour, of a basic sort */
    TERM_ALL,      /* every colour of the sort once */
    TERM_EMPTY,    /* no token */
    TERM_TUPLE,    /* of colours, or with multisets among them: then each combination, as often as its parts make */
    TERM_TIMES,    /* value times its one child */
    TERM_ADD,      /* multisets */
    TERM_SUBTRACT, /* the first minus the others */
    TERM_SUCCESSOR,
    TERM_PREDECESSOR,
    TERM_BLOCK_OF, /* of a partition: the block that holds the colour */
    TERM_TRUTH,    /* value: 0 or 1 */
    TERM_AND,
    TERM_OR,
    TERM_NOT,
    TERM_IMPLY,
    TERM_EQUAL,
    TERM_UNEQUAL,
    TERM_LESS,
    TERM_AT_MOST,
    TERM_GREATER,
    TERM_AT_LEAST,
} TermOp;

typedef enum { TERM_IS_COLOUR, TERM_IS_MULTISET, TERM_IS_TRUTH } TermType;

typedef struct Term {
    uint8_t op, type;
    uint32_t size; /* nodes of it, itself included */
    uint32_t n_children;
    uint32_t sort; /* of colours and multisets */
    uint64_t value;
    XmlPosition at;
} Term;

#define TERM_NONE UINT32_MAX

typedef VEC(Term) VecTerm;

typedef struct ColourVariable {
    const char *id, *name; /* the name is the id when another variable has it as name or id */
    uint32_t sort;
} ColourVariable;

typedef struct ColourPlace {
    const char *id, *label; /* the id when there is no name */
    uint32_t sort, marking; /* a term, or TERM_NONE */
} ColourPlace;

typedef struct ColourTransition {
    const char *id, *label;
    uint32_t guard;       /* a term, or TERM_NONE */
    uint32_t arc, n_arcs; /* slice of the net's arcs */
} ColourTransition;

typedef struct ColourArc {
    uint32_t place, transition, inscription;
    bool output; /* to the place */
} ColourArc;

typedef struct ColourNet {
    char *name, *ignored; /* as in a Net */
    GStringChunk *strings;
    Sorts sorts;
    VEC(ColourVariable) variables;
    VEC(ColourPlace) places;           /* in the order of the file */
    VEC(ColourTransition) transitions; /* as well */
    VEC(ColourArc) arcs;               /* by transition, inputs first */
    VecTerm terms;
} ColourNet;

ColourNet *colour_net_new(void);
void colour_net_free(ColourNet *net);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ColourNet, colour_net_free)

static inline const Term *colour_net_term(const ColourNet *net, uint32_t term)
{
    return &net->terms.data[term];
}
