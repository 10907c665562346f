/* The inside of pattern.h: what makes patterns of terms. */
#pragma once
#include "colour/pattern.h"

typedef struct Compiler {
    Pattern *pattern;
    GHashTable *numbers; /* of variables: position in pattern->variables + 1 */
    XmlPosition *at;
    GError **error;
    bool failed;
} Compiler;

/* Appends the leaves of a colour, or of a tuple with <all>. */
void pattern_add_leaves(Compiler *c, const Term *root);

/* Appends the parts that an inscription or marking adds up. False: it is too large. */
bool pattern_add_parts(Compiler *c, Part part, uint32_t term);
