/* The expansion of a coloured net by its definition (colour/expand.h), for the checker: bindings are tried
 * (coloured_bindings.h) until none adds anything. It gives the same net as the expander, and shares no code with it. */
#pragma once
#include "colour/net.h"
#include "net/net.h"

/* As long as it takes; NULL: a count does not fit, or the net is too large for a Net. */
Net *coloured_net_expand(const ColourNet *net, GError **error);
