#include "program/open.h"

#include "base/error.h"
#include "base/unpack.h"
#include "colour/open.h"
#include "colour/read.h"
#include "program/lexer.h"

#include <string.h>

static const char program_ending[] = ".mzk";

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

static bool named_program(const char *path)
{
    g_autofree char *name = g_strndup(path, strlen(path) - unpack_ending(path));
    return g_str_has_suffix(name, program_ending);
}

static bool is_program(const char *text, size_t len, const char *name)
{
    return format_of_content(text, len) == N_FORMATS && (named_program(name) || begins_like_program(text, len));
}

size_t open_ending(const char *path)
{
    return named_program(path) ? strlen(program_ending) + unpack_ending(path) : format_ending(path);
}

static bool no_defines(const char *name, const OpenOptions *options, GError **error)
{
    if (!options->defines || !*options->defines) return true;
    error_at(error, ERROR_USAGE, name, 0, 0, "-D is for programs, but this is a net");
    return false;
}

static Compiled *compiled_of(Net *net)
{
    Compiled *compiled = g_new0(Compiled, 1);
    compiled->net = net;
    return compiled;
}

static Compiled *net_only(Net *net)
{
    return net ? compiled_of(net) : NULL;
}

/* Programs, which are read as a whole, are not longer. */
enum { MAX_PROGRAM = 64000000 };

static Compiled *read_program(Input *input, const OpenOptions *options, GError **error)
{
    size_t len;
    g_autofree char *text = input_read_all(input, MAX_PROGRAM, &len, error);
    return text
               ? compile_limited(text, len, input_name(input), options->defines, SPACE_MAX_WORK, options->budget, error)
               : NULL;
}

static Compiled *read_pnml(Input *input, const OpenOptions *options, GError **error)
{
    Net *net = NULL;
    if (!options->coloured)
        return net_only(options->merged ? colour_open_merged(input, options->net_id, options->budget, error)
                                        : colour_open(input, options->net_id, options->budget, error));
    return colour_read(input, options->net_id, &net, options->coloured, error) ? compiled_of(net) : NULL;
}

Compiled *open_file(const char *path, const OpenOptions *options, GError **error)
{
    static const OpenOptions none;
    if (!options) options = &none;
    g_autoptr(Input) input = input_open(path, options->budget, error);
    return input ? open_input(input, options, error) : NULL;
}

Compiled *open_input(Input *input, const OpenOptions *options, GError **error)
{
    size_t len;
    const char *head = input_peek(input, &len, error);
    if (!head) return NULL;
    if (is_program(head, len, input_name(input))) return read_program(input, options, error);
    if (!no_defines(input_name(input), options, error)) return NULL;
    bool pnml = format_of_content(head, len) == FORMAT_pnml;
    return pnml ? read_pnml(input, options, error) : net_only(net_read(input, options->net_id, error));
}

Net *open_net(const char *path, const OpenOptions *options, GError **error)
{
    g_autoptr(Compiled) compiled = open_file(path, options, error);
    return compiled ? g_steal_pointer(&compiled->net) : NULL;
}
