#include "report/prefix_svg.h"

#include "base/error.h"
#include "report/layered.h"

typedef struct Drawing {
    const PrefixPart *part;
    Layered *layered;
    uint32_t *event_node, *condition_node;
    bool *companion; /* per event: of some shown cutoff */
} Drawing;

static char *event_label(const Prefix *prefix, uint32_t e)
{
    const char *name = net_transition_label(prefix->net, prefix->event_transition[e]);
    uint32_t companion = prefix->event_companion[e];
    if (companion == PREFIX_NONE) return g_strdup_printf("%s e%u", name, e);
    if (companion == PREFIX_BOTTOM) return g_strdup_printf("%s e%u = initial", name, e);
    return g_strdup_printf("%s e%u = e%u", name, e, companion);
}

static void add_event(Drawing *d, uint32_t e)
{
    const Prefix *prefix = d->part->prefix;
    const char *kind = prefix_is_cutoff(prefix, e) ? "e cut" : d->companion[e] ? "e mate" : "e";
    g_autofree char *class = g_strdup_printf("%s%s", kind, e == d->part->around ? " middle" : "");
    char *title = g_strdup_printf("e%u, |[e%u]| = %u, depth %u", e, e, prefix->event_size[e], prefix->event_depth[e]);
    d->event_node[e] = layered_node(d->layered, 2 * prefix->event_depth[e] - 1, class, event_label(prefix, e), title);
}

static void add_nodes(Drawing *d)
{
    const Prefix *prefix = d->part->prefix;
    for (uint32_t c = 0; prefix->has_conditions && c < prefix->n_conditions; c++) {
        if (!d->part->condition[c]) continue;
        uint32_t e = prefix->condition_event[c], row = e == PREFIX_BOTTOM ? 0 : 2 * prefix->event_depth[e];
        const char *label = net_place_label(prefix->net, prefix->condition_place[c]);
        d->condition_node[c] = layered_node(d->layered, row, "c", g_strdup(label), g_strdup_printf("c%u", c));
    }
    for (uint32_t e = 0; e < prefix->n_events; e++)
        if (d->part->event[e] && prefix->event_companion[e] < prefix->n_events)
            d->companion[prefix->event_companion[e]] = true;
    for (uint32_t e = 0; e < prefix->n_events; e++)
        if (d->part->event[e]) add_event(d, e);
}

typedef struct ArcTo {
    Drawing *drawing;
    uint32_t event;
} ArcTo;

static void add_cause(uint32_t cause, void *data)
{
    ArcTo *arc = data;
    Drawing *d = arc->drawing;
    if (d->part->event[cause])
        layered_arc(d->layered, d->event_node[cause], d->event_node[arc->event], LAYERED_ARROW, NULL);
}

static void add_arcs(Drawing *d)
{
    const Prefix *prefix = d->part->prefix;
    for (uint32_t e = 0; e < prefix->n_events; e++) {
        if (!d->part->event[e]) continue;
        if (!prefix->has_conditions) {
            ArcTo arc = {d, e};
            prefix_part_causes(prefix, e, add_cause, &arc);
            continue;
        }
        PrefixRow pre = prefix_pre(prefix, e), read = prefix_read(prefix, e);
        for (uint32_t i = 0; i < pre.len; i++)
            layered_arc(d->layered, d->condition_node[pre.id[i]], d->event_node[e], LAYERED_ARROW, NULL);
        for (uint32_t i = 0; i < read.len; i++)
            layered_arc(d->layered, d->condition_node[read.id[i]], d->event_node[e], LAYERED_LINE, NULL);
        for (uint32_t c = prefix->post_start[e]; c < prefix->post_start[e + 1]; c++)
            layered_arc(d->layered, d->event_node[e], d->condition_node[c], LAYERED_ARROW, NULL);
    }
}

bool prefix_svg_print(const PrefixPart *part, GString *out, GError **error)
{
    if (part->n_events + (uint64_t)part->n_conditions > PREFIX_SVG_MOST) {
        g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT,
                    "a drawing of %u events and %u conditions cannot be read; use --around EVENT --radius N",
                    part->n_events, part->n_conditions);
        return false;
    }
    const Prefix *prefix = part->prefix;
    g_autoptr(Layered) layered = layered_new();
    g_autofree uint32_t *event_node = g_new0(uint32_t, prefix->n_events + 1);
    g_autofree uint32_t *condition_node = g_new0(uint32_t, prefix->n_conditions + 1);
    g_autofree bool *companion = g_new0(bool, prefix->n_events + 1);
    Drawing d = {part, layered, event_node, condition_node, companion};
    add_nodes(&d);
    add_arcs(&d);
    layered_print(layered, prefix->net->name, out);
    return true;
}
