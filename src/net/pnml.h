/* Place/transition nets in PNML (ISO/IEC 15909-2) and its dialects.
 *
 * Files are read as a stream under the limits of base/xml.h, at most 250 elements deep; memory while reading is that of
 * NetBuilder plus arcs that name a node before it is defined.
 *
 * Read: pages at any depth or none, references across pages, markings and weights up to 2^64 - 1,
 * normal, read and inhibitor arcs in the spellings of pnml.org, PIPE, ProM, TAPAAL and SNAKES, PIPE's
 * "Default,2" while all tokens have one colour, ProM's final markings, NUPN. Ids are keys: a place and a
 * transition of one net must not share one; ids of arcs and pages are not looked at. Labels are the
 * names without surrounding white space (xml:space="preserve" keeps it).
 *
 * A label is its <text> or <value>, its attribute value, or its own characters; what else stands inside a label that
 * counts is refused, so that no marking, weight or kind of arc is dropped. Two spellings must agree.
 *
 * Refused by name (ERROR_UNSUPPORTED): coloured, high-level and timed nets, reset, transport and timed arcs, time
 * invariants and intervals, urgency, capacities, guards, nets inside pages, nodes shared between nets, transitions of
 * different priority (PIPE's immediate ones beside timed ones among them). Elements without a meaning here (rates,
 * graphics) are counted in Net.ignored, and so is a net type that nobody knows.
 *
 * Under a toolspecific element of tool "mazurka" the writer keeps what PNML has no word for: Net.final and the
 * transitions' notes. Writing a net and reading it again gives an equal Net. */
#pragma once
#include "base/input.h"
#include "net/net.h"

#include <stdio.h>

/* The name of the input is used in messages and, without its folder, as the name of a net without an id. `net_id`
 * picks one of several nets; NULL when there must be exactly one. */
Net *pnml_read(Input *input, const char *net_id, GError **error);

/* Writes the net as one page of type ptnet. False when the stream fails or a name holds a character that XML
 * cannot. */
bool pnml_write(const Net *net, FILE *out, GError **error);
