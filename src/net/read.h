/* Opens a net of any format (formats.def): what a file is, is decided by its content, not its name. */
#pragma once
#include "base/input.h"
#include "net/formats.h"
#include "net/net.h"

typedef struct NetReadOptions {
    const char *net_id; /* which <net> of several; NULL: the only one */
    Budget *budget;     /* NULL: no limits */
} NetReadOptions;

/* From an open input, in whose budget it is read: PNML as it comes, other formats as a whole. */
Net *net_read(Input *input, const char *net_id, GError **error);
/* As that format, whatever the content looks like. */
Net *net_read_as(const Format *format, Input *input, const char *net_id, GError **error);

/* For tests: opens the file ("-" is standard input). options may be NULL. */
Net *net_read_file(const char *path, const NetReadOptions *options, GError **error);
/* For tests: the same on bytes in memory; `file` is used in messages. */
Net *net_read_bytes(const char *data, size_t len, const char *file, const NetReadOptions *options, GError **error);
