#include "net/write.h"

#include "base/error.h"
#include "base/output.h"
#include "net/formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool (*const writers[N_FORMATS])(const Net *net, FILE *out, GError **error) = {
#define FORMAT(name, called, endings, beginning, manner, keeps) name##_write,
#include "net/formats.def"
#undef FORMAT
};

bool net_write_as(const Net *net, FormatId id, FILE *out, GError **error)
{
    return writers[id](net, out, error);
}

bool net_write_knows(const char *path, GError **error)
{
    if (format_of_path(path) != N_FORMATS) return true;
    g_autofree char *written = format_list_written();
    error_at(error, ERROR_USAGE, path, 0, 0, "the extension names no format; known are %s", written);
    return false;
}

bool net_write_file(const Net *net, const char *path, GError **error)
{
    Output *out = net_write_knows(path, error) ? output_open(path, error) : NULL;
    if (!out) return false;
    if (net_write_as(net, format_of_path(path), output_stream(out), error)) return output_close(out, error);
    g_prefix_error(error, "%s: ", path);
    output_discard(out);
    return false;
}

char *net_write_text(const Net *net, const char *ending, size_t *len, GError **error)
{
    g_autofree char *name = g_strdup_printf("net.%s", ending);
    if (format_of_path(name) == N_FORMATS) {
        g_autofree char *written = format_list_written();
        g_auto(GStrv) names = g_strsplit(written + 1, " .", -1);
        g_autofree char *known = g_strjoinv(", ", names);
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "a net is written as %s, and drawn as dot or svg, not as '%s'",
                    known, error_excerpt(ending, SIZE_MAX).text);
        return NULL;
    }
    char *text = NULL;
    FILE *out = open_memstream(&text, len);
    bool written = net_write_as(net, format_of_path(name), out, error);
    fclose(out);
    char *copy = written ? g_memdup2(text, *len + 1) : NULL;
    free(text);
    return copy;
}

bool net_write_end(FILE *out, GError **error)
{
    if (fflush(out) == 0 && !ferror(out)) return true;
    g_set_error(error, MAZURKA_ERROR, ERROR_IO, "cannot be written: %s", g_strerror(errno));
    return false;
}

bool net_write_refuse(GError **error, FormatId id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, MAZURKA_ERROR, ERROR_UNSUPPORTED, "%s cannot hold %s", format_of(id)->called, message);
    return false;
}

bool net_write_holds_arcs(const Net *net, FormatId id, ArcKind kind, GError **error)
{
    static const char *const names[N_ARC_KINDS] = {"input", "output", "read", "inhibitor"};
    uint32_t n = net_arc_count(net, kind);
    return !n || net_write_refuse(error, id, "%s arcs (the net has %u)", names[kind], n);
}

bool net_write_holds_ids(const Net *net, FormatId id, bool (*holds)(const char *), const char *why, GError **error)
{
    for (uint32_t node = 0; node < net->n_places + net->n_transitions; node++) {
        const char *name = net_node_id(net, node);
        if (!holds(name))
            return net_write_refuse(error, id, "the name \"%s\": %s", error_excerpt(name, SIZE_MAX).text, why);
    }
    return true;
}

static void append_loss(GString *text, uint32_t n, const char *what)
{
    if (n) g_string_append_printf(text, "%s%u %s", text->len ? ", " : "", n, what);
}

char *net_write_losses(const Net *net, const char *path)
{
    unsigned lost = ~format_of(format_of_path(path))->keeps;
    uint32_t place_labels = 0, labels = 0, notes = 0;
    for (uint32_t p = 0; p < net->n_places; p++)
        place_labels += strcmp(net_place_id(net, p), net_place_label(net, p)) != 0;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        labels += strcmp(net_transition_id(net, t), net_transition_label(net, t)) != 0;
        notes += *net_transition_note(net, t) != 0;
    }
    uint32_t positions = 0;
    for (uint32_t node = 0; node < net->n_places + net->n_transitions; node++) {
        double x, y;
        positions += net_position(net, node, &x, &y);
    }
    GString *text = g_string_new(NULL);
    append_loss(text, (lost & FORMAT_KEEPS_PLACE_LABELS ? place_labels : 0) + (lost & FORMAT_KEEPS_LABELS ? labels : 0),
                "labels");
    append_loss(text, lost & FORMAT_KEEPS_NOTES ? notes : 0, "notes");
    append_loss(text, lost & FORMAT_KEEPS_UNITS && net->nupn ? net->nupn->n_units : 0, "NUPN units");
    append_loss(text, lost & FORMAT_KEEPS_POSITIONS ? positions : 0, "positions of the drawing");
    append_loss(text, lost & FORMAT_KEEPS_COLOURS && net->colours ? net->n_places + net->n_transitions : 0,
                "spellings of ids ([a|b] for (a,b))");
    append_loss(text, lost & FORMAT_KEEPS_READS ? net_arc_count(net, ARC_READ) : 0, "read arcs (loops instead)");
    return g_string_free(text, text->len == 0);
}
