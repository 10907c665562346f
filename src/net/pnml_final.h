/* ProM's <finalmarkings>: each lists places with tokens, all others are empty. They become one
 * expression, Net.final, true exactly in these markings. */
#pragma once
#include "net/pnml_link.h"

typedef struct PnmlFinals PnmlFinals;

PnmlFinals *pnml_final_new(void);
void pnml_final_free(PnmlFinals *finals);
void pnml_final_marking(PnmlFinals *finals); /* starts the next one */
void pnml_final_place(PnmlFinals *finals, const char *id, XmlPosition position);
void pnml_final_tokens(PnmlFinals *finals, uint64_t tokens); /* of the last place */

/* Sets the builder's final expression when there are final markings. An error (at *position) when one names
 * something else than a place. */
bool pnml_final_resolve(const PnmlFinals *finals, NetBuilder *builder, const PnmlLinks *links, XmlPosition *position,
                        GError **error);
