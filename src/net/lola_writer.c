#include "net/lola.h"
#include "net/loops.h"
#include "net/write.h"

#include "base/error.h"

#include <string.h>

/* What nodes are called: by their ids, but those of an expanded net as LoLA unfolds its own high-level nets,
 * place[a|b] and transition[x=a|y=b]. */
typedef struct Names {
    const char **of; /* each node */
    GStringChunk *spelled;
} Names;

static const char *spell(Names *names, const char *id)
{
    g_autofree char *text = g_strdup(id);
    char *to = text;
    for (const char *at = id; *at; at++)
        if (*at != ' ') *to++ = *at == '(' ? '[' : *at == ')' ? ']' : *at == ',' ? '|' : *at;
    *to = 0;
    return g_string_chunk_insert(names->spelled, text);
}

static bool refuse(const char *id, const char *why, GError **error)
{
    return net_write_refuse(error, FORMAT_lola, "the name \"%s\": %s", error_excerpt(id, SIZE_MAX).text, why);
}

static bool find_names(const Net *net, Names *names, GError **error)
{
    g_autoptr(GHashTable) taken = g_hash_table_new(g_str_hash, g_str_equal);
    for (uint32_t node = 0; node < net->n_places + net->n_transitions; node++) {
        const char *id = net_node_id(net, node);
        if (node == net->n_places) g_hash_table_remove_all(taken);
        names->of[node] = lola_is_name(id) || !net->colours ? id : spell(names, id);
        if (!lola_is_name(names->of[node]))
            return refuse(id, "it is a keyword, or has white space or one of , ; : ( ) { }, or begins with //", error);
        if (net->colours && !g_hash_table_add(taken, (gpointer)names->of[node]))
            return refuse(id, "with brackets for parentheses it is another one's", error);
    }
    return true;
}

static void put_list(const Names *names, NetRow row, FILE *out)
{
    for (uint32_t i = 0; i < row.len; i++)
        fprintf(out, "%s %s: %" G_GUINT64_FORMAT, i ? "," : "", names->of[row.node[i]], net_weight(row, i));
    fputs(";\n", out);
}

static void put_marking(const Net *net, const Names *names, FILE *out)
{
    const char *separator = "";
    fputs("\nMARKING", out);
    for (uint32_t p = 0; p < net->n_places; p++) {
        if (!net->initial[p]) continue;
        fprintf(out, "%s\n  %s: %" G_GUINT64_FORMAT, separator, names->of[p], net->initial[p]);
        separator = ",";
    }
    fputs(";\n", out);
}

bool lola_write(const Net *net, FILE *out, GError **error)
{
    if (!net_write_holds_arcs(net, FORMAT_lola, ARC_INHIBIT, error)) return false;
    if (net->final) return net_write_refuse(error, FORMAT_lola, "accepted final markings");
    g_autofree const char **of = g_new0(const char *, (size_t)net->n_places + net->n_transitions + 1);
    g_autoptr(GStringChunk) spelled = g_string_chunk_new(4096);
    Names names = {of, spelled};
    if (!find_names(net, &names, error)) return false;
    g_autoptr(Net) plain = loops_for_reads(net, error);
    if (!plain) return false;
    fputs("PLACE", out);
    for (uint32_t p = 0; p < net->n_places; p++) fprintf(out, "%s\n  %s", p ? "," : "", names.of[p]);
    fputs(";\n", out);
    put_marking(net, &names, out);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        fprintf(out, "\nTRANSITION %s\nCONSUME", names.of[net->n_places + t]);
        put_list(&names, net_places(plain, ARC_PRE, t), out);
        fputs("PRODUCE", out);
        put_list(&names, net_places(plain, ARC_POST, t), out);
    }
    return net_write_end(out, error);
}
