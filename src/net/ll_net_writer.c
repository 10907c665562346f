#include "net/ll_net.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>

static bool refuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static bool refuse(GError **error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, MAZURKA_ERROR, ERROR_UNSUPPORTED, "ll_net cannot hold %s", message);
    return false;
}

static bool check_id(const char *id, GError **error)
{
    return !strpbrk(id, "\"\r\n") ||
           refuse(error, "the name \"%s\": it has a double quote or a line break", error_excerpt(id, SIZE_MAX).text);
}

static bool check(const Net *net, GError **error)
{
    uint32_t inhibitors = net_arc_count(net, ARC_INHIBIT);
    if (inhibitors) return refuse(error, "inhibitor arcs (the net has %u)", inhibitors);
    if (net->final) return refuse(error, "accepted final markings");
    for (uint32_t p = 0; p < net->n_places; p++)
        if (!check_id(net_place_id(net, p), error)) return false;
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (!check_id(net_transition_id(net, t), error)) return false;
    return true;
}

static void put_arcs(const Net *net, ArcKind kind, FILE *out)
{
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        NetRow row = net_places(net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            if (kind == ARC_PRE)
                fprintf(out, "%u>%u", row.node[i] + 1, t + 1);
            else
                fprintf(out, "%u<%u", t + 1, row.node[i] + 1);
            if (net_weight(row, i) != 1) fprintf(out, "w%" G_GUINT64_FORMAT, net_weight(row, i));
            putc('\n', out);
        }
    }
}

bool ll_net_write(const Net *net, FILE *out, GError **error)
{
    if (!check(net, error)) return false;
    fputs("PEP\nPTNet\nFORMAT_N\nPL\n", out);
    for (uint32_t p = 0; p < net->n_places; p++) {
        fprintf(out, "%u\"%s\"", p + 1, net_place_id(net, p));
        if (net->initial[p])
            fprintf(out, "M%" G_GUINT64_FORMAT "m%" G_GUINT64_FORMAT, net->initial[p], net->initial[p]);
        putc('\n', out);
    }
    fputs("TR\n", out);
    for (uint32_t t = 0; t < net->n_transitions; t++) fprintf(out, "%u\"%s\"\n", t + 1, net_transition_id(net, t));
    fputs("TP\n", out);
    put_arcs(net, ARC_POST, out);
    fputs("PT\n", out);
    put_arcs(net, ARC_PRE, out);
    if (net_arc_count(net, ARC_READ)) {
        fputs("RA\n", out);
        put_arcs(net, ARC_READ, out);
    }
    if (fflush(out) == 0 && !ferror(out)) return true;
    g_set_error(error, MAZURKA_ERROR, ERROR_IO, "cannot be written: %s", g_strerror(errno));
    return false;
}
