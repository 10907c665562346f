/* Properties of a Model Checking Contest file: each an id with EF phi, AG phi, or a bound on a sum of
 * places. Others (CTL, LTL) are kept with the reason why they are not supported, and so are faulty ones (no formula or
 * several, an unknown name, an id that cannot stand in an answer): one of them does not spoil the file. Names are PNML
 * ids; the fault of an unknown one names the nearest id.
 *
 * Ids are safe to print and to tell apart: not empty, at most PROPERTY_MAX_ID bytes, no white space, control, format or
 * unassigned characters, and no two are equal. A property whose own id is none of that gets "property-LINE-COLUMN"; of
 * two with one id both are faulty, and the first keeps it.
 *
 * Files are streamed under the limits of base/xml.h, with FORMULA_MAX_DEPTH nested elements. */
#pragma once
#include "base/budget.h"
#include "prop/formula.h"

typedef enum {
    PROPERTY_EXISTS,      /* EF formula */
    PROPERTY_ALWAYS,      /* AG formula */
    PROPERTY_BOUND,       /* the largest sum over `places` */
    PROPERTY_UNSUPPORTED, /* `reason` says why */
    PROPERTY_FAULTY,      /* bad input: `reason` says what is wrong, with file:line:column */
} PropertyKind;

typedef struct Property {
    char *id;
    PropertyKind kind;
    FormulaId formula;
    VecU32 places;
    const char *reason;
    char *fault; /* what `reason` is when faulty */
} Property;

enum { PROPERTY_MAX_ID = 255 };

typedef struct PropertySet {
    VEC(Property) properties;
} PropertySet;

/* The formulas go into `store`, whose net gives the names. path "-" is the standard input; the budget may be NULL. */
PropertySet *property_read_file(FormulaStore *store, const char *path, Budget *budget, GError **error);
PropertySet *property_read_bytes(FormulaStore *store, const char *data, size_t len, const char *file, GError **error);
void property_set_free(PropertySet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PropertySet, property_set_free)
