/* Writes a net to a file whose extension names the format (formats.def). */
#pragma once
#include "net/net.h"

#include <stdio.h>

/* The file appears complete or not at all. "-" is PNML on standard output. */
bool net_write_file(const Net *net, const char *path, GError **error);
/* False, with an error, when the path's extension names no format. */
bool net_write_knows(const char *path, GError **error);
/* What writing this net to this path leaves out although the net behaves the same: "3 labels, 1 units
 * of NUPN"; NULL when nothing. */
char *net_write_losses(const Net *net, const char *path);
/* ".pnml .ll_net" */
const char *net_write_extensions(void);
