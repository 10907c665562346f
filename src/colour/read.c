#include "colour/read.h"

#include "colour/reader.h"

typedef struct Hook {
    PnmlColoured pnml; /* first: it is what the reader of PNML knows */
    ColourNet *coloured;
} Hook;

static void open_coloured(PnmlColoured *self, Xml *xml, const char *name)
{
    self->reader = colour_reader_open(xml, name);
}

static void finish_coloured(PnmlColoured *self)
{
    ((Hook *)self)->coloured = colour_reader_finish(self->reader);
}

bool colour_read(Input *input, const char *net_id, Net **net, ColourNet **coloured, GError **error)
{
    Hook hook = {.pnml = {.open = open_coloured, .finish = finish_coloured, .handler = colour_reader_handler}};
    *net = pnml_read_coloured(input, net_id, &hook.pnml, error);
    *coloured = hook.coloured;
    colour_reader_free(hook.pnml.reader);
    return *net || *coloured;
}
