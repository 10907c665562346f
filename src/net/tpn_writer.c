#include "net/loops.h"
#include "net/write.h"

#include <string.h>

/* More repetitions of a place than this are not written. */
enum { MAX_WEIGHT = 1000 };

static bool holds_name(const char *name)
{
    return *name && !strpbrk(name, "\"\r\n");
}

static bool holds(const Net *net, GError **error)
{
    if (!net_write_holds_arcs(net, FORMAT_tpn, ARC_INHIBIT, error)) return false;
    if (net->final) return net_write_refuse(error, FORMAT_tpn, "accepted final markings");
    if (!net->n_places && !net->n_transitions) return net_write_refuse(error, FORMAT_tpn, "a net of nothing");
    if (net_max_weight(net) > MAX_WEIGHT)
        return net_write_refuse(error, FORMAT_tpn, "arcs of weight %" G_GUINT64_FORMAT ", only up to %d",
                                net_max_weight(net), MAX_WEIGHT);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        const char *label = net_transition_label(net, t);
        if (*label && !holds_name(label))
            return net_write_refuse(error, FORMAT_tpn, "the label \"%s\": it has a double quote or a line break",
                                    error_excerpt(label, SIZE_MAX).text);
    }
    return net_write_holds_ids(net, FORMAT_tpn, holds_name, "it is empty or has a double quote or a line break", error);
}

static void put_arcs(const Net *net, ArcKind kind, uint32_t t, FILE *out)
{
    NetRow row = net_places(net, kind, t);
    for (uint32_t i = 0; i < row.len; i++)
        for (uint64_t n = 0; n < net_weight(row, i); n++)
            fprintf(out, "%s \"%s\"",
                    i || n            ? ""
                    : kind == ARC_PRE ? "\n  in"
                                      : "\n  out",
                    net_place_id(net, row.node[i]));
}

bool tpn_write(const Net *net, FILE *out, GError **error)
{
    if (!holds(net, error)) return false;
    g_autoptr(Net) plain = loops_for_reads(net, error);
    if (!plain) return false;
    for (uint32_t p = 0; p < net->n_places; p++) {
        fprintf(out, "place \"%s\"", net_place_id(net, p));
        if (net->initial[p]) fprintf(out, " init %" G_GUINT64_FORMAT, net->initial[p]);
        fputs(";\n", out);
    }
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        fprintf(out, "trans \"%s\"~\"%s\"", net_transition_id(net, t), net_transition_label(net, t));
        put_arcs(plain, ARC_PRE, t, out);
        put_arcs(plain, ARC_POST, t, out);
        fputs(";\n", out);
    }
    return net_write_end(out, error);
}
