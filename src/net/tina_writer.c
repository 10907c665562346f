#include "net/write.h"

#include <string.h>

/* A letter first, as TINA has it; other names stand in braces. */
static bool is_plain(const char *name)
{
    if (!g_ascii_isalpha(*name)) return false;
    while (g_ascii_isalnum(*name) || *name == '_' || *name == '\'') name++;
    return !*name;
}

static void put_name(const char *name, FILE *out)
{
    if (is_plain(name)) {
        fputs(name, out);
        return;
    }
    putc('{', out);
    for (; *name; name++) {
        if (strchr("{}\\", *name)) putc('\\', out);
        putc(*name, out);
    }
    putc('}', out);
}

static void put_label(const char *id, const char *label, FILE *out)
{
    if (strcmp(id, label) == 0) return;
    fputs(" : ", out);
    put_name(label, out);
}

static void put_arcs(const Net *net, ArcKind kind, uint32_t t, FILE *out)
{
    static const char *const signs[N_ARC_KINDS] = {"*", "*", "?", "?-"};
    NetRow row = net_places(net, kind, t);
    for (uint32_t i = 0; i < row.len; i++) {
        putc(' ', out);
        put_name(net_place_id(net, row.node[i]), out);
        if (net_weight(row, i) != 1 || kind == ARC_READ || kind == ARC_INHIBIT)
            fprintf(out, "%s%" G_GUINT64_FORMAT, signs[kind], net_weight(row, i));
    }
}

static bool is_not_empty(const char *name)
{
    return *name;
}

bool tina_write(const Net *net, FILE *out, GError **error)
{
    if (net->final) return net_write_refuse(error, FORMAT_tina, "accepted final markings");
    if (!net_write_holds_ids(net, FORMAT_tina, is_not_empty, "it is empty", error)) return false;
    fputs("net ", out);
    put_name(net->name ? net->name : "", out);
    for (uint32_t p = 0; p < net->n_places; p++) {
        fputs("\npl ", out);
        put_name(net_place_id(net, p), out);
        put_label(net_place_id(net, p), net_place_label(net, p), out);
        if (net->initial[p]) fprintf(out, " (%" G_GUINT64_FORMAT ")", net->initial[p]);
    }
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        fputs("\ntr ", out);
        put_name(net_transition_id(net, t), out);
        put_label(net_transition_id(net, t), net_transition_label(net, t), out);
        put_arcs(net, ARC_PRE, t, out);
        put_arcs(net, ARC_READ, t, out);
        put_arcs(net, ARC_INHIBIT, t, out);
        fputs(" ->", out);
        put_arcs(net, ARC_POST, t, out);
    }
    putc('\n', out);
    return net_write_end(out, error);
}
