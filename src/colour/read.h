/* Reads PNML of any type, coloured nets as they are: without the expansion, for those who do it themselves. */
#pragma once
#include "base/input.h"
#include "colour/net.h"
#include "net/net.h"

/* One of the two, as the file has it: *net, or *coloured. False: the error says why. */
bool colour_read(Input *input, const char *net_id, Net **net, ColourNet **coloured, GError **error);
