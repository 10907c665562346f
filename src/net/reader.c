#include "net/reader.h"

#include "base/error.h"
#include "base/file.h"
#include "net/ll_net.h"
#include "net/pnml.h"

#include <errno.h>
#include <stdio.h>
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

/* A few bytes that were read to see the format, then the rest. */
typedef struct Source {
    const char *head;
    size_t left;
    FILE *rest; /* NULL: nothing */
} Source;

static gssize fetch(void *data, char *buffer, size_t size)
{
    Source *source = data;
    if (source->left) {
        size_t n = MIN(size, source->left);
        memcpy(buffer, source->head, n);
        source->head += n;
        source->left -= n;
        return (gssize)n;
    }
    if (!source->rest) return 0;
    size_t n = fread(buffer, 1, size, source->rest);
    return n || !ferror(source->rest) ? (gssize)n : -1;
}

static Net *read_ll_net(Source *source, const char *file, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *chunk = g_malloc(1 << 16);
    gssize n;
    while ((n = fetch(source, chunk, 1 << 16)) > 0) g_string_append_len(text, chunk, n);
    if (n < 0) {
        error_at(error, ERROR_IO, file, 0, 0, "cannot be read: %s", g_strerror(errno));
        return NULL;
    }
    return ll_net_read(text->str, text->len, file, error);
}

static Net *read_source(Source *source, const char *file, const NetReadOptions *options, GError **error)
{
    switch (net_read_format(source->head, source->left)) {
    case NET_FORMAT_PNML: return pnml_read(fetch, source, file, options ? options->net_id : NULL, error);
    case NET_FORMAT_LL_NET: return read_ll_net(source, file, error);
    default: break;
    }
    bool gzip = source->left >= 2 && memcmp(source->head, "\x1f\x8b", 2) == 0;
    error_at(error, ERROR_INPUT, file, 1, 1, "%s",
             source->left == 0 ? "the file is empty"
             : gzip            ? "the file is compressed; use gzip -dc FILE | mazurka ... -"
                               : "neither PNML (XML) nor ll_net (first line PEP)");
    return NULL;
}

Net *net_read_bytes(const char *data, size_t len, const char *file, const NetReadOptions *options, GError **error)
{
    Source source = {data, len, NULL};
    return read_source(&source, file, options, error);
}

Net *net_read_stream(FILE *stream, const char *name, const NetReadOptions *options, GError **error)
{
    char head[4096];
    Source source = {head, fread(head, 1, sizeof head, stream), stream};
    if (!ferror(stream)) return read_source(&source, name, options, error);
    error_at(error, ERROR_IO, name, 0, 0, "cannot be read: %s", g_strerror(errno));
    return NULL;
}

Net *net_read_file(const char *path, const NetReadOptions *options, GError **error)
{
    const char *name;
    FILE *stream = file_open(path, &name, error);
    if (!stream) return NULL;
    Net *net = net_read_stream(stream, name, options, error);
    file_close(stream);
    return net;
}
