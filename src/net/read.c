#include "net/read.h"

#include "base/error.h"
#include "base/unpack.h"
#include "net/formats.h"

#include <string.h>

/* Texts, which are read as a whole, are not longer. */
enum { MAX_TEXT = 512000000 };

static Net *read_text(const Format *format, Input *input, GError **error)
{
    size_t len;
    g_autofree char *data = input_read_all(input, MAX_TEXT, &len, error);
    if (!data) return NULL;
    g_autofree char *base = g_path_get_basename(input_name(input));
    g_autoptr(NetBuilder) builder = net_builder_new(base);
    Text text = {.start = data + text_mark(data, len), .end = data + len};
    text.at = text.start;
    text.file = input_name(input);
    text.budget = input_budget(input);
    text.error = error;
    if (!format->read_text(&text, builder)) return NULL;
    Net *net = net_builder_finish(builder, error);
    if (!net) g_prefix_error(error, "%s: ", text.file);
    return net;
}

Net *net_read_as(const Format *format, Input *input, const char *net_id, GError **error)
{
    return format->read_stream ? format->read_stream(input, net_id, error) : read_text(format, input, error);
}

static void refuse(Input *input, const char *head, size_t len, GError **error)
{
    bool packed = unpack_kind(head, len) != UNPACK_NONE;
    g_autofree char *beginnings = format_list_beginnings();
    error_at(error, ERROR_INPUT, input_name(input), 1, 1, "%s",
             !len     ? "the file is empty"
             : packed ? "the file is compressed more than once"
                      : beginnings);
}

Net *net_read(Input *input, const char *net_id, GError **error)
{
    size_t len;
    const char *head = input_peek(input, &len, error);
    if (!head) return NULL;
    FormatId id = format_of_content(head, len);
    if (id != N_FORMATS) return net_read_as(format_of(id), input, net_id, error);
    refuse(input, head, len, error);
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
