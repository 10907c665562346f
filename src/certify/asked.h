/* What mazurka-verify was asked to see proved, and whether a certificate is about that. Goals are compared by meaning
 * as far as the parser brings them to one form, and no further: both go into one store of formulas, which flattens and
 * sorts conjunctions and disjunctions, drops repetitions, pushes negation to the leaves, writes comparisons as "sum <=
 * bound" divided by their greatest common divisor, and folds constants. Then they are the same formula or not. Upper
 * bounds are asked for by a property and are about the same sum when they count the same places equally often. */
#pragma once
#include "certify/certificate.h"

typedef struct Asked {
    const char *goal;       /* in the expression language, or NULL */
    CertificateClaim claim; /* of that goal, or without one: live, sound */
    bool deadlock;          /* as `mazurka check --deadlock`: without the final markings that the net names */
    const char *property;   /* text of a property file, with `id`, or NULL */
    size_t property_len;
    const char *property_name, *id; /* the file's name in messages; which property */
    const char *bound;              /* the value that an upper bound must have, or NULL */
} Asked;

typedef enum {
    ASKED_SAME,
    ASKED_OTHER,  /* the certificate is about something else: *message */
    ASKED_FAULTY, /* what was asked is nothing: *message */
} AskedAnswer;

/* Is the certificate, which is not checked, about what was asked? That is so when nothing was asked. */
AskedAnswer asked_compare(const Asked *asked, const Certificate *certificate, const Net *net, char **message);
