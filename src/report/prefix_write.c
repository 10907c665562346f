#include "report/prefix_write.h"

#include "base/error.h"
#include "base/json.h"
#include "base/output.h"
#include "base/visible.h"
#include "net/builder.h"
#include "net/write.h"
#include "report/prefix_svg.h"

#include <string.h>

/* " .dot .svg ..." */
static const char *extensions(void)
{
    return ".dot .svg .json .mci .pnml";
}

bool prefix_write_knows(const char *path, GError **error)
{
    g_auto(GStrv) endings = g_strsplit(extensions(), " ", -1);
    for (char **ending = endings; *ending; ending++)
        if (g_str_has_suffix(path, *ending)) return true;
    g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "%s: a prefix is written to %s files", path, extensions());
    return false;
}

/* ---- dot ---- */

static void append_quoted(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    visible_dot(out, text);
    g_string_append_c(out, '"');
}

typedef struct DotArcs {
    const PrefixPart *part;
    GString *out;
    uint32_t event;
} DotArcs;

static void dot_cause(uint32_t cause, void *data)
{
    const DotArcs *arcs = data;
    if (arcs->part->event[cause]) g_string_append_printf(arcs->out, "  e%u -> e%u;\n", cause, arcs->event);
}

static void dot_conditions(const PrefixPart *part, GString *out)
{
    const Prefix *prefix = part->prefix;
    for (uint32_t c = 0; prefix->has_conditions && c < prefix->n_conditions; c++) {
        if (!part->condition[c]) continue;
        g_string_append_printf(out, "  c%u [shape=ellipse%s, label=", c,
                               prefix->condition_event[c] == PREFIX_BOTTOM ? ", style=bold" : "");
        append_quoted(out, net_place_label(prefix->net, prefix->condition_place[c]));
        g_string_append(out, "];\n");
    }
}

static void dot_arcs(const PrefixPart *part, uint32_t e, GString *out)
{
    const Prefix *prefix = part->prefix;
    if (!prefix->has_conditions) {
        DotArcs arcs = {part, out, e};
        prefix_part_causes(prefix, e, dot_cause, &arcs);
        return;
    }
    PrefixRow pre = prefix_pre(prefix, e), read = prefix_read(prefix, e);
    for (uint32_t i = 0; i < pre.len; i++) g_string_append_printf(out, "  c%u -> e%u;\n", pre.id[i], e);
    for (uint32_t i = 0; i < read.len; i++) g_string_append_printf(out, "  c%u -> e%u [dir=none];\n", read.id[i], e);
    for (uint32_t c = prefix->post_start[e]; c < prefix->post_start[e + 1]; c++)
        g_string_append_printf(out, "  e%u -> c%u;\n", e, c);
}

void prefix_write_dot(const PrefixPart *part, GString *out)
{
    const Prefix *prefix = part->prefix;
    g_string_append(out, "digraph ");
    append_quoted(out, prefix->net->name);
    g_string_append(out, " {\n  node [fontsize=10];\n");
    dot_conditions(part, out);
    for (uint32_t e = 0; e < prefix->n_events; e++) {
        if (!part->event[e]) continue;
        g_autofree char *label =
            g_strdup_printf("%s (e%u)", net_transition_label(prefix->net, prefix->event_transition[e]), e);
        g_string_append_printf(out, "  e%u [shape=box%s%s, label=", e,
                               prefix_is_cutoff(prefix, e) ? ", style=dashed" : "",
                               e == part->around ? ", penwidth=3" : "");
        append_quoted(out, label);
        g_string_append(out, "];\n");
        dot_arcs(part, e, out);
        uint32_t companion = prefix->event_companion[e];
        if (companion < prefix->n_events && part->event[companion])
            g_string_append_printf(out, "  e%u -> e%u [style=dotted, constraint=false, arrowhead=open];\n", e,
                                   companion);
    }
    g_string_append(out, "}\n");
}

/* ---- JSON ---- */

static void append_row(GString *out, const char *key, PrefixRow row)
{
    g_string_append_printf(out, ", \"%s\": [", key);
    for (uint32_t i = 0; i < row.len; i++) g_string_append_printf(out, i ? ", %u" : "%u", row.id[i]);
    g_string_append_c(out, ']');
}

