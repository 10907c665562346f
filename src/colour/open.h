/* Reads PNML of any type: a place/transition net as it is, a coloured one expanded (expand.h). */
#pragma once
#include "base/input.h"
#include "net/net.h"

Net *colour_open(Input *input, const char *net_id, Budget *budget, GError **error);
/* The same, a coloured one by colour_expand_merged(), and a part of it when it has millions of transitions. */
Net *colour_open_merged(Input *input, const char *net_id, Budget *budget, GError **error);
