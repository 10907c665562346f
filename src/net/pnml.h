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
 * TAPAAL's files are read where time plays no part: invariants "< inf", and timed and transport arcs with ages
 * "[0,inf)", which are normal arcs then; nets that are switched off there are not.
 *
 * Refused by name (ERROR_UNSUPPORTED): coloured, high-level, timed and stochastic nets, games, reset arcs, time
 * invariants and intervals, urgency, capacities, guards, nets inside pages, nodes shared between nets, transitions of
 * different priority (PIPE's immediate ones beside timed ones among them). Elements without a meaning here (rates,
 * graphics) are counted in Net.ignored, and so is a net type that nobody knows.
 *
 * Where places and transitions are drawn (graphics with a position, or TAPAAL's attributes) is kept and written; bends
 * of arcs, offsets of labels, colours and fonts are not.
 *
 * Under a toolspecific element of tool "mazurka" the writer keeps what PNML has no word for: Net.final and the
 * transitions' notes. Writing a net and reading it again gives an equal Net.
 *
 * The functions are those of every format (formats.h): pnml_begins, pnml_read, pnml_write. */
#pragma once
#include "base/xml.h"
#include "net/formats.h"

/* Who reads what stands inside a coloured <net> (symmetricnet, pt-hlpng, highlevelnet), which pnml_read() refuses. */
typedef struct PnmlColoured PnmlColoured;
struct PnmlColoured {
    void (*open)(PnmlColoured *self, Xml *xml, const char *name); /* sets the reader; for one net at most */
    XmlHandler handler;                                           /* called with the reader for all inside */
    void (*finish)(PnmlColoured *self);                           /* after the file, failures go to the Xml */
    void *reader;                                                 /* NULL at first; the caller's */
};

/* NULL without an error: the net is coloured, and was handed over. */
Net *pnml_read_coloured(Input *input, const char *net_id, PnmlColoured *coloured, GError **error);
