/* The low-level net format of PEP, Mole and Cunf (mazurka-convert(1)), with Cunf's RA section for read arcs.
 * Names become ids; an empty or repeated name gets its number ("P7", "name__7"). */
#pragma once
#include "net/net.h"

#include <stdio.h>

/* `file` is only used in messages. */
Net *ll_net_read(const char *data, size_t len, const char *file, GError **error);

/* The ids become the names. False when the stream fails and, before anything is written, when the format cannot
 * hold the net's behaviour: inhibitor arcs, final markings, ids with double quotes or line breaks. Labels,
 * notes and units are left out; see net_write_losses(). */
bool ll_net_write(const Net *net, FILE *out, GError **error);
