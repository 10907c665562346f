#include "net/write.h"

#include <string.h>

static bool holds_id(const char *id)
{
    return !strpbrk(id, "\"\r\n");
}

static bool check(const Net *net, GError **error)
{
    if (!net_write_holds_arcs(net, FORMAT_ll_net, ARC_INHIBIT, error)) return false;
    if (net->final) return net_write_refuse(error, FORMAT_ll_net, "accepted final markings");
    return net_write_holds_ids(net, FORMAT_ll_net, holds_id, "it has a double quote or a line break", error);
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
    return net_write_end(out, error);
}
