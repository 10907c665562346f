/* Opens a net of any format: what a file is, is decided by its content, not its name. */
#pragma once
#include "base/input.h"
#include "net/net.h"

typedef struct NetReadOptions {
    const char *net_id; /* which <net> of several; NULL: the only one */
    Budget *budget;     /* NULL: no limits */
} NetReadOptions;

typedef enum { NET_FORMAT_OTHER, NET_FORMAT_PNML, NET_FORMAT_LL_NET } NetFormat;

/* From the first bytes (16 are enough; PNML behind much white space needs more). */
NetFormat net_read_format(const char *data, size_t len);

/* path "-" is standard input. options may be NULL. PNML is read as it comes, ll_net as a whole. */
Net *net_read_file(const char *path, const NetReadOptions *options, GError **error);
/* The same from an open input, in whose budget it is read. */
Net *net_read(Input *input, const char *net_id, GError **error);
/* The same on bytes in memory; `file` is used in messages. */
Net *net_read_bytes(const char *data, size_t len, const char *file, const NetReadOptions *options, GError **error);
