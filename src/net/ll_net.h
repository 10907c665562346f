/* The low-level net format of PEP, Mole and Cunf (FORMATS.md), with Cunf's RA section for read arcs.
 * Names become ids; an empty or repeated name gets its number ("P7", "name__7"). */
#pragma once
#include "net/net.h"

/* `file` is only used in messages. */
Net *ll_net_read(const char *data, size_t len, const char *file, GError **error);
