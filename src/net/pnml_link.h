/* Arcs and references of a PNML file: both name nodes by id, possibly before the node is defined.
 * pnml_link_arc() adds an arc to the builder at once when both ends are known nodes and keeps it
 * otherwise; pnml_link_finish() resolves what was kept, through any chain of references. */
#pragma once
#include "base/xml.h"
#include "net/builder.h"
#include "net/pnml_value.h"

typedef struct PnmlLinks PnmlLinks;

PnmlLinks *pnml_link_new(NetBuilder *builder);
void pnml_link_free(PnmlLinks *links);

/* Errors have no position: they concern the arc that was just given. */
bool pnml_link_arc(PnmlLinks *links, XmlText source, XmlText target, PnmlArcType type, uint64_t weight,
                   XmlPosition position, GError **error);
/* False when the id is a reference's already. */
bool pnml_link_reference(PnmlLinks *links, NetNodeKind kind, XmlText id, XmlText target, XmlPosition position);
bool pnml_link_is_reference(const PnmlLinks *links, XmlText id);
/* The node behind an id, through references; NET_NONE when there is none. Only after finish. */
uint32_t pnml_link_find(const PnmlLinks *links, XmlText id, NetNodeKind kinds, NetNodeKind *kind);
/* On failure *position is that of the arc or reference at fault. */
bool pnml_link_finish(PnmlLinks *links, XmlPosition *position, GError **error);
