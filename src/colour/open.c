#include "colour/open.h"

#include "colour/expand.h"
#include "colour/read.h"

/* Twice as many take about a second; nothing but walks has a use for more. */
enum { MANY_BINDINGS = 2000000, KEPT_BINDINGS = 200000 };

Net *colour_open(Input *input, const char *net_id, Budget *budget, GError **error)
{
    Net *net = NULL;
    g_autoptr(ColourNet) coloured = NULL;
    if (!colour_read(input, net_id, &net, &coloured, error)) return NULL;
    return coloured ? colour_expand(coloured, input_name(input), budget, error) : net;
}

Net *colour_open_merged(Input *input, const char *net_id, Budget *budget, GError **error)
{
    Net *net = NULL;
    g_autoptr(ColourNet) coloured = NULL;
    if (!colour_read(input, net_id, &net, &coloured, error)) return NULL;
    ColourPart part = {.many = MANY_BINDINGS, .kept = KEPT_BINDINGS};
    return coloured ? colour_expand_merged(coloured, part, input_name(input), budget, error) : net;
}
