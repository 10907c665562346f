#include "net/writer.h"

#include "base/error.h"
#include "base/output.h"
#include "net/ll_net.h"
#include "net/pnml.h"

#include <string.h>

typedef enum {
#define FORMAT(constant, extension, name, write) FORMAT_##constant,
#include "net/formats.def"
#undef FORMAT
    N_FORMATS
} Format;

static const struct {
    const char *extension;
    bool (*write)(const Net *, FILE *, GError **);
} formats[] = {
#define FORMAT(constant, extension, name, write) {extension, write},
#include "net/formats.def"
#undef FORMAT
};

static Format format_of(const char *path)
{
    if (strcmp(path, "-") == 0) return FORMAT_PNML;
    Format format = 0;
    while (format < N_FORMATS && !g_str_has_suffix(path, formats[format].extension)) format++;
    return format;
}

const char *net_write_extensions(void)
{
#define FORMAT(constant, extension, name, write) " " extension
    static const char list[] =
#include "net/formats.def"
        ;
#undef FORMAT
    return list + 1;
}

bool net_write_knows(const char *path, GError **error)
{
    if (format_of(path) != N_FORMATS) return true;
    error_at(error, ERROR_USAGE, path, 0, 0, "the extension names no format; known are %s", net_write_extensions());
    return false;
}

bool net_write_file(const Net *net, const char *path, GError **error)
{
    Output *out = net_write_knows(path, error) ? output_open(path, error) : NULL;
    if (!out) return false;
    if (formats[format_of(path)].write(net, output_stream(out), error)) return output_close(out, error);
    g_prefix_error(error, "%s: ", path);
    output_discard(out);
    return false;
}

static void append_loss(GString *text, uint32_t n, const char *what)
{
    if (n) g_string_append_printf(text, "%s%u %s", text->len ? ", " : "", n, what);
}

char *net_write_losses(const Net *net, const char *path)
{
    if (format_of(path) != FORMAT_LL_NET) return NULL;
    uint32_t labels = 0, notes = 0;
    for (uint32_t p = 0; p < net->n_places; p++) labels += strcmp(net_place_id(net, p), net_place_label(net, p)) != 0;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        labels += strcmp(net_transition_id(net, t), net_transition_label(net, t)) != 0;
        notes += *net_transition_note(net, t) != 0;
    }
    GString *text = g_string_new(NULL);
    append_loss(text, labels, "labels");
    append_loss(text, notes, "notes");
    append_loss(text, net->nupn ? net->nupn->n_units : 0, "NUPN units");
    return g_string_free(text, text->len == 0);
}
