/* The text of the open label of a PNML file (<name>, <initialMarking>, <inscription>, <arctype> ...), in every
 * spelling: a <text> or <value> inside, an attribute value, or the label's own characters. Several spellings at once
 * must say the same. Errors carry no position. */
#pragma once
#include "base/xml.h"

typedef struct PnmlLabel {
    GString *text;   /* what was found; after pnml_label_close() what the label says */
    GString *first;  /* of the <text> before the open one */
    GString *direct; /* characters outside <text> and <value> */
    int texts;       /* spellings met; 0: the label says nothing */
    bool preserve;   /* white space around it counts */
} PnmlLabel;

void pnml_label_init(PnmlLabel *label);
void pnml_label_clear(PnmlLabel *label);

/* A label begins; `value` is its attribute of that name, if any. */
void pnml_label_open(PnmlLabel *label, XmlText value);
/* A <text> or <value> inside it begins and ends. With `strict` a second one must be empty or the same. */
void pnml_label_open_text(PnmlLabel *label, bool preserve);
bool pnml_label_close_text(PnmlLabel *label, bool strict, GError **error);
/* The label ends. With `strict`, characters beside a <text> are an error. */
bool pnml_label_close(PnmlLabel *label, bool strict, GError **error);
