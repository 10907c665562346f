#include "net/reader.h"

#include "base/error.h"
#include "net/ll_net.h"
#include "net/pnml.h"

#include <string.h>

NetFormat net_read_format(const char *data, size_t len)
{
    static const char utf8_mark[] = "\xef\xbb\xbf";
    if (len >= 3 && memcmp(data, utf8_mark, 3) == 0) data += 3, len -= 3;
    if (len >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0)) return NET_FORMAT_PNML;
    /* UTF-16 without a mark, or white space (an error that the XML parser explains best) */
    while (len && (*data == ' ' || *data == '\t' || *data == '\r' || *data == '\n' || *data == '\0')) data++, len--;
    if (len && *data == '<') return NET_FORMAT_PNML;
    if (len >= 3 && memcmp(data, "PEP", 3) == 0) return NET_FORMAT_LL_NET;
    return NET_FORMAT_OTHER;
}

enum { MAX_LL_NET = 512000000 };

static Net *read_ll_net(Input *input, GError **error)
{
    size_t len;
    g_autofree char *text = input_read_all(input, MAX_LL_NET, &len, error);
    return text ? ll_net_read(text, len, input_name(input), error) : NULL;
}

Net *net_read(Input *input, const char *net_id, GError **error)
{
    size_t len;
    const char *head = input_peek(input, &len, error);
    if (!head) return NULL;
    switch (net_read_format(head, len)) {
    case NET_FORMAT_PNML: return pnml_read(input, net_id, error);
    case NET_FORMAT_LL_NET: return read_ll_net(input, error);
    default: break;
    }
    bool gzip = len >= 2 && memcmp(head, "\x1f\x8b", 2) == 0;
    error_at(error, ERROR_INPUT, input_name(input), 1, 1, "%s",
             len == 0 ? "the file is empty"
             : gzip   ? "the file is compressed; use gzip -dc FILE | mazurka ... -"
                      : "neither PNML (XML) nor ll_net (first line PEP)");
    return NULL;
}

Net *net_read_bytes(const char *data, size_t len, const char *file, const NetReadOptions *options, GError **error)
{
    g_autoptr(Input) input = input_bytes(data, len, file, options ? options->budget : NULL);
    return net_read(input, options ? options->net_id : NULL, error);
}

Net *net_read_file(const char *path, const NetReadOptions *options, GError **error)
{
    g_autoptr(Input) input = input_open(path, options ? options->budget : NULL, error);
    return input ? net_read(input, options ? options->net_id : NULL, error) : NULL;
}
