#include "net/lola.h"
#include "net/loops.h"
#include "net/write.h"

static void put_list(const Net *net, NetRow row, FILE *out)
{
    for (uint32_t i = 0; i < row.len; i++)
        fprintf(out, "%s %s: %" G_GUINT64_FORMAT, i ? "," : "", net_place_id(net, row.node[i]), net_weight(row, i));
    fputs(";\n", out);
}

static void put_marking(const Net *net, FILE *out)
{
    const char *separator = "";
    fputs("\nMARKING", out);
    for (uint32_t p = 0; p < net->n_places; p++) {
        if (!net->initial[p]) continue;
        fprintf(out, "%s\n  %s: %" G_GUINT64_FORMAT, separator, net_place_id(net, p), net->initial[p]);
        separator = ",";
    }
    fputs(";\n", out);
}

bool lola_write(const Net *net, FILE *out, GError **error)
{
    if (!net_write_holds_arcs(net, FORMAT_lola, ARC_INHIBIT, error)) return false;
    if (net->final) return net_write_refuse(error, FORMAT_lola, "accepted final markings");
    if (!net_write_holds_ids(net, FORMAT_lola, lola_is_name,
                             "it is a keyword, or has white space or one of , ; : ( ) { }, or begins with //", error))
        return false;
    g_autoptr(Net) plain = loops_for_reads(net, error);
    if (!plain) return false;
    fputs("PLACE", out);
    for (uint32_t p = 0; p < net->n_places; p++) fprintf(out, "%s\n  %s", p ? "," : "", net_place_id(net, p));
    fputs(";\n", out);
    put_marking(net, out);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        fprintf(out, "\nTRANSITION %s\nCONSUME", net_transition_id(net, t));
        put_list(plain, net_places(plain, ARC_PRE, t), out);
        fputs("PRODUCE", out);
        put_list(plain, net_places(plain, ARC_POST, t), out);
    }
    return net_write_end(out, error);
}
