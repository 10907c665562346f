/* The texts of PNML labels: counts of tokens and weights, kinds of arcs and nets. Errors carry no position. */
#pragma once
#include "net/net.h"

/* A decimal number, white space around it allowed, `empty` when there is nothing else. PIPE's list
 * "Colour,n,Colour,n" counts when at most one colour has a number above 0; that colour must be *colour,
 * which starts as NULL and is set (g_malloc'd) by the first. */
bool pnml_value_count(const char *text, uint64_t empty, char **colour, uint64_t *count, GError **error);

typedef enum { PNML_ARC_NORMAL, PNML_ARC_READ, PNML_ARC_INHIBIT } PnmlArcType;
/* Case does not matter; what is not a P/T arc is refused by name. */
bool pnml_value_arc_type(const char *text, PnmlArcType *type, GError **error);

/* The type of a net, "" when it has none. Those that are no P/T nets are refused by name; others may be, and *known
 * says whether anybody has heard of them. */
bool pnml_value_net_type(const char *text, bool *known, GError **error);
/* A kind of coloured nets that can be expanded. */
bool pnml_value_is_symmetric(const char *type);
