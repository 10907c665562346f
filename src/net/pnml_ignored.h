/* Counts the elements of a PNML file that have no meaning for a P/T net, by name. */
#pragma once
#include <glib.h>

typedef struct PnmlIgnored PnmlIgnored;

PnmlIgnored *pnml_ignored_new(void);
void pnml_ignored_free(PnmlIgnored *ignored);
/* `element` is interned: equal names are equal pointers. */
void pnml_ignored_count(PnmlIgnored *ignored, const char *element);
/* Something else that was passed over, in words. */
void pnml_ignored_note(PnmlIgnored *ignored, const char *text);
/* "12 graphics, 4 toolspecific", sorted by name, then the notes; NULL when nothing was counted. */
char *pnml_ignored_text(const PnmlIgnored *ignored);
