/* Prefixes as files. The extension names the format:
 *
 *   .dot   graph for Graphviz: conditions, events, arcs; cutoffs dashed and joined to their companions
 *   .svg   layered drawing of our own (prefix_svg.h), for some hundred nodes
 *   .json  every array of the prefix by name
 *   .mci   the binary format of Mole: native 32-bit ints, numbers from 1; numbers of conditions and events; the
 *          transition of each event; per condition its place, its producer or 0, its consumers and a 0;
 *          pairs of cutoff and companion (0: the initial marking) and two 0; numbers of places and
 *          transitions; the length of the longest name; the names, each ended by a NUL, places and
 *          transitions each followed by one more
 *   .pnml  the prefix as a net: conditions are places, the initial ones marked
 *
 * .mci and .pnml need conditions and are always written whole. All output depends on the prefix only. */
#pragma once
#include "report/prefix_part.h"

/* False, with an error, when the path's extension is none of them. */
bool prefix_write_knows(const char *path, GError **error);
/* Appends what the file of that name would hold. */
bool prefix_write_text(const PrefixPart *part, const char *name, GString *out, GError **error);
/* The file appears complete or not at all. */
bool prefix_write_file(const PrefixPart *part, const char *path, GError **error);

/* One format each; out is binary for .mci. */
void prefix_write_dot(const PrefixPart *part, GString *out);
void prefix_write_json(const PrefixPart *part, GString *out);
void prefix_write_mci(const Prefix *prefix, GString *out);
/* The net that .pnml holds. */
Net *prefix_write_net(const Prefix *prefix, GError **error);
