/* Nets as pictures: DOT, and SVG as a layered drawing (layered.h) in which marked places are on top and every node
 * stands below the first one that leads to it. */
#pragma once
#include "net/net.h"

enum { NET_DRAWING_MOST = 1000 };

/* Always true. */
bool net_drawing_dot(const Net *net, GString *out);
/* False and an error when more than NET_DRAWING_MOST nodes would be drawn. */
bool net_drawing_svg(const Net *net, GString *out, GError **error);
