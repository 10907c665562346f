#include "program/open.h"

#include "base/error.h"
#include "base/file.h"
#include "program/lexer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool begins_like_program(const char *text, size_t len)
{
    static const char *const words[] = {"param", "const", "var", "atomic", "mutex", "cond", "thread"};
    if (memchr(text, 0, MIN(len, 512))) return false;
    Lexer lexer = lexer_new(text, len);
    Token token = lexer_next(&lexer);
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (lexer_is(&token, words[i])) return true;
    return false;
}

static bool is_program(const char *text, size_t len, const char *name)
{
    return net_read_format(text, len) == NET_FORMAT_OTHER &&
           (g_str_has_suffix(name, ".mzk") || begins_like_program(text, len));
}

static bool read_all(FILE *stream, GString *text)
{
    char chunk[1 << 16];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, stream)) > 0) g_string_append_len(text, chunk, (gssize)n);
    return !ferror(stream);
}

static bool no_defines(const char *name, const OpenOptions *options, GError **error)
{
    if (!options || !options->defines || !*options->defines) return true;
    error_at(error, ERROR_USAGE, name, 0, 0, "-D is for programs, but this is a net");
    return false;
}

static Compiled *net_only(Net *net)
{
    if (!net) return NULL;
    Compiled *compiled = g_new0(Compiled, 1);
    compiled->net = net;
    return compiled;
}

/* Large nets are better read piece by piece; the first character tells most of them from programs. */
static bool surely_net(FILE *stream)
{
    int c = getc(stream);
    if (c != EOF) ungetc(c, stream);
    return c == '<' || c == 'P';
}

static Compiled *from_text(const GString *text, const char *name, const OpenOptions *options, GError **error)
{
    if (is_program(text->str, text->len, name))
        return compile_limited(text->str, text->len, name, options ? options->defines : NULL, SPACE_MAX_WORK,
                               options ? options->budget : NULL, error);
    NetReadOptions read = {.net_id = options ? options->net_id : NULL};
    return no_defines(name, options, error) ? net_only(net_read_bytes(text->str, text->len, name, &read, error)) : NULL;
}

Compiled *open_file(const char *path, const OpenOptions *options, GError **error)
{
    const char *name;
    FILE *stream = file_open(path, &name, error);
    if (!stream) return NULL;
    if (surely_net(stream)) {
        NetReadOptions read = {.net_id = options ? options->net_id : NULL};
        Net *net = no_defines(name, options, error) ? net_read_stream(stream, name, &read, error) : NULL;
        file_close(stream);
        return net_only(net);
    }
    g_autoptr(GString) text = g_string_new(NULL);
    bool ok = read_all(stream, text);
    int reason = errno;
    file_close(stream);
    if (!ok) {
        error_at(error, ERROR_IO, name, 0, 0, "cannot be read: %s", g_strerror(reason));
        return NULL;
    }
    return from_text(text, name, options, error);
}

Net *open_net(const char *path, const OpenOptions *options, GError **error)
{
    g_autoptr(Compiled) compiled = open_file(path, options, error);
    return compiled ? g_steal_pointer(&compiled->net) : NULL;
}
