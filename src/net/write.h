/* Writes a net to a file whose extension names the format (formats.def), and what the writers of formats share. */
#pragma once
#include "net/formats.h"
#include "net/net.h"

#include <stdio.h>

/* The file appears complete or not at all. "-" is PNML on standard output. */
bool net_write_file(const Net *net, const char *path, GError **error);
/* The same in memory, as the format with that ending (without its dot): owned by the caller, zero-terminated. */
char *net_write_text(const Net *net, const char *ending, size_t *len, GError **error);
/* The same to a stream, by the format's NAME_write (formats.h). */
bool net_write_as(const Net *net, FormatId id, FILE *out, GError **error);
/* False, with an error, when the path's extension names no format. */
bool net_write_knows(const char *path, GError **error);
/* What writing this net to this path leaves out although the net behaves the same: "3 labels, 1 NUPN units"; NULL when
 * nothing. The path's extension names a format. */
char *net_write_losses(const Net *net, const char *path);

/* For NAME_write (formats.h). "FORMAT cannot hold ..."; false. */
bool net_write_refuse(GError **error, FormatId id, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* False, with that error, when the net has arcs of the kind; ids that the format cannot hold. */
bool net_write_holds_arcs(const Net *net, FormatId id, ArcKind kind, GError **error);
bool net_write_holds_ids(const Net *net, FormatId id, bool (*holds)(const char *), const char *why, GError **error);
/* The last thing a writer does: false, with an error, when the stream has failed. */
bool net_write_end(FILE *out, GError **error);
