/* A coloured net while its file is read: nodes, arcs, and the elements inside their labels as they stand, since what
 * they name may be declared later and on another page. draft_finish() gives all of it its meaning.
 *
 * Elements are an array in preorder, as the terms of net.h; <subterm> is left out. */
#pragma once
#include "colour/net.h"

typedef enum {
#define ELEMENT(constant, name, first, second) ELEMENT_##constant,
#include "colour/elements.def"
#undef ELEMENT
    N_ELEMENTS
} ElementKind;

typedef struct Element {
    uint8_t kind;
    uint32_t size, n_children; /* as of a Term */
    XmlPosition at;
    const char *text[2]; /* the attributes that count; NULL: not given */
} Element;

/* A place, a transition, or what stands for one on another page. */
typedef struct DraftNode {
    const char *id, *label, *reference; /* the last two may be NULL */
    bool is_transition;
    uint32_t sort, term; /* elements, or TERM_NONE: type; initial marking or guard */
    XmlPosition at;
    uint32_t index; /* in the net */
} DraftNode;

typedef struct DraftArc {
    const char *source, *target;
    uint32_t term;
    XmlPosition at;
} DraftArc;

typedef struct Draft {
    Xml *xml;       /* for positions and errors */
    ColourNet *net; /* that becomes of it; holds all strings */
    VEC(Element) elements;
    VEC(DraftNode) nodes;
    VEC(DraftArc) arcs;
    VecU32 declarations; /* elements: what stands in the <structure> of <declaration>s */
    /* Ids of what is declared. */
    GHashTable *sorts;      /* element of NAMED_SORT or PARTITION + 1 */
    GHashTable *partitions; /* sort of the blocks */
    GHashTable *operators;  /* see Operator, declare.c */
    GHashTable *variables;  /* number */
    VecU32 sort_of;         /* of each element that is or names a sort: the sort, once known */
} Draft;

static inline const Element *draft_element(const Draft *draft, uint32_t element)
{
    return &draft->elements.data[element];
}

void draft_fail(Draft *draft, XmlPosition at, ErrorCode code, const char *format, ...) G_GNUC_PRINTF(4, 5);
const char *draft_element_name(ElementKind kind);

/* The three steps of draft_finish(); each stops at the first failure. */
void declare_all(Draft *draft);
void link_nodes(Draft *draft);

/* The sort that an element inside a label says: an inline one or a <usersort>. SORT_NONE after a failure. */
uint32_t declare_sort(Draft *draft, uint32_t element);

/* What a <useroperator> means. */
typedef enum { OPERATOR_UNKNOWN, OPERATOR_CONSTANT, OPERATOR_NAMED, OPERATOR_AMBIGUOUS } OperatorKind;
typedef struct Operator {
    OperatorKind kind;
    uint32_t sort, colour; /* of a constant */
    uint32_t element;      /* <namedoperator> */
} Operator;
Operator declare_operator(const Draft *draft, const char *id);

/* Makes an element a typed term of the net. `sort`: the multiset's, or SORT_NONE for a truth value. TERM_NONE after a
 * failure. */
uint32_t translate_term(Draft *draft, uint32_t element, uint32_t sort);