static void json_event(const Prefix *prefix, uint32_t e, GString *out)
{
    g_string_append_printf(out, "{\"event\": %u, \"transition\": ", e);
    json_quote(out, net_transition_id(prefix->net, prefix->event_transition[e]));
    g_string_append_printf(out, ", \"size\": %u, \"depth\": %u", prefix->event_size[e], prefix->event_depth[e]);
    if (prefix->has_conditions) {
        append_row(out, "pre", prefix_pre(prefix, e));
        if (prefix->read_start) append_row(out, "read", prefix_read(prefix, e));
        g_string_append(out, ", \"post\": [");
        for (uint32_t c = prefix->post_start[e]; c < prefix->post_start[e + 1]; c++)
            g_string_append_printf(out, c > prefix->post_start[e] ? ", %u" : "%u", c);
        g_string_append_c(out, ']');
    } else {
        append_row(out, "causes", prefix_row(prefix->cause_start, prefix->cause, e));
    }
    uint32_t companion = prefix->event_companion[e];
    g_string_append_printf(out, ", \"cutoff\": %s, \"companion\": ", companion != PREFIX_NONE ? "true" : "false");
    if (companion < prefix->n_events)
        g_string_append_printf(out, "%u}", companion);
    else
        g_string_append(out, companion == PREFIX_BOTTOM ? "\"initial\"}" : "null}");
}

void prefix_write_json(const PrefixPart *part, GString *out)
{
    const Prefix *prefix = part->prefix;
    g_string_append(out, "{\"net\": ");
    json_quote(out, prefix->net->name);
    g_string_append_printf(out, ", \"relation\": \"%s\", \"order\": \"%s\", \"complete\": %s,\n\"conditions\": ",
                           relation_name(prefix->relation), order_name(prefix->order),
                           prefix->end == ENDING_COMPLETE ? "true" : "false");
    if (!prefix->has_conditions) g_string_append(out, "null");
    const char *comma = "[\n";
    for (uint32_t c = 0; prefix->has_conditions && c < prefix->n_conditions; c++) {
        if (!part->condition[c]) continue;
        g_string_append_printf(out, "%s{\"condition\": %u, \"place\": ", comma, c);
        json_quote(out, net_place_id(prefix->net, prefix->condition_place[c]));
        if (prefix->condition_event[c] == PREFIX_BOTTOM)
            g_string_append(out, ", \"producer\": null}");
        else
            g_string_append_printf(out, ", \"producer\": %u}", prefix->condition_event[c]);
        comma = ",\n";
    }
    if (prefix->has_conditions) g_string_append(out, part->n_conditions ? "]" : "[]");
    g_string_append(out, ",\n\"events\": ");
    comma = "[\n";
    for (uint32_t e = 0; e < prefix->n_events; e++) {
        if (!part->event[e]) continue;
        g_string_append(out, comma);
        json_event(prefix, e, out);
        comma = ",\n";
    }
    g_string_append(out, part->n_events ? "]}\n" : "[]}\n");
}

/* ---- mci ---- */

static void append_int(GString *out, uint32_t value)
{
    int32_t number = (int32_t)value;
    g_string_append_len(out, (const char *)&number, sizeof number);
}

static void mci_conditions(const Prefix *prefix, GString *out)
{
    uint32_t n = prefix->n_conditions;
    g_autofree uint32_t *start = g_new0(uint32_t, n + 2),
                        *consumer = g_new(uint32_t, prefix->pre_start[prefix->n_events] + 1);
    for (uint32_t i = 0; i < prefix->pre_start[prefix->n_events]; i++) start[prefix->pre[i] + 2]++;
    for (uint32_t c = 0; c < n; c++) start[c + 2] += start[c + 1];
    for (uint32_t e = 0; e < prefix->n_events; e++)
        for (uint32_t i = prefix->pre_start[e]; i < prefix->pre_start[e + 1]; i++)
            consumer[start[prefix->pre[i] + 1]++] = e;
    for (uint32_t c = 0; c < n; c++) {
        append_int(out, prefix->condition_place[c] + 1);
        append_int(out, prefix->condition_event[c] == PREFIX_BOTTOM ? 0 : prefix->condition_event[c] + 1);
        for (uint32_t i = start[c]; i < start[c + 1]; i++) append_int(out, consumer[i] + 1);
        append_int(out, 0);
    }
}

static void mci_names(const Net *net, GString *out)
{
    size_t longest = 0;
    for (uint32_t p = 0; p < net->n_places; p++) longest = MAX(longest, strlen(net_place_id(net, p)));
    for (uint32_t t = 0; t < net->n_transitions; t++) longest = MAX(longest, strlen(net_transition_id(net, t)));
    append_int(out, net->n_places);
    append_int(out, net->n_transitions);
    append_int(out, (uint32_t)longest);
    for (uint32_t p = 0; p < net->n_places; p++)
        g_string_append_len(out, net_place_id(net, p), (gssize)strlen(net_place_id(net, p)) + 1);
    g_string_append_c(out, '\0');
    for (uint32_t t = 0; t < net->n_transitions; t++)
        g_string_append_len(out, net_transition_id(net, t), (gssize)strlen(net_transition_id(net, t)) + 1);
    g_string_append_c(out, '\0');
}

