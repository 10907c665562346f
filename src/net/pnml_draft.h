/* What the elements of a PNML file mean: opening and closing one, told by its state (below), adds to the draft of a
 * net. The XML parser and the choice of states by element names are pnml_reader.c's. */
#pragma once
#include "base/error.h"
#include "net/builder.h"
#include "net/nupn.h"
#include "net/pnml_final.h"
#include "net/pnml_ignored.h"
#include "net/pnml_link.h"
#include "net/pnml_value.h"

#include <libxml/parser.h>

/* Where in the file the parser is: one state per open element. */
typedef enum {
    AT_TOP,
    AT_PNML,
    AT_NET,
    AT_PAGE,
    AT_PLACE,
    AT_TRANSITION,
    AT_ARC,
    AT_REFERENCE_PLACE,
    AT_REFERENCE_TRANSITION,
    AT_NAME,
    AT_MARKING,
    AT_CAPACITY,
    AT_WEIGHT,
    AT_INHIBITOR,
    AT_ARC_TYPE,
    AT_TEXT,
    AT_TOOL, /* a toolspecific element, before it is known whose */
    AT_NUPN,
    AT_UNITS,
    AT_UNIT,
    AT_UNIT_PLACES,
    AT_UNIT_SUBUNITS,
    AT_OWN,
    AT_OWN_FINAL,
    AT_OWN_NOTE,
    AT_FINALS,
    AT_FINAL,
    AT_FINAL_PLACE,
    AT_SORT,
    AT_UNKNOWN, /* skipped with all below */
    AT_QUIET,   /* skipped and not worth counting */
    AT_REFUSED,
} PnmlState;

/* clang-format off */
#define ATTRIBUTES(X) \
    X(id) X(name) X(initialMarking) X(invariant) X(source) X(target) X(type) X(weight) X(inscription) X(ref) X(tool) \
    X(value) X(root) X(safe) X(idref) X(declaration) X(space)
/* clang-format on */
typedef enum {
#define X(attribute) ATTRIBUTE_##attribute,
    ATTRIBUTES(X)
#undef X
        N_ATTRIBUTES
} Attribute;

typedef struct PnmlDraft {
    const char *file, *wanted; /* the id of the net to be read, or NULL */
    xmlParserCtxt *parser;     /* for positions */
    NetBuilder *builder;
    PnmlLinks *links;
    PnmlIgnored *ignored;
    PnmlFinals *finals;
    NupnDraft *nupn;
    GError *error; /* the first */

    GPtrArray *net_ids; /* ids of the nets met */
    bool found;         /* the net to be read was met */
    PnmlPosition net_start, second_net;

    /* The open node or arc. */
    uint32_t node;
    PnmlPosition start;
    GString *source, *target;
    PnmlArcType arc_type;
    uint64_t weight;
    char *colour;
    /* The open label. */
    GString *text, *first_text; /* the second only when there were several */
    int texts;
    bool preserve;
} PnmlDraft;

void pnml_draft_init(PnmlDraft *draft, const char *file, const char *wanted);
void pnml_draft_clear(PnmlDraft *draft);

PnmlPosition pnml_draft_here(const PnmlDraft *draft);
/* Only the first error counts. */
void pnml_draft_fail(PnmlDraft *draft, PnmlPosition at, ErrorCode code, const char *format, ...) G_GNUC_PRINTF(4, 5);
/* Takes over an error without a position. */
void pnml_draft_fail_with(PnmlDraft *draft, PnmlPosition at, const char *prefix, GError *error);

/* What opening an element does; may change the state it leads to. */
PnmlState pnml_draft_enter(PnmlDraft *draft, PnmlState parent, PnmlState to, const char *message,
                           const PnmlText a[N_ATTRIBUTES]);
/* Coloured nets are told by their sorts; "dot" is the sort of plain tokens. */
PnmlState pnml_draft_enter_sort(PnmlDraft *draft, const char *element, const PnmlText a[N_ATTRIBUTES]);
/* Closing an element; the states of those around it. */
void pnml_draft_leave(PnmlDraft *draft, PnmlState state, PnmlState parent, PnmlState grandparent);
/* After the last element: references, units and final markings get their meaning. */
void pnml_draft_resolve(PnmlDraft *draft);
