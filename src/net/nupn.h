/* Nested units (NUPN) as they stand in a PNML file: first collected by name, then checked and resolved
 * to a NetNupn when all places are known. */
#pragma once
#include "net/pnml_link.h"

typedef struct NupnDraft NupnDraft;

NupnDraft *nupn_draft_new(const char *root, bool safe, XmlPosition position);
void nupn_draft_free(NupnDraft *draft);
void nupn_draft_unit(NupnDraft *draft, const char *id, XmlPosition position);
/* Of the last unit; white space separates the ids. */
void nupn_draft_places(NupnDraft *draft, const char *ids);
void nupn_draft_subunits(NupnDraft *draft, const char *ids);

/* NULL and an error without a position (that is *position) unless every id is defined once, every place is
 * in exactly one unit and the units form a tree below the root. */
NetNupn *nupn_draft_resolve(const NupnDraft *draft, const PnmlLinks *links, uint32_t n_places, XmlPosition *position,
                            GError **error);