void prefix_write_mci(const Prefix *prefix, GString *out)
{
    append_int(out, prefix->n_conditions);
    append_int(out, prefix->n_events);
    for (uint32_t e = 0; e < prefix->n_events; e++) append_int(out, prefix->event_transition[e] + 1);
    mci_conditions(prefix, out);
    for (uint32_t e = 0; e < prefix->n_events; e++) {
        if (!prefix_is_cutoff(prefix, e)) continue;
        append_int(out, e + 1);
        append_int(out, prefix->event_companion[e] == PREFIX_BOTTOM ? 0 : prefix->event_companion[e] + 1);
    }
    append_int(out, 0);
    append_int(out, 0);
    mci_names(prefix->net, out);
}

/* ---- PNML ---- */

Net *prefix_write_net(const Prefix *prefix, GError **error)
{
    const Net *net = prefix->net;
    g_autofree char *name = g_strdup_printf("prefix-of-%s", net->name);
    g_autoptr(NetBuilder) builder = net_builder_new(name);
    for (uint32_t c = 0; c < prefix->n_conditions; c++) {
        g_autofree char *id = g_strdup_printf("c%u", c);
        net_builder_place(builder, id, net_place_label(net, prefix->condition_place[c]),
                          prefix->condition_event[c] == PREFIX_BOTTOM);
    }
    for (uint32_t e = 0; e < prefix->n_events; e++) {
        g_autofree char *id = g_strdup_printf("e%u", e);
        net_builder_transition(builder, id, net_transition_label(net, prefix->event_transition[e]));
        PrefixRow pre = prefix_pre(prefix, e), read = prefix_read(prefix, e);
        for (uint32_t i = 0; i < pre.len; i++) net_builder_arc(builder, ARC_PRE, pre.id[i], e, 1);
        for (uint32_t i = 0; i < read.len; i++) net_builder_arc(builder, ARC_READ, read.id[i], e, 1);
        for (uint32_t c = prefix->post_start[e]; c < prefix->post_start[e + 1]; c++)
            net_builder_arc(builder, ARC_POST, c, e, 1);
    }
    return net_builder_finish(builder, error);
}

/* ---- by extension ---- */

static bool can_hold(const Prefix *prefix, const char *name, GError **error)
{
    bool pnml = g_str_has_suffix(name, ".pnml"), mci = g_str_has_suffix(name, ".mci");
    if ((pnml || mci) && !prefix->has_conditions) {
        g_set_error(error, MAZURKA_ERROR, ERROR_UNSUPPORTED,
                    "%s: this prefix has no conditions; .dot, .svg and .json do", name);
        return false;
    }
    if (mci && prefix->read_start && prefix->read_start[prefix->n_events]) {
        g_set_error(error, MAZURKA_ERROR, ERROR_UNSUPPORTED, "%s: .mci has no read arcs; use --relation classic", name);
        return false;
    }
    return true;
}

static bool append_net(const Prefix *prefix, GString *out, GError **error)
{
    g_autoptr(Net) net = prefix_write_net(prefix, error);
    size_t len;
    g_autofree char *text = net ? net_write_text(net, "pnml", &len, error) : NULL;
    if (text) g_string_append_len(out, text, (gssize)len);
    return text;
}

bool prefix_write_text(const PrefixPart *part, const char *name, GString *out, GError **error)
{
    const Prefix *prefix = part->prefix;
    if (!prefix_write_knows(name, error) || !can_hold(prefix, name, error)) return false;
    if (g_str_has_suffix(name, ".pnml")) return append_net(prefix, out, error);
    if (g_str_has_suffix(name, ".svg")) return prefix_svg_print(part, out, error);
    if (g_str_has_suffix(name, ".mci"))
        prefix_write_mci(prefix, out);
    else if (g_str_has_suffix(name, ".dot"))
        prefix_write_dot(part, out);
    else
        prefix_write_json(part, out);
    return true;
}

bool prefix_write_file(const PrefixPart *part, const char *path, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    return prefix_write_text(part, path, out, error) && output_write(path, out->str, out->len, error);
}
