/* Properties of a Model Checking Contest file: each an id with EF phi, AG phi, or a bound on a sum of
 * places. Others (CTL, LTL) are kept with the reason why they are not supported, so that one of them does
 * not spoil the file. Names are PNML ids; an unknown one is an error that names the nearest id.
 *
 * Files are streamed; nesting is limited by FORMULA_MAX_DEPTH and nothing outside the file is loaded. */
#pragma once
#include "prop/formula.h"

typedef enum {
    PROPERTY_EXISTS,      /* EF formula */
    PROPERTY_ALWAYS,      /* AG formula */
    PROPERTY_BOUND,       /* the largest sum over `places` */
    PROPERTY_UNSUPPORTED, /* `reason` says why */
} PropertyKind;

typedef struct Property {
    char *id;
    PropertyKind kind;
    FormulaId formula;
    VecU32 places;
    const char *reason;
} Property;

typedef struct PropertySet {
    VEC(Property) properties;
} PropertySet;

/* The formulas go into `store`, whose net gives the names. */
PropertySet *property_read_file(FormulaStore *store, const char *path, GError **error);
PropertySet *property_read_bytes(FormulaStore *store, const char *data, size_t len, const char *file, GError **error);
void property_set_free(PropertySet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PropertySet, property_set_free)
