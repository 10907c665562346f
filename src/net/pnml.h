/* Place/transition nets in PNML (ISO/IEC 15909-2) and its dialects.
 *
 * The reader runs on libxml2's streaming parser in its callback form, which unlike xmlTextReader knows
 * the exact line and column of every tag and builds no nodes. Memory while reading is that of
 * NetBuilder plus arcs that name a node before it is defined. Nothing outside the file is ever opened;
 * entity declarations are refused. Limits: 250 nested elements, 10 MB for one tag.
 *
 * Read: pages at any depth or none, references across pages, markings and weights up to 2^64 - 1,
 * normal, read and inhibitor arcs in the spellings of pnml.org, PIPE, ProM, TAPAAL and SNAKES, PIPE's
 * "Default,2" while all tokens have one colour, ProM's final markings, NUPN. Ids are keys: a place and a
 * transition of one net must not share one; ids of arcs and pages are not looked at. Labels are the
 * names without surrounding white space (xml:space="preserve" keeps it).
 *
 * Refused by name (ERROR_UNSUPPORTED): coloured and high-level nets, reset, transport and timed arcs,
 * time invariants, capacities, nets inside pages. Elements without a meaning here are counted in
 * Net.ignored.
 *
 * Under a toolspecific element of tool "mazurka" the writer keeps what PNML has no word for: Net.final and the
 * transitions' notes. Writing a net and reading it again gives an equal Net. */
#pragma once
#include "net/net.h"

#include <stdio.h>

/* Fills the buffer with up to `size` bytes: how many, 0 at the end, -1 on failure (errno). */
typedef gssize (*PnmlFetch)(void *source, char *buffer, size_t size);

/* `file` is only used in messages and, without its folder, as the name of a net without an id. `net_id`
 * picks one of several nets; NULL when there must be exactly one. */
Net *pnml_read(PnmlFetch fetch, void *source, const char *file, const char *net_id, GError **error);

/* Writes the net as one page of type ptnet. False when the stream fails or a name holds a character that XML
 * cannot. */
bool pnml_write(const Net *net, FILE *out, GError **error);
