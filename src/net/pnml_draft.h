/* What the elements of a PNML file mean: opening and closing one, told by its state (below), adds to the draft of a
 * net. The XML parser and the choice of states by element names are pnml_reader.c's. */
#pragma once
#include "base/error.h"
#include "net/builder.h"
#include "net/nupn.h"
#include "net/pnml.h"
#include "net/pnml_final.h"
#include "net/pnml_ignored.h"
#include "net/pnml_label.h"
#include "net/pnml_link.h"
#include "net/pnml_priority.h"
#include "net/pnml_value.h"

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
    AT_TIMED,
    AT_PRIORITY,
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
    AT_GRAPHICS, /* of a place or a transition */
    AT_POSITION,
    AT_SORT,
    AT_COLOURED, /* a label that a coloured net has beside the plain one; becomes AT_SORT */
    AT_FEATURE,  /* what kind of net TAPAAL says it is */
    AT_UNKNOWN,  /* skipped with all below */
    AT_QUIET,    /* skipped and not worth counting */
    AT_HANDED,   /* a coloured net: another reader has what is inside */
    AT_REFUSED,
} PnmlState;

/* clang-format off */
#define ATTRIBUTES(X) \
    X(id) X(name) X(initialMarking) X(invariant) X(source) X(target) X(type) X(weight) X(inscription) X(ref) X(tool) \
    X(value) X(root) X(safe) X(idref) X(declaration) X(space) X(capacity) X(urgent) \
    X(active) X(player) X(x) X(y) X(positionX) X(positionY) X(isGame) X(isStochastic)
/* clang-format on */
typedef enum {
#define X(attribute) ATTRIBUTE_##attribute,
    ATTRIBUTES(X)
#undef X
        N_ATTRIBUTES
} Attribute;

typedef struct PnmlDraft {
    const char *file, *wanted; /* the id of the net to be read, or NULL */
    Xml *xml;                  /* for positions; holds the first error */
    PnmlColoured *handed;      /* who reads coloured nets, or NULL */
    NetBuilder *builder;
    PnmlLinks *links;
    PnmlIgnored *ignored;
    PnmlFinals *finals;
    NupnDraft *nupn;
    PnmlPriorities priorities;

    GPtrArray *net_ids; /* ids of the nets met */
    bool found;         /* the net to be read was met */
    XmlPosition net_start, second_net;

    /* The open node or arc. */
    uint32_t node;
    XmlPosition start;
    GString *source, *target;
    PnmlArcType arc_type;
    uint64_t weight, tokens;
    NetNodeKind drawn_kind;
    bool drawn;              /* its graphics have a position */
    bool arc_typed, counted; /* the type, the weight or the marking was given */
    XmlPosition coloured;    /* of a label of coloured nets; line 0: none */
    char *colour;
    PnmlLabel label; /* the open one */
} PnmlDraft;

void pnml_draft_init(PnmlDraft *draft, const char *file, const char *wanted);
void pnml_draft_clear(PnmlDraft *draft);

/* Labels on which the net's behaviour depends: whatever is not understood inside is refused. */
bool pnml_draft_is_strict(PnmlState state);
/* Where characters belong that come in this state; NULL: nowhere. */
GString *pnml_draft_text(PnmlDraft *draft, PnmlState state);

/* Takes over an error without a position. */
void pnml_draft_fail_with(PnmlDraft *draft, XmlPosition at, const char *prefix, GError *error);

/* What stands in an attribute, or in the text of an element: a count (`empty` where there is nothing; `what` begins the
 * message), a capacity, which must be none, the type of the open arc. */
bool pnml_draft_count(PnmlDraft *draft, const char *what, const char *text, uint64_t empty, uint64_t *count);
void pnml_draft_capacity(PnmlDraft *draft, const char *text);
void pnml_draft_arc_type(PnmlDraft *draft, const char *name);

/* What opening an element does; may change the state it leads to. */
PnmlState pnml_draft_enter(PnmlDraft *draft, PnmlState parent, PnmlState to, const char *message,
                           const XmlText a[N_ATTRIBUTES]);
/* Coloured nets are told by their sorts; "dot" is the sort of plain tokens. */
PnmlState pnml_draft_enter_sort(PnmlDraft *draft, const char *element, const XmlText a[N_ATTRIBUTES]);
/* Closing an element; the states of those around it (pnml_draft_leave.c). */
void pnml_draft_leave(PnmlDraft *draft, PnmlState state, PnmlState parent, PnmlState grandparent);
/* After the last element: references, units and final markings get their meaning. */
void pnml_draft_resolve(PnmlDraft *draft);
