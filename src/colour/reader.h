/* Reads coloured nets: PNML of the types symmetricnet, pt-hlpng, and highlevelnet as far as it has no more than these.
 * What is not read is refused by name.
 *
 * Read: the sorts of sorts.h under any names, partitions, variables, operators with definitions; the terms of net.h.
 * Declarations may stand anywhere and in any order. At most PNML's depth of elements; operators that define each other
 * in circles, sorts that contain themselves, ids that are not declared or declared twice are errors with their place.
 * An arc of a place of dots without an inscription carries one token; a label without a term and without text is none;
 * the operator "dot", if nobody declares it, is one dot (TAPAAL). */
#pragma once
#include "colour/net.h"
#include "net/pnml.h"

typedef struct ColourReader ColourReader;

/* The `open`, `handler` and `close` of PnmlColoured (net/pnml.h): a net of such a type is handed to a ColourReader. */
ColourReader *colour_reader_open(Xml *xml, const char *name);
extern const XmlHandler colour_reader_handler;
/* NULL after a failure, which the Xml holds. */
ColourNet *colour_reader_finish(ColourReader *reader);
void colour_reader_free(ColourReader *reader);
