/* Reading a property file, for property.c, which follows the elements, and property_formula.c, which knows what they
 * mean inside a formula. Values of closed elements wait on stacks for the element around them. */
#pragma once
#include "base/exact.h"
#include "base/xml.h"
#include "prop/property.h"

typedef enum {
#define ELEMENT(constant, name) E_##constant,
#include "prop/property_elements.def"
#undef ELEMENT
} PropertyElement;

/* A linear expression on the stack: its terms are terms[from ..] up to the next one's. */
typedef struct PropertyLinear {
    size_t from;
    Sum constant;
} PropertyLinear;

/* An open element and how high the stacks were when it opened. */
typedef struct PropertyFrame {
    PropertyElement element;
    int line, column;
    size_t formulas, sums, names, named;
} PropertyFrame;

typedef struct PropertyParser {
    FormulaStore *store;
    PropertySet *set;
    Xml *xml;
    const char *file;
    GHashTable *ids; /* of the properties so far (borrowed) -> their number, from 1 */
    VEC(PropertyFrame) frames;
    VecU32 formulas, names;
    size_t named; /* names so far: a coloured one may mean no place at all */
    VEC(PropertyLinear) sums;
    VEC(FormulaTerm) terms;
    GString *text;
    uint32_t n_unknown; /* names */
    /* the property being read */
    Property current;
    bool quantified; /* its formula is AG or EF of something */
    uint32_t n_ids, n_formulas, n_bounds;
} PropertyParser;

/* Inside a property the fault is its own, the first one counts; elsewhere it is the file's. False. */
bool property_fail(PropertyParser *parser, const PropertyFrame *at, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* "element" of <element>. */
const char *property_element_name(PropertyElement element);
/* The element around the last opened one. */
PropertyElement property_outer(const PropertyParser *parser);
/* The text of the element that closes. */
const char *property_text(PropertyParser *parser);

/* May this element of a formula stand where it does? Otherwise a fault. */
void property_check_formula(PropertyParser *parser, const PropertyFrame *frame);
/* An element of a formula, or <formula> itself, closes: its value replaces those of the elements inside.
 * False: a fault. */
bool property_close_formula(PropertyParser *parser, const PropertyFrame *frame);
