/* What mazurka-verify was asked to see proved, and whether a certificate is about that. Goals are compared by meaning
 * as far as the parser brings them to one form, and no further: both go into one store of formulas, which flattens and
 * sorts conjunctions and disjunctions, drops repetitions, pushes negation to the leaves, writes comparisons as "sum <=
 * bound" divided by their greatest common divisor, and folds constants. Then they are the same formula or not. */
#pragma once
#include "prop/formula.h"

typedef struct Asked {
    const char *goal;     /* in the expression language, or NULL */
    bool deadlock;        /* as `mazurka check --deadlock`: without the final markings that the net names */
    const char *property; /* text of a property file, with `id`, or NULL */
    size_t property_len;
    const char *property_name, *id; /* the file's name in messages; which property */
} Asked;

/* The goal that must be unreachable. False: the error says why there is none. */
bool asked_goal(const Asked *asked, FormulaStore *store, FormulaId *goal, GError **error);
