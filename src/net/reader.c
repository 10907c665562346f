#include "net/reader.h"

#include "base/error.h"
#include "net/ll_net.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static GString *read_stream(FILE *stream, GError **error, const char *name)
{
    g_autoptr(GString) text = g_string_new(NULL);
    char chunk[1 << 16];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, stream)) > 0) g_string_append_len(text, chunk, (gssize)n);
    if (ferror(stream)) {
        error_at(error, ERROR_IO, name, 0, 0, "cannot be read: %s", g_strerror(errno));
        return NULL;
    }
    return g_steal_pointer(&text);
}

Net *net_read_bytes(const char *data, size_t len, const char *file, const NetReadOptions *options, GError **error)
{
    (void)options;
    return ll_net_read(data, len, file, error);
}

Net *net_read_file(const char *path, const NetReadOptions *options, GError **error)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "<stdin>" : path;
    FILE *stream = is_stdin ? stdin : fopen(path, "rb");
    if (!stream) {
        error_at(error, ERROR_IO, name, 0, 0, "cannot be opened: %s", g_strerror(errno));
        return NULL;
    }
    g_autoptr(GString) text = read_stream(stream, error, name);
    if (!is_stdin) fclose(stream);
    return text ? net_read_bytes(text->str, text->len, name, options, error) : NULL;
}
